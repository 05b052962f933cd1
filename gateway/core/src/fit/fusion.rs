//! Turns what words say and what meaning says for a skill into the probability that its agent is the right one.
//!
//! A logistic curve over both, which rises with each of them. The weights were fitted on labelled requests over real
//! cards, by `tests/routing`.

const WORDS: f32 = 0.63;
const MEANING: f32 = 10.46;
const BIAS: f32 = -1.49;

/// Breadth up to which a text is about something; nineteen of twenty skills of real cards are below it.
const BROAD: f32 = 2.0;
/// What breadth beyond that takes off: a text about everything is close to whatever is asked.
const BREADTH: f32 = -10.0;

/// Returns the log-odds that a skill is right, from those by its words alone and from its closeness in meaning.
///
/// `breadth_ln` is the logarithm of over how many topics the skill's text spreads.
pub(super) fn log_odds(words: f32, meaning: f32, breadth_ln: f32) -> f32 {
    BIAS + WORDS * words + MEANING * meaning + BREADTH * (breadth_ln - BROAD).max(0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn more_of_either_never_lowers_the_odds_and_breadth_never_raises_them(
            words in -10.0_f32..20.0,
            meaning in -1.0_f32..1.0,
            breadth in 0.0_f32..3.0,
            more in 0.0_f32..5.0,
        ) {
            let odds = log_odds(words, meaning, breadth);
            prop_assert!(log_odds(words + more, meaning, breadth) >= odds);
            prop_assert!(log_odds(words, meaning + more, breadth) >= odds);
            prop_assert!(log_odds(words, meaning, breadth + more) <= odds);
        }
    }
}
