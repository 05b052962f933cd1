//! Why a decision is not made again.

use gateway_core::decision::DecisionKind;

/// A decision cannot be made again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreplayed {
    /// It was made without scoring: by task, by context or by path.
    #[error("it was made without scoring ({})", .0.as_str())]
    NotScored(DecisionKind),
    /// The record contradicts itself.
    #[error("{0}")]
    Broken(String),
    /// The record does not tell enough to begin with.
    #[error(transparent)]
    Undecidable(#[from] Undecidable),
}

/// What a record would have to tell for its decision to be made again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Undecidable {
    /// A rule of this name reads the text.
    #[error("rule `{0}` reads the text, which is not recorded (store.record_text)")]
    TextMissing(String),
    /// A rule turned the message away, so that there are no candidates.
    #[error("a rule turned the message away, so nobody was considered")]
    NobodyConsidered,
}
