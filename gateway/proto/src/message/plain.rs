//! Turns the numbers of a tree into machine numbers, which is what the library reads.
//!
//! A [`Number`] keeps the spelling it had in the text. One that is neither a 64-bit integer nor spelled like a double
//! (`1e2`, 30 digits) would reach the library as an object of `serde_json`'s own.

use serde_json::{Number, Value};

/// Tells whether nothing has to be changed.
pub(super) fn is_plain(tree: &Value) -> bool {
    match tree {
        Value::Number(number) => {
            is_machine_integer(number) || as_double(number).is_some_and(|double| double == *number)
        }
        Value::Array(items) => items.iter().all(is_plain),
        Value::Object(members) => members.values().all(is_plain),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

/// Rounds every other number to a double; the error is the path of a number that is too large for one.
pub(super) fn make_plain(tree: &mut Value) -> Result<(), String> {
    match tree {
        Value::Number(number) if !is_machine_integer(number) => {
            *number = as_double(number).ok_or_else(String::new)?;
            Ok(())
        }
        Value::Array(items) => items.iter_mut().enumerate().try_for_each(|(index, item)| {
            make_plain(item).map_err(|rest| below(&format!("[{index}]"), &rest))
        }),
        Value::Object(members) => members
            .iter_mut()
            .try_for_each(|(name, member)| make_plain(member).map_err(|rest| below(name, &rest))),
        Value::Number(_) | Value::Null | Value::Bool(_) | Value::String(_) => Ok(()),
    }
}

fn below(step: &str, rest: &str) -> String {
    let dot = if rest.is_empty() || rest.starts_with('[') {
        ""
    } else {
        "."
    };
    format!("{step}{dot}{rest}")
}

fn is_machine_integer(number: &Number) -> bool {
    number.is_u64() || number.is_i64()
}

fn as_double(number: &Number) -> Option<Number> {
    number.as_f64().and_then(Number::from_f64)
}
