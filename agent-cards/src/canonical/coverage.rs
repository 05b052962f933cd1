//! What of a card its signed bytes hold, and what they say nothing about.

use serde_json::{Number, Value};

use crate::members::{self, Object};

/// The most pointers listed: a hostile card could cause millions.
const MOST: usize = 100;

/// Defaults that are left out of the signed bytes and mean the same when they are away.
const DEFAULTS: [(&str, &str); 2] = [
    ("/preferredTransport", "JSONRPC"),
    ("/protocolVersion", "0.3.0"),
];

/// Returns the JSON pointers of what a card holds beyond its signed bytes, which were read back
/// as `signed`; members that say nothing do not count.
pub(crate) fn uncovered(card: &Object, signed: &Object) -> Vec<String> {
    let mut found = Vec::new();
    for (name, value) in card.iter().filter(|(name, _)| *name != "signatures") {
        compare_member(name, value, signed, "", &mut found);
    }
    found
}

/// Returns what several signed forms of one card hold together.
///
/// Every member stands in one of them at that place; where they differ, the one that says exactly
/// what the card says counts.
pub(crate) fn unite(card: &Object, signed: &[&Object]) -> Object {
    let mut united = Object::new();
    for signed in signed {
        add_members(&mut united, signed, card);
    }
    united
}

fn add_members(united: &mut Object, signed: &Object, card: &Object) {
    for (name, value) in signed {
        let received = card
            .get(name)
            .or_else(|| card.get(members::snake_case(name).as_ref()));
        match (united.get_mut(name), received) {
            (None, _) => {
                united.insert(name.clone(), value.clone());
            }
            (Some(united), Some(received)) => add(united, value, received),
            // A default that the card leaves out, the same in every form.
            (Some(_), None) => {}
        }
    }
}

fn add(united: &mut Value, signed: &Value, received: &Value) {
    match (&mut *united, signed, received) {
        (Value::Object(united), Value::Object(signed), Value::Object(received)) => {
            add_members(united, signed, received);
        }
        // A form that leaves entries out has others at their places.
        (Value::Array(united), Value::Array(signed), Value::Array(received))
            if [united.len(), signed.len()] == [received.len(); 2] =>
        {
            for (index, united) in united.iter_mut().enumerate() {
                add(united, &signed[index], &received[index]);
            }
        }
        (Value::Array(entries), Value::Array(signed), Value::Array(received))
            if entries.len() != received.len() && signed.len() == received.len() =>
        {
            entries.clone_from(signed);
        }
        (kept, signed, received) if *kept != *received && signed == received => {
            kept.clone_from(signed);
        }
        _ => {}
    }
}

fn compare_member(
    name: &str,
    value: &Value,
    signed: &Object,
    pointer: &str,
    found: &mut Vec<String>,
) {
    let pointer = members::step(pointer, name);
    let counterpart = signed
        .get(name)
        .or_else(|| signed.get(members::camel_case(name).as_ref()));
    match counterpart {
        Some(counterpart) => compare(value, counterpart, &pointer, found),
        None if says_nothing(value) || is_default(&pointer, value) => {}
        None => push(pointer, found),
    }
}

fn compare(value: &Value, signed: &Value, pointer: &str, found: &mut Vec<String>) {
    match (value, signed) {
        (Value::Object(members), Value::Object(signed)) => {
            for (name, value) in members {
                compare_member(name, value, signed, pointer, found);
            }
        }
        (Value::Array(entries), Value::Array(signed)) if entries.len() == signed.len() => {
            for (index, (entry, signed)) in entries.iter().zip(signed).enumerate() {
                compare(entry, signed, &format!("{pointer}/{index}"), found);
            }
        }
        (Value::Number(number), Value::Number(signed)) if double(number) == double(signed) => {}
        (value, signed) if value == signed => {}
        _ => push(pointer.to_owned(), found),
    }
}

fn push(pointer: String, found: &mut Vec<String>) {
    if found.len() < MOST {
        found.push(pointer);
    }
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(entries) => entries.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    }
}

fn is_default(pointer: &str, value: &Value) -> bool {
    DEFAULTS
        .iter()
        .any(|(place, default)| *place == pointer && value == default)
}

fn double(number: &Number) -> Option<f64> {
    number.as_str().parse().ok()
}
