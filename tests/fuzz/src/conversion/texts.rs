//! Whether the texts of a value are still there after a conversion.

use gateway_protocol::translate::Dialect;
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
///
/// Resource names are not looked for, since other dialects have the ids in them alone; the ids are looked for in them.
pub(super) fn check(from: Dialect, value: &Value, converted: &Value) {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let is_name = |text: &str| from == Dialect::V03Proto && text.starts_with("tasks/");
    collect(value, &mut |text| {
        before.extend((!is_name(text)).then(|| text.to_owned()));
    });
    collect(converted, &mut |text| {
        after.push(text.to_owned());
        after.extend(ids(text).map(str::to_owned));
    });
    let count = |texts: &[String], text: &str| texts.iter().filter(|other| *other == text).count();
    for text in &before {
        assert!(
            count(&after, text) >= count(&before, text),
            "{text:?} of {value} is not in {converted}"
        );
    }
}

/// Returns the ids that a resource name may hold.
fn ids(text: &str) -> impl Iterator<Item = &str> {
    let name = text.strip_prefix("tasks/");
    let both = name.and_then(|name| name.rsplit_once("/pushNotificationConfigs/"));
    let both = both.map(<[&str; 2]>::from);
    name.into_iter().chain(both.into_iter().flatten())
}

fn collect(value: &Value, take: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) if text.is_empty() => {}
        Value::String(text) => take(text),
        Value::Array(items) => items.iter().for_each(|item| collect(item, take)),
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('_', "").to_ascii_lowercase();
                if !RESPELLED.contains(&name.as_str()) {
                    collect(member, take);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
