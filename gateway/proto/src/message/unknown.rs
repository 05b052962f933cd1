//! Finds what one form of a message has no place for in the other, and takes it out of JSON.

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, Value as Field};
use serde_json::Value;

/// Takes out members and enum names that a message type does not know, and lists their paths in the order of the tree.
pub(super) fn strip(tree: &mut Value, descriptor: &MessageDescriptor) -> Vec<String> {
    let mut found = Vec::new();
    message(tree, descriptor, "", &mut found);
    found
}

/// Counts the fields of a decoded message, and of those within it, that their types do not know.
pub(super) fn fields(message: &DynamicMessage) -> usize {
    let nested = message.fields().map(|(_, field)| match field {
        Field::Message(message) => fields(message),
        Field::List(items) => items.iter().filter_map(Field::as_message).map(fields).sum(),
        Field::Map(entries) => entries
            .values()
            .filter_map(Field::as_message)
            .map(fields)
            .sum(),
        _ => 0,
    });
    message.unknown_fields().count() + nested.sum::<usize>()
}

fn message(tree: &mut Value, descriptor: &MessageDescriptor, path: &str, found: &mut Vec<String>) {
    // The well-known types take any JSON of their kind.
    if descriptor.full_name().starts_with("google.protobuf.") {
        return;
    }
    let Value::Object(members) = tree else { return };
    members.retain(|name, member| {
        let path = join(path, name);
        match field(descriptor, name) {
            Some(field) => is_known(member, &field, &path, found),
            None => {
                found.push(path);
                false
            }
        }
    });
}

fn field(descriptor: &MessageDescriptor, name: &str) -> Option<FieldDescriptor> {
    descriptor
        .get_field_by_json_name(name)
        .or_else(|| descriptor.get_field_by_name(name))
}

fn is_known(
    tree: &mut Value,
    field: &FieldDescriptor,
    path: &str,
    found: &mut Vec<String>,
) -> bool {
    let kind = field.kind();
    match (&kind, tree) {
        (Kind::Message(entry), Value::Object(entries)) if field.is_map() => {
            let kind = entry.map_entry_value_field().kind();
            entries.retain(|key, value| is_known_value(value, &kind, &join(path, key), found));
            true
        }
        (_, Value::Array(items)) if field.is_list() => {
            let mut index = 0;
            items.retain_mut(|item| {
                let path = format!("{path}[{index}]");
                index += 1;
                is_known_value(item, &kind, &path, found)
            });
            true
        }
        (_, tree) => is_known_value(tree, &kind, path, found),
    }
}

fn is_known_value(tree: &mut Value, kind: &Kind, path: &str, found: &mut Vec<String>) -> bool {
    match kind {
        Kind::Message(descriptor) => message(tree, descriptor, path, found),
        Kind::Enum(names) => {
            if let Some(name) = tree.as_str()
                && names.get_value_by_name(name).is_none()
            {
                found.push(path.to_owned());
                return false;
            }
        }
        _ => {}
    }
    true
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}
