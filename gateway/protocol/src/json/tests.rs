//! The reader against `serde_json` on real JSON, and against noise for its promises.

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::*;

/// Rebuilds a value with the cursor alone.
fn rebuilt(cursor: &mut Cursor<'_>) -> Value {
    match cursor.peek() {
        Some(Kind::Object) => {
            let mut object = Map::new();
            assert!(cursor.enter_object());
            while let Some(name) = cursor.next_member() {
                object.insert(name.into_owned(), rebuilt(cursor));
            }
            Value::Object(object)
        }
        Some(Kind::Array) => {
            let mut array = Vec::new();
            assert!(cursor.enter_array());
            while cursor.next_element() {
                array.push(rebuilt(cursor));
            }
            Value::Array(array)
        }
        _ => serde_json::from_str(cursor.value().text).unwrap(),
    }
}

/// Generates small JSON documents with awkward strings.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        Just(Value::from("\"\\}]{[,:")),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let name = prop_oneof![
            Just("message".to_owned()),
            Just("parts".to_owned()),
            Just("taskId".to_owned()),
            Just("task_id".to_owned()),
            Just("id".to_owned()),
            Just("kind".to_owned()),
            Just("status".to_owned()),
            Just("history".to_owned()),
            Just("task".to_owned()),
            Just("metadata".to_owned()),
            Just("params".to_owned()),
            Just("data".to_owned()),
            ".{0,4}",
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn cursor_reads_what_serde_reads(value in any_json(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        prop_assert_eq!(rebuilt(&mut Cursor::new(&text)), value);
        prop_assert_eq!(Cursor::new(&text).value().text, &text);
    }

    #[test]
    fn noise_ends_without_panic(text in "[\\[\\]{}\",:\\\\ a1é]{0,60}") {
        let mut cursor = Cursor::new(&text);
        cursor.enter_object();
        for _ in 0..=text.len() {
            if cursor.next_member().is_none() { break; }
            cursor.skip();
        }
        let mut cursor = Cursor::new(&text);
        cursor.enter_array();
        let mut steps = 0;
        while cursor.next_element() {
            cursor.skip();
            steps += 1;
            prop_assert!(steps <= text.len());
        }
        is_too_deep(&text);
    }

    #[test]
    fn encoded_text_decodes_to_itself(text in ".*") {
        let raw = encode(&text);
        prop_assert_eq!(decode(&raw).unwrap(), text);
    }
}

#[test]
fn positions_point_into_the_document() {
    let text = "{ \"a\" : [1, {\"b\":\"x\\\"y\"} ] , \"c\":true}";
    let mut cursor = Cursor::new(text);
    assert!(cursor.enter_object());
    assert_eq!(cursor.next_member().unwrap(), "a");
    let array = cursor.value();
    assert_eq!(text.get(array.start..array.end()), Some(array.text));
    assert_eq!(cursor.next_member().unwrap(), "c");
    assert_eq!(cursor.value().boolean(), Some(true));
    assert!(cursor.next_member().is_none());
    assert!(cursor.value().text.is_empty());
}

#[test]
fn escaped_names_are_decoded() {
    let mut cursor = Cursor::new(r#"{"task\u0049d":"t"}"#);
    assert!(cursor.enter_object());
    assert_eq!(cursor.next_member().unwrap(), "taskId");
}

#[test]
fn snake_case_names_match_their_camel_case() {
    for (name, camel) in [
        ("taskId", "taskId"),
        ("task_id", "taskId"),
        ("reference_task_ids", "referenceTaskIds"),
        ("id", "id"),
    ] {
        assert!(is_named(name, camel), "{name}");
    }
    for (name, camel) in [
        ("taskid", "taskId"),
        ("task_Id", "taskId"),
        ("task__id", "taskId"),
        ("taskId_", "taskId"),
        ("_task_id", "taskId"),
        ("task_id_", "taskId"),
        ("task", "taskId"),
    ] {
        assert!(!is_named(name, camel), "{name}");
    }
}

#[test]
fn depth_counts_brackets_outside_strings() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(!is_too_deep(&nested(MAX_DEPTH)));
    assert!(is_too_deep(&nested(MAX_DEPTH + 1)));
    assert!(is_too_deep(&"{\"a\":".repeat(20_000)));
    assert!(!is_too_deep(&format!("\"{}\"", "[".repeat(1_000))));
}

#[test]
fn lone_surrogates_are_no_text() {
    assert_eq!(decode(r#""\ud800""#), None);
    assert_eq!(decode(r#""\ud83d\ude00""#).unwrap(), "😀");
}
