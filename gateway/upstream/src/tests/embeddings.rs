//! Endpoints that answer as they should, and others.

use std::time::Duration;

use futures_util::future::join_all;
use gateway_core::{
    agent::AgentAuth,
    ports::{EncodingError, SentenceEncoder as _},
};
use serde_json::{Value, json};

use super::mock::{Mock, Seen, hold, json as answered, response};
use crate::{EmbeddingsEndpoint, EmbeddingsSettings, guard::Clients};

fn settings(url: &str) -> EmbeddingsSettings {
    EmbeddingsSettings {
        url: format!("{url}/v1/embeddings").parse().unwrap(),
        model: "tiny".to_owned(),
        auth: AgentAuth::Bearer("s3cret".into()),
        timeout: Duration::from_secs(5),
        dimensions: None,
    }
}

fn endpoint(url: &str) -> EmbeddingsEndpoint {
    EmbeddingsEndpoint::new(settings(url), Clients::new())
}

fn texts_of(seen: &Seen) -> Vec<String> {
    let asked: Value = serde_json::from_slice(&seen.body).unwrap();
    serde_json::from_value(asked["input"].clone()).unwrap()
}

/// Answers with one number for the length of each text and one for all, last text first.
fn lengths(seen: &Seen) -> Vec<u8> {
    let texts = texts_of(seen);
    let entries = texts.iter().enumerate().rev();
    let entries =
        entries.map(|(index, text)| json!({ "index": index, "embedding": [text.len(), 1] }));
    answered(&json!({ "data": entries.collect::<Vec<_>>() }).to_string())
}

#[tokio::test]
async fn texts_are_read_in_batches_and_in_order() {
    let mock = Mock::answers(lengths).await;
    let endpoint = endpoint(&mock.url);
    let texts: Vec<String> = (0..150).map(|length| "x".repeat(length)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = endpoint.texts(&texts).await.unwrap();
    for (text, vector) in texts.iter().zip(&vectors) {
        let ratio = f64::from(vector[0]) / f64::from(vector[1]);
        assert!(
            (ratio - text.len() as f64).abs() < 1e-2,
            "{text} {vector:?}"
        );
    }
    let seen = mock.seen();
    assert_eq!(
        seen.iter()
            .map(|seen| texts_of(seen).len())
            .collect::<Vec<_>>(),
        [64, 64, 22]
    );
    assert_eq!(seen[0].method, "POST");
    assert_eq!(seen[0].target, "/v1/embeddings");
    assert_eq!(seen[0].headers["authorization"], "Bearer s3cret");
    let asked: Value = serde_json::from_slice(&seen[0].body).unwrap();
    assert_eq!(
        (&asked["model"], &asked["encoding_format"]),
        (&json!("tiny"), &json!("float"))
    );
    assert_eq!(asked.get("dimensions"), None);
}

#[tokio::test]
async fn what_was_read_is_not_asked_again() {
    let mock = Mock::answers(lengths).await;
    let endpoint = endpoint(&mock.url);
    let first = endpoint.request("hello").await.unwrap();
    assert_eq!(endpoint.request("hello").await.unwrap(), first);
    assert_eq!(endpoint.texts(&["hello", "you"]).await.unwrap()[0], first);
    let asked: Vec<_> = mock.seen().iter().map(texts_of).collect();
    assert_eq!(asked, [["hello"], ["you"]]);
}

#[tokio::test]
async fn a_width_is_asked_for_and_part_of_the_name() {
    let mock = Mock::answers(lengths).await;
    let settings = EmbeddingsSettings {
        dimensions: Some(2),
        ..settings(&mock.url)
    };
    let endpoint = EmbeddingsEndpoint::new(settings, Clients::new());
    assert_eq!(endpoint.name(), "tiny/2");
    endpoint.request("hello").await.unwrap();
    let asked: Value = serde_json::from_slice(&mock.seen()[0].body).unwrap();
    assert_eq!(asked["dimensions"], 2);
}

#[tokio::test]
async fn an_answer_that_contradicts_itself_says_nothing_about_the_width() {
    let mock = Mock::answers(|seen: &Seen| {
        let embedding =
            |index: usize, embedding: &[u8]| json!({ "index": index, "embedding": embedding });
        let entries = match texts_of(seen).as_slice() {
            [_] => vec![embedding(0, &[1, 1])],
            _ => vec![embedding(0, &[1]), embedding(1, &[1, 1])],
        };
        answered(&json!({ "data": entries }).to_string())
    })
    .await;
    let endpoint = endpoint(&mock.url);
    endpoint.texts(&["hello", "you"]).await.unwrap_err();
    assert_eq!(endpoint.request("again").await.unwrap().len(), 2);
}

/// Returns what is said of an answer, and whether it may be better later.
async fn said(answer: Vec<u8>) -> (String, bool) {
    let mock = Mock::always(answer).await;
    let error = endpoint(&mock.url).request("hello").await.unwrap_err();
    let may_pass = matches!(error, EncodingError::Unavailable(_));
    let text = error.to_string();
    assert!(
        text.contains(&mock.url) && !text.contains("s3cret"),
        "{text}"
    );
    (text, may_pass)
}

#[tokio::test]
async fn hostile_answers_are_refused_with_their_reason() {
    let huge = format!(
        "{{\"data\":[{{\"index\":0,\"embedding\":[{}]}}]}}",
        "0.125,".repeat(80_000)
    );
    for (answer, problem, may_pass) in [
        (answered("<html>"), "an answer that is not", true),
        (answered("{\"data\":[]}"), "0 vectors for 1 texts", true),
        (
            answered("{\"data\":[{\"index\":0,\"embedding\":[NaN]}]}"),
            "an answer that is not",
            true,
        ),
        (
            answered("{\"data\":[{\"index\":3,\"embedding\":[1]}]}"),
            "`index` 3",
            true,
        ),
        (answered(&huge), "more than", true),
        (
            response(401, "", "no"),
            "401: it refuses the credential",
            true,
        ),
        (
            response(404, "", "no"),
            "404: check `url` and `model`",
            true,
        ),
        (response(429, "retry-after: 3\r\n", ""), "429", true),
        (response(500, "", ""), "500", true),
        (
            response(302, "location: http://elsewhere.test/\r\n", ""),
            "302",
            true,
        ),
        (
            response(400, "", "too long"),
            "400: it does not take this text",
            false,
        ),
        (b"SSH-2.0-OpenSSH\r\n".to_vec(), "not HTTP", true),
    ] {
        let (text, passes) = said(answer).await;
        assert!(
            text.contains(problem) && passes == may_pass,
            "{problem}: {text}"
        );
    }
}

#[tokio::test]
async fn a_vector_of_another_width_is_refused() {
    let mock = Mock::answers(|seen| {
        let width = texts_of(seen)[0].len();
        answered(&json!({ "data": [{ "index": 0, "embedding": vec![1; width] }] }).to_string())
    })
    .await;
    let endpoint = endpoint(&mock.url);
    assert_eq!(endpoint.request("three").await.unwrap().len(), 5);
    let error = endpoint.request("eleven").await.unwrap_err().to_string();
    assert!(error.contains("6 numbers where 5 are expected"), "{error}");
}

#[tokio::test]
async fn a_dead_endpoint_is_asked_three_times_and_then_left_alone() {
    let mock = Mock::script(|_, stream| hold(stream)).await;
    let settings = EmbeddingsSettings {
        timeout: Duration::from_millis(20),
        ..settings(&mock.url)
    };
    let endpoint = EmbeddingsEndpoint::new(settings, Clients::new());
    for _ in 0..3 {
        let error = endpoint.request("hello").await.unwrap_err().to_string();
        assert!(error.contains("no answer within 20ms"), "{error}");
    }
    let requests = join_all((0..50).map(|_| endpoint.request("hello"))).await;
    for error in requests {
        let error = error.unwrap_err().to_string();
        assert!(error.contains("not asked again yet"), "{error}");
    }
    // Whether the last ones got through before they were given up does not matter.
    assert!(mock.seen().len() <= 3);
    assert!(
        endpoint
            .problem()
            .unwrap()
            .contains("no answer within 20ms")
    );
}

#[tokio::test]
async fn an_endpoint_that_asks_for_it_is_left_alone_at_once() {
    let mock = Mock::always(response(429, "retry-after: 30\r\n", "")).await;
    let endpoint = endpoint(&mock.url);
    assert!(
        endpoint
            .request("hello")
            .await
            .unwrap_err()
            .to_string()
            .contains("429")
    );
    assert!(endpoint.request("hello").await.is_err());
    assert_eq!(mock.seen().len(), 1);
}

#[tokio::test]
async fn a_text_that_is_refused_is_no_reason_to_stop_asking() {
    let mock = Mock::always(response(400, "", "")).await;
    let endpoint = endpoint(&mock.url);
    for number in 0..5 {
        assert!(endpoint.request(&number.to_string()).await.is_err());
    }
    assert_eq!((mock.seen().len(), endpoint.problem()), (5, None));
}

#[tokio::test]
async fn addresses_that_are_never_called_are_refused() {
    let endpoint = endpoint("http://169.254.169.254");
    let error = endpoint.request("hello").await.unwrap_err().to_string();
    assert!(error.contains("link-local"), "{error}");
}
