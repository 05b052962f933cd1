//! Brings timestamps to the one form of 1.0: RFC 3339 in UTC with `Z` (A2A §5.6).

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Rewrites a timestamp in UTC, keeping the digits of one that is already; a time without a zone is taken for UTC.
pub(super) fn utc(text: &str) -> Option<String> {
    let Ok(instant) = text.parse::<Timestamp>() else {
        let local: DateTime = text.parse().ok()?;
        let instant = TimeZone::UTC.to_timestamp(local).ok()?;
        return Some(instant.to_string());
    };
    let canonical = instant.to_string();
    let is_canonical = text.ends_with('Z') && text.get(..19) == canonical.get(..19);
    Some(if is_canonical {
        text.to_owned()
    } else {
        canonical
    })
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn every_zone_becomes_utc() {
        for (text, expected) in [
            ("2026-11-30T10:00:00Z", "2026-11-30T10:00:00Z"),
            ("2026-11-30T10:00:00.120Z", "2026-11-30T10:00:00.120Z"),
            ("2026-11-30T10:00:00", "2026-11-30T10:00:00Z"),
            ("2026-11-30T10:00:00.123456", "2026-11-30T10:00:00.123456Z"),
            ("2026-11-30 10:00:00", "2026-11-30T10:00:00Z"),
            ("2026-11-30T10:00:00+00:00", "2026-11-30T10:00:00Z"),
            ("2026-11-30T10:00:00.5+02:00", "2026-11-30T08:00:00.5Z"),
            ("2026-11-30t10:00:00z", "2026-11-30T10:00:00Z"),
            ("2026-12-31T23:59:60Z", "2026-12-31T23:59:59Z"),
        ] {
            assert_eq!(utc(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_text_is_no_time() {
        for text in [
            "",
            "now",
            "1764496800",
            "30/11/2026",
            "2026-13-01T00:00:00Z",
        ] {
            assert_eq!(utc(text), None, "{text}");
        }
    }
}
