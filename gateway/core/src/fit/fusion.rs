//! Turns what words say and what meaning says for a skill into the probability that its agent is the right one.
//!
//! A logistic curve over both, which rises with each of them. The weights were fitted on labelled requests over real
//! cards, by `tests/routing`.

const WORDS: f32 = 0.63;
const MEANING: f32 = 10.46;
const BIAS: f32 = -1.49;

/// Returns the log-odds that a skill is right, from those by its words alone and from its closeness in meaning.
pub(super) fn log_odds(words: f32, meaning: f32) -> f32 {
    BIAS + WORDS * words + MEANING * meaning
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn more_of_either_never_lowers_the_odds(
            words in -10.0_f32..20.0, meaning in -1.0_f32..1.0, more in 0.0_f32..5.0,
        ) {
            prop_assert!(log_odds(words + more, meaning) >= log_odds(words, meaning));
            prop_assert!(log_odds(words, meaning + more) >= log_odds(words, meaning));
        }
    }
}
