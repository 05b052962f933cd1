//! Protocol versions as cards write them, reduced to what matters on the wire.

use std::fmt;
use std::str::FromStr;

/// An A2A protocol version without its patch number, which never matters (A2A §3.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProtocolVersion {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
}

impl ProtocolVersion {
    /// A2A 0.3.
    pub const V0_3: Self = Self { major: 0, minor: 3 };
    /// A2A 1.0.
    pub const V1_0: Self = Self { major: 1, minor: 0 };

    /// Tells whether this version comes before 1.0 and so belongs in the 0.3 members of a card.
    #[must_use]
    pub fn is_legacy(self) -> bool {
        self.major == 0
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.major, self.minor)
    }
}

/// The error for text that names no protocol version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a protocol version, write major.minor such as `1.0`")]
pub struct UnreadableVersion(String);

impl FromStr for ProtocolVersion {
    type Err = UnreadableVersion;

    /// Reads `1`, `1.0`, `1.0.1`, `v1.0` and `1.0.0-rc.1`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unreadable = || UnreadableVersion(crate::members::shown(text));
        let trimmed = text.trim();
        let bare = trimmed.strip_prefix(['v', 'V']).unwrap_or(trimmed);
        let release = bare.split(['-', '+']).next().unwrap_or_default();
        let mut numbers = release.split('.');
        let major = numbers.next().and_then(number).ok_or_else(unreadable)?;
        let minor = numbers.next().map_or(Some(0), number);
        Ok(Self {
            major,
            minor: minor.ok_or_else(unreadable)?,
        })
    }
}

/// Reads digits only: `u32::from_str` would also take a plus sign.
fn number(digits: &str) -> Option<u32> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patch_number_is_ignored() {
        for text in ["1.0", "1", "1.0.1", "v1.0", " 1.0.0-rc.1 "] {
            assert_eq!(text.parse(), Ok(ProtocolVersion::V1_0), "{text}");
        }
        assert_eq!("0.3.0".parse(), Ok(ProtocolVersion::V0_3));
    }

    #[test]
    fn text_that_is_no_version_is_refused() {
        for text in ["", "latest", "1.x", "+1.0", "-1", "99999999999.0", "1."] {
            assert!(text.parse::<ProtocolVersion>().is_err(), "{text}");
        }
    }
}
