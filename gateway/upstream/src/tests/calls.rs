//! Unary calls: what is sent, what comes back, and how much of it.

use std::sync::atomic::{AtomicUsize, Ordering};

use gateway_core::{
    agent::AgentAuth,
    catalog::Endpoint,
    ports::{AgentRequest, AttemptErrorKind},
    trace::TraceContext,
};
use gateway_protocol::{Operation, Version};
use tokio::io::AsyncWriteExt;

use super::mock::*;
use crate::{agents::http::Http, guard::Clients};

const TRACEPARENT: &str = "00-11111111111111111111111111111111-2222222222222222-01";

fn decorated(url: &str, version: Version, operation: Operation) -> AgentRequest {
    let mut agent = agent(url);
    agent.auth = AgentAuth::Bearer("agent-secret".into());
    let request = request(agent);
    AgentRequest {
        endpoint: Endpoint {
            version,
            ..request.endpoint
        },
        operation,
        extensions: vec![
            "urn:ext:a".to_owned(),
            "urn:bad\r\nx-forged: 1".to_owned(),
            "urn:ext:b".to_owned(),
        ],
        trace: TraceContext::continue_from(Some(TRACEPARENT), Some("k=v")),
        ..request
    }
}

#[tokio::test]
async fn c015_c071_c093_request_has_exactly_these_headers() {
    let mock = Mock::always(json(JSON)).await;
    let answer = send(decorated(
        &format!("{}/rpc", mock.url),
        Version::V1,
        Operation::GetTask,
    ))
    .await
    .unwrap();
    assert_eq!(
        (answer.status, whole(answer).as_ref()),
        (200, JSON.as_bytes())
    );

    let [seen] = mock.seen().try_into().unwrap();
    assert_eq!(
        (seen.method.as_str(), seen.target.as_str()),
        ("POST", "/rpc")
    );
    assert_eq!(
        seen.body,
        br#"{"jsonrpc":"2.0","id":"q1","method":"GetTask"}"#
    );
    let expected = [
        ("a2a-extensions", "urn:ext:a, urn:ext:b"),
        ("a2a-version", "1.0"),
        ("accept", "application/json"),
        ("accept-encoding", "gzip"),
        ("authorization", "Bearer agent-secret"),
        ("content-length", "46"),
        ("content-type", "application/json"),
        ("host", mock.url.strip_prefix("http://").unwrap()),
        ("tracestate", "k=v"),
        (
            "user-agent",
            concat!("a2a-gateway/", env!("CARGO_PKG_VERSION")),
        ),
    ];
    let mut headers = seen.headers;
    let traceparent = headers.remove("traceparent").unwrap();
    assert!(
        traceparent.starts_with("00-11111111111111111111111111111111-"),
        "{traceparent}"
    );
    let headers: Vec<_> = headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(headers, expected);
}

#[tokio::test]
async fn c015_old_agents_get_their_version_and_both_extension_headers() {
    let mock = Mock::always(events(&["data: {}\n\n"])).await;
    send(decorated(
        &mock.url,
        Version::V03,
        Operation::SubscribeToTask,
    ))
    .await
    .unwrap();
    let headers = mock.seen().remove(0).headers;
    assert_eq!(headers["a2a-version"], "0.3");
    assert_eq!(headers["a2a-extensions"], "urn:ext:a, urn:ext:b");
    assert_eq!(headers["x-a2a-extensions"], "urn:ext:a, urn:ext:b");
    assert_eq!(headers["accept"], "text/event-stream, application/json");
    assert_eq!(headers["accept-encoding"], "identity");
}

#[tokio::test]
async fn a_credential_with_a_line_break_stops_the_call() {
    let mock = Mock::always(json(JSON)).await;
    let mut agent = agent(&mock.url);
    agent.auth = AgentAuth::Header {
        name: "x-key".to_owned(),
        value: "a\r\nx-forged: 1".into(),
    };
    let error = send(request(agent)).await.unwrap_err();
    assert!(!error.sent);
    assert!(error.detail.contains("line breaks"), "{}", error.detail);
    assert!(mock.seen().is_empty());
}

#[tokio::test]
async fn c071_another_origin_than_the_registered_one_gets_no_credential() {
    let mock = Mock::always(json(JSON)).await;
    let mut call = decorated("http://registered.test/", Version::V1, Operation::GetTask);
    call.endpoint.url = mock.url.parse().unwrap();
    send(call).await.unwrap();
    assert!(!mock.seen()[0].headers.contains_key("authorization"));
}

#[tokio::test]
async fn status_extensions_and_retry_after_are_passed_on() {
    let headers = "retry-after: 7\r\nx-a2a-extensions: urn:ext:a\r\n";
    let mock = Mock::always(response(429, headers, "")).await;
    let answer = send(request(agent(&mock.url))).await.unwrap();
    assert_eq!((answer.status, answer.retry_after), (429, Some(7)));
    assert_eq!(answer.extensions, ["urn:ext:a"]);
}

#[tokio::test]
async fn c113_redirect_within_the_origin_repeats_body_and_credential_once() {
    for status in [307, 308] {
        let mock = Mock::answers(move |seen| match seen.target.as_str() {
            "/rpc" => response(status, "location: /rpc/\r\n", ""),
            _ => json(JSON),
        })
        .await;
        let answer = send(decorated(
            &format!("{}/rpc", mock.url),
            Version::V1,
            Operation::GetTask,
        ))
        .await
        .unwrap();
        assert_eq!(answer.status, 200);
        assert_eq!(mock.targets(), ["/rpc", "/rpc/"]);
        let [first, second] = mock.seen().try_into().unwrap();
        assert_eq!(
            (first.method, first.body, first.headers),
            (second.method, second.body, second.headers)
        );
    }
}

#[tokio::test]
async fn c083_c113_other_redirects_are_errors() {
    let other = Mock::always(json(JSON)).await;
    let elsewhere = format!("location: {}/rpc\r\n", other.url);
    let here = "location: /again\r\n".to_owned();
    let link_local = "location: http://169.254.169.254/\r\n".to_owned();
    let cases = [
        (301, here.clone(), 1),
        (302, here.clone(), 1),
        (303, here.clone(), 1),
        (307, elsewhere, 1),
        (308, link_local, 1),
        (307, String::new(), 1),
        (307, here, 2),
    ];
    for (status, location, requests) in cases {
        let answer = response(status, &location, "");
        let mock = Mock::always(answer).await;
        let error = send(request(agent(&mock.url))).await.unwrap_err();
        assert_eq!(
            (error.kind, error.sent),
            (AttemptErrorKind::Redirect, true),
            "{status} {location}"
        );
        assert_eq!(mock.seen().len(), requests, "{status} {location}");
    }
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn c063_bodies_that_are_no_json_arrive_whole() {
    let html = "<html>oops</html>";
    let cases = [
        (502, "content-type: text/html\r\n", html),
        (200, "", ""),
        (200, "content-type: text/html\r\n", html),
        (204, "", ""),
        (200, "content-type: application/json\r\n", "[1]"),
        (500, "content-type: text/plain\r\n", "Internal error"),
    ];
    for (status, headers, body) in cases {
        let mock = Mock::always(response(status, headers, body)).await;
        for request in [request, stream_request] {
            let request = request(agent(&mock.url));
            let answer = send(request).await.unwrap();
            assert_eq!(
                (answer.status, whole(answer).as_ref()),
                (status, body.as_bytes()),
                "{status} {body}"
            );
        }
    }
}

#[tokio::test]
async fn c063_an_event_stream_to_a_unary_call_is_events() {
    let mock = Mock::always(events(&["data: {\"a\":1}\n\n"])).await;
    let answer = send(request(agent(&mock.url))).await.unwrap();
    assert_eq!(drain(answer).await.0, ["{\"a\":1}"]);
}

#[tokio::test]
async fn c038_json_in_place_of_a_stream_arrives_whole() {
    let error = r#"{"jsonrpc":"2.0","id":"q1","error":{"code":-32004,"message":"no"}}"#;
    for (status, headers) in [
        (200, "content-type: application/json\r\n"),
        (200, ""),
        (400, "content-type: application/json\r\n"),
        (400, "content-type: text/event-stream\r\n"),
    ] {
        let mock = Mock::always(response(status, headers, format!("\u{feff} \r\n{error}"))).await;
        let answer = send(stream_request(agent(&mock.url))).await.unwrap();
        assert_eq!(answer.status, status);
        assert!(whole(answer).ends_with(error.as_bytes()), "{headers}");
    }
}

#[tokio::test]
async fn c038_json_that_calls_itself_a_stream_is_its_only_event() {
    let error = r#"{"jsonrpc":"2.0","id":"q1","error":{"code":-32004,"message":"no"}}"#;
    for before in ["", " \r\n", "\u{feff}"] {
        let body = format!("{before}{error}");
        let mock = Mock::always(response(200, "content-type: text/event-stream\r\n", body)).await;
        let answer = send(stream_request(agent(&mock.url))).await.unwrap();
        let (seen, broken) = drain(answer).await;
        assert!(broken.is_none(), "{before:?}");
        assert_eq!(seen.len(), 1, "{before:?}");
        assert!(seen[0].ends_with(error), "{before:?}");
    }
}

#[tokio::test]
async fn c096_answers_over_the_limit_are_refused() {
    let declared = "HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n{"
        .to_owned()
        .into_bytes();
    let endless: Vec<u8> = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
        .iter()
        .copied()
        .chain((0..100).flat_map(|_| chunk("{".repeat(1024))))
        .collect();
    let bomb = response(
        200,
        "content-encoding: gzip\r\n",
        gzip(&vec![b'['; 8 * 1024 * 1024]),
    );
    let headers = format!(
        "HTTP/1.1 200 OK\r\nx-long: {}\r\ncontent-length: 0\r\n\r\n",
        "x".repeat(1024 * 1024)
    );
    for (name, answer) in [
        ("declared", declared),
        ("endless", endless),
        ("bomb", bomb),
        ("headers", headers.into_bytes()),
    ] {
        let mock = Mock::always(answer).await;
        let error = send(request(agent(&mock.url))).await.unwrap_err();
        assert_eq!(
            (error.kind, error.sent),
            (AttemptErrorKind::TooLarge, true),
            "{name}: {error}"
        );
    }
}

#[tokio::test]
async fn c096_an_answer_of_exactly_the_limit_passes() {
    let body = format!("{{{}}}", " ".repeat(64 * 1024 - 2));
    let mock = Mock::always(json(&body)).await;
    assert_eq!(
        whole(send(request(agent(&mock.url))).await.unwrap()).len(),
        64 * 1024
    );
}

#[tokio::test]
async fn c123_compressed_answers_are_decoded_whatever_their_status() {
    for status in [200, 400] {
        let headers = "content-type: application/json\r\ncontent-encoding: gzip\r\n";
        let mock = Mock::always(response(status, headers, gzip(JSON.as_bytes()))).await;
        let answer = send(request(agent(&mock.url))).await.unwrap();
        assert_eq!(
            (answer.status, whole(answer).as_ref()),
            (status, JSON.as_bytes())
        );
    }
}

#[tokio::test]
async fn connections_are_reused_and_lost_requests_are_not_repeated() {
    static CONNECTIONS: AtomicUsize = AtomicUsize::new(0);
    static REQUESTS: AtomicUsize = AtomicUsize::new(0);
    let mock = Mock::script(|_, mut stream| async move {
        CONNECTIONS.fetch_add(1, Ordering::SeqCst);
        REQUESTS.fetch_add(1, Ordering::SeqCst);
        stream.write_all(&json(JSON)).await.unwrap();
        // The second request on the same connection is read and never answered.
        read_request(&mut stream).await.unwrap();
        REQUESTS.fetch_add(1, Ordering::SeqCst);
        reset(stream);
    })
    .await;
    let http = Http::new(Clients::new());
    send_over(&http, request(agent(&mock.url))).await.unwrap();
    let error = send_over(&http, request(agent(&mock.url)))
        .await
        .unwrap_err();
    assert_eq!((error.kind, error.sent), (AttemptErrorKind::Reset, true));
    assert_eq!(
        (
            CONNECTIONS.load(Ordering::SeqCst),
            REQUESTS.load(Ordering::SeqCst)
        ),
        (1, 2)
    );
}

#[tokio::test]
async fn a_connection_closed_while_idle_is_replaced() {
    let mock = Mock::always(json(JSON)).await;
    let http = Http::new(Clients::new());
    for _ in 0..20 {
        send_over(&http, request(agent(&mock.url))).await.unwrap();
    }
    assert_eq!(mock.seen().len(), 20);
}
