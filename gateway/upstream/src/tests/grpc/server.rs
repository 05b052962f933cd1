//! A server of tonic that answers every method of both services with what a test says.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::{Stream, StreamExt, future::BoxFuture, stream};
use gateway_proto::{BytesCodec, Method, status_details};
use http::HeaderMap;
use hyper::{body::Incoming, server::conn::http2, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
    sync::{Notify, Semaphore},
    task::JoinSet,
};
use tokio_rustls::TlsAcceptor;
use tonic::{
    Code, Request, Response, Status,
    metadata::MetadataValue,
    server::{ServerStreamingService, UnaryService},
};

/// What the server does with a call.
#[derive(Debug, Clone)]
pub(super) enum Reply {
    /// Answers with a message, and activates an extension in the trailers.
    Message(Value),
    /// Answers with the bytes of a message.
    Bytes(&'static [u8]),
    /// Sends these, each after the first when told to go on, and ends with this.
    Stream(Vec<Value>, Option<(Code, &'static str)>),
    /// Refuses.
    Failure(Code, &'static str, Vec<Value>),
    /// Never answers.
    Silence,
    /// Is no gRPC server.
    Html(u16),
}

/// A call as it arrived.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) message: Value,
}

#[derive(Debug)]
pub(super) struct Server {
    pub(super) url: String,
    shared: Shared,
    accepting: tokio::task::JoinHandle<()>,
}

#[derive(Debug, Clone)]
struct Shared {
    reply: Reply,
    seen: Arc<Mutex<Option<Seen>>>,
    steps: Arc<Semaphore>,
    hung_up: Arc<Notify>,
}

/// Makes the detail that names an error of the protocol.
pub(super) fn info(reason: &str) -> Value {
    json!({
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": reason, "domain": "a2a-protocol.org",
    })
}

impl Server {
    pub(super) async fn replies(reply: Reply) -> Self {
        Self::serves(reply, None).await
    }

    /// Serves over TLS; the url then has the name of the certificate.
    pub(super) async fn replies_over_tls(reply: Reply, tls: TlsAcceptor) -> Self {
        Self::serves(reply, Some(tls)).await
    }

    async fn serves(reply: Reply, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let url = match tls {
            Some(_) => format!("https://agent.test:{}", address.port()),
            None => format!("http://{address}"),
        };
        let shared = Shared {
            reply,
            seen: Arc::default(),
            steps: Arc::new(Semaphore::new(0)),
            hung_up: Arc::default(),
        };
        let serving = shared.clone();
        let accepting = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (serving, tls) = (serving.clone(), tls.clone());
                connections.spawn(async move {
                    match tls {
                        Some(tls) => serve(tls.accept(stream).await.unwrap(), serving).await,
                        None => serve(stream, serving).await,
                    }
                });
            }
        });
        Self {
            url,
            shared,
            accepting,
        }
    }

    /// Returns the last call.
    pub(super) fn seen(&self) -> Seen {
        self.shared.seen.lock().unwrap().clone().unwrap()
    }

    /// Lets a stream send one more.
    pub(super) fn go_on(&self) {
        self.shared.steps.add_permits(1);
    }

    /// Cuts all connections.
    pub(super) fn stop(&self) {
        self.accepting.abort();
    }

    /// Waits until a client leaves a stream before its end.
    pub(super) async fn is_hung_up(&self) {
        self.shared.hung_up.notified().await;
    }
}

async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, shared: Shared) {
    let service = service_fn(move |request| answer(shared.clone(), request));
    let builder = http2::Builder::new(TokioExecutor::new());
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    // Clients that have seen enough hang up.
    connection.await.ok();
}

async fn answer(
    shared: Shared,
    request: http::Request<Incoming>,
) -> Result<http::Response<tonic::body::Body>, std::convert::Infallible> {
    let method = Method::of_path(request.uri().path()).expect("a method of either service");
    let agent = Agent {
        method,
        headers: request.headers().clone(),
        shared,
    };
    if let Reply::Html(status) = agent.shared.reply {
        let response = http::Response::builder().status(status);
        let body = http_body_util::Full::new(Bytes::from("<html>"));
        return Ok(response.body(tonic::body::Body::new(body)).unwrap());
    }
    let mut grpc = tonic::server::Grpc::new(BytesCodec);
    Ok(if method.server_streaming() {
        grpc.server_streaming(agent, request).await
    } else {
        grpc.unary(agent, request).await
    })
}

struct Agent {
    method: Method,
    headers: HeaderMap,
    shared: Shared,
}

impl Agent {
    fn note(&self, message: &[u8]) {
        let seen = Seen {
            path: self.method.path().to_owned(),
            headers: self.headers.clone(),
            message: self.method.request_to_json(message).unwrap().json,
        };
        *self.shared.seen.lock().unwrap() = Some(seen);
    }

    fn encode(&self, message: &Value) -> Bytes {
        self.method.response_from_json(message).unwrap()
    }
}

fn refusal(code: Code, message: &str, details: &[Value]) -> Status {
    if details.is_empty() {
        return Status::new(code, message);
    }
    Status::with_details(code, message, status_details(code as i32, message, details))
}

impl UnaryService<Bytes> for Agent {
    type Response = Bytes;
    type Future = BoxFuture<'static, Result<Response<Bytes>, Status>>;

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        self.note(request.get_ref());
        let answer = match &self.shared.reply {
            Reply::Message(message) => {
                let mut response = Response::new(self.encode(message));
                let extension = MetadataValue::from_static("urn:served");
                response.metadata_mut().insert("a2a-extensions", extension);
                Ok(response)
            }
            Reply::Bytes(message) => Ok(Response::new(Bytes::from_static(message))),
            Reply::Failure(code, message, details) => Err(refusal(*code, message, details)),
            Reply::Silence => return Box::pin(std::future::pending()),
            other => panic!("{other:?} is no reply to a unary call"),
        };
        Box::pin(std::future::ready(answer))
    }
}

impl ServerStreamingService<Bytes> for Agent {
    type Response = Bytes;
    type ResponseStream = Pin<Box<dyn Stream<Item = Result<Bytes, Status>> + Send>>;
    type Future = BoxFuture<'static, Result<Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        self.note(request.get_ref());
        let answer = match &self.shared.reply {
            Reply::Failure(code, message, details) => Err(refusal(*code, message, details)),
            Reply::Stream(messages, end) => {
                let messages = messages.iter().map(|message| Ok(self.encode(message)));
                let end = end.map(|(code, message)| Err(Status::new(code, message)));
                let items: Vec<_> = messages.chain(end).collect();
                let steps = Arc::clone(&self.shared.steps);
                let items = stream::iter(items).enumerate().then(move |(index, item)| {
                    let steps = Arc::clone(&steps);
                    async move {
                        if index > 0 {
                            steps.acquire().await.unwrap().forget();
                        }
                        item
                    }
                });
                let watched = Watched {
                    items: items.boxed(),
                    left: Some(Arc::clone(&self.shared.hung_up)),
                };
                Ok(Response::new(Box::pin(watched) as Self::ResponseStream))
            }
            other => panic!("{other:?} is no reply to a stream"),
        };
        Box::pin(std::future::ready(answer))
    }
}

/// A stream that tells when it is dropped before its end.
struct Watched {
    items: Pin<Box<dyn Stream<Item = Result<Bytes, Status>> + Send>>,
    left: Option<Arc<Notify>>,
}

impl Stream for Watched {
    type Item = Result<Bytes, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = self.items.as_mut().poll_next(context);
        if matches!(next, Poll::Ready(None)) {
            self.left = None;
        }
        next
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(left) = self.left.take() {
            left.notify_one();
        }
    }
}
