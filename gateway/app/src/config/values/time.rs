//! Lengths of time.

use std::time::Duration;

use jiff::{Span, SpanRelativeTo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest duration: enough for any retention, and far from the limits of clocks.
const LONGEST: Duration = Duration::from_secs(3652 * 24 * 60 * 60);

/// A length of time, longer than zero.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("examples" = ["800ms", "5s", "1h 30m", "90d"]))]
pub(in crate::config) struct Period(pub(in crate::config) Duration);

/// A length of time, which may be zero.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("examples" = ["0s", "5s", "24h"]))]
pub(in crate::config) struct PeriodOrZero(pub(in crate::config) Duration);

impl TryFrom<String> for Period {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let PeriodOrZero(period) = PeriodOrZero::try_from(text)?;
        if period.is_zero() {
            return Err(
                "a duration of zero makes no sense here\nwrite for example `500ms`, `5s` or `5m`",
            );
        }
        Ok(Self(period))
    }
}

impl TryFrom<String> for PeriodOrZero {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(
                "a duration needs a unit\nwrite for example `500ms`, `5s`, `5m`, `24h` or `90d`",
            );
        }
        let span: Span = text.parse().map_err(
            |_| "not a duration\nwrite for example `500ms`, `5s`, `5m`, `24h`, `90d` or `1h 30m`",
        )?;
        let days = SpanRelativeTo::days_are_24_hours();
        let duration = span
            .to_duration(days)
            .map_err(|_| "months and years have no fixed length\nwrite days, for example `90d`")?;
        let duration = Duration::try_from(duration).map_err(
            |_| "a duration must not be negative\nwrite for example `500ms`, `5s` or `5m`",
        )?;
        if duration > LONGEST {
            return Err("a duration must not be longer than ten years\nwrite for example `90d`");
        }
        Ok(Self(duration))
    }
}

impl From<Period> for String {
    fn from(period: Period) -> Self {
        PeriodOrZero(period.0).into()
    }
}

impl From<PeriodOrZero> for String {
    fn from(PeriodOrZero(duration): PeriodOrZero) -> Self {
        const DAY: u64 = 86_400;
        let seconds = duration.as_secs();
        match seconds {
            _ if duration.subsec_nanos() > 0 => format!("{}ms", duration.as_millis()),
            1.. if seconds.is_multiple_of(DAY) && seconds > DAY => format!("{}d", seconds / DAY),
            1.. if seconds.is_multiple_of(3600) => format!("{}h", seconds / 3600),
            1.. if seconds.is_multiple_of(60) => format!("{}m", seconds / 60),
            _ => format!("{seconds}s"),
        }
    }
}
