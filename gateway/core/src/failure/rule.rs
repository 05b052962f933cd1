//! Failures of routing rules, and of what a client may ask of routing.

use gateway_protocol::{Error, ErrorKind, error::GATEWAY_DOMAIN};

use super::Failure;
use crate::decision::{MatchedRule, RouteDecision, RuleAction};

impl Failure {
    /// A routing rule turned the message away, or could not be evaluated. The client is not told which: names of
    /// rules are the operator's.
    #[must_use]
    pub fn turned_away(decision: &RouteDecision) -> Self {
        let rejecting = |rule: &&MatchedRule| rule.action == RuleAction::Reject;
        let text = decision.rule.as_ref().filter(rejecting);
        let (kind, error, reason) = match text.and_then(|rule| rule.detail.as_deref()) {
            Some(text) => (
                "rejected_by_rule",
                Error::new(ErrorKind::UnsupportedOperation, text),
                "REJECTED_BY_RULE",
            ),
            None => (
                "rule_failed",
                Error::new(
                    ErrorKind::Internal,
                    format!(
                        "a routing rule could not be evaluated, so that the message was not sent; see decision {}",
                        decision.id
                    ),
                ),
                "RULE_FAILED",
            ),
        };
        let info = [("decisionId", decision.id.as_str())];
        Self {
            error: error.with_info(GATEWAY_DOMAIN, reason, info),
            kind,
            decision: Some(decision.id.clone()),
            retry_after: None,
        }
    }

    /// The client asks for a profile that requests may not choose.
    #[must_use]
    pub fn closed_profile(name: &str, open: &[&str]) -> Self {
        let open = match open {
            [] => "none is".to_owned(),
            open => format!("open are {}", open.join(", ")),
        };
        let text = format!("the routing profile `{name}` is not open to requests; {open}");
        Self::unusable_hint(Some("profile"), &text, &open)
    }

    /// A member of the routing extension, or all of it, cannot be used.
    #[must_use]
    pub fn unusable_hint(member: Option<&str>, text: &str, expected: &str) -> Self {
        let member = member.map_or_else(String::new, |member| format!(".{member}"));
        let field = format!("metadata[\"{}\"]{member}", crate::route::ROUTING_EXTENSION);
        let error = Error::new(ErrorKind::InvalidParams, text);
        Self::bad_request(error.field_violation(&field, expected))
    }
}
