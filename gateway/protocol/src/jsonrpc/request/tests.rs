//! Hostile and odd requests.

use proptest::prelude::*;

use super::*;

fn refused(body: &str) -> (i32, Option<String>) {
    let rejected = Request::parse(body.as_bytes()).unwrap_err();
    (
        rejected.error.code(),
        rejected.id.map(|id| id.get().to_owned()),
    )
}

#[test]
fn request_borrows_everything_from_the_body() {
    let body = br#" {"jsonrpc":"2.0","id":"q1","method":"SendMessage","params":{"n":1E2}} "#;
    let request = Request::parse(body).unwrap();
    assert_eq!(request.id.unwrap().get(), r#""q1""#);
    assert!(matches!(request.method, Cow::Borrowed("SendMessage")));
    assert_eq!(request.params.unwrap().get(), r#"{"n":1E2}"#);
}

#[test]
fn c067_ids_keep_their_spelling() {
    for id in [
        "9007199254740993",
        "\"q\\u0031\"",
        "1.0",
        "-1e3",
        "null",
        "\"\"",
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"GetTask"}}"#);
        assert_eq!(
            Request::parse(body.as_bytes()).unwrap().id.unwrap().get(),
            id
        );
    }
    let notification = br#"{"jsonrpc":"2.0","method":"GetTask"}"#;
    assert!(Request::parse(notification).unwrap().id.is_none());
}

#[test]
fn c067_broken_json_is_a_parse_error_without_id() {
    for body in [
        "",
        " ",
        "{",
        "nope",
        "[1,",
        r#"{"id":1,"jsonrpc":"2.0","#,
        r#"{"jsonrpc":"2.0","id":1,"method":"GetTask"} x"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"a":01}}"#,
    ] {
        assert_eq!(refused(body), (-32700, None), "{body}");
    }
    let rejected = Request::parse(b"{\"id\":\"\xFF\"}").unwrap_err();
    assert_eq!(rejected.error.code(), -32700);
}

#[test]
fn c067_bad_envelopes_are_invalid_requests() {
    for (body, id) in [
        ("{}", None),
        ("[]", None),
        ("7", None),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"SendMessage"},{"jsonrpc":"2.0","id":2,"method":"SendMessage"}]"#,
            None,
        ),
        (
            r#"{"jsonrpc":"1.0","id":1,"method":"SendMessage"}"#,
            Some("1"),
        ),
        (
            r#"{"jsonrpc":2.0,"id":1,"method":"SendMessage"}"#,
            Some("1"),
        ),
        (r#"{"id":"x","method":"SendMessage"}"#, Some("\"x\"")),
        (r#"{"jsonrpc":"2.0","id":1}"#, Some("1")),
        (r#"{"jsonrpc":"2.0","id":1,"method":null}"#, Some("1")),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":["SendMessage"]}"#,
            Some("1"),
        ),
        (r#"{"jsonrpc":"2.0","id":{},"method":"SendMessage"}"#, None),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"SendMessage"}"#, None),
        (
            r#"{"jsonrpc":"2.0","id":true,"method":"SendMessage"}"#,
            None,
        ),
    ] {
        assert_eq!(refused(body), (-32600, id.map(str::to_owned)), "{body}");
    }
}

#[test]
fn c067_params_must_be_an_object() {
    for params in ["[]", "[1]", "\"x\"", "1", "false"] {
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{params}}}"#);
        assert_eq!(refused(&body), (-32602, Some("1".to_owned())), "{body}");
    }
    let null = br#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":null}"#;
    assert_eq!(Request::parse(null).unwrap().params.unwrap().get(), "null");
}

#[test]
fn repeated_members_are_refused() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","meth\u006fd":"SendMessage"}"#;
    assert_eq!(refused(body), (-32600, Some("1".to_owned())));
}

#[test]
fn c067_deep_nesting_is_refused_without_overflow() {
    let deep = "[".repeat(20_000) + &"]".repeat(20_000);
    let params =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{{"a":{deep}}}}}"#);
    assert_eq!(refused(&params), (-32600, Some("1".to_owned())));
    let unknown = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"GetTask","x":{deep}}}"#);
    assert_eq!(refused(&unknown), (-32600, Some("1".to_owned())));
    assert_eq!(refused(&deep), (-32600, None));
    assert_eq!(refused(&"[".repeat(2_000_000)), (-32700, None));
    assert_eq!(refused(&r#"{"a":"#.repeat(200_000)), (-32700, None));
}

#[test]
fn byte_order_mark_is_tolerated() {
    let body = "\u{FEFF}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"GetTask\"}";
    assert!(Request::parse(body.as_bytes()).is_ok());
}

proptest! {
    #[test]
    fn any_bytes_are_answered(body in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Err(rejected) = Request::parse(&body) {
            prop_assert!([-32700, -32600, -32602].contains(&rejected.error.code()));
        }
    }

    #[test]
    fn any_json_is_answered(value in json::tests::any_json()) {
        let body = serde_json::to_vec(&value).unwrap();
        if let Err(rejected) = Request::parse(&body) {
            prop_assert_eq!(rejected.error.code(), -32600);
        }
    }
}
