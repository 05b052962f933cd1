//! What is refused of conditions, before any message comes.

use super::super::*;

fn refused(text: &str) -> ConditionError {
    match Condition::compile(text) {
        Ok(_) => panic!("`{text}` was taken"),
        Err(error) => error,
    }
}

fn marked(text: &str, error: &ConditionError) -> String {
    let (start, end) = error.at.unwrap_or((0, text.chars().count()));
    text.chars().skip(start).take(end - start).collect()
}

/// Conditions with a slip, what is said about it, and what is pointed at where that matters.
const SLIPS: &[(&str, &str, &str)] = &[
    (
        "request.txt == \"x\"",
        "`request` has no member `txt`",
        "txt",
    ),
    (
        "\"é\" == \"é\" && request.txt == \"x\"",
        "`request` has no member `txt`",
        "txt",
    ),
    ("reqest.text == \"x\"", "there is no variable `reqest`", ""),
    ("text == \"x\"", "there is no variable `text`", "text"),
    (
        "request.hints.agents == \"x\"",
        "`hints` has no member `agents`",
        "agents",
    ),
    (
        "request.text.length == 1",
        "`text` has no member `length`",
        "length",
    ),
    (
        "caller == \"x\"",
        "`caller` is no value by itself",
        "caller",
    ),
    (
        "has(request.hints)",
        "`request.hints` is no value by itself",
        "",
    ),
    (
        "request.hints.agent == \"x\"",
        "`request.hints.agent` is absent from most messages",
        "",
    ),
    (
        "caller.tenant == \"x\"",
        "`caller.tenant` is absent from most messages",
        "",
    ),
    (
        "request.text.includes(\"x\")",
        "there is no function `includes`",
        "includes",
    ),
    (
        "lower(request.text) == \"x\"",
        "there is no function `lower`",
        "",
    ),
    (
        "request.text",
        "the condition is text, not true or false",
        "",
    ),
    (
        "request.data_keys.map(key, key)",
        "the condition is a list, not true or false",
        "",
    ),
    (
        "size(request.text)",
        "the condition is a whole number, not true or false",
        "",
    ),
    (
        "request.streaming == \"true\"",
        "true or false and text are never equal",
        "==",
    ),
    (
        "request.text < 3",
        "text and a whole number are never less or greater",
        "<",
    ),
    (
        "request.data_keys == \"x\"",
        "a list and text are never equal",
        "==",
    ),
    ("request.text && true", "one is text", ""),
    (
        "\"x\" in request.text",
        "`in` looks into lists, not into text",
        "",
    ),
    (
        "1 in request.data_keys",
        "a whole number is never in a list",
        "",
    ),
    (
        "request.data_keys.contains(\"x\")",
        "`contains` looks into text, and this is a list",
        "",
    ),
    (
        "request.text.contains(1)",
        "`contains` takes text, not a whole number",
        "1",
    ),
    ("request.text.contains()", "`contains` takes one text", ""),
    (
        "request.text.folded(\"x\") == \"\"",
        "`folded` takes nothing",
        "",
    ),
    (
        "request.text.folded().contains(\"Matrícula\")",
        "never stands in folded text",
        "\"Matrícula\"",
    ),
    (
        "request.text.matches(\"(\")",
        "not a regular expression: unclosed group",
        "\"(\"",
    ),
    (
        "request.text.matches(request.text)",
        "not known before a message comes",
        "",
    ),
    (
        "request.text.matches(\"(a{1000}){1000}\")",
        "takes too much memory",
        "",
    ),
    (
        "request.text.exists(c, c == \"x\")",
        "this loops over text",
        "",
    ),
    ("size(true) == 1", "`size` counts text or a list", ""),
    ("Request{text: \"x\"} == 1", "no types with fields", ""),
    (
        "request.text + 1 == \"x\"",
        "text and a whole number cannot be computed",
        "",
    ),
    ("optional.of(1) == 1", "there is no function `of`", ""),
    ("request.text ==", "not a CEL expression", ""),
    ("", "not a CEL expression", ""),
    ("request.?text == \"x\"", "not a CEL expression", ""),
    (
        "request.data_keys.all(a, request.data_keys.all(b, request.data_keys.all(c, a == b)))",
        "these loops go too deep",
        "",
    ),
];

#[test]
fn slips_are_found_where_they_are() {
    let mut wrong = Vec::new();
    for (text, message, place) in SLIPS.iter().copied() {
        let Err(error) = Condition::compile(text) else {
            wrong.push(format!("`{text}` was taken"));
            continue;
        };
        let is_right =
            error.message.contains(message) && (place.is_empty() || marked(text, &error) == place);
        if !is_right {
            wrong.push(format!("{text}: `{}` {error:?}", marked(text, &error)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_names_there_are_come_with_the_error() {
    let error = refused("request.txt == \"x\"");
    let Hint::Known(what, given, known) = error.hint else {
        panic!("{error:?}");
    };
    assert_eq!((what, given.as_str()), ("members", "txt"));
    assert!(
        known.contains(&"text") && known.contains(&"hints"),
        "{known:?}"
    );
}

#[test]
fn a_guard_must_decide_about_the_place_that_it_guards() {
    for text in [
        "has(caller.tenant) || caller.tenant == \"x\"",
        "!has(caller.tenant) && caller.tenant == \"x\"",
        "has(caller.tenant) ? true : caller.tenant == \"x\"",
        "(has(caller.tenant) || request.push) && caller.tenant == \"x\"",
        "(has(caller.tenant) && request.push) == (caller.tenant == \"x\")",
    ] {
        let error = refused(text);
        assert!(error.message.contains("is absent from most"), "{text}");
    }
    for text in [
        "has(caller.tenant) && caller.tenant == \"x\"",
        "!has(caller.tenant) || caller.tenant == \"x\"",
        "has(caller.tenant) ? caller.tenant == \"x\" : true",
        "request.push && has(caller.tenant) && request.data_keys.exists(key, key == caller.tenant)",
        "!(has(caller.tenant) && request.push) || caller.tenant == \"x\"",
    ] {
        assert!(Condition::compile(text).is_ok(), "{text}");
    }
}

#[test]
fn words_that_a_member_never_is_are_refused() {
    for (text, never) in [
        ("request.version == \"2.0\"", "2.0"),
        ("request.binding == \"jsonrpc\"", "jsonrpc"),
        ("!(\"message/send\" != request.operation)", "message/send"),
        ("request.binding in [\"GRPC\", \"REST\"]", "REST"),
    ] {
        let error = refused(text);
        assert!(
            error.message.ends_with(&format!("is never `{never}`")),
            "{text}"
        );
        assert_eq!(marked(text, &error).trim_matches('"'), never, "{text}");
        assert!(matches!(error.hint, Hint::Known("words", ..)), "{text}");
    }
    assert!(Condition::compile("request.version in [\"0.3\", \"1.0\"]").is_ok());
}

#[test]
fn it_is_known_what_a_condition_needs() {
    let condition = |text| Condition::compile(text).unwrap();
    assert!(condition("request.text.folded().contains(\"x\")").reads_text());
    assert!(!condition("request.streaming").reads_text());
    assert_eq!(condition("true").always(), Some(true));
    assert_eq!(condition("request.streaming || true").always(), None);
}
