//! What `eval` says: each case that went wrong with the reasons, and how many did.

use gateway_core::{
    RouteDecision,
    decision::{Candidate, MatchedRule},
};
use serde::Serialize;

use super::{
    case::Case,
    expected::{deviations, forbidden},
};

/// How many candidates explain a case.
const EXPLAINED: usize = 4;

/// What came of one case.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    name: String,
    passed: bool,
    /// Each expectation that did not come true.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    deviations: Vec<String>,
    /// An agent that the case forbids got the message.
    forbidden: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skill: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<MatchedRule>,
    /// The first candidates in words; only where something went wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    why: Vec<String>,
}

/// What came of all cases.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    total: usize,
    passed: usize,
    accuracy: f64,
    forbidden: usize,
    /// Agents without a usable card, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    without_card: Vec<String>,
    cases: Vec<Told>,
}

impl Told {
    pub(super) fn new(case: &Case, decision: &RouteDecision) -> Self {
        let deviations = deviations(&case.expect, decision);
        let chosen = decision.chosen();
        let candidates = decision.candidates.iter().take(EXPLAINED);
        Self {
            name: case.name.clone(),
            passed: deviations.is_empty(),
            forbidden: forbidden(&case.expect, decision).is_some(),
            agent: chosen.map(|chosen| chosen.agent.to_string()),
            skill: chosen.and_then(|chosen| chosen.skill.clone()),
            rule: decision.rule.clone(),
            why: if deviations.is_empty() {
                Vec::new()
            } else {
                candidates.map(in_words).collect()
            },
            deviations,
        }
    }
}

fn in_words(candidate: &Candidate) -> String {
    let score = candidate.score.map(|score| format!(", score {score:.4}"));
    let signals = candidate.signals.as_ref();
    let fit = signals.map(|signals| format!(", fit {:.2}", signals.fit.value));
    let words = signals.map(|signals| signals.fit.why.join(", "));
    let words = words
        .filter(|words| !words.is_empty())
        .map(|words| format!(" by {words}"));
    let why = match (candidate.reason, candidate.detail.as_deref()) {
        (Some(reason), Some(detail)) => format!(": {reason}, {detail}"),
        (Some(reason), None) => format!(": {reason}"),
        (None, Some(detail)) => format!(": {detail}"),
        (None, None) => String::new(),
    };
    let parts = [score, fit, words]
        .into_iter()
        .flatten()
        .collect::<String>();
    format!(
        "{} {}{parts}{why}",
        candidate.agent,
        candidate.verdict.as_str()
    )
}

impl Report {
    pub(super) fn new(cases: Vec<Told>, without_card: Vec<String>) -> Self {
        let passed = cases.iter().filter(|case| case.passed).count();
        let forbidden = cases.iter().filter(|case| case.forbidden).count();
        #[expect(
            clippy::cast_precision_loss,
            reason = "there are fewer cases than that"
        )]
        let accuracy = passed as f64 / cases.len().max(1) as f64;
        Self {
            total: cases.len(),
            passed,
            accuracy,
            forbidden,
            without_card,
            cases,
        }
    }

    /// Returns whether enough cases are as expected, and none got an agent that it forbids.
    pub(super) fn passes(&self, min_accuracy: f64) -> bool {
        self.forbidden == 0 && self.accuracy >= min_accuracy
    }

    /// Renders the report for people.
    pub(super) fn text(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        lines.extend(
            self.without_card
                .iter()
                .map(|agent| format!("NO CARD  {agent}")),
        );
        for case in self.cases.iter().filter(|case| !case.passed) {
            lines.push(format!(
                "FAILED   {}: {}",
                case.name,
                case.deviations.join("; ")
            ));
            let rule = case.rule.as_ref();
            lines.extend(rule.map(|rule| format!("         rule {}", rule.name)));
            lines.extend(case.why.iter().map(|why| format!("         {why}")));
        }
        lines.push(format!(
            "{} of {} cases as expected ({:.1} %), {} sent where forbidden",
            self.passed,
            self.total,
            self.accuracy * 100.0,
            self.forbidden
        ));
        lines.join("\n")
    }
}
