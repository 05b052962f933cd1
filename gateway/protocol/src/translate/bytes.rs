//! Base64 as peers write it, and the trap of the 0.3 protobuf form: a bytes field that holds base64 text.

use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, STANDARD};
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};

use super::FileBytes;

/// Reads what encoders leave out or leave behind: padding, and bits after the last byte.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Rewrites base64 of either alphabet in the standard one with padding; `None` if it is no base64.
pub(super) fn standard(text: String) -> Option<String> {
    if STANDARD.decode(&text).is_ok() {
        return Some(text);
    }
    decode(&text).map(|content| STANDARD.encode(content))
}

/// Reads a bytes field of the 0.3 protobuf form into the base64 of the content.
pub(super) fn from_proto(text: &str, form: FileBytes) -> Option<String> {
    let field = decode(text)?;
    match form {
        FileBytes::Raw => Some(STANDARD.encode(field)),
        FileBytes::Base64Text => standard(String::from_utf8(field).ok()?),
        FileBytes::Detect => match String::from_utf8(field) {
            Ok(inner) if STANDARD.decode(&inner).is_ok() => Some(inner),
            Ok(inner) => Some(STANDARD.encode(inner)),
            Err(content) => Some(STANDARD.encode(content.into_bytes())),
        },
    }
}

/// Writes the base64 of the content as a bytes field of the 0.3 protobuf form.
pub(super) fn to_proto(content: String, form: FileBytes) -> String {
    match form {
        FileBytes::Raw => content,
        FileBytes::Detect | FileBytes::Base64Text => STANDARD.encode(content),
    }
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let plain: Vec<u8> = text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            other => other,
        })
        .collect();
    LENIENT.decode(plain).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_base64_becomes_the_standard_one() {
        for text in ["+/8=", "-_8=", "-_8", "+/8", " +/\n8= ", "+/9="] {
            assert_eq!(standard(text.to_owned()).as_deref(), Some("+/8="), "{text}");
        }
        assert_eq!(standard(String::new()).as_deref(), Some(""));
        for text in ["hello!", "A", "é", "====", "AAAA=AAA"] {
            assert_eq!(standard(text.to_owned()), None, "{text}");
        }
    }

    #[test]
    fn single_and_double_encoding_are_told_apart() {
        let content = "AAEC".to_owned();
        let double = "QUFFQw==".to_owned();
        for (form, written) in [
            (FileBytes::Raw, &content),
            (FileBytes::Base64Text, &double),
            (FileBytes::Detect, &double),
        ] {
            assert_eq!(&to_proto(content.clone(), form), written, "{form:?}");
            assert_eq!(from_proto(written, form), Some(content.clone()), "{form:?}");
        }
        assert_eq!(from_proto(&content, FileBytes::Detect), Some(content));
        assert_eq!(from_proto(&double, FileBytes::Raw), Some(double));
        assert_eq!(from_proto("AAEC", FileBytes::Base64Text), None);
    }
}
