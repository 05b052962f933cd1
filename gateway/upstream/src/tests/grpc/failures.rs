//! Errors that agents tell over gRPC, and calls that fail.

use std::time::Duration;

use futures_util::StreamExt;
use gateway_core::ports::{AnswerContent, AttemptErrorKind};
use gateway_protocol::{
    Operation::{self, CancelTask, GetTask, SubscribeToTask},
    Version::{self, V1, V03},
};
use serde_json::{Value, json};
use tonic::Code;

use super::{
    grpc,
    server::{Reply, Server, info},
    update,
};
use crate::tests::mock::{agent, call, heard, one};

const SHORT: Duration = Duration::from_millis(300);

/// Asks an agent that refuses, and returns the error object.
async fn refusal(version: Version, operation: Operation, reply: Reply) -> Value {
    let server = Server::replies(reply).await;
    let request = grpc(agent(&server.url), version, operation, &json!({"id": "t"}));
    one(call(request).await.unwrap()).unwrap_err()
}

#[tokio::test]
async fn details_tell_the_error_whatever_the_code() {
    let reason = "UNSUPPORTED_OPERATION";
    for (code, reason, expected) in [
        (Code::NotFound, "TASK_NOT_FOUND", -32001),
        (Code::FailedPrecondition, reason, -32004),
        (Code::Unavailable, "TASK_NOT_FOUND", -32001),
    ] {
        let reply = Reply::Failure(code, "x", vec![info(reason)]);
        let error = refusal(V1, CancelTask, reply).await;
        let told = json!({"code": expected, "message": "x", "data": [info(reason)]});
        assert_eq!(error, told);
    }
    let mut other = info("TASK_NOT_FOUND");
    other["domain"] = "other.test".into();
    let reply = Reply::Failure(Code::InvalidArgument, "x", vec![other]);
    assert_eq!(refusal(V1, GetTask, reply).await["code"], -32602);
}

#[tokio::test]
async fn errors_without_details_are_told_by_name_then_by_code() {
    let named = "TaskNotCancelableError: x";
    for (version, operation, code, message, expected) in [
        (V03, CancelTask, Code::Unimplemented, named, -32002),
        (V1, CancelTask, Code::FailedPrecondition, "x", -32002),
        (V1, GetTask, Code::NotFound, "x", -32001),
        (V1, GetTask, Code::Internal, "x", -32603),
        (V03, SubscribeToTask, Code::Unimplemented, "x", -32004),
    ] {
        let reply = Reply::Failure(code, message, vec![]);
        let error = refusal(version, operation, reply).await;
        assert_eq!(error, json!({"code": expected, "message": "x"}));
    }
}

#[tokio::test]
async fn statuses_about_the_gateway_are_failures_of_the_attempt() {
    use AttemptErrorKind::{Credential, Overloaded, Timeout};

    for (code, kind, words) in [
        (
            Code::Unauthenticated,
            Credential,
            "agent `alpha` refused the gateway's credential (gRPC UNAUTHENTICATED)",
        ),
        (
            Code::PermissionDenied,
            Credential,
            "agent `alpha` refused the gateway's credential (gRPC PERMISSION_DENIED)",
        ),
        (
            Code::Unavailable,
            Overloaded,
            "agent `alpha` is overloaded (gRPC UNAVAILABLE); try again later",
        ),
        (
            Code::ResourceExhausted,
            Overloaded,
            "agent `alpha` is overloaded (gRPC RESOURCE_EXHAUSTED); try again later",
        ),
        (
            Code::DeadlineExceeded,
            Timeout,
            "agent `alpha`: no answer within 5 s; the task may still be running",
        ),
    ] {
        for operation in [GetTask, SubscribeToTask] {
            let server = Server::replies(Reply::Failure(code, "inner text", vec![])).await;
            let error = call(grpc(agent(&server.url), V1, operation, &json!({"id": "t"})))
                .await
                .unwrap_err();
            assert_eq!((error.kind, error.sent), (kind, true), "{error}");
            assert_eq!(error.detail, words);
        }
    }
}

#[tokio::test]
async fn c065_silence_ends_calls_and_streams_at_their_limits() {
    let server = Server::replies(Reply::Silence).await;
    let mut spec = agent(&server.url);
    spec.limits.timeout = SHORT;
    let error = call(grpc(spec, V1, GetTask, &json!({"id": "t"})))
        .await
        .unwrap_err();
    assert_eq!((error.kind, error.sent), (AttemptErrorKind::Timeout, true));
    assert!(error.detail.contains("0.3 s"), "{error}");

    let server = Server::replies(Reply::Stream(vec![update(), update()], None)).await;
    let mut spec = agent(&server.url);
    spec.limits.stream_idle = SHORT;
    let answer = call(grpc(spec, V1, SubscribeToTask, &json!({"id": "t"})))
        .await
        .unwrap();
    let (seen, error) = heard(answer).await;
    assert_eq!(
        (seen.len(), error.unwrap().kind),
        (1, AttemptErrorKind::StreamIdle)
    );
}

#[tokio::test]
async fn c096_messages_over_the_limit_are_refused() {
    let large = json!({"id": "x".repeat(100 * 1024)});
    let server = Server::replies(Reply::Message(large.clone())).await;
    let error = call(grpc(agent(&server.url), V1, GetTask, &json!({"id": "t"})))
        .await
        .unwrap_err();
    assert_eq!(error.kind, AttemptErrorKind::TooLarge);
    assert!(error.detail.contains("65536"), "{error}");

    let server = Server::replies(Reply::Stream(vec![update(), json!({"task": large})], None)).await;
    server.go_on();
    let answer = call(grpc(
        agent(&server.url),
        V1,
        SubscribeToTask,
        &json!({"id": "t"}),
    ))
    .await;
    let (seen, error) = heard(answer.unwrap()).await;
    assert_eq!(
        (seen.len(), error.unwrap().kind),
        (1, AttemptErrorKind::TooLarge)
    );
}

#[tokio::test]
async fn c065_broken_connections_say_whether_the_agent_may_have_heard() {
    let error = call(grpc(
        agent("http://127.0.0.1:1"),
        V1,
        GetTask,
        &json!({"id": "t"}),
    ))
    .await
    .unwrap_err();
    assert_eq!((error.kind, error.sent), (AttemptErrorKind::Refused, false));

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::time::sleep(Duration::from_millis(100)).await;
            drop(stream);
        }
    });
    let error = call(grpc(agent(&url), V1, GetTask, &json!({"id": "t"})))
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind, error.sent),
        (AttemptErrorKind::Reset, true),
        "{error}"
    );

    let server = Server::replies(Reply::Stream(vec![update(), update()], None)).await;
    let answer = call(grpc(
        agent(&server.url),
        V1,
        SubscribeToTask,
        &json!({"id": "t"}),
    ))
    .await
    .unwrap();
    let AnswerContent::Events(mut events) = answer.content else {
        panic!("expected events")
    };
    events.next().await.unwrap().unwrap();
    server.stop();
    let error = events.next().await.unwrap().unwrap_err();
    assert_eq!((error.kind, error.sent), (AttemptErrorKind::Reset, true));
}

#[tokio::test]
async fn c083_link_local_addresses_are_never_called() {
    let request = grpc(
        agent("http://169.254.169.254:1"),
        V1,
        GetTask,
        &json!({"id": "t"}),
    );
    let error = call(request).await.unwrap_err();
    assert_eq!((error.kind, error.sent), (AttemptErrorKind::Refused, false));
    assert!(error.detail.contains("link-local"), "{error}");
}

#[tokio::test]
async fn c063_answers_that_are_no_grpc_have_their_kind_and_words() {
    for (status, kind, words) in [
        (
            200,
            AttemptErrorKind::Malformed,
            "answered something else than gRPC",
        ),
        (
            502,
            AttemptErrorKind::Malformed,
            "answered HTTP 502 with something else than gRPC",
        ),
        (
            404,
            AttemptErrorKind::NoEndpoint,
            "answered HTTP 404 with something else than gRPC",
        ),
        (
            401,
            AttemptErrorKind::Credential,
            "refused the gateway's credential (HTTP 401)",
        ),
    ] {
        let server = Server::replies(Reply::Html(status)).await;
        let error = call(grpc(agent(&server.url), V1, GetTask, &json!({"id": "t"})))
            .await
            .unwrap_err();
        assert_eq!((error.kind, error.sent), (kind, true));
        assert_eq!(error.detail, format!("agent `alpha` {words}"));
    }
}
