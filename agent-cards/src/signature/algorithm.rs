//! The signature algorithms cards may use: public keys only, so that a verifier cannot forge.

use std::fmt;
use std::str::FromStr;

use jsonwebtoken::Algorithm;
use serde::Serialize;

/// An algorithm a card can be signed with. `none` and shared secrets (`HS256` …) are not among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub enum SignatureAlgorithm {
    /// ECDSA on P-256 with SHA-256.
    #[serde(rename = "ES256")]
    Es256,
    /// ECDSA on P-384 with SHA-384.
    #[serde(rename = "ES384")]
    Es384,
    /// Ed25519.
    #[serde(rename = "EdDSA")]
    EdDsa,
    /// RSA PKCS #1 v1.5 with SHA-256.
    #[serde(rename = "RS256")]
    Rs256,
    /// RSA PKCS #1 v1.5 with SHA-384.
    #[serde(rename = "RS384")]
    Rs384,
    /// RSA PKCS #1 v1.5 with SHA-512.
    #[serde(rename = "RS512")]
    Rs512,
    /// RSA PSS with SHA-256.
    #[serde(rename = "PS256")]
    Ps256,
    /// RSA PSS with SHA-384.
    #[serde(rename = "PS384")]
    Ps384,
    /// RSA PSS with SHA-512.
    #[serde(rename = "PS512")]
    Ps512,
}

impl SignatureAlgorithm {
    const ALL: [Self; 9] = [
        Self::Es256,
        Self::Es384,
        Self::EdDsa,
        Self::Rs256,
        Self::Rs384,
        Self::Rs512,
        Self::Ps256,
        Self::Ps384,
        Self::Ps512,
    ];

    /// Returns the name in JWS headers (RFC 7518 §3.1, RFC 8037).
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::EdDsa => "EdDSA",
            Self::Rs256 => "RS256",
            Self::Rs384 => "RS384",
            Self::Rs512 => "RS512",
            Self::Ps256 => "PS256",
            Self::Ps384 => "PS384",
            Self::Ps512 => "PS512",
        }
    }

    pub(super) fn is_rsa(self) -> bool {
        matches!(
            self,
            Self::Rs256 | Self::Rs384 | Self::Rs512 | Self::Ps256 | Self::Ps384 | Self::Ps512
        )
    }

    pub(super) fn in_jsonwebtoken(self) -> Algorithm {
        match self {
            Self::Es256 => Algorithm::ES256,
            Self::Es384 => Algorithm::ES384,
            Self::EdDsa => Algorithm::EdDSA,
            Self::Rs256 => Algorithm::RS256,
            Self::Rs384 => Algorithm::RS384,
            Self::Rs512 => Algorithm::RS512,
            Self::Ps256 => Algorithm::PS256,
            Self::Ps384 => Algorithm::PS384,
            Self::Ps512 => Algorithm::PS512,
        }
    }
}

/// The error for a name that is no algorithm cards can be signed with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("algorithm `{0}` is not accepted, sign with ES256, ES384, EdDSA, RS256 or PS256")]
pub struct UnacceptedAlgorithm(String);

impl FromStr for SignatureAlgorithm {
    type Err = UnacceptedAlgorithm;

    /// Reads a name as JWS headers write it; `Ed25519` is the newer name of `EdDSA` (RFC 9864).
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = if name == "Ed25519" { "EdDSA" } else { name };
        Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.as_str() == known)
            .ok_or_else(|| UnacceptedAlgorithm(crate::members::shown(name)))
    }
}

impl fmt::Display for SignatureAlgorithm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_secrets_and_none_are_no_algorithms() {
        for name in [
            "none", "None", "HS256", "HS384", "HS512", "ES256K", "ES512", "es256", "",
        ] {
            assert!(name.parse::<SignatureAlgorithm>().is_err(), "{name}");
        }
    }

    #[test]
    fn names_are_read_back() {
        for algorithm in SignatureAlgorithm::ALL {
            assert_eq!(algorithm.as_str().parse(), Ok(algorithm));
            assert_eq!(serde_json::to_value(algorithm).unwrap(), algorithm.as_str());
        }
    }
}
