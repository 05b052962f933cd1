//! Lenient access to the members of a JSON object.
//!
//! Cards come from JSON Schema servers (`camelCase`, `null` for absent) and from protobuf servers
//! (`snake_case` allowed, empty lists left out). Every reader of this crate goes through here, so
//! both kinds look the same.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// A JSON object in the order it was received.
pub(crate) type Object = Map<String, Value>;

/// Returns the member called `name` (`camelCase`) or by its `snake_case` spelling; null is absent.
pub(crate) fn member<'a>(object: &'a Object, name: &str) -> Option<&'a Value> {
    let present = |spelling: &str| object.get(spelling).filter(|value| !value.is_null());
    present(name).or_else(|| match snake_case(name) {
        Cow::Owned(spelling) => present(&spelling),
        Cow::Borrowed(_) => None,
    })
}

/// Returns the JSON pointer of a member of the object at `pointer`, as the object spells it.
pub(crate) fn pointer(object: &Object, pointer: &str, name: &str) -> String {
    let filled = |spelling: &str| object.get(spelling).is_some_and(|value| !value.is_null());
    let snake = snake_case(name);
    if !filled(name) && filled(&snake) {
        return format!("{pointer}/{snake}");
    }
    format!("{pointer}/{name}")
}

/// Returns the JSON pointer of a member of the object at `pointer`, its name escaped by RFC 6901.
pub(crate) fn step(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Returns a member that is a string.
pub(crate) fn text<'a>(object: &'a Object, name: &str) -> Option<&'a str> {
    member(object, name).and_then(Value::as_str)
}

/// Returns a member that is a boolean.
pub(crate) fn flag(object: &Object, name: &str) -> Option<bool> {
    member(object, name).and_then(Value::as_bool)
}

/// Returns a member that is an object.
pub(crate) fn object<'a>(object: &'a Object, name: &str) -> Option<&'a Object> {
    member(object, name).and_then(Value::as_object)
}

/// Returns the entries of a list; a missing list is empty.
pub(crate) fn list<'a>(object: &'a Object, name: &str) -> &'a [Value] {
    member(object, name)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Returns the strings of a list; entries of another type are passed over.
pub(crate) fn texts(object: &Object, name: &str) -> Vec<String> {
    list(object, name)
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// Returns the `snake_case` spelling of a `camelCase` name, borrowed when the two are the same.
pub(crate) fn snake_case(name: &str) -> Cow<'_, str> {
    if !name.contains(|letter: char| letter.is_ascii_uppercase()) {
        return Cow::Borrowed(name);
    }
    let mut spelling = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            spelling.push('_');
        }
        spelling.push(letter.to_ascii_lowercase());
    }
    Cow::Owned(spelling)
}

/// Returns the `camelCase` spelling of a `snake_case` name, borrowed when the two are the same.
pub(crate) fn camel_case(name: &str) -> Cow<'_, str> {
    if !name.contains('_') {
        return Cow::Borrowed(name);
    }
    let mut spelling = String::with_capacity(name.len());
    let mut raise = false;
    for letter in name.chars() {
        if letter == '_' {
            raise = true;
        } else if raise {
            spelling.push(letter.to_ascii_uppercase());
            raise = false;
        } else {
            spelling.push(letter);
        }
    }
    Cow::Owned(spelling)
}

/// Returns what kind of JSON a value is, with its article.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Returns text from a card in a form fit for a message: one line, bounded.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 80;
    let mut letters = text.chars();
    let mut shown: String = letters
        .by_ref()
        .take(LONGEST)
        .flat_map(char::escape_debug)
        .collect();
    if letters.next().is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_spellings_name_the_same_member() {
        let card = json!({"default_input_modes": ["text/plain"], "defaultOutputModes": null});
        let card = card.as_object().unwrap();
        assert_eq!(texts(card, "defaultInputModes"), ["text/plain"]);
        assert_eq!(member(card, "defaultOutputModes"), None);
        assert_eq!(camel_case("default_input_modes"), "defaultInputModes");
        assert_eq!(snake_case("defaultInputModes"), "default_input_modes");
    }

    #[test]
    fn a_null_does_not_hide_the_other_spelling() {
        let card = json!({"iconUrl": null, "icon_url": "https://a.example/i.png"});
        assert_eq!(
            text(card.as_object().unwrap(), "iconUrl"),
            Some("https://a.example/i.png")
        );
    }

    #[test]
    fn shown_text_is_one_bounded_line() {
        assert_eq!(shown("a\nb"), "a\\nb");
        assert_eq!(shown(&"é".repeat(500)).chars().count(), 81);
    }
}
