//! The signals of a record, to be weighed again: under another profile, or with one of them changed.

use serde::{Deserialize, Serialize};

use super::{
    score::{SignalValues, contributions},
    signals::{RISK_OF_COST, RISK_OF_UNCERTAINTY, UNKNOWN, UNKNOWN_LATENCY, ratio},
};
use crate::{
    decision::{Contributions, Discard, Hints, Signals},
    profile::{Profile, Weights},
};

/// Values this close are the same measurement, rounded otherwise.
const SAME: f64 = 1e-9;

/// Names one of the six signals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignalName {
    /// S.
    Fit,
    /// Q.
    Quality,
    /// A.
    Availability,
    /// L.
    Latency,
    /// C.
    Cost,
    /// K.
    Risk,
}

/// The signals of a recorded candidate as numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recorded {
    values: SignalValues,
    /// Absent where it was a mere guess, which follows the reference.
    latency_ms: Option<f64>,
    cost_raw: f64,
    risk_raw: f64,
    /// Whether the record tells how risk follows fit, and how it follows cost.
    risk_follows: (bool, bool),
}

impl SignalName {
    /// All six, in the order of the score.
    pub const ALL: [Self; 6] = [
        Self::Fit,
        Self::Quality,
        Self::Availability,
        Self::Latency,
        Self::Cost,
        Self::Risk,
    ];

    /// Returns the name used in records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fit => "fit",
            Self::Quality => "quality",
            Self::Availability => "availability",
            Self::Latency => "latency",
            Self::Cost => "cost",
            Self::Risk => "risk",
        }
    }

    /// Tells whether more of it raises the score.
    #[must_use]
    pub fn adds(self) -> bool {
        matches!(self, Self::Fit | Self::Quality | Self::Availability)
    }

    /// Returns what it adds to a score.
    #[must_use]
    pub fn contribution(self, parts: &Contributions) -> f64 {
        match self {
            Self::Fit => parts.fit,
            Self::Quality => parts.quality,
            Self::Availability => parts.availability,
            Self::Latency => parts.latency,
            Self::Cost => parts.cost,
            Self::Risk => parts.risk,
        }
    }
}

impl Recorded {
    /// Reads the signals of a record; `None` where one of them is no number of its range.
    #[must_use]
    pub fn of(signals: &Signals) -> Option<Self> {
        let values = SignalValues::from(signals);
        let in_range = SignalName::ALL
            .iter()
            .all(|name| (0.0..=1.0).contains(&value(&values, *name)));
        let raw = [signals.latency.raw, signals.cost.raw, signals.risk.raw];
        if !in_range || !raw.iter().all(|raw| raw.is_finite()) {
            return None;
        }
        let is_guess = signals.latency.why.iter().any(|why| why == UNKNOWN);
        let terms = &signals.risk.terms;
        let is = |term: &str, expected: f64| {
            terms
                .get(term)
                .is_some_and(|recorded| (recorded - expected).abs() <= SAME)
        };
        Some(Self {
            values,
            latency_ms: (!is_guess).then_some(signals.latency.raw),
            cost_raw: signals.cost.raw,
            risk_raw: signals.risk.raw,
            risk_follows: (
                is("uncertainty", RISK_OF_UNCERTAINTY * (1.0 - values.fit)),
                is("cost", RISK_OF_COST * values.cost),
            ),
        })
    }

    /// Returns the values that are weighed.
    #[must_use]
    pub fn values(&self) -> &SignalValues {
        &self.values
    }

    /// Returns one value.
    #[must_use]
    pub fn value(&self, name: SignalName) -> f64 {
        value(&self.values, name)
    }

    /// Returns the expected latency in milliseconds, unless it is a mere guess.
    #[must_use]
    pub fn latency_ms(&self) -> Option<f64> {
        self.latency_ms
    }

    /// Returns the expected cost in the agent's currency.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.cost_raw
    }

    /// Tells whether risk moves when fit or cost does, as it does live. Old records do not say what risk is made of.
    #[must_use]
    pub fn risk_follows(&self, name: SignalName) -> bool {
        match name {
            SignalName::Fit => self.risk_follows.0,
            SignalName::Cost => self.risk_follows.1,
            _ => false,
        }
    }

    /// Returns the score.
    #[must_use]
    pub fn score(&self, weights: &Weights) -> f64 {
        contributions(weights, &self.values).score()
    }

    /// Changes one value; risk follows fit and cost.
    #[must_use]
    pub fn with(mut self, name: SignalName, to: f64) -> Self {
        let from = self.value(name);
        match name {
            SignalName::Fit => {
                self.values.fit = to;
                self.move_risk(self.risk_follows.0, RISK_OF_UNCERTAINTY * (from - to));
            }
            SignalName::Quality => self.values.quality = to,
            SignalName::Availability => self.values.availability = to,
            SignalName::Latency => self.values.latency = to,
            SignalName::Cost => {
                self.values.cost = to;
                self.move_risk(self.risk_follows.1, RISK_OF_COST * (to - from));
            }
            SignalName::Risk => {
                self.values.risk = to;
                self.risk_raw = to;
            }
        }
        self
    }

    /// Measures latency and cost by the references of a profile, or by the client's budget where there is one.
    #[must_use]
    pub fn under(self, profile: &Profile, hints: &Hints) -> Self {
        let reference = profile.reference_latency.as_secs_f64();
        let seconds = self
            .latency_ms
            .map_or(reference * UNKNOWN_LATENCY, |latency| latency / 1000.0);
        let budget = hints.max_latency_ms.map(|budget| budget / 1000.0);
        let latency = ratio(seconds, budget.unwrap_or(reference));
        let reference_cost = hints.max_cost_eur.unwrap_or(profile.reference_cost);
        let cost = ratio(self.cost_raw, reference_cost);
        self.moved(SignalName::Latency, latency)
            .moved(SignalName::Cost, cost)
    }

    /// Returns the limit of a profile, or of the client, that is not kept, in the order live routing looks at them.
    #[must_use]
    pub fn failed_limit(&self, profile: &Profile, hints: &Hints) -> Option<Discard> {
        let is_named = hints.agent.is_some() || hints.skill.is_some();
        if !is_named && self.values.fit < profile.min_fit {
            return Some(Discard::BelowMinFit);
        }
        self.failed_limit_beside_fit(profile, hints)
    }

    /// Returns the limit that is not kept where no fit is asked for: of a fallback, or of an agent that a rule names.
    #[must_use]
    pub fn failed_limit_beside_fit(&self, profile: &Profile, hints: &Hints) -> Option<Discard> {
        let over = |value: Option<f64>, budget: Option<f64>| {
            value
                .zip(budget)
                .is_some_and(|(value, budget)| value > budget)
        };
        if over(Some(self.cost_raw), hints.max_cost_eur) {
            Some(Discard::BudgetCost)
        } else if over(self.latency_ms, hints.max_latency_ms) {
            Some(Discard::BudgetLatency)
        } else if self.values.risk > profile.max_risk {
            Some(Discard::RiskCeiling)
        } else {
            None
        }
    }

    /// Keeps the cost at a budget.
    #[must_use]
    pub(super) fn within_cost(mut self, budget: f64) -> Self {
        self.cost_raw = self.cost_raw.min(budget);
        self.with(SignalName::Cost, ratio(self.cost_raw, budget))
    }

    /// Keeps the latency at a budget.
    #[must_use]
    pub(super) fn within_latency(mut self, budget_ms: f64) -> Self {
        self.latency_ms = self.latency_ms.map(|latency| latency.min(budget_ms));
        self
    }

    /// Changes a value unless it is the same but for rounding, so that the same references give the same bits.
    fn moved(self, name: SignalName, to: f64) -> Self {
        if (self.value(name) - to).abs() <= SAME {
            self
        } else {
            self.with(name, to)
        }
    }

    fn move_risk(&mut self, follows: bool, by: f64) {
        if follows && by != 0.0 {
            self.risk_raw += by;
            self.values.risk = self.risk_raw.clamp(0.0, 1.0);
        }
    }
}

fn value(values: &SignalValues, name: SignalName) -> f64 {
    match name {
        SignalName::Fit => values.fit,
        SignalName::Quality => values.quality,
        SignalName::Availability => values.availability,
        SignalName::Latency => values.latency,
        SignalName::Cost => values.cost,
        SignalName::Risk => values.risk,
    }
}
