//! Whether the texts of a value are still there after a conversion.

use serde_json::Value;

/// Members whose text is spelled otherwise in another dialect, or says what a wrapper says there; in lower case.
const RESPELLED: [&str; 10] = [
    "kind",
    "role",
    "state",
    "timestamp",
    "raw",
    "bytes",
    "filewithbytes",
    "historylength",
    "pagesize",
    "totalsize",
];

/// Checks that every text of a value occurs in the converted one, as often as before.
pub(super) fn check(value: &Value, converted: &Value) {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    collect(value, &mut before);
    collect(converted, &mut after);
    let count = |texts: &[String], text: &str| texts.iter().filter(|other| *other == text).count();
    for text in &before {
        assert!(
            count(&after, text) >= count(&before, text),
            "{text:?} of {value} is not in {converted}"
        );
    }
}

fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) if text.is_empty() => {}
        // The ids in a resource name stand alone in another dialect.
        Value::String(text) => {
            let name = text.strip_prefix("tasks/").unwrap_or(text);
            texts.extend(name.split("/pushNotificationConfigs/").map(str::to_owned));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('_', "").to_ascii_lowercase();
                if !RESPELLED.contains(&name.as_str()) {
                    collect(member, texts);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
