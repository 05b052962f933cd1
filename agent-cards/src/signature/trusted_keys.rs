//! The public keys a verifier trusts: its own set, and key sets of addresses it has allowed.

use std::fmt;

use jsonwebtoken::DecodingKey;
use jsonwebtoken::jwk::{
    AlgorithmParameters, EllipticCurve, Jwk, KeyOperations, PublicKeyUse, ThumbprintHash,
};
use serde_json::Value;
use url::{Host, Url};

use super::SignatureAlgorithm;
use crate::members::{self, shown};

/// The smallest RSA modulus accepted, in bytes (NIST SP 800-57: 2048 bits).
const SMALLEST_MODULUS: usize = 256;

/// The public keys that signatures are verified with.
///
/// Keys added with [`add`](Self::add) verify any signature that names their `kid`. Keys added
/// with [`add_from_jku`](Self::add_from_jku) verify only signatures that name that key set, too,
/// and only if it was allowed before.
#[derive(Clone, Debug, Default)]
pub struct TrustedKeys {
    own: Vec<TrustedKey>,
    sources: Vec<Source>,
}

#[derive(Clone, Debug)]
struct Source {
    jku: String,
    keys: Vec<TrustedKey>,
}

/// A key of a set, or why it cannot be used.
#[derive(Clone)]
pub(super) struct TrustedKey {
    kid: String,
    usable: Result<Usable, Unusable>,
}

/// Why a key cannot verify cards.
#[derive(Clone, Debug)]
struct Unusable {
    reason: String,
    /// Whether its owner says that it is for something else, as sets with keys of several uses hold.
    is_for_other_use: bool,
}

#[derive(Clone)]
struct Usable {
    algorithm: SignatureAlgorithm,
    key: DecodingKey,
}

/// What is known about the key a signature names.
#[derive(Debug)]
pub(super) enum Search<'a> {
    Found(Vec<&'a TrustedKey>),
    /// The key is in none of the sets; the named one is allowed and may have it by now.
    Fetch,
    /// The key is in none of the sets, and the named one may not be asked.
    Unknown,
}

/// The error for text that holds no keys to trust.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// It is neither a JWK nor a set of them.
    #[error("{0}, expected a JWK set such as `{{\"keys\": [{{\"kty\": \"EC\", …}}]}}` (RFC 7517)")]
    NotAKeySet(String),
    /// Keys for a set that was never allowed.
    #[error("key set `{0}` is not allowed, allow it first")]
    NotAllowed(String),
    /// Keys from there could be replaced on the way.
    #[error("key set `{0}` is not fetched over https, give an https address")]
    Insecure(String),
    /// No private key that can sign was found in the text.
    #[error(
        "{0}, expected an unencrypted PKCS #8 key in PEM (`-----BEGIN PRIVATE KEY-----`): `openssl pkcs8 -topk8 -nocrypt -in KEY`"
    )]
    NotASigningKey(String),
    /// The private key is of a kind that cards are not signed with.
    #[error("{0}, make another: `openssl genpkey -algorithm ED25519 -out KEY`")]
    UnsuitableKey(&'static str),
    /// The key is of another kind than the algorithm asked for.
    #[error("the key cannot sign with {algorithm}, its own algorithm is {own}")]
    OtherAlgorithm {
        /// The algorithm asked for.
        algorithm: SignatureAlgorithm,
        /// The algorithm the key is for.
        own: SignatureAlgorithm,
    },
}

impl TrustedKeys {
    /// Returns a set that trusts nobody.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Trusts the keys of a JWK set or of a single JWK (RFC 7517).
    ///
    /// Keys that cannot verify cards (encryption keys, shared secrets, unknown kinds) do no harm:
    /// a signature that names one is invalid with the reason.
    ///
    /// # Errors
    ///
    /// Says what the text is when it is neither.
    pub fn add(&mut self, jwks: &[u8]) -> Result<(), KeyError> {
        self.own.extend(read_keys(jwks)?);
        Ok(())
    }

    /// Allows a signature's `jku` to name this key set.
    ///
    /// This crate fetches nothing. When a signature names an allowed set whose keys are not there,
    /// [`missing_key_sets`](super::Verification::missing_key_sets) says so; fetch it, add its keys with
    /// [`add_from_jku`](Self::add_from_jku) and verify again.
    ///
    /// # Errors
    ///
    /// Refuses addresses without https, but for loopback ones.
    pub fn allow_jku(&mut self, jku: &Url) -> Result<(), KeyError> {
        if jku.scheme() != "https" && !is_loopback(jku) {
            return Err(KeyError::Insecure(jku.to_string()));
        }
        if self.source(jku.as_str()).is_none() {
            self.sources.push(Source {
                jku: jku.to_string(),
                keys: Vec::new(),
            });
        }
        Ok(())
    }

    /// Trusts the keys of an allowed key set, in place of those known from there.
    ///
    /// # Errors
    ///
    /// Refuses keys of a set that was not allowed, and text that is no JWK set.
    pub fn add_from_jku(&mut self, jku: &Url, jwks: &[u8]) -> Result<(), KeyError> {
        let keys = read_keys(jwks)?;
        let source = self
            .sources
            .iter_mut()
            .find(|source| source.jku == jku.as_str());
        let source = source.ok_or_else(|| KeyError::NotAllowed(jku.to_string()))?;
        source.keys = keys;
        Ok(())
    }

    /// Returns the identifiers of the keys that can verify cards.
    pub fn key_ids(&self) -> impl Iterator<Item = &str> {
        let fetched = self.sources.iter().flat_map(|source| &source.keys);
        self.own
            .iter()
            .chain(fetched)
            .filter(|key| key.usable.is_ok())
            .map(|key| key.kid.as_str())
    }

    /// Returns the keys that cannot verify cards though nothing says that they are for something else, each with the
    /// reason. Whoever trusts one on purpose is mistaken.
    pub fn unusable(&self) -> impl Iterator<Item = (&str, &str)> {
        self.own.iter().filter_map(|key| {
            let unusable = key.usable.as_ref().err()?;
            (!unusable.is_for_other_use).then_some((key.kid.as_str(), unusable.reason.as_str()))
        })
    }

    /// Tells whether there is no key and no allowed key set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.own.is_empty() && self.sources.is_empty()
    }

    pub(super) fn search(&self, kid: &str, jku: Option<&str>) -> Search<'_> {
        let source = jku.and_then(|jku| self.source(jku));
        let fetched = source.map_or(&[][..], |source| &source.keys);
        let found: Vec<&TrustedKey> = self
            .own
            .iter()
            .chain(fetched)
            .filter(|key| key.kid == kid)
            .collect();
        match (found.is_empty(), source) {
            (false, _) => Search::Found(found),
            (true, Some(_)) => Search::Fetch,
            (true, None) => Search::Unknown,
        }
    }

    fn source(&self, jku: &str) -> Option<&Source> {
        let url = Url::parse(jku).ok()?;
        self.sources
            .iter()
            .find(|source| source.jku == url.as_str())
    }
}

impl TrustedKey {
    /// Reads a JWK; what cannot be used is kept with the reason. A key without `kid` goes by its
    /// thumbprint (RFC 7638), and is nothing to refer to when it has none.
    fn read(value: &Value) -> Option<Self> {
        let thumbprint = || {
            let jwk: Jwk = serde_json::from_value(value.clone()).ok()?;
            jwk.thumbprint(ThumbprintHash::SHA256).ok()
        };
        let named = value.get("kid").and_then(Value::as_str);
        Some(Self {
            kid: named.map(str::to_owned).or_else(thumbprint)?,
            usable: Usable::read(value),
        })
    }

    /// Returns the key for an algorithm, or why it may not be used for that.
    pub(super) fn for_algorithm(
        &self,
        algorithm: SignatureAlgorithm,
    ) -> Result<&DecodingKey, String> {
        let usable = self
            .usable
            .as_ref()
            .map_err(|unusable| unusable.reason.clone())?;
        if usable.algorithm != algorithm {
            let own = usable.algorithm;
            return Err(format!(
                "the signature uses {algorithm}, the key is for {own}"
            ));
        }
        Ok(&usable.key)
    }
}

impl fmt::Debug for TrustedKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usable = self.usable.as_ref().map(|usable| usable.algorithm);
        formatter
            .debug_struct("TrustedKey")
            .field("kid", &self.kid)
            .field("usable", &usable)
            .finish()
    }
}

impl Usable {
    fn read(value: &Value) -> Result<Self, Unusable> {
        if value.get("d").is_some() {
            return Err("the key set publishes the private half of the key".into());
        }
        let jwk: Jwk = serde_json::from_value(value.clone())
            .map_err(|error| format!("the key cannot be read: {error}"))?;
        if matches!(&jwk.common.public_key_use, Some(use_) if *use_ != PublicKeyUse::Signature) {
            return Err(Unusable::for_other_use(
                "the key is not for signatures (`use`)",
            ));
        }
        let operations = jwk.common.key_operations.as_deref();
        if operations.is_some_and(|operations| !operations.contains(&KeyOperations::Verify)) {
            return Err(Unusable::for_other_use(
                "the key is not for verifying (`key_ops`)",
            ));
        }
        let named = value.get("alg").and_then(Value::as_str);
        let algorithm = algorithm(&jwk, named)?;
        let key = DecodingKey::from_jwk(&jwk)
            .map_err(|error| format!("the key cannot be read: {error}"))?;
        if let jsonwebtoken::DecodingKeyKind::RsaModulusExponent { n, .. } = key.kind()
            && n.iter().skip_while(|byte| **byte == 0).count() < SMALLEST_MODULUS
        {
            return Err("the RSA key has less than 2048 bits".into());
        }
        Ok(Self { algorithm, key })
    }
}

impl Unusable {
    fn for_other_use(reason: &str) -> Self {
        Self {
            reason: reason.to_owned(),
            is_for_other_use: true,
        }
    }
}

impl<T: Into<String>> From<T> for Unusable {
    fn from(reason: T) -> Self {
        Self {
            reason: reason.into(),
            is_for_other_use: false,
        }
    }
}

/// Returns the one algorithm of a key: a curve has only one, an RSA key must name its own.
fn algorithm(jwk: &Jwk, named: Option<&str>) -> Result<SignatureAlgorithm, String> {
    let own = match &jwk.algorithm {
        AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P256 => {
            Some(SignatureAlgorithm::Es256)
        }
        AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P384 => {
            Some(SignatureAlgorithm::Es384)
        }
        AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => {
            Some(SignatureAlgorithm::EdDsa)
        }
        AlgorithmParameters::RSA(_) => None,
        AlgorithmParameters::OctetKey(_) => {
            return Err("the key is a shared secret, whoever verifies could sign".to_owned());
        }
        _ => return Err("the kind or curve of the key is not supported".to_owned()),
    };
    let Some(named) = named else {
        return own.ok_or_else(|| "the RSA key names no algorithm, add `alg`".to_owned());
    };
    let read: SignatureAlgorithm = named
        .parse()
        .map_err(|_| format!("the key is for `{}`, which is not accepted", shown(named)))?;
    if own.map_or(read.is_rsa(), |own| own == read) {
        return Ok(read);
    }
    Err(format!(
        "the key says it is for {read} and is of another kind"
    ))
}

fn read_keys(jwks: &[u8]) -> Result<Vec<TrustedKey>, KeyError> {
    let value: Value = serde_json::from_slice(jwks)
        .map_err(|error| KeyError::NotAKeySet(format!("the text is not JSON: {error}")))?;
    let entries = match (value.get("keys"), value.get("kty")) {
        (Some(Value::Array(entries)), _) => entries.as_slice(),
        (Some(other), _) => {
            return Err(KeyError::NotAKeySet(format!(
                "`keys` is {}",
                members::kind(other)
            )));
        }
        (None, Some(_)) => std::slice::from_ref(&value),
        (None, None) => {
            return Err(KeyError::NotAKeySet(format!(
                "the text is {} without `keys`",
                members::kind(&value)
            )));
        }
    };
    Ok(entries.iter().filter_map(TrustedKey::read).collect())
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}
