//! Repairs what the library's JSON leaves open: whole numbers spelled as `1.0`, and maps in random order.

use prost_reflect::{Kind, MessageDescriptor};
use serde_json::Value;

use crate::numbers::of_double;

/// Repairs the JSON of one message.
pub(super) fn message(tree: &mut Value, descriptor: &MessageDescriptor) {
    if descriptor.full_name().starts_with("google.protobuf.") {
        return numbers(tree);
    }
    let Value::Object(members) = tree else { return };
    for field in descriptor.fields() {
        let Some(member) = members.get_mut(field.json_name()) else {
            continue;
        };
        let kind = field.kind();
        match (kind.as_message(), member) {
            (Some(entry), Value::Object(entries)) if field.is_map() => {
                entries.sort_keys();
                let kind = entry.map_entry_value_field().kind();
                entries
                    .values_mut()
                    .for_each(|value| value_of(value, &kind));
            }
            (Some(_), Value::Array(items)) if field.is_list() => {
                items.iter_mut().for_each(|item| value_of(item, &kind));
            }
            (_, member) => value_of(member, &kind),
        }
    }
}

fn value_of(tree: &mut Value, kind: &Kind) {
    if let Kind::Message(descriptor) = kind {
        message(tree, descriptor);
    }
}

/// Spells whole numbers without a fraction: readers may refuse `1.0` where an integer once stood.
fn numbers(tree: &mut Value) {
    match tree {
        Value::Number(number) => {
            if let Some(short) = number.as_f64().and_then(of_double) {
                *number = short;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(numbers),
        Value::Object(members) => members.values_mut().for_each(numbers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}
