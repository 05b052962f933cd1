//! How inputs are read: choices in front, as digits and letters that a person can type, then the document.

use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

/// Takes one choice off the front of an input: `0` is the first, `:` the eleventh, `A` the eighteenth.
pub(crate) fn choose<'a, T: Copy>(input: &'a [u8], choices: &[T]) -> Option<(T, &'a [u8])> {
    let (first, rest) = input.split_first()?;
    let index = usize::from(first.wrapping_sub(b'0')) % choices.len();
    Some((*choices.get(index)?, rest))
}

/// Returns JSON text as the parsers under test hold it.
pub(crate) fn raw(json: &[u8]) -> &RawValue {
    let value = serde_json::from_slice(json);
    value.unwrap_or_else(|error| panic!("{error} in {}", shown(json)))
}

/// Returns the tree of JSON text, unless a string in it is no text, as a lone surrogate is none.
pub(crate) fn tree(json: &[u8]) -> Option<Value> {
    assert!(
        serde_json::from_slice::<IgnoredAny>(json).is_ok(),
        "not JSON: {}",
        shown(json)
    );
    serde_json::from_slice(json).ok()
}

/// Returns bytes for a message.
pub(crate) fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
