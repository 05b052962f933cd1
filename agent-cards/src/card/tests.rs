//! Reading cards: what is accepted, what is refused, and how the refusal reads.

use super::*;
use crate::InterfaceBinding;

fn parse(body: &str) -> Card {
    Card::parse(body.as_bytes()).unwrap()
}

fn refusal(body: &str) -> String {
    Card::parse(body.as_bytes()).unwrap_err().to_string()
}

#[test]
fn body_that_is_not_json_is_refused_by_its_kind() {
    assert_eq!(refusal(""), "the body is empty, not JSON");
    assert_eq!(
        refusal("\n<!doctype html><title>Sign in</title>"),
        "the body is HTML, not JSON"
    );
    assert_eq!(
        refusal("<?xml version='1.0'?>"),
        "the body is XML, not JSON"
    );
    assert_eq!(
        Card::parse(b"\x1f\x8b\x08\x00").unwrap_err().to_string(),
        "the body is gzip data, not JSON"
    );
}

#[test]
fn broken_json_is_refused_with_its_place() {
    assert_eq!(
        refusal("{\n  \"name\": nope}"),
        "the body is not valid JSON: expected ident at line 2, column 12"
    );
}

#[test]
fn deep_nesting_is_refused() {
    let body = format!("{{\"x\": {}", "[".repeat(100_000));
    assert!(refusal(&body).contains("recursion limit exceeded"));
}

#[test]
fn json_about_something_else_is_refused_by_its_members() {
    assert_eq!(
        refusal("[1]"),
        "the body is a list, an AgentCard is an object"
    );
    assert!(refusal("{}").contains("it has no members"));
    let error = refusal(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600}}"#);
    assert!(
        error.contains("it has `jsonrpc`, `id`, `error`, a card has"),
        "{error}"
    );
    assert!(refusal(r#"{"name":"my service","status":"ok"}"#).contains("not an AgentCard"));
}

#[test]
fn wrong_type_that_hides_the_agent_is_refused_with_its_pointer() {
    let error = Card::parse(br#"{"name": 7, "url": "https://a.example"}"#).unwrap_err();
    assert_eq!(error.to_string(), "`/name` is a number, expected a string");
    let error = Card::parse(br#"{"name": "a", "skills": "many"}"#).unwrap_err();
    assert_eq!(error.pointer(), "/skills");
}

#[test]
fn c012_card_with_nothing_optional_loads() {
    let card = parse(r#"{"name": "a", "url": "https://a.example/", "skills": {}}"#);
    assert_eq!(card.shape(), Shape::V03);
    assert_eq!(card.interfaces()[0].binding, InterfaceBinding::JsonRpc);
    assert!(card.skills().is_empty());
    assert_eq!(card.capabilities(), &Capabilities::default());
    assert_eq!(card.default_input_modes(), ["text/plain"]);
    assert_eq!((card.description(), card.version()), ("", ""));
}

#[test]
fn byte_order_mark_is_passed_over() {
    assert_eq!(
        parse("\u{feff}{\"name\": \"a\", \"url\": \"https://a.example\"}").name(),
        "a"
    );
}

#[test]
fn shape_follows_the_address_members() {
    let listed = r#""supportedInterfaces": [{"url": "https://a.example"}]"#;
    let legacy = r#""url": "https://a.example""#;
    let shape = |members: &str| parse(&format!("{{\"name\": \"a\", {members}}}")).shape();
    assert_eq!(shape(listed), Shape::V1);
    assert_eq!(shape(legacy), Shape::V03);
    assert_eq!(shape(&format!("{listed}, {legacy}")), Shape::Hybrid);
    assert_eq!(
        shape(&format!("\"supportedInterfaces\": [], {legacy}")),
        Shape::V03
    );
}

#[test]
fn skill_modes_fall_back_to_the_card() {
    let card = parse(
        r#"{"name": "a", "url": "https://a.example", "defaultOutputModes": ["application/json"],
            "skills": [{"id": "x", "inputModes": ["image/png"]}, {"id": "y"}]}"#,
    );
    let [own, inherited] = card.skills() else {
        panic!("two skills expected")
    };
    assert_eq!(card.input_modes(own), ["image/png"]);
    assert_eq!(card.input_modes(inherited), ["text/plain"]);
    assert_eq!(card.output_modes(inherited), ["application/json"]);
}

#[test]
fn value_keeps_order_and_unknown_members() {
    let body = r#"{"zeta":{"b":1,"a":2},"url":"https://a.example","name":"a"}"#;
    assert_eq!(parse(body).value().to_string(), body);
}

#[test]
fn fingerprint_is_the_digest_of_the_bytes() {
    let one = parse(r#"{"name":"a","url":"https://a.example"}"#);
    let other = parse(r#"{"name": "a","url":"https://a.example"}"#);
    assert_ne!(one.fingerprint(), other.fingerprint());
    assert_eq!(
        one.fingerprint(),
        "sha256:5f424b30e80b0ebdc3ed8048fc266f4866f079559f79ba6c4ce5592507fd7cd1"
    );
}

#[test]
fn card_that_readers_could_read_in_two_ways_is_refused() {
    let body = br#"{"name": "a", "supportedInterfaces": [{"url": "https://a.example", "url": "https://evil.example"}]}"#;
    let error = Card::parse(body).unwrap_err();
    assert_eq!(error.pointer(), "/supportedInterfaces/0/url");
    assert_eq!(
        error.to_string(),
        "`/supportedInterfaces/0/url` is there more than once and readers differ about which counts, remove all but one"
    );
    let hidden = "\u{feff}{\"name\": \"a\", \"url\": \"https://a.example\", \"n\\u0061me\": \"b\"}";
    assert_eq!(
        Card::parse(hidden.as_bytes()).unwrap_err().pointer(),
        "/name"
    );
}
