//! The JSON-RPC leg: envelopes, and what is no answer in one.

use futures_util::StreamExt;
use gateway_core::ports::{AgentEvent, AgentRequest, AnswerContent, AttemptErrorKind, Said};
use gateway_protocol::{Operation, Version};
use serde_json::{Value, json};

use super::mock::*;

const REFUSAL: &str =
    r#"{"jsonrpc":"2.0","id":"q1","error":{"code":-32001,"message":"no","data":[1]}}"#;

#[tokio::test]
async fn results_and_errors_leave_their_envelope_untouched() {
    let result = r#"{"jsonrpc":"2.0","id":"q1","result": {"n":1E2,"n2":9007199254740993} }"#;
    let mock = Mock::always(json(result)).await;
    let answer = call(request(agent(&mock.url))).await.unwrap();
    let AnswerContent::One(Said::Result(raw)) = answer.content else {
        panic!("expected a result")
    };
    assert_eq!(raw.get(), r#"{"n":1E2,"n2":9007199254740993}"#);

    for status in [200, 400, 500] {
        let mock = Mock::always(response(status, "", REFUSAL)).await;
        for request in [request, stream_request] {
            let answer = call(request(agent(&mock.url))).await.unwrap();
            let error = one(answer).unwrap_err();
            assert_eq!(error, json!({"code": -32001, "message": "no", "data": [1]}));
        }
    }
}

#[tokio::test]
async fn requests_have_the_method_of_their_version_and_always_an_id() {
    let mock = Mock::always(json(JSON)).await;
    let mut call_of = request(agent(&mock.url));
    call_of.endpoint.version = Version::V03;
    call_of.operation = Operation::SendMessage;
    call_of.params = r#"{"message":{}}"#.into();
    call_of.rpc_id = None;
    let trace_id = call_of.trace.trace_id().to_owned();
    call(call_of).await.unwrap();
    let sent: Value = serde_json::from_slice(&mock.seen()[0].body).unwrap();
    let expected = json!({"jsonrpc": "2.0", "id": trace_id, "method": "message/send", "params": {"message": {}}});
    assert_eq!(sent, expected);
}

#[tokio::test]
async fn an_operation_that_the_version_lacks_is_refused_without_asking() {
    let mock = Mock::always(json(JSON)).await;
    let mut call_of = request(agent(&mock.url));
    call_of.endpoint.version = Version::V03;
    call_of.operation = Operation::ListTasks;
    let error = one(call(call_of).await.unwrap()).unwrap_err();
    assert_eq!(error["code"], -32004);
    assert_eq!(error["message"], "agents of A2A 0.3 have no ListTasks");
    assert!(mock.seen().is_empty());
}

#[tokio::test]
async fn c063_each_answer_that_is_none_has_its_kind_and_words() {
    use AttemptErrorKind::{Credential, Malformed, NoEndpoint, Overloaded, Rejected};

    let html = "<html>oops</html>";
    let busy = "is overloaded (HTTP 429); try again later";
    for (status, body, kind, words) in [
        (
            401,
            html,
            Credential,
            "refused the gateway's credential (HTTP 401)",
        ),
        (
            403,
            "{}",
            Credential,
            "refused the gateway's credential (HTTP 403)",
        ),
        (429, "", Overloaded, busy),
        (
            503,
            html,
            Overloaded,
            "is overloaded (HTTP 503); try again later",
        ),
        (
            404,
            "{\"detail\":\"Not Found\"}",
            NoEndpoint,
            "answered HTTP 404 with a JSON object without result or error",
        ),
        (
            410,
            html,
            NoEndpoint,
            "answered HTTP 410 with HTML instead of JSON",
        ),
        (
            405,
            html,
            Rejected,
            "answered HTTP 405 with HTML instead of JSON",
        ),
        (
            502,
            html,
            Malformed,
            "answered HTTP 502 with HTML instead of JSON",
        ),
        (200, html, Malformed, "answered HTML instead of JSON"),
        (200, "", Malformed, "answered an empty body"),
    ] {
        let mock = Mock::always(response(status, "retry-after: 7\r\n", body)).await;
        for request in [request, stream_request] {
            let error = call(request(agent(&mock.url))).await.unwrap_err();
            assert_eq!((error.kind, error.sent), (kind, true), "{error}");
            assert_eq!(error.detail, format!("agent `alpha` {words}"));
            assert_eq!(error.retry_after, Some(7));
        }
    }
}

#[tokio::test]
async fn events_leave_their_envelope_and_keep_name_and_id() {
    let mock = Mock::always(events(&[
        ": ping\n\nid: 7\nevent: update\ndata: {\"id\":\"q1\",\"result\":{\"n\":1}}\n\n",
        "data: {\"id\":\"q1\",\"error\":{\"code\":-32603}}\n\n",
        "event: error\ndata: {\"code\":-32000,\"message\":\"x\"}\n\n",
    ]))
    .await;
    let answer = call(stream_request(agent(&mock.url))).await.unwrap();
    let (seen, error) = heard(answer).await;
    assert!(error.is_none(), "{error:?}");
    let expected = [
        Ok(json!(":ping")),
        Ok(json!({"n": 1})),
        Err(json!({"code": -32603})),
        Err(json!({"code": -32000, "message": "x"})),
    ];
    assert_eq!(seen, expected);

    let AnswerContent::Events(mut items) = call(stream_request(agent(&mock.url)))
        .await
        .unwrap()
        .content
    else {
        panic!("expected events")
    };
    items.next().await.unwrap().unwrap();
    let named = items.next().await.unwrap().unwrap();
    let AgentEvent::Event { name, id, .. } = named else {
        panic!("expected an event")
    };
    assert_eq!(
        (name.as_deref(), id.as_deref()),
        (Some("update"), Some("7"))
    );
}

#[tokio::test]
async fn c063_an_event_that_is_none_ends_the_stream() {
    for (event, words) in [
        ("data: <html>\n\n", "HTML instead of JSON"),
        ("data: {}\n\n", "a JSON object without result or error"),
        (
            "event: error\ndata: {\"code\":\"x\"}\n\n",
            "a JSON object without result or error",
        ),
    ] {
        let good = "data: {\"result\":1}\n\n";
        let mock = Mock::always(events(&[good, event, good])).await;
        let (seen, error) = heard(call(stream_request(agent(&mock.url))).await.unwrap()).await;
        let error = error.unwrap();
        assert_eq!(seen, [Ok(json!(1))]);
        assert_eq!(
            (error.kind, error.sent),
            (AttemptErrorKind::Malformed, true)
        );
        let detail = format!("agent `alpha` answered a stream event with {words}");
        assert_eq!(error.detail, detail);
    }
}

#[tokio::test]
async fn c063_an_event_stream_to_a_unary_call_stays_one() {
    let mock = Mock::always(events(&["data: {\"result\":1}\n\n"])).await;
    let request: AgentRequest = request(agent(&mock.url));
    assert_eq!(heard(call(request).await.unwrap()).await.0, [Ok(json!(1))]);
}
