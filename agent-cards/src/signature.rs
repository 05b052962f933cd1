//! Signs cards and verifies their signatures (A2A §8.4): JWS with a detached payload.
//!
//! A card may hold several signatures, and one that verifies is enough. What a signature covers
//! depends on its [`CanonicalForm`](crate::CanonicalForm); the verified part is given back as a
//! card of its own.

mod algorithm;
mod header;
mod report;
mod sign;
mod signing_key;
mod trusted_keys;
mod verify;

pub(crate) use self::header::{signer, unreadable};

pub use self::algorithm::{SignatureAlgorithm, UnacceptedAlgorithm};
pub use self::report::{Outcome, SignatureReport, SignatureState, Verification};
pub use self::sign::{SignError, sign, signatures_kept};
pub use self::signing_key::SigningKey;
pub use self::trusted_keys::{KeyError, TrustedKeys};
pub use self::verify::verify;

#[cfg(test)]
mod tests;
