//! What verification found: one outcome for the card, and one report for each signature.

use serde::Serialize;

use super::SignatureAlgorithm;
use crate::{CanonicalForm, Card};

/// What verifying a card found.
#[derive(Clone, Debug)]
pub struct Verification {
    pub(super) outcome: Outcome,
    pub(super) signatures: Vec<SignatureReport>,
    pub(super) covered: Option<Card>,
    pub(super) missing_key_sets: Vec<String>,
}

/// What the signatures of a card say about it, taken together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Outcome {
    /// At least one signature verifies. The first of those that cover most is described.
    Valid {
        /// The `kid` of the key.
        key: String,
        /// How the card was written to be signed.
        form: CanonicalForm,
        /// The algorithm.
        algorithm: SignatureAlgorithm,
        /// What no valid signature covers, as JSON pointers, 100 at most. Anyone may have
        /// changed it: use [`Verification::covered`].
        uncovered: Vec<String>,
    },
    /// The card has no signature.
    Unsigned,
    /// No signature verifies, none is of a known key, and at least one is of a key that is not.
    UnknownKey {
        /// The identifiers of the missing keys.
        kids: Vec<String>,
        /// The allowed key sets to fetch (anew) for them, see [`TrustedKeys::allow_jku`](super::TrustedKeys::allow_jku).
        jkus: Vec<String>,
    },
    /// No signature verifies, though one is of a known key, or none can be tried. Signatures of
    /// unknown keys beside it do not matter: anyone can add them to a card that was changed.
    Invalid {
        /// Why the first signature of a known key, else the first of all, does not.
        reason: String,
    },
}

/// What became of one signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SignatureReport {
    /// Where the signature is, as a JSON pointer.
    pub pointer: String,
    /// The `kid` it names.
    pub key: Option<String>,
    /// The `jku` it names.
    pub jku: Option<String>,
    /// Whether it verifies.
    pub state: SignatureState,
}

/// Whether a signature verifies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SignatureState {
    /// It does.
    Valid {
        /// How the card was written to be signed.
        form: CanonicalForm,
        /// The algorithm.
        algorithm: SignatureAlgorithm,
        /// What it leaves open, as JSON pointers, 100 at most.
        uncovered: Vec<String>,
    },
    /// Its key is not known.
    UnknownKey {
        /// Why, and what would help.
        reason: String,
    },
    /// It does not, or cannot be tried.
    Invalid {
        /// Why.
        reason: String,
    },
}

impl Verification {
    /// Returns what the signatures say, taken together.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Tells whether at least one signature verifies.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        matches!(self.outcome, Outcome::Valid { .. })
    }

    /// Returns what became of each signature, in the card's order.
    #[must_use]
    pub fn signatures(&self) -> &[SignatureReport] {
        &self.signatures
    }

    /// Returns the allowed key sets that signatures name and whose fetching (anew) could help, none
    /// for a valid card.
    ///
    /// Fetch them before judging the [`outcome`](Self::outcome): the signature that is not valid
    /// may be another's.
    #[must_use]
    pub fn missing_key_sets(&self) -> &[String] {
        &self.missing_key_sets
    }

    /// Returns the card as its valid signatures cover it together: what the signers have vouched
    /// for, and nothing else.
    #[must_use]
    pub fn covered(&self) -> Option<&Card> {
        self.covered.as_ref()
    }
}
