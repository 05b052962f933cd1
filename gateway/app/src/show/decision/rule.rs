//! The routing rule of a decision in words.

use gateway_core::{
    agent::AgentId,
    decision::{MatchedRule, RuleAction},
};

/// Says which rule matched and what it made of the message.
pub(super) fn line(rule: &MatchedRule) -> String {
    let agents: Vec<&str> = rule.agents.iter().map(AgentId::as_str).collect();
    let agents = (!agents.is_empty()).then(|| agents.join(", "));
    let detail = rule.detail.as_deref().unwrap_or_default();
    let what = match rule.action {
        RuleAction::Pin => format!("names {}", agents.unwrap_or_default()),
        RuleAction::Reject => format!("turns the message away: {detail}"),
        RuleAction::Failed => format!("could not be evaluated: {detail}"),
        RuleAction::Use => {
            let parts = [
                agents.map(|agents| format!("only {agents}")),
                rule.profile.as_ref().map(|name| format!("profile {name}")),
                rule.max_effect
                    .map(|effect| format!("effect up to {effect}")),
            ];
            parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
        }
    };
    format!("rule     {} · {what}", rule.name)
}

#[cfg(test)]
mod tests {
    use gateway_core::Effect;

    use super::*;

    #[test]
    fn each_action_is_told_apart() {
        let rule = |action| MatchedRule {
            name: "invoices".to_owned(),
            action,
            agents: vec![AgentId::parse("payments").unwrap()],
            profile: Some("critical".to_owned()),
            max_effect: Some(Effect::Prepare),
            detail: Some("why".to_owned()),
        };
        for (action, expected) in [
            (RuleAction::Pin, "names payments"),
            (
                RuleAction::Use,
                "only payments · profile critical · effect up to prepare",
            ),
            (RuleAction::Reject, "turns the message away: why"),
            (RuleAction::Failed, "could not be evaluated: why"),
        ] {
            assert_eq!(
                line(&rule(action)),
                format!("rule     invoices · {expected}")
            );
        }
    }
}
