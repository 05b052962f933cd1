//! What-if: scores for signals that are given instead of measured.

use std::collections::HashSet;

use gateway_core::{
    Weights,
    decision::Contributions,
    route::{SignalName, SignalValues, contributions},
};
use serde::{Deserialize, Serialize};

use super::new_table;

/// Candidates with their signals.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhatIf {
    #[serde(default = "balanced")]
    weights: Weights,
    candidates: Vec<Given>,
}

#[derive(Debug, Deserialize)]
struct Given {
    agent: String,
    #[serde(flatten)]
    signals: SignalValues,
}

/// A candidate with its score.
#[derive(Debug, Serialize)]
pub(crate) struct Scored {
    agent: String,
    signals: SignalValues,
    contributions: Contributions,
    score: f64,
}

fn balanced() -> Weights {
    Weights::BALANCED
}

impl WhatIf {
    /// Reads candidates from YAML, of which JSON is a part.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let given: Self = serde_saphyr::from_str(text).map_err(|error| error.to_string())?;
        given.check()?;
        Ok(given)
    }

    fn check(&self) -> Result<(), String> {
        let is_weight = |weight: f64| weight.is_finite() && weight >= 0.0;
        if !self.weights.parts().into_iter().all(is_weight) {
            return Err("a weight is not a number from 0 on".to_owned());
        }
        if self.candidates.is_empty() {
            return Err("there are no candidates; name one at least".to_owned());
        }
        let mut named = HashSet::new();
        for Given { agent, signals } in &self.candidates {
            if !signals
                .parts()
                .iter()
                .all(|value| (0.0..=1.0).contains(value))
            {
                return Err(format!("a signal of `{agent}` is not within 0 and 1"));
            }
            if !named.insert(agent) {
                return Err(format!(
                    "`{agent}` is there twice; give each candidate a name of its own"
                ));
            }
        }
        Ok(())
    }

    /// Scores the candidates, best first.
    pub(crate) fn score(self) -> Vec<Scored> {
        let weights = self.weights;
        let mut scored: Vec<_> = self
            .candidates
            .into_iter()
            .map(|given| {
                let contributions = contributions(&weights, &given.signals);
                Scored {
                    agent: given.agent,
                    signals: given.signals,
                    score: contributions.score(),
                    contributions,
                }
            })
            .collect();
        scored.sort_by(|left, right| right.score.total_cmp(&left.score));
        scored
    }
}

/// Renders scored candidates; scores with two decimals, contributions with four.
pub(crate) fn table(scored: &[Scored]) -> String {
    let mut table = new_table([
        "agent",
        "fit",
        "quality",
        "availability",
        "latency",
        "cost",
        "risk",
        "score",
    ]);
    for candidate in scored {
        let parts = SignalName::ALL.map(|signal| signal.contribution(&candidate.contributions));
        let cells = parts.map(|part| format!("{:+.4}", part + 0.0));
        let [fit, quality, availability, latency, cost, risk] = cells;
        let score = format!("{:.2}", half_up(candidate.score));
        table.add_row([
            candidate.agent.clone(),
            fit,
            quality,
            availability,
            latency,
            cost,
            risk,
            score,
        ]);
    }
    table.to_string()
}

/// Binary fractions put a decimal half a hair to either side; people expect it rounded up.
fn half_up(score: f64) -> f64 {
    score + 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_example_is_scored_best_first_with_the_documented_numbers() {
        let text = "candidates:
  - { agent: local, fit: 0.40, quality: 0.70, availability: 1.00, latency: 0.10, cost: 0.05, risk: 0.10 }
  - { agent: mcp, fit: 0.92, quality: 0.86, availability: 0.95, latency: 0.35, cost: 0.25, risk: 0.35 }
  - { agent: a2a, fit: 0.80, quality: 0.88, availability: 0.90, latency: 0.55, cost: 0.40, risk: 0.45 }";
        let scored = WhatIf::parse(text).unwrap().score();
        let shown: Vec<_> = scored
            .iter()
            .map(|one| format!("{} {:.2}", one.agent, half_up(one.score)))
            .collect();
        assert_eq!(shown, ["mcp 0.54", "a2a 0.46", "local 0.42"]);
    }

    #[test]
    fn signals_outside_their_range_are_refused() {
        let text = "candidates: [{ agent: x, fit: 1.4, quality: 0, availability: 0, latency: 0, cost: 0, risk: 0 }]";
        assert!(WhatIf::parse(text).unwrap_err().contains("`x`"));
    }

    #[test]
    fn what_makes_no_sense_is_refused_and_named() {
        let one = "{ agent: x, fit: 0, quality: 0, availability: 0, latency: 0, cost: 0, risk: 0 }";
        let weights = |fit: &str| {
            format!(
                "weights: {{ fit: {fit}, quality: 0, availability: 0, latency: 0, cost: 0, risk: 0 }}"
            )
        };
        for (text, why) in [
            ("candidates: []".to_owned(), "no candidates"),
            (format!("candidates: [{one}, {one}]"), "`x` is there twice"),
            (format!("{}\ncandidates: [{one}]", weights("-1")), "weight"),
            (
                format!("{}\ncandidates: [{one}]", weights(".nan")),
                "weight",
            ),
            (
                format!("{}\ncandidates: [{one}]", weights(".inf")),
                "weight",
            ),
        ] {
            let error = WhatIf::parse(&text).err().unwrap_or_default();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
