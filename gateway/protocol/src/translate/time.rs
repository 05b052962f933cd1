//! Brings timestamps to the one form of 1.0: RFC 3339 in UTC with `Z` (A2A §5.6).

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// The first second of the year 1, before which protobuf knows no time.
const FIRST: i64 = -62_135_596_800;

/// Rewrites a timestamp in UTC, keeping the digits of one that is already; a time without a zone is taken for UTC.
pub(super) fn utc(text: &str) -> Option<String> {
    let zoned = text.parse::<Timestamp>().ok();
    let local = || {
        let time: DateTime = text.parse().ok()?;
        TimeZone::UTC.to_timestamp(time).ok()
    };
    let instant = zoned.or_else(local)?;
    if instant.as_second() < FIRST {
        return None;
    }
    let canonical = instant.to_string();
    Some(if keeps_digits(text, &canonical) {
        text.to_owned()
    } else {
        canonical
    })
}

/// Tells whether a timestamp differs from its canonical form in the digits of its fraction at most.
fn keeps_digits(text: &str, canonical: &str) -> bool {
    let Some((second, fraction)) = text
        .strip_suffix('Z')
        .and_then(|text| text.split_at_checked(19))
    else {
        return false;
    };
    let is_plain = fraction.strip_prefix('.').is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    canonical.starts_with(second) && (fraction.is_empty() || is_plain)
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
            ("2026-11-30T10:00:00,50Z", "2026-11-30T10:00:00.5Z"),
            ("0001-01-01T00:00:00.00Z", "0001-01-01T00:00:00.00Z"),
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
            "0000-12-31T23:59:59Z",
            "0001-01-01T00:00:00+12:00",
        ] {
            assert_eq!(utc(text), None, "{text}");
        }
    }
}
