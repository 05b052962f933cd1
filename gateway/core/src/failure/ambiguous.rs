//! A message that several agents fit alike, where the profile rejects guesses.

use gateway_protocol::{Error, ErrorKind, error::GATEWAY_DOMAIN};

use super::Failure;
use crate::{decision::RouteDecision, route::Alternative};

impl Failure {
    /// Several agents fit alike; the caller is told how to say which one it wants.
    #[must_use]
    pub fn ambiguous(decision: &RouteDecision, alternatives: &[Alternative]) -> Self {
        let named: Vec<String> = alternatives.iter().map(named).collect();
        let text = format!(
            "this message fits several agents alike: {}; say which one with `metadata.agent`, or with \
             `metadata.skill` as AGENT.SKILL; see decision {}",
            named.join(", "),
            decision.id
        );
        let agents: Vec<&str> = alternatives.iter().map(|one| one.agent.as_str()).collect();
        let skills: Vec<String> = alternatives.iter().filter_map(qualified).collect();
        let metadata = [
            ("decisionId", decision.id.clone()),
            ("agents", agents.join(",")),
            ("skills", skills.join(",")),
        ];
        let error = Error::new(ErrorKind::InvalidParams, text)
            .field_violation(
                "message.metadata.agent",
                "must name one of the agents that fit alike",
            )
            .with_info(GATEWAY_DOMAIN, "AMBIGUOUS", metadata);
        Self {
            error,
            kind: "ambiguous",
            decision: Some(decision.id.clone()),
            retry_after: None,
        }
    }
}

fn named(alternative: &Alternative) -> String {
    match &alternative.skill {
        Some(skill) => format!("`{}` (skill `{skill}`)", alternative.agent),
        None => format!("`{}`", alternative.agent),
    }
}

/// Returns the skill by the name that no other agent's has.
fn qualified(alternative: &Alternative) -> Option<String> {
    let skill = alternative.skill.as_ref()?;
    Some(format!("{}.{skill}", alternative.agent))
}
