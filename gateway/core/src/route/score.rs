//! `R = α·S + β·Q + γ·A − δ·L − ε·C − ζ·K`: from six signals to one number.

use crate::{
    decision::{Contributions, Signals},
    profile::Weights,
};

/// The values of the six signals, each in [0,1].
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignalValues {
    /// S, how well the agent fits.
    pub fit: f64,
    /// Q, how good its results are.
    pub quality: f64,
    /// A, how likely it answers.
    pub availability: f64,
    /// L, how long it takes.
    pub latency: f64,
    /// C, what it costs.
    pub cost: f64,
    /// K, what may go wrong.
    pub risk: f64,
}

impl SignalValues {
    /// Returns all six, in the order of the formula.
    #[must_use]
    pub fn parts(&self) -> [f64; 6] {
        let Self {
            fit,
            quality,
            availability,
            latency,
            cost,
            risk,
        } = *self;
        [fit, quality, availability, latency, cost, risk]
    }
}

impl From<&Signals> for SignalValues {
    fn from(signals: &Signals) -> Self {
        Self {
            fit: signals.fit.value,
            quality: signals.quality.value,
            availability: signals.availability.value,
            latency: signals.latency.value,
            cost: signals.cost.value,
            risk: signals.risk.value,
        }
    }
}

/// Weighs the signals.
#[must_use]
pub fn contributions(weights: &Weights, values: &SignalValues) -> Contributions {
    Contributions {
        fit: weights.fit * values.fit,
        quality: weights.quality * values.quality,
        availability: weights.availability * values.availability,
        latency: -weights.latency * values.latency,
        cost: -weights.cost * values.cost,
        risk: -weights.risk * values.risk,
    }
}

impl Contributions {
    /// Returns the score R: the sum of all contributions.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.fit + self.quality + self.availability + self.latency + self.cost + self.risk
    }
}

#[cfg(test)]
mod tests {
    use proptest::{array::uniform6, prelude::*};

    use super::*;

    fn score(values: [f64; 6]) -> f64 {
        weighed(&Weights::BALANCED, values)
    }

    fn weighed(weights: &Weights, values: [f64; 6]) -> f64 {
        let [fit, quality, availability, latency, cost, risk] = values;
        let values = SignalValues {
            fit,
            quality,
            availability,
            latency,
            cost,
            risk,
        };
        contributions(weights, &values).score()
    }

    #[test]
    fn worked_example_gives_the_documented_scores() {
        for (values, expected) in [
            ([0.40, 0.70, 1.00, 0.10, 0.05, 0.10], 0.42),
            ([0.92, 0.86, 0.95, 0.35, 0.25, 0.35], 0.5385),
            ([0.80, 0.88, 0.90, 0.55, 0.40, 0.45], 0.455),
        ] {
            assert!((score(values) - expected).abs() < 1e-12, "{values:?}");
        }
    }

    proptest! {
        #[test]
        fn the_first_three_signals_never_lower_the_score_and_the_others_never_raise_it(
            values in uniform6(0.0..=1.0_f64),
            weights in uniform6(0.0..10.0_f64),
            signal in 0..6_usize,
            raised in 0.0..=1.0_f64,
        ) {
            let [fit, quality, availability, latency, cost, risk] = weights;
            let weights = Weights { fit, quality, availability, latency, cost, risk };
            let before = weighed(&weights, values);
            let mut higher = values;
            higher[signal] = raised.max(values[signal]);
            let after = weighed(&weights, higher);
            if signal < 3 {
                prop_assert!(after >= before, "{before} {after}");
            } else {
                prop_assert!(after <= before, "{before} {after}");
            }
        }
    }
}
