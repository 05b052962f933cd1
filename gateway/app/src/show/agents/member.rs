//! Members of an answer as words.

use jiff::Timestamp;
use serde_json::Value;

use crate::show::one_line;

pub(super) fn listed<'a>(values: impl Iterator<Item = &'a Value>) -> String {
    values.map(text).collect::<Vec<_>>().join(", ")
}

/// Returns the time from now to a moment, none for a moment that has passed.
pub(super) fn until(moment: &Value, now: Timestamp) -> Option<String> {
    let moment: Timestamp = moment.as_str()?.parse().ok()?;
    let seconds = moment.duration_since(now).as_secs();
    (seconds >= 0).then(|| time(seconds))
}

/// Renders seconds in the largest unit that fits.
pub(super) fn time(seconds: i64) -> String {
    match seconds {
        ..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}

pub(super) fn entries(value: &Value) -> impl Iterator<Item = &Value> {
    value
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
        .iter()
}

pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => one_line(text),
        other => other.to_string(),
    }
}
