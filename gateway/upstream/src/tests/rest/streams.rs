//! Streams over REST, and the two methods of subscribing.

use gateway_core::ports::{AgentClient, AttemptErrorKind};
use gateway_protocol::{
    Operation::{SendStreamingMessage, SubscribeToTask},
    Version::{V1, V03},
};
use serde_json::json;
use tokio::io::AsyncWriteExt;

use super::{MESSAGE, OLD_MESSAGE, TASK, parsed, rest};
use crate::{
    guard::Clients,
    tests::mock::{Mock, call, events, heard, leg, one, response},
};

#[tokio::test]
async fn streams_have_no_envelope() {
    let update = r#"{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"extra":1E2}}"#;
    let task = format!(r#"{{"task":{TASK}}}"#);
    let first = format!("data: {task}\n\n");
    let second = format!(": ping\n\ndata: {update}\n\n");
    let failed = "event: error\ndata: {\"error\":{\"code\":500,\"status\":\"INTERNAL\",\"message\":\"x\"}}\n\n";
    let mock = Mock::always(events(&[&first, &second, failed])).await;
    let answer = call(rest(&mock.url, V1, SubscribeToTask, r#"{"id":"t"}"#))
        .await
        .unwrap();
    let (seen, error) = heard(answer).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(seen.len(), 4, "{seen:?}");
    assert_eq!(seen[0], Ok(parsed(&task)));
    assert_eq!(seen[1], Ok(json!(":ping")));
    assert_eq!(seen[2], Ok(parsed(update)));
    let error = seen[3].as_ref().unwrap_err();
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!(-32603), &json!("x"))
    );
}

#[tokio::test]
async fn streams_of_0_3_stay_as_they_are() {
    let update = r#"{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}"#;
    let message = format!(r#"{{"message":{OLD_MESSAGE}}}"#);
    let mock = Mock::always(events(&[
        &format!("data: {update}\n\n"),
        &format!("data: {message}\n\n"),
    ]))
    .await;
    let answer = call(rest(
        &mock.url,
        V03,
        SubscribeToTask,
        r#"{"name":"tasks/t"}"#,
    ))
    .await
    .unwrap();
    let (seen, error) = heard(answer).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(seen, [Ok(parsed(update)), Ok(parsed(&message))]);
}

#[tokio::test]
async fn c063_an_event_that_is_none_ends_the_stream() {
    for (version, data, words) in [
        (V1, "<html>", "a stream event with HTML instead of JSON"),
        (
            V1,
            "[1]",
            "a stream event with an array instead of a JSON object",
        ),
    ] {
        let mock = Mock::always(events(&[&format!("data: {data}\n\n"), "data: {}\n\n"])).await;
        let request = rest(&mock.url, version, SubscribeToTask, r#"{"id":"t"}"#);
        let (seen, error) = heard(call(request).await.unwrap()).await;
        let error = error.unwrap();
        assert!(seen.is_empty(), "{data}");
        assert_eq!(error.kind, AttemptErrorKind::Malformed);
        assert!(
            error
                .detail
                .starts_with(&format!("agent `alpha` answered {words}")),
            "{error}"
        );
    }
}

/// Starts an agent that takes one method for subscribing and answers the other with this.
async fn picky(takes: &'static str, otherwise: Vec<u8>) -> Mock {
    Mock::script(move |request, mut stream| {
        let answer = if request.method == takes {
            events(&[&format!("data: {{\"task\":{TASK}}}\n\n")])
        } else {
            otherwise.clone()
        };
        async move {
            stream.write_all(&answer).await.ok();
            stream.shutdown().await.ok();
        }
    })
    .await
}

#[tokio::test]
async fn subscribing_tries_the_other_method_once_and_remembers_it() {
    let (new, old) = (r#"{"id":"t"}"#, r#"{"name":"tasks/t"}"#);
    for (version, params, otherwise) in [
        (V1, new, response(405, "", "")),
        (V1, new, response(404, "", r#"{"detail":"Not Found"}"#)),
        (
            V03,
            old,
            response(405, "", r#"{"detail":"Method Not Allowed"}"#),
        ),
    ] {
        let mock = picky("GET", otherwise).await;
        let agents = leg(Clients::new());
        for _ in 0..2 {
            let request = rest(&mock.url, version, SubscribeToTask, params);
            let (seen, _) = heard(agents.send(request).await.unwrap()).await;
            assert_eq!(seen.len(), 1);
        }
        let methods: Vec<_> = mock.seen().into_iter().map(|seen| seen.method).collect();
        assert_eq!(methods, ["POST", "GET", "GET"]);
    }
}

#[tokio::test]
async fn a_task_that_is_not_there_is_not_asked_for_in_other_ways() {
    let gone = response(
        404,
        "",
        r#"{"error":{"code":404,"status":"NOT_FOUND","message":"gone"}}"#,
    );
    let mock = picky("GET", gone).await;
    let request = rest(&mock.url, V1, SubscribeToTask, r#"{"id":"t"}"#);
    let error = one(call(request).await.unwrap()).unwrap_err();
    assert_eq!((&error["code"], mock.seen().len()), (&json!(-32001), 1));
}

#[tokio::test]
async fn an_agent_that_takes_neither_method_does_not_support_subscribing() {
    let mock = picky("PUT", response(405, "", "")).await;
    let request = rest(&mock.url, V1, SubscribeToTask, r#"{"id":"t"}"#);
    let error = one(call(request).await.unwrap()).unwrap_err();
    assert_eq!((&error["code"], mock.seen().len()), (&json!(-32004), 2));
}

#[tokio::test]
async fn json_in_place_of_a_stream_is_one_answer() {
    let refusal = r#"{"error":{"code":400,"status":"FAILED_PRECONDITION","message":"no streams"}}"#;
    let mock = Mock::always(response(400, "", refusal)).await;
    let params = format!(r#"{{"message":{MESSAGE}}}"#);
    let answer = call(rest(&mock.url, V1, SendStreamingMessage, &params))
        .await
        .unwrap();
    assert_eq!(one(answer).unwrap_err()["message"], "no streams");
}
