//! The file as a tree whose every key and value knows its place.

use super::report::Place;

/// A value of the file.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// Names this node for [`Node::remove`]; unique in its tree.
    pub(super) id: usize,
    pub(super) place: Place,
    pub(super) value: Value,
}

/// What a node holds.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Scalar(Scalar),
    List(Vec<Node>),
    Mapping(Mapping),
}

/// Text, with variables already replaced.
#[derive(Debug, Clone)]
pub(super) struct Scalar {
    pub(super) text: String,
    /// Whether it has no quotes, so that it may be a number, a boolean or nothing.
    pub(super) plain: bool,
    /// Whether part of it comes from a variable, so that it must never be shown.
    pub(super) interpolated: bool,
}

/// Keys and values in file order.
#[derive(Debug, Clone, Default)]
pub(super) struct Mapping {
    pub(super) entries: Vec<Entry>,
    /// Keys whose values were refused: they count as present, so nothing else is said about them.
    pub(super) refused: Vec<String>,
}

/// A key with its value.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: Node,
    pub(super) value: Node,
}

/// A plain scalar by the core schema of YAML 1.2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Plain {
    Nothing,
    Boolean(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text,
}

impl Scalar {
    /// Returns what the scalar is when no particular type is asked for.
    pub(super) fn kind(&self) -> Plain {
        if self.plain {
            plain(&self.text)
        } else {
            Plain::Text
        }
    }
}

impl Entry {
    /// Returns the key as text.
    pub(super) fn name(&self) -> &str {
        self.key.text()
    }
}

impl Node {
    /// Returns the value of a key, or this node itself when there is none, which is the next best place to point at.
    pub(super) fn get(&self, key: &str) -> &Self {
        self.entry(key).map_or(self, |entry| &entry.value)
    }

    /// Returns the entry of a key.
    pub(super) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.name() == key)
    }

    /// Returns the entries of a mapping; none for anything else.
    pub(super) fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Mapping(mapping) => &mapping.entries,
            Value::Scalar(_) | Value::List(_) => &[],
        }
    }

    /// Returns the keys of a mapping whose values were refused; none for anything else.
    pub(super) fn refused(&self) -> &[String] {
        match &self.value {
            Value::Mapping(mapping) => &mapping.refused,
            Value::Scalar(_) | Value::List(_) => &[],
        }
    }

    /// Returns the items of a list; none for anything else.
    pub(super) fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            Value::Scalar(_) | Value::Mapping(_) => &[],
        }
    }

    /// Returns the text of a scalar; nothing for anything else.
    pub(super) fn text(&self) -> &str {
        match &self.value {
            Value::Scalar(scalar) => &scalar.text,
            Value::List(_) | Value::Mapping(_) => "",
        }
    }

    /// Returns whether part of the value comes from a variable.
    pub(super) fn is_interpolated(&self) -> bool {
        matches!(&self.value, Value::Scalar(scalar) if scalar.interpolated)
    }

    /// Says what kind of value this is, for people.
    pub(super) fn kind(&self) -> &'static str {
        match &self.value {
            Value::List(_) => "a list",
            Value::Mapping(_) => "a mapping",
            Value::Scalar(scalar) => match scalar.kind() {
                Plain::Nothing => "nothing",
                Plain::Boolean(_) => "a boolean",
                Plain::Unsigned(_) | Plain::Signed(_) => "a whole number",
                Plain::Float(_) => "a number",
                Plain::Text => "text",
            },
        }
    }

    /// Removes the list item, or the entry with the key or value, of this id; returns whether it was there.
    pub(super) fn remove(&mut self, id: usize) -> bool {
        match &mut self.value {
            Value::Scalar(_) => false,
            Value::List(items) => {
                let before = items.len();
                items.retain(|item| item.id != id);
                items.len() < before || items.iter_mut().any(|item| item.remove(id))
            }
            Value::Mapping(mapping) => {
                let named = |entry: &Entry| entry.key.id == id || entry.value.id == id;
                if let Some(index) = mapping.entries.iter().position(named) {
                    let entry = mapping.entries.remove(index);
                    mapping.refused.push(entry.name().to_owned());
                    return true;
                }
                mapping
                    .entries
                    .iter_mut()
                    .any(|entry| entry.value.remove(id))
            }
        }
    }
}

fn plain(text: &str) -> Plain {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Plain::Nothing,
        "true" | "True" | "TRUE" => return Plain::Boolean(true),
        "false" | "False" | "FALSE" => return Plain::Boolean(false),
        ".nan" | ".NaN" | ".NAN" => return Plain::Float(f64::NAN),
        _ => {}
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if matches!(digits, ".inf" | ".Inf" | ".INF") {
        return Plain::Float(if negative {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        });
    }
    // The parsers of the standard library take a second sign, and words such as `infinity`.
    if !digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return Plain::Text;
    }
    let radix = |prefix, radix| u64::from_str_radix(text.strip_prefix(prefix)?, radix).ok();
    if let Some(number) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return Plain::Unsigned(number);
    }
    if !negative && let Ok(number) = digits.parse() {
        return Plain::Unsigned(number);
    }
    if let Ok(number) = text.parse() {
        return Plain::Signed(number);
    }
    text.parse().map_or(Plain::Text, Plain::Float)
}

#[cfg(test)]
mod tests {
    use super::{Plain, plain};

    #[test]
    fn plain_scalars_are_typed_by_the_core_schema() {
        for (text, kind) in [
            ("", Plain::Nothing),
            ("~", Plain::Nothing),
            ("True", Plain::Boolean(true)),
            ("yes", Plain::Text),
            ("8080", Plain::Unsigned(8080)),
            ("+3", Plain::Unsigned(3)),
            ("-3", Plain::Signed(-3)),
            ("0x1F", Plain::Unsigned(31)),
            ("0o17", Plain::Unsigned(15)),
            (".30", Plain::Float(0.3)),
            ("1e3", Plain::Float(1000.0)),
            ("-.inf", Plain::Float(f64::NEG_INFINITY)),
            ("inf", Plain::Text),
            ("nan", Plain::Text),
            ("-infinity", Plain::Text),
            ("+-3", Plain::Text),
            ("1.2.3", Plain::Text),
            ("5s", Plain::Text),
            (".", Plain::Text),
        ] {
            assert_eq!(plain(text), kind, "{text}");
        }
    }
}
