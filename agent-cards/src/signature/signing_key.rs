//! A private key that signs cards, and its public half for a JWK set.

use std::fmt;

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::jwk::{Jwk, PublicKeyUse, ThumbprintHash};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey};
use serde_json::{Value, json};
use url::Url;

use super::{KeyError, SignatureAlgorithm};

/// A private key that signs cards. Its debug output shows no secret.
#[derive(Clone)]
pub struct SigningKey {
    key: EncodingKey,
    public: Jwk,
    algorithm: SignatureAlgorithm,
    jku: Option<Url>,
}

impl SigningKey {
    /// Reads an unencrypted PKCS #8 private key in PEM: P-256, P-384, Ed25519 or RSA.
    ///
    /// Its `kid` is its thumbprint (RFC 7638), its algorithm ES256, ES384, `EdDSA` or RS256.
    ///
    /// # Errors
    ///
    /// Says what would be accepted when the text holds no such key.
    pub fn from_pem(pem: &[u8]) -> Result<Self, KeyError> {
        let candidates: [(_, &[SignatureAlgorithm], _); 3] = [
            (
                EncodingKey::from_ed_pem(pem),
                &[SignatureAlgorithm::EdDsa],
                "the Ed25519 key does not sign",
            ),
            (
                EncodingKey::from_ec_pem(pem),
                &[SignatureAlgorithm::Es256, SignatureAlgorithm::Es384],
                "the elliptic curve is neither P-256 nor P-384",
            ),
            (
                EncodingKey::from_rsa_pem(pem),
                &[SignatureAlgorithm::Rs256],
                "the RSA key does not sign, it needs 2048 bits at least",
            ),
        ];
        let mut refused = None;
        for (key, algorithms, problem) in candidates {
            let key = match key {
                Ok(key) => key,
                Err(error) => {
                    refused.get_or_insert(error);
                    continue;
                }
            };
            for algorithm in algorithms {
                if let Ok(signer) = Self::with(key.clone(), *algorithm) {
                    return Ok(signer);
                }
            }
            return Err(KeyError::UnsuitableKey(problem));
        }
        let problem = match (known_form(pem), refused) {
            (Some(form), _) => format!("the private key is {form}"),
            (None, Some(error)) => format!("the text holds no private key: {error}"),
            (None, None) => "the text holds no private key".to_owned(),
        };
        Err(KeyError::NotASigningKey(problem))
    }

    fn with(key: EncodingKey, algorithm: SignatureAlgorithm) -> Result<Self, Error> {
        let mut public = if algorithm == SignatureAlgorithm::EdDsa {
            ed25519_public(&key)?
        } else {
            Jwk::from_encoding_key(&key, algorithm.in_jsonwebtoken())?
        };
        public.common.key_id = Some(public.thumbprint(ThumbprintHash::SHA256)?);
        public.common.public_key_use = Some(PublicKeyUse::Signature);
        let signer = Self {
            key,
            public,
            algorithm,
            jku: None,
        };
        // An RSA key that is too small is only noticed when it signs.
        signer.sign(b"")?;
        Ok(signer)
    }

    /// Signs with another algorithm of the same kind of key, such as PS256 in place of RS256.
    ///
    /// # Errors
    ///
    /// Refuses algorithms of another kind of key.
    pub fn with_algorithm(mut self, algorithm: SignatureAlgorithm) -> Result<Self, KeyError> {
        if algorithm != self.algorithm && !(algorithm.is_rsa() && self.algorithm.is_rsa()) {
            return Err(KeyError::OtherAlgorithm {
                algorithm,
                own: self.algorithm,
            });
        }
        self.algorithm = algorithm;
        self.public.common.key_algorithm = Some(algorithm.in_jsonwebtoken().into());
        Ok(self)
    }

    /// Names the key otherwise than by its thumbprint.
    #[must_use]
    pub fn with_key_id(mut self, kid: impl Into<String>) -> Self {
        self.public.common.key_id = Some(kid.into());
        self
    }

    /// Names the address of the JWK set where verifiers find the public half.
    #[must_use]
    pub fn with_jku(mut self, jku: Url) -> Self {
        self.jku = Some(jku);
        self
    }

    /// Returns the `kid` that signatures name.
    #[must_use]
    pub fn key_id(&self) -> &str {
        self.public.common.key_id.as_deref().unwrap_or_default()
    }

    /// Returns the algorithm that signatures use.
    #[must_use]
    pub fn algorithm(&self) -> SignatureAlgorithm {
        self.algorithm
    }

    /// Returns the public half as a JWK, to be listed under `keys` of a JWK set.
    #[must_use]
    pub fn public_jwk(&self) -> Value {
        json!(self.public)
    }

    pub(super) fn protected_header(&self) -> Value {
        let mut header = json!({
            "alg": self.algorithm,
            "kid": self.key_id(),
            "typ": "JOSE",
        });
        if let Some(jku) = &self.jku {
            header["jku"] = json!(jku);
        }
        header
    }

    /// Signs a JWS signing input.
    pub(super) fn sign(&self, input: &[u8]) -> Result<String, Error> {
        jsonwebtoken::crypto::sign(input, &self.key, self.algorithm.in_jsonwebtoken())
    }
}

/// Returns the form of a private key that can be converted.
fn known_form(pem: &[u8]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(pem);
    let forms = [
        ("-----BEGIN EC PRIVATE KEY-----", "in the form of SEC 1"),
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----", "encrypted"),
    ];
    forms
        .into_iter()
        .find_map(|(label, form)| text.contains(label).then_some(form))
}

/// Returns the public half of an Ed25519 key. The library reads it from keys in the first version
/// of PKCS #8 only.
fn ed25519_public(key: &EncodingKey) -> Result<Jwk, Error> {
    let pair = Ed25519KeyPair::from_pkcs8(key.as_bytes())
        .map_err(|_| Error::from(ErrorKind::InvalidEddsaKey))?;
    let public = DecodingKey::from_ed_der(pair.public_key().as_ref());
    Jwk::from_decoding_key(&public, Some(Algorithm::EdDSA))
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SigningKey")
            .field("key_id", &self.key_id())
            .field("algorithm", &self.algorithm)
            .field("jku", &self.jku)
            .finish_non_exhaustive()
    }
}
