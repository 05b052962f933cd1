//! Protocol versions the gateway speaks, compared by Major.Minor as the specification asks (A2A §3.6).

use std::borrow::Cow;
use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Names a protocol version by its Major.Minor number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// A2A 0.3.
    V03,
    /// A2A 1.0.
    V1,
}

impl Version {
    /// Returns the Major.Minor text used in headers, cards and records.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V03 => "0.3",
            Self::V1 => "1.0",
        }
    }

    /// Reads `Major.Minor` or `Major.Minor.Patch`; the patch never matters and surrounding space is ignored.
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.trim().splitn(3, '.');
        match (numbers.next()?, numbers.next()?) {
            ("0", "3") => Some(Self::V03),
            ("1", "0") => Some(Self::V1),
            _ => None,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            D::Error::custom(format_args!(
                "unsupported protocol version `{text}`, expected 0.3 or 1.0"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_and_space_are_ignored() {
        for text in ["0.3", "0.3.0", " 0.3 ", "0.3.12"] {
            assert_eq!(Version::parse(text), Some(Version::V03), "{text}");
        }
        for text in ["1.0", "1.0.7", "\t1.0.1\n"] {
            assert_eq!(Version::parse(text), Some(Version::V1), "{text}");
        }
    }

    #[test]
    fn other_numbers_are_unknown() {
        for text in [
            "", " ", "1", "1.", "1.1", "1.7", "99.0", "0.2.6", "0.30", "10.0", "v1.0", "one",
        ] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }

    #[test]
    fn serde_form_is_the_number() {
        assert_eq!(serde_json::to_string(&Version::V1).unwrap(), r#""1.0""#);
        let read: Version = serde_json::from_str(r#""0.3.0""#).unwrap();
        assert_eq!(read, Version::V03);
        let refused = serde_json::from_str::<Version>(r#""2.0""#).unwrap_err();
        assert!(refused.to_string().contains("`2.0`"), "{refused}");
    }

    #[test]
    fn older_sorts_before_newer() {
        assert!(Version::V03 < Version::V1);
    }
}
