//! How probable a choice was under the routing that made the records: what inverse propensity weighs by.

use gateway_core::decision::{Candidate, RouteDecision};

/// One that is smaller is a mistake: a single decision would outweigh a million others.
const LEAST: f64 = 1e-6;
/// By how much probabilities that are the same, or the sum of all and one, may differ after rounding.
const ROUNDING: f64 = 1e-6;

/// Returns how probable it was that the candidate got the message, whoever got it; `None` if it could not have, or the
/// record does not tell.
///
/// Where chance had a part, this is what the record says of the candidate. Whether a decision counts must not depend on
/// who got the message, so one that only tells the probability of that one says nothing.
pub(crate) fn propensity(decision: &RouteDecision, candidate: &Candidate) -> Option<f64> {
    let chosen = decision.chosen()?;
    if took_part(decision) {
        chosen.propensity.and(candidate.propensity)
    } else {
        (chosen.agent == candidate.agent).then_some(1.0)
    }
}

/// Tells whether chance had a part in a decision.
pub(crate) fn took_part(decision: &RouteDecision) -> bool {
    decision.propensity < 1.0
}

/// Tells whether the recorded probabilities can be some: each of one in a million at least, all of those that chance
/// could take together 1, and that of the chosen one the same in both places.
pub(crate) fn are_proper(decision: &RouteDecision) -> bool {
    let is_proper = |propensity: f64| (LEAST..=1.0).contains(&propensity);
    let candidates = decision.candidates.iter();
    let each: Vec<f64> = candidates.filter_map(|one| one.propensity).collect();
    let of_chosen = decision.chosen().and_then(|chosen| chosen.propensity);
    is_proper(decision.propensity)
        && each.iter().copied().all(is_proper)
        && (each.is_empty() || are_close(each.iter().sum(), 1.0))
        && of_chosen.is_none_or(|chosen| are_close(chosen, decision.propensity))
}

fn are_close(left: f64, right: f64) -> bool {
    (left - right).abs() <= ROUNDING
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{agent, decision, explored};

    const THREE: [[f64; 6]; 3] = [
        [0.9, 0.9, 1.0, 0.1, 0.1, 0.1],
        [0.9, 0.8, 1.0, 0.1, 0.1, 0.1],
        [0.9, 0.7, 1.0, 0.1, 0.1, 0.1],
    ];

    fn of(decision: &RouteDecision, place: usize) -> Option<f64> {
        let mut candidates = decision.candidates.iter();
        let candidate = candidates.find(|one| one.agent == agent(place)).unwrap();
        propensity(decision, candidate)
    }

    #[test]
    fn without_chance_the_chosen_one_is_certain_and_nobody_else_possible() {
        let certain = decision(&THREE);
        assert_eq!(
            [0, 1, 2].map(|place| of(&certain, place)),
            [Some(1.0), None, None]
        );
    }

    #[test]
    fn with_chance_each_has_what_the_record_says_whoever_was_taken() {
        for taken in 0..3 {
            let explored = explored(decision(&THREE), 0.3, taken);
            let known = [0, 1, 2].map(|place| of(&explored, place).unwrap());
            for (known, expected) in known.iter().zip([0.8, 0.1, 0.1]) {
                assert!((known - expected).abs() < 1e-12, "{known}");
            }
        }
    }

    #[test]
    fn a_record_of_the_chosen_one_alone_tells_of_nobody() {
        let mut explored = explored(decision(&THREE), 0.3, 0);
        for candidate in &mut explored.candidates {
            candidate.propensity = None;
        }
        assert_eq!([0, 1, 2].map(|place| of(&explored, place)), [None; 3]);
    }

    #[test]
    fn improper_ones_are_told() {
        let good = explored(decision(&THREE), 0.3, 1);
        assert!(are_proper(&good) && are_proper(&decision(&THREE)));
        for improper in [0.0, -0.1, 1.5, 1e-12, 5e-320, f64::NAN, f64::INFINITY] {
            let mut bad = good.clone();
            bad.candidates[2].propensity = Some(improper);
            assert!(!are_proper(&bad), "{improper}");
            let mut bad = decision(&THREE);
            bad.propensity = improper;
            assert!(!are_proper(&bad), "{improper}");
        }
        let mut two_values = good.clone();
        two_values.propensity = 0.5;
        let (mut too_much, mut too_little) = (good.clone(), good);
        too_much.candidates[2].propensity = Some(0.9);
        too_little.candidates[2].propensity = None;
        assert!(!are_proper(&two_values) && !are_proper(&too_much) && !are_proper(&too_little));
    }
}
