//! Reads the integers of `ProtoJSON`, which may be quoted or carry a fraction of zero.

use serde_json::Value;

/// Reads a 32-bit integer.
pub(super) fn integer(value: &Value) -> Option<i32> {
    let text = match value {
        Value::Number(number) => number.as_str(),
        Value::String(text) => text.as_str(),
        _ => return None,
    };
    text.parse().ok().or_else(|| whole(text.parse().ok()?))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the range and the fraction are checked"
)]
fn whole(number: f64) -> Option<i32> {
    let fits =
        number.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number);
    fits.then_some(number as i32)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::integer;

    #[test]
    fn every_spelling_of_an_integer_is_read() {
        for text in ["3", "\"3\"", "3.0", "3e0", "\"3.00\"", "30e-1"] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(integer(&value), Some(3), "{text}");
        }
        assert_eq!(integer(&json!(-1)), Some(-1));
    }

    #[test]
    fn other_values_are_no_integers() {
        for value in [
            json!(0.5),
            json!("x"),
            json!(""),
            json!(true),
            json!(2_147_483_648_u64),
            json!("NaN"),
            json!("inf"),
            json!([]),
        ] {
            assert_eq!(integer(&value), None, "{value}");
        }
    }
}
