//! Turns the evidence for a skill into the probability that its agent is the right one for the request.
//!
//! A logistic curve over sums that know nothing of the other agents, so a value means the same in a catalog of
//! three agents and of ten thousand. The weights were fitted on labelled requests over real cards.

/// What speaks for one skill.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Evidence {
    /// Sum of what each matched word of the request brings.
    pub(super) total: f32,
    /// The part of the request's mass that is matched, however little the skill is about it.
    pub(super) covered: f32,
    /// The most that one word brings.
    pub(super) best: f32,
    /// How many words of the request match, each by the strength of its match.
    pub(super) matches: f32,
}

const TOTAL: f32 = 3.82;
const COVERAGE: f32 = 3.08;
const BEST: f32 = 1.67;
const MATCHES: f32 = 0.87;
const BREADTH: f32 = -1.68;
const BIAS: f32 = -2.78;

/// Added to the mass of a request, so that one matched word alone is not full coverage.
const SPARE_MASS: f32 = 0.3;
/// Matched words that count.
const MOST_MATCHES: f32 = 6.0;

/// Returns the log-odds that a skill is right, for a request of the given mass.
///
/// `breadth_ln` is the logarithm of over how many topics the skill's text spreads: a card that names everything answers nothing.
pub(super) fn log_odds(evidence: &Evidence, mass: f32, breadth_ln: f32) -> f32 {
    BIAS + TOTAL * (1.0 + evidence.total).ln()
        + COVERAGE * evidence.covered / (mass + SPARE_MASS)
        + BEST * evidence.best
        + MATCHES * evidence.matches.min(MOST_MATCHES).sqrt()
        + BREADTH * breadth_ln
}

/// Returns the probability of log-odds.
pub(super) fn probability(log_odds: f32) -> f64 {
    1.0 / (1.0 + (-f64::from(log_odds)).exp())
}
