//! What became of a decision: whether its result was accepted, and what it cost.

use gateway_core::{
    decision::{DecisionKind, RouteDecision},
    feedback::is_amount,
};
use serde::Serialize;

/// What is known of a result.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Judged {
    /// How far it was accepted, in [0,1].
    Accepted(f64),
    /// The task was canceled, which says nothing about who got it.
    Canceled,
    /// It has not ended, or its end was not seen.
    Open,
    /// Nobody got the message.
    NotSent,
}

/// Says whether a result was accepted: by what people said, else by how the task ended.
#[must_use]
pub fn judge(decision: &RouteDecision) -> Judged {
    let feedback = decision.feedback.as_ref();
    let score = feedback.and_then(|feedback| feedback.score);
    let said = feedback.and_then(|feedback| feedback.accepted);
    if let Some(score) = score.filter(|score| (0.0..=1.0).contains(score)) {
        return Judged::Accepted(score);
    }
    if let Some(accepted) = said {
        return Judged::Accepted(if accepted { 1.0 } else { 0.0 });
    }
    let state = decision
        .outcome
        .as_ref()
        .map(|outcome| outcome.state.as_str());
    match state {
        Some("completed" | "message") => Judged::Accepted(1.0),
        Some("failed" | "rejected" | "error") => Judged::Accepted(0.0),
        Some("canceled") => Judged::Canceled,
        Some("not_sent") => Judged::NotSent,
        None if decision.kind == DecisionKind::NoFit => Judged::NotSent,
        // A stream that broke off says nothing about the end of its task.
        Some(_) | None => Judged::Open,
    }
}

/// Returns what a decision cost as far as somebody said so, else as it was expected.
pub(crate) fn cost(decision: &RouteDecision) -> Option<f64> {
    let told = decision
        .feedback
        .as_ref()
        .and_then(|feedback| feedback.cost);
    let reported = decision.outcome.as_ref().and_then(|outcome| outcome.cost);
    let expected = || Some(decision.chosen()?.signals.as_ref()?.cost.raw);
    told.or(reported)
        .or_else(expected)
        .filter(|cost| is_amount(*cost))
}

#[cfg(test)]
mod tests {
    use gateway_core::Feedback;

    use super::*;
    use crate::testing::decision;

    #[test]
    fn people_are_believed_before_the_task() {
        let mut decision = decision(&[[0.9, 0.9, 1.0, 0.1, 0.1, 0.1]]);
        for (state, expected) in [
            ("completed", Judged::Accepted(1.0)),
            ("message", Judged::Accepted(1.0)),
            ("failed", Judged::Accepted(0.0)),
            ("rejected", Judged::Accepted(0.0)),
            ("error", Judged::Accepted(0.0)),
            ("canceled", Judged::Canceled),
            ("working", Judged::Open),
            ("truncated", Judged::Open),
            ("not_sent", Judged::NotSent),
        ] {
            decision.outcome.as_mut().unwrap().state = state.to_owned();
            assert_eq!(judge(&decision), expected, "{state}");
        }
        decision.outcome = None;
        assert_eq!(judge(&decision), Judged::Open);
        let mut feedback = Feedback {
            accepted: Some(false),
            ..Feedback::default()
        };
        decision.feedback = Some(feedback.clone());
        assert_eq!(judge(&decision), Judged::Accepted(0.0));
        feedback.score = Some(0.75);
        decision.feedback = Some(feedback);
        assert_eq!(judge(&decision), Judged::Accepted(0.75));
    }
}
