//! Numbers and sizes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The largest size, in bytes.
const LARGEST: u64 = 1024 * 1024 * 1024;

/// A size in bytes: a plain number, or one with the unit KiB or MiB.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("type" = ["string", "integer"], "pattern" = "^[0-9]+ ?(KiB|MiB)?$", "minimum" = 1))]
#[schemars(extend("examples" = ["4MiB", "512KiB", 65536]))]
pub(in crate::config) struct ByteSize(pub(in crate::config) usize);

/// A number from 0 to 1.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "f64", into = "f64")]
#[schemars(extend("minimum" = 0, "maximum" = 1))]
pub(in crate::config) struct Share(pub(in crate::config) f64);

/// A number that is not negative.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "f64", into = "f64")]
#[schemars(extend("minimum" = 0))]
pub(in crate::config) struct Amount(pub(in crate::config) f64);

/// A number above zero.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "f64", into = "f64")]
#[schemars(extend("exclusiveMinimum" = 0))]
pub(in crate::config) struct PositiveAmount(pub(in crate::config) f64);

/// A whole number from 1 to 1000000000.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "u64", into = "u64")]
#[schemars(extend("minimum" = 1, "maximum" = 1_000_000_000))]
pub(in crate::config) struct Count(pub(in crate::config) u32);

impl TryFrom<String> for ByteSize {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let (digits, unit) = if let Some(digits) = text.strip_suffix("KiB") {
            (digits, 1024)
        } else if let Some(digits) = text.strip_suffix("MiB") {
            (digits, 1024 * 1024)
        } else {
            (text.as_str(), 1)
        };
        let digits = digits.trim_end();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("not a size\nwrite a number of bytes, or for example `512KiB` or `4MiB`");
        }
        digits
            .parse::<u64>()
            .ok()
            .and_then(|number| number.checked_mul(unit))
            .filter(|bytes| (1..=LARGEST).contains(bytes))
            .and_then(|bytes| usize::try_from(bytes).ok())
            .map(Self)
            .ok_or("a size must be from 1 byte to 1024MiB")
    }
}

impl From<ByteSize> for String {
    fn from(ByteSize(bytes): ByteSize) -> Self {
        match bytes {
            bytes if bytes.is_multiple_of(1024 * 1024) => format!("{}MiB", bytes / 1024 / 1024),
            bytes if bytes.is_multiple_of(1024) => format!("{}KiB", bytes / 1024),
            bytes => bytes.to_string(),
        }
    }
}

impl TryFrom<f64> for Share {
    type Error = &'static str;

    fn try_from(number: f64) -> Result<Self, Self::Error> {
        (0.0..=1.0)
            .contains(&number)
            .then_some(Self(number))
            .ok_or("must be a number from 0 to 1")
    }
}

impl TryFrom<f64> for Amount {
    type Error = &'static str;

    fn try_from(number: f64) -> Result<Self, Self::Error> {
        (number.is_finite() && number >= 0.0)
            .then_some(Self(number))
            .ok_or("must be a finite number, not negative")
    }
}

impl TryFrom<f64> for PositiveAmount {
    type Error = &'static str;

    fn try_from(number: f64) -> Result<Self, Self::Error> {
        (number.is_finite() && number > 0.0)
            .then_some(Self(number))
            .ok_or("must be a finite number above 0")
    }
}

impl From<Share> for f64 {
    fn from(Share(number): Share) -> Self {
        number
    }
}

impl From<Amount> for f64 {
    fn from(Amount(number): Amount) -> Self {
        number
    }
}

impl From<PositiveAmount> for f64 {
    fn from(PositiveAmount(number): PositiveAmount) -> Self {
        number
    }
}

impl TryFrom<u64> for Count {
    type Error = &'static str;

    fn try_from(number: u64) -> Result<Self, Self::Error> {
        u32::try_from(number)
            .ok()
            .filter(|number| (1..=1_000_000_000).contains(number))
            .map(Self)
            .ok_or("must be a whole number from 1 to 1000000000")
    }
}

impl From<Count> for u64 {
    fn from(Count(number): Count) -> Self {
        number.into()
    }
}
