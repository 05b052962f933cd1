//! Turns the evidence for a skill into the probability that its agent is the right one for the request.
//!
//! A logistic curve over sums that know nothing of the other agents, so a value means the same in a catalog of
//! three agents and of ten thousand. The weights were fitted on labelled requests over real cards.

/// What speaks for one skill. Laid out so that a processor takes all of it at once.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(16))]
pub(super) struct Evidence {
    /// Sum of what each matched word of the request brings.
    pub(super) total: f32,
    /// The part of the request's mass that is matched, however little the skill is about it.
    pub(super) covered: f32,
    /// How many words of the request match, each by the strength of its match.
    pub(super) matches: f32,
    /// The most that one word brings.
    pub(super) best: f32,
}

impl Evidence {
    /// Adds what another word brings. Free of branches: which words a skill has is nothing that a processor could
    /// foresee.
    pub(super) fn add(&mut self, word: Self) {
        self.total += word.total;
        self.covered += word.covered;
        self.matches += word.matches;
        self.best = larger(self.best, word.best);
    }

    /// Takes the most of what two terms of a word bring.
    pub(super) fn raise(&mut self, term: Self) {
        self.total = larger(self.total, term.total);
        self.covered = larger(self.covered, term.covered);
        self.matches = larger(self.matches, term.matches);
        self.best = larger(self.best, term.best);
    }
}

/// Returns the larger of two numbers, in one instruction, unlike [`f32::max`], which minds what is no number.
fn larger(left: f32, right: f32) -> f32 {
    if left > right { left } else { right }
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

/// The curve for requests of one mass.
#[derive(Debug, Clone, Copy)]
pub(super) struct Curve {
    /// What each part of the mass that is matched adds.
    coverage: f32,
}

impl Curve {
    /// Returns the curve for requests of the given mass.
    pub(super) fn of(mass: f32) -> Self {
        Self {
            coverage: COVERAGE / (mass + SPARE_MASS),
        }
    }

    /// Returns the log-odds that a skill is right. Free of branches, so that many skills are computed at once.
    ///
    /// `breadth_ln` is the logarithm of over how many topics the skill's text spreads: a card that names everything
    /// answers nothing.
    pub(super) fn log_odds(self, evidence: &Evidence, breadth_ln: f32) -> f32 {
        BIAS + TOTAL * ln(1.0 + evidence.total)
            + self.coverage * evidence.covered
            + BEST * evidence.best
            + MATCHES * evidence.matches.min(MOST_MATCHES).sqrt()
            + BREADTH * breadth_ln
    }
}

/// Returns the natural logarithm of a positive number, to about the last digit: a polynomial about 1 (as in the Cephes
/// library), which compilers compute for several numbers at once, unlike that of the system.
fn ln(number: f32) -> f32 {
    /// Bits of the square root of a half.
    const LOWEST: u32 = 0x3f35_04f3;
    let bits = number.to_bits();
    let exponent = bits.wrapping_sub(LOWEST).cast_signed() >> 23;
    let mantissa = bits.wrapping_sub((exponent << 23).cast_unsigned());
    #[expect(clippy::cast_precision_loss, reason = "exponents are below 256")]
    let exponent = exponent as f32;
    let x = f32::from_bits(mantissa) - 1.0;
    let square = x * x;
    let coefficients = [
        0.070_376_836,
        -0.115_146_1,
        0.116_769_98,
        -0.124_201_41,
        0.142_493_23,
        -0.166_680_57,
        0.200_007_14,
        -0.249_999_94,
        0.333_333_3,
    ];
    let polynomial = coefficients
        .iter()
        .fold(0.0, |sum, coefficient| sum * x + coefficient);
    x - 0.5 * square + x * square * polynomial + exponent * std::f32::consts::LN_2
}

/// Returns the probability of log-odds.
pub(super) fn probability(log_odds: f32) -> f64 {
    1.0 / (1.0 + (-f64::from(log_odds)).exp())
}

/// Returns log-odds below which a probability is below `least` for certain, whatever is lost by rounding.
pub(crate) fn surely_below(least: f64) -> f32 {
    let log_odds = (least / (1.0 - least)).ln() - ROUNDING;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "what is lost is below what was taken off"
    )]
    let bound = log_odds.min(HIGHEST) as f32;
    bound
}

/// More than rounding loses.
const ROUNDING: f64 = 1e-3;
/// Log-odds far below those whose probability rounds to 1.
const HIGHEST: f64 = 15.0;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_found_adds_nothing() {
        assert_eq!(ln(1.0), 0.0);
        assert_eq!(Curve::of(2.0).log_odds(&Evidence::default(), 0.0), BIAS);
    }

    proptest! {
        #[test]
        fn the_logarithm_is_that_of_the_system(number in 1.0_f32..1e4) {
            prop_assert!((ln(number) - number.ln()).abs() <= 1e-6 * number.ln().max(1.0));
        }

        #[test]
        fn what_is_surely_below_is_below(least in 1e-6_f64..=1.0, off in 0.0_f32..0.01) {
            let bound = surely_below(least);
            prop_assert!(probability(bound - off) < least);
        }
    }
}
