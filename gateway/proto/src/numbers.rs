//! Numbers that protobuf cannot carry: `Struct` and `Value` hold every number as a double.

use serde_json::{Number, Value};

/// Two to the power of 63: what lies strictly between its negative and itself fits an `i64`.
const I64_BOUND: f64 = 9_223_372_036_854_775_808.0;

/// Counts the numbers in a tree that come back as others after they were doubles.
///
/// Whole numbers beyond 2^53 may, fractions with more than 17 digits, and what is too large for a double. Another
/// spelling of the same number (`1e2` and `100`) is no loss.
pub fn lossy_numbers(tree: &Value) -> usize {
    match tree {
        Value::Number(number) => usize::from(!survives(number)),
        Value::Array(items) => items.iter().map(lossy_numbers).sum(),
        Value::Object(members) => members.values().map(lossy_numbers).sum(),
        Value::Null | Value::Bool(_) | Value::String(_) => 0,
    }
}

/// Writes a double without a fraction if it is whole and the digits are exact, and else as short as possible.
pub(crate) fn of_double(double: f64) -> Option<Number> {
    if double.fract() == 0.0 && double.abs() < I64_BOUND {
        #[expect(clippy::cast_possible_truncation, reason = "the bound was checked")]
        return Some(Number::from(double as i64));
    }
    Number::from_f64(double)
}

fn survives(number: &Number) -> bool {
    number
        .as_f64()
        .and_then(of_double)
        .is_some_and(|back| back == *number || Decimal::of(&back) == Decimal::of(number))
}

/// A number apart from its spelling: digits without outer zeros, times a power of ten.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// Takes apart what is spelled as JSON; absurd exponents saturate, and no double has one.
    fn of(number: &Number) -> Self {
        let text = number.as_str();
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{}{fraction}", whole.trim_start_matches('-'));
        let significant = digits.trim_end_matches('0');
        if significant.is_empty() {
            return Self {
                negative: false,
                digits: String::new(),
                exponent: 0,
            };
        }
        let shift = length(digits.len() - significant.len()) - length(fraction.len());
        Self {
            negative: whole.starts_with('-'),
            digits: significant.trim_start_matches('0').to_owned(),
            exponent: exponent.parse().unwrap_or(i64::MAX).saturating_add(shift),
        }
    }
}

fn length(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn numbers_that_a_double_holds_survive_in_any_spelling() {
        for text in [
            "0",
            "-0",
            "-0.00",
            "0e99",
            "1e2",
            "100.0",
            "1.50",
            "-2.5E-3",
            "0.1",
            "1e300",
            "1E+2",
            "9007199254740992",
            "9007199254740994",
            "-9223372036854774784",
            "123456e-3",
            "18446744073709552000",
        ] {
            assert_eq!(lossy_numbers(&parsed(text)), 0, "{text}");
        }
    }

    #[test]
    fn numbers_that_a_double_rounds_are_lossy() {
        for text in [
            "9007199254740993",
            "-9007199254740993",
            "18446744073709551615",
            "123456789012345678901234567890",
            "0.1234567890123456789",
            "333333333.33333329",
            "1e400",
            "1e-400",
            "1e99999999999999999999",
            "9223372036854775807",
        ] {
            assert_eq!(lossy_numbers(&parsed(text)), 1, "{text}");
            let tree = json!({"a": [1, {"b": parsed(text)}], "c": parsed(text)});
            assert_eq!(lossy_numbers(&tree), 2, "{text}");
        }
    }

    #[test]
    fn other_values_are_not_lossy() {
        let tree = json!({"a": [null, true, "9007199254740993"]});
        assert_eq!(lossy_numbers(&tree), 0);
    }

    proptest::proptest! {
        #[test]
        fn doubles_survive(double in -9e15..9e15) {
            proptest::prop_assert_eq!(lossy_numbers(&json!(double)), 0);
        }

        #[test]
        fn integers_survive_if_the_conversion_is_exact(integer: i64) {
            #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "the conversion under test")]
            let exact = (integer as f64) as i128 == i128::from(integer) && integer > i64::MIN;
            proptest::prop_assert_eq!(lossy_numbers(&json!(integer)) == 0, exact);
        }
    }
}
