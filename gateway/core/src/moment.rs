//! Moments as people write them.

use jiff::{SignedDuration, Span, Timestamp};

/// Reads a time (`2026-11-30T10:00:00Z`) or how long ago (`2h`, `7d`).
#[must_use]
pub fn parse(text: &str, now: Timestamp) -> Option<Timestamp> {
    let ago = || {
        let span: Span = text.parse().ok()?;
        let hours = SignedDuration::from_hours(
            24 * i64::from(span.get_days()) + 168 * i64::from(span.get_weeks()),
        );
        let time: SignedDuration = span.days(0).weeks(0).try_into().ok()?;
        now.checked_sub(time.checked_add(hours)?).ok()
    };
    text.parse().ok().or_else(ago)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_how_long_ago_are_read() {
        let now: Timestamp = "2026-11-30T10:00:00Z".parse().unwrap();
        for (text, expected) in [
            ("2026-11-29T10:00:00Z", "2026-11-29T10:00:00Z"),
            ("2h", "2026-11-30T08:00:00Z"),
            ("7d", "2026-11-23T10:00:00Z"),
            ("1d 30m", "2026-11-29T09:30:00Z"),
            ("90s", "2026-11-30T09:58:30Z"),
        ] {
            assert_eq!(parse(text, now), expected.parse().ok(), "{text}");
        }
        assert_eq!(parse("yesterday", now), None);
    }
}
