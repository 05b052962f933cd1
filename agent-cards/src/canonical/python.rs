//! JSON as Python's `json.dumps` writes it with sorted keys: ASCII only, ordered by code point.

use std::collections::BTreeMap;

use serde_json::{Number, Value};

/// What numbers are before they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// Doubles, as protobuf's `Struct` holds all of them.
    Doubles,
    /// Integers stay integers of any size, doubles keep their point.
    AsWritten,
}

/// Writes a value, or says which number cannot be.
pub(super) fn write(value: &Value, numbers: Numbers) -> Result<Vec<u8>, String> {
    let mut out = String::new();
    write_value(value, numbers, &mut out)?;
    Ok(out.into_bytes())
}

fn write_value(value: &Value, numbers: Numbers, out: &mut String) -> Result<(), String> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number_text(number, numbers)?),
        Value::String(text) => write_text(text, out),
        Value::Array(entries) => {
            out.push('[');
            for (index, entry) in entries.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_value(entry, numbers, out)?;
            }
            out.push(']');
        }
        Value::Object(members) => {
            // Strings order by UTF-8 bytes, which is the order of their code points.
            let sorted: BTreeMap<&String, &Value> = members.iter().collect();
            out.push('{');
            for (index, (name, member)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_text(name, out);
                out.push(':');
                write_value(member, numbers, out)?;
            }
            out.push('}');
        }
    }
    Ok(())
}

fn write_text(text: &str, out: &mut String) {
    use std::fmt::Write as _;

    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(letter),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}").expect("writing to a string succeeds");
                }
            }
        }
    }
    out.push('"');
}

fn number_text(number: &Number, numbers: Numbers) -> Result<String, String> {
    let text = number.as_str();
    let is_integer = !text.contains(['.', 'e', 'E']);
    if numbers == Numbers::AsWritten && is_integer {
        return Ok(if text == "-0" { "0" } else { text }.to_owned());
    }
    let double: f64 = text
        .parse()
        .ok()
        .filter(|double: &f64| double.is_finite())
        .ok_or_else(|| format!("the number {text} is beyond the range of a double"))?;
    Ok(double_text(double))
}

/// Writes the shortest digits that read back the same, with an exponent below -4 and from 16 on.
fn double_text(double: f64) -> String {
    let scientific = format!("{double:e}");
    let (digits, exponent) = scientific.split_once('e').expect("an exponent is written");
    let exponent: i32 = exponent.parse().expect("an exponent is a number");
    if (-4..16).contains(&exponent) {
        return format!("{double:?}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(json: &str, numbers: Numbers) -> String {
        let value = serde_json::from_str(json).unwrap();
        String::from_utf8(write(&value, numbers).unwrap()).unwrap()
    }

    #[test]
    fn text_is_ascii_and_names_are_in_code_point_order() {
        // UTF-16 order would put the emoji, which starts with a surrogate, before U+FB33.
        assert_eq!(
            written(
                "{\"\u{1f600}\": 1, \"\u{fb33}\": \"\u{e9}\\u0001\\u007f\\n\"}",
                Numbers::AsWritten
            ),
            r#"{"\ufb33":"\u00e9\u0001\u007f\n","\ud83d\ude00":1}"#
        );
    }

    #[test]
    fn numbers_are_written_as_python_does() {
        let doubles = [
            ("1", "1.0"),
            ("1e21", "1e+21"),
            ("-0", "-0.0"),
            ("0.00001", "1e-05"),
            ("0.0001", "0.0001"),
            ("1.5", "1.5"),
            ("1e-300", "1e-300"),
            ("12345678901234567890", "1.2345678901234567e+19"),
        ];
        for (json, expected) in doubles {
            assert_eq!(written(json, Numbers::Doubles), expected, "{json}");
        }
        let as_written = [
            ("1.0", "1.0"),
            ("1e16", "1e+16"),
            ("1e15", "1000000000000000.0"),
            ("-0", "0"),
            ("-0.0", "-0.0"),
            ("12345678901234567890", "12345678901234567890"),
            ("1.5e300", "1.5e+300"),
        ];
        for (json, expected) in as_written {
            assert_eq!(written(json, Numbers::AsWritten), expected, "{json}");
        }
    }

    #[test]
    fn number_beyond_a_double_is_refused() {
        let value = serde_json::from_str("1e999").unwrap();
        assert!(write(&value, Numbers::Doubles).is_err());
    }
}
