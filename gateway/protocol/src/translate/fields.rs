//! Takes an object apart, member by member, as `ProtoJSON` readers do.
//!
//! `snake_case` names, `null` for absent and quoted integers are accepted in every dialect. What is left over when
//! all known members are taken is unknown to the target and becomes a loss.

use serde_json::{Map, Value};

use super::number;
use super::{Loss, Losses};
use crate::json::is_named;

pub(super) type Read<T> = Result<T, Fault>;

/// Is a field and what is wrong with it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) field: String,
    pub(super) problem: String,
}

impl Fault {
    pub(super) fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            problem: problem.into(),
        }
    }

    /// Makes the fault of a value that does not know its own name yet; [`Self::within`] adds it.
    pub(super) fn of_value(problem: impl Into<String>) -> Self {
        Self::new("", problem)
    }

    pub(super) fn missing(field: &str) -> Self {
        Self::new(field, "is missing")
    }

    fn wrong_kind(expected: &str, found: &Value) -> Self {
        Self::of_value(format!("must be {expected}, not {}", noun(found)))
    }

    pub(super) fn within(mut self, owner: &str) -> Self {
        self.field = match self.field.bytes().next() {
            None => owner.to_owned(),
            Some(b'[') => format!("{owner}{}", self.field),
            Some(_) => format!("{owner}.{}", self.field),
        };
        self
    }
}

fn noun(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Holds the members of an object that nobody has taken yet.
#[derive(Debug)]
pub(super) struct Fields(Map<String, Value>);

impl Fields {
    pub(super) fn read(value: Value) -> Read<Self> {
        object(value).map(Self)
    }

    pub(super) fn into_value(self) -> Value {
        Value::Object(self.0)
    }

    pub(super) fn peek(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        let is_present = |(key, value): (&String, &Value)| is_named(key, name) && !value.is_null();
        self.0.iter().any(is_present)
    }

    /// Takes a member that is there, also when it is `null`.
    pub(super) fn take_even_null(&mut self, name: &str) -> Option<Value> {
        if let Some(value) = self.0.remove(name) {
            return Some(value);
        }
        let key = self.0.keys().find(|key| is_named(key, name))?.clone();
        self.0.remove(&key)
    }

    /// Takes a member, `null` counting as absent.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.take_even_null(name).filter(|value| !value.is_null())
    }

    pub(super) fn text(&mut self, name: &str) -> Read<Option<String>> {
        self.take_as(name, text)
    }

    /// Takes a string of which empty means absent, as for every string of `ProtoJSON` without presence.
    pub(super) fn filled(&mut self, name: &str) -> Read<Option<String>> {
        Ok(self.text(name)?.filter(|text| !text.is_empty()))
    }

    pub(super) fn required(&mut self, name: &str) -> Read<String> {
        self.filled(name)?.ok_or_else(|| Fault::missing(name))
    }

    pub(super) fn flag(&mut self, name: &str) -> Read<Option<bool>> {
        self.take_as(name, |value| match value {
            Value::Bool(flag) => Ok(flag),
            other => Err(Fault::wrong_kind("a boolean", &other)),
        })
    }

    pub(super) fn integer(&mut self, name: &str) -> Read<Option<i32>> {
        self.take_as(name, |value| {
            let fault = || Fault::of_value("must be a 32-bit integer");
            number::integer(&value).ok_or_else(fault)
        })
    }

    /// Takes an object that belongs to the user and is not looked into.
    pub(super) fn object(&mut self, name: &str) -> Read<Option<Map<String, Value>>> {
        self.take_as(name, object)
    }

    pub(super) fn fields(&mut self, name: &str) -> Read<Option<Self>> {
        self.take_as(name, Self::read)
    }

    pub(super) fn texts(&mut self, name: &str) -> Read<Option<Vec<String>>> {
        self.list(name, text)
    }

    pub(super) fn list<T>(
        &mut self,
        name: &str,
        read: impl FnMut(Value) -> Read<T>,
    ) -> Read<Option<Vec<T>>> {
        self.take_as(name, |value| elements(value, read))
    }

    pub(super) fn take_as<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(Value) -> Read<T>,
    ) -> Read<Option<T>> {
        let read = |value| read(value).map_err(|fault| fault.within(name));
        self.take(name).map(read).transpose()
    }

    /// Counts what is left as lost, but for `kind`, which wrappers replace, and for `null`, which says nothing.
    pub(super) fn finish(self, losses: &mut Losses) {
        for (name, value) in self.0 {
            if name != "kind" && !value.is_null() {
                losses.add(Loss::UnknownMember);
            }
        }
    }
}

/// Reads the elements of an array.
pub(super) fn elements<T>(value: Value, mut read: impl FnMut(Value) -> Read<T>) -> Read<Vec<T>> {
    let Value::Array(values) = value else {
        return Err(Fault::wrong_kind("an array", &value));
    };
    let element = |(index, value)| read(value).map_err(|fault| fault.within(&format!("[{index}]")));
    values.into_iter().enumerate().map(element).collect()
}

fn text(value: Value) -> Read<String> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(Fault::wrong_kind("a string", &other)),
    }
}

fn object(value: Value) -> Read<Map<String, Value>> {
    match value {
        Value::Object(members) => Ok(members),
        other => Err(Fault::wrong_kind("an object", &other)),
    }
}

/// Builds an object; absent members are left out.
#[derive(Debug, Default)]
pub(super) struct Object(Map<String, Value>);

impl Object {
    pub(super) fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    pub(super) fn put_some(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object.0)
    }
}
