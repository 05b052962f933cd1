//! Percent-encoding of path segments and query strings (RFC 3986).

use std::borrow::Cow;
use std::fmt::Write as _;

/// Encodes all but unreserved characters, so that neither `/` nor `:` of an id splits a path.
pub(super) fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            _ => write!(encoded, "%{byte:02X}").expect("writing to a string cannot fail"),
        }
    }
    encoded
}

/// Decodes a path segment; `None` if it is not UTF-8 then. A `%` without two hexadecimal digits stands for itself.
pub(super) fn decode(text: &str) -> Option<Cow<'_, str>> {
    if memchr::memchr(b'%', text.as_bytes()).is_none() {
        return Some(Cow::Borrowed(text));
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escape = (first == b'%').then_some(after).and_then(escaped);
        let (byte, after) = escape.unwrap_or((first, after));
        decoded.push(byte);
        rest = after;
    }
    String::from_utf8(decoded).ok().map(Cow::Owned)
}

/// Decodes a name or value of a query, where `+` is a space too.
pub(super) fn decode_query(text: &str) -> Option<Cow<'_, str>> {
    if memchr::memchr(b'+', text.as_bytes()).is_none() {
        return decode(text);
    }
    let spaced = text.replace('+', " ");
    decode(&spaced).map(|decoded| Cow::Owned(decoded.into_owned()))
}

fn escaped(digits: &[u8]) -> Option<(u8, &[u8])> {
    let (pair, rest) = digits.split_at_checked(2)?;
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = digit(*pair.first()?)? * 16 + digit(*pair.last()?)?;
    Some((u8::try_from(byte).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reserved_characters_are_encoded() {
        assert_eq!(encode("t-1:cancel/ä%"), "t-1%3Acancel%2F%C3%A4%25");
        assert_eq!(encode("A.z_9~"), "A.z_9~");
    }

    #[test]
    fn broken_escapes_stand_for_themselves() {
        for (text, decoded) in [
            ("100%", "100%"),
            ("%4", "%4"),
            ("%zz%41", "%zzA"),
            ("%+1", "%+1"),
        ] {
            assert_eq!(decode(text).as_deref(), Some(decoded), "{text}");
        }
        assert_eq!(decode("%FF"), None);
        assert_eq!(decode_query("a+b%2B").as_deref(), Some("a b+"));
    }

    proptest! {
        #[test]
        fn encoded_text_leads_back(text in ".{0,20}") {
            let encoded = encode(&text);
            prop_assert_eq!(decode(&encoded).unwrap(), &*text);
            prop_assert_eq!(decode_query(&encoded).unwrap(), &*text);
        }

        #[test]
        fn anything_is_survived(text in "[%0-9a-f+é]{0,20}") {
            decode(&text);
            decode_query(&text);
        }
    }
}
