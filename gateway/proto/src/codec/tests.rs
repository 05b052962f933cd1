//! A real exchange over loopback: a server that answers every method, and tonic's own generic client.

use axum::Router;
use axum::body::Body;
use http::uri::PathAndQuery;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_stream::Stream;
use tonic::metadata::MetadataValue;
use tonic::server::{ServerStreamingService, UnaryService};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Response};

use super::*;
use crate::{Method, Service, read_status_details, status_details};

type Answer<T> = std::future::Ready<Result<Response<T>, Status>>;

#[derive(Clone, Copy)]
struct Agent(Method);

impl UnaryService<Bytes> for Agent {
    type Response = Bytes;
    type Future = Answer<Bytes>;

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        let call = self.0.request_to_json(request.get_ref()).unwrap().json;
        std::future::ready(if call["id"] == "unknown" {
            Err(not_found())
        } else {
            let task = json!({"id": call["id"], "status": {"state": "TASK_STATE_WORKING"}});
            let mut response = Response::new(self.0.response_from_json(&task).unwrap());
            response.metadata_mut().insert(
                "a2a-version",
                request.metadata().get("a2a-version").unwrap().clone(),
            );
            Ok(response)
        })
    }
}

impl ServerStreamingService<Bytes> for Agent {
    type Response = Bytes;
    type ResponseStream = Box<dyn Stream<Item = Result<Bytes, Status>> + Send + Unpin>;
    type Future = Answer<Self::ResponseStream>;

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        let call = self.0.request_to_json(request.get_ref()).unwrap().json;
        let mut events = vec![
            Ok(json!({"task": {"id": call["id"]}})),
            Ok(json!({"statusUpdate": {"taskId": call["id"]}})),
        ];
        if call["id"] == "breaks" {
            events.push(Err(not_found()));
        }
        let method = self.0;
        let events = events
            .into_iter()
            .map(move |event| event.map(|event: Value| method.response_from_json(&event).unwrap()));
        std::future::ready(Ok(Response::new(Box::new(tokio_stream::iter(
            events.collect::<Vec<_>>(),
        )))))
    }
}

fn not_found() -> Status {
    let details =
        [json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND"})];
    let mut status = Status::with_details(
        Code::NotFound,
        "no such task",
        status_details(5, "no such task", &details),
    );
    status
        .metadata_mut()
        .insert("x-trailer", MetadataValue::from_static("kept"));
    status
}

async fn answer(request: http::Request<Body>) -> http::Response<tonic::body::Body> {
    let mut grpc = tonic::server::Grpc::new(BytesCodec);
    match Method::of_path(request.uri().path()) {
        Some(method) if method.server_streaming() => {
            grpc.server_streaming(Agent(method), request).await
        }
        Some(method) => grpc.unary(Agent(method), request).await,
        None => Status::unimplemented("no such method").into_http(),
    }
}

async fn client() -> tonic::client::Grpc<Channel> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        axum::serve(listener, Router::new().fallback(answer))
            .await
            .unwrap();
    });
    let channel = Endpoint::try_from(format!("http://{address}"))
        .unwrap()
        .connect_lazy();
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.unwrap();
    client
}

fn call(rpc: &str, id: &str) -> (Method, PathAndQuery, Request<Bytes>) {
    let method = Method::of(Service::V1, rpc).unwrap();
    let bytes = method.request_from_json(&json!({"id": id})).unwrap();
    let mut request = Request::new(bytes);
    request
        .metadata_mut()
        .insert("a2a-version", MetadataValue::from_static("1.0"));
    (method, PathAndQuery::from_static(method.path()), request)
}

fn assert_not_found(status: &Status) {
    assert_eq!(
        (status.code(), status.message()),
        (Code::NotFound, "no such task")
    );
    let details = read_status_details(status.details()).unwrap();
    assert_eq!(details.details[0]["reason"], "TASK_NOT_FOUND");
    assert_eq!(status.metadata().get("x-trailer").unwrap(), "kept");
}

#[tokio::test]
async fn unary_call_carries_bytes_and_metadata() {
    let (method, path, request) = call("GetTask", "t-1");
    let response = client()
        .await
        .unary(request, path, BytesCodec)
        .await
        .unwrap();
    assert_eq!(response.metadata().get("a2a-version").unwrap(), "1.0");
    assert_eq!(
        method.response_to_json(response.get_ref()).unwrap().json,
        json!({"id": "t-1", "status": {"state": "TASK_STATE_WORKING"}})
    );
}

#[tokio::test]
async fn unary_error_carries_details_and_metadata() {
    let (_, path, request) = call("GetTask", "unknown");
    assert_not_found(
        &client()
            .await
            .unary(request, path, BytesCodec)
            .await
            .unwrap_err(),
    );
}

#[tokio::test]
async fn stream_carries_each_message_and_ends_with_trailers() {
    let (method, path, request) = call("SubscribeToTask", "t-1");
    let response = client()
        .await
        .server_streaming(request, path, BytesCodec)
        .await
        .unwrap();
    let mut stream = response.into_inner();
    let mut events = Vec::new();
    while let Some(bytes) = stream.message().await.unwrap() {
        events.push(method.response_to_json(&bytes).unwrap().json);
    }
    assert_eq!(
        events,
        [
            json!({"task": {"id": "t-1"}}),
            json!({"statusUpdate": {"taskId": "t-1"}})
        ]
    );
    assert!(stream.trailers().await.unwrap().is_some());
}

#[tokio::test]
async fn stream_error_in_the_trailers_carries_details_and_metadata() {
    let (_, path, request) = call("SubscribeToTask", "breaks");
    let response = client()
        .await
        .server_streaming(request, path, BytesCodec)
        .await
        .unwrap();
    let mut stream = response.into_inner();
    for _ in 0..2 {
        assert!(stream.message().await.unwrap().is_some());
    }
    assert_not_found(&stream.message().await.unwrap_err());
}

#[tokio::test]
async fn messages_larger_than_a_frame_arrive_whole() {
    let (method, path, request) = call("GetTask", &"x".repeat(300_000));
    let response = client()
        .await
        .unary(request, path, BytesCodec)
        .await
        .unwrap();
    let task = method.response_to_json(response.get_ref()).unwrap().json;
    assert_eq!(task["id"].as_str().unwrap().len(), 300_000);
}
