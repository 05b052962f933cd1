//! Answers of all sorts.

use proptest::prelude::*;

use super::*;

#[test]
fn results_and_errors_are_kept_raw() {
    let body = br#"{"jsonrpc":"2.0","result":{"d":0.10},"id":1.0}"#;
    let response = Response::parse(body).unwrap();
    assert_eq!(response.id.unwrap().get(), "1.0");
    assert!(matches!(response.outcome, Outcome::Result(raw) if raw.get() == r#"{"d":0.10}"#));

    let body = br#"{"jsonrpc":"2.0","id":"q1","error":{"code":-32004,"message":"no"}}"#;
    let response = Response::parse(body).unwrap();
    assert!(matches!(response.outcome, Outcome::Error(raw) if raw.get().contains("-32004")));
}

#[test]
fn null_results_are_results_and_null_errors_are_none() {
    let null = Response::parse(br#"{"id":1,"result":null}"#).unwrap();
    assert!(matches!(null.outcome, Outcome::Result(raw) if raw.get() == "null"));
    let both = Response::parse(br#"{"id":1,"result":{},"error":null}"#).unwrap();
    assert!(matches!(both.outcome, Outcome::Result(_)));
    let both = Response::parse(br#"{"id":1,"result":null,"error":{"code":1}}"#).unwrap();
    assert!(matches!(both.outcome, Outcome::Error(_)));
}

#[test]
fn c063_what_is_not_an_answer_is_named() {
    let deep = format!(
        r#"{{"result":{}{}}}"#,
        "[".repeat(20_000),
        "]".repeat(20_000)
    );
    for (body, expected) in [
        ("", "an empty body"),
        ("  \n", "an empty body"),
        ("<!doctype html><h1>502</h1>", "HTML instead of JSON"),
        ("data: {\"id\":1}\n\n", "an event stream instead of JSON"),
        (": ping\n\n", "an event stream instead of JSON"),
        ("[{\"result\":1}]", "an array instead of a JSON-RPC object"),
        ("\"ok\"", "a string instead of a JSON-RPC object"),
        ("Bad Gateway", "invalid JSON (line 1, column 1)"),
        ("{\"result\":{\"a\":1", "invalid JSON (line 1, column 16)"),
        ("{\"ok\":true}", "a JSON object without result or error"),
        (
            "{\"error\":\"boom\"}",
            "an error member that is a string instead of an object",
        ),
        ("{\"error\":null}", "a JSON object without result or error"),
        (
            "{\"result\":1,\"result\":2}",
            "a JSON object with member `result` more than once",
        ),
        (&deep, "JSON nested deeper than 128 levels"),
    ] {
        let malformed = Response::parse(body.as_bytes()).unwrap_err();
        assert_eq!(malformed.to_string(), expected);
    }
    assert_eq!(
        Response::parse(b"\xFF\xFE{").unwrap_err(),
        Malformed::NotText
    );
}

#[test]
fn byte_order_mark_is_tolerated() {
    assert!(Response::parse("\u{FEFF}{\"result\":1}".as_bytes()).is_ok());
}

proptest! {
    #[test]
    fn any_bytes_are_judged(body in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Err(malformed) = Response::parse(&body) {
            prop_assert!(!malformed.to_string().is_empty());
        }
    }
}
