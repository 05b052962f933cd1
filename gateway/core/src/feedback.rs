//! What somebody says about the result of a decision.

use serde::{Deserialize, Serialize};

/// Longest note, in characters.
const MAX_NOTE: usize = 2000;

/// Largest cost that is believed.
pub const MAX_COST: f64 = 1e9;

/// What somebody says about the result of a decision; at least one of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    /// Whether the result was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<bool>,
    /// How good it was, in [0,1]; counts instead of `accepted` where both are given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// What it cost, in the agent's currency; counts instead of what the agent reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Anything else, for people; at most 2000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Feedback that cannot be taken.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InvalidFeedback {
    /// It says nothing.
    #[error("the feedback is empty; give `accepted`, `score`, `cost` or `note`")]
    Empty,
    /// The score is out of range.
    #[error("score {0} is not from 0 to 1")]
    Score(f64),
    /// The cost is no amount.
    #[error("cost {0} is no amount from 0 to 1000000000")]
    Cost(f64),
    /// The note is too long.
    #[error("the note has {0} characters; at most {MAX_NOTE} are kept")]
    Note(usize),
}

impl Feedback {
    /// Checks that it says something, within limits.
    ///
    /// # Errors
    /// [`InvalidFeedback`] says which part is out of limits.
    pub fn check(&self) -> Result<(), InvalidFeedback> {
        if *self == Self::default() {
            return Err(InvalidFeedback::Empty);
        }
        if let Some(score) = self.score.filter(|score| !(0.0..=1.0).contains(score)) {
            return Err(InvalidFeedback::Score(score));
        }
        if let Some(cost) = self.cost.filter(|cost| !is_amount(*cost)) {
            return Err(InvalidFeedback::Cost(cost));
        }
        let length = self.note.as_ref().map_or(0, |note| note.chars().count());
        if length > MAX_NOTE {
            return Err(InvalidFeedback::Note(length));
        }
        Ok(())
    }
}

/// Tells whether a number can be what something cost.
#[must_use]
pub fn is_amount(number: f64) -> bool {
    (0.0..=MAX_COST).contains(&number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str) -> Result<(), InvalidFeedback> {
        serde_json::from_str::<Feedback>(json).unwrap().check()
    }

    #[test]
    fn feedback_within_limits_is_taken_and_the_rest_is_named() {
        for good in [
            r#"{"accepted":false}"#,
            r#"{"score":0,"cost":0}"#,
            r#"{"score":1,"note":"fine"}"#,
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        assert_eq!(check("{}"), Err(InvalidFeedback::Empty));
        assert_eq!(check(r#"{"score":1.1}"#), Err(InvalidFeedback::Score(1.1)));
        assert_eq!(check(r#"{"cost":-1}"#), Err(InvalidFeedback::Cost(-1.0)));
        assert_eq!(check(r#"{"cost":1e10}"#), Err(InvalidFeedback::Cost(1e10)));
        let long = format!(r#"{{"note":"{}"}}"#, "ñ".repeat(MAX_NOTE + 1));
        assert_eq!(check(&long), Err(InvalidFeedback::Note(MAX_NOTE + 1)));
    }

    #[test]
    fn what_is_no_number_is_no_amount() {
        assert!(!is_amount(f64::NAN) && !is_amount(f64::INFINITY));
    }
}
