//! Finds what is wrong or doubtful in a card that could still be read.
//!
//! The card loads either way; these are the findings a person sees before a caller does.

mod finding;
mod forms;
mod interfaces;
mod security;
mod signatures;
mod skills;
mod texts;
mod types;

use url::Url;

pub use self::finding::{Finding, Severity};

use self::finding::Findings;
use self::types::{Kind, Need, Rule};
use crate::known;
use crate::members;
use crate::{Card, Shape};

const CARD: &[Rule] = &[
    Rule::new("name", Kind::Text, Need::Must),
    Rule::new("description", Kind::Text, Need::Should),
    Rule::new("version", Kind::Text, Need::Should),
    Rule::new("capabilities", Kind::Object, Need::Should),
    Rule::new("defaultInputModes", Kind::Texts, Need::Should),
    Rule::new("defaultOutputModes", Kind::Texts, Need::Should),
    Rule::new("skills", Kind::List, Need::Should),
    Rule::new("provider", Kind::Object, Need::May),
    Rule::new("documentationUrl", Kind::Text, Need::May),
    Rule::new("iconUrl", Kind::Text, Need::May),
    Rule::new("supportedInterfaces", Kind::List, Need::May),
    Rule::new("securitySchemes", Kind::Object, Need::May),
    Rule::new("securityRequirements", Kind::List, Need::May),
    Rule::new("signatures", Kind::List, Need::May),
    Rule::new("protocolVersion", Kind::Text, Need::May),
    Rule::new("url", Kind::Text, Need::May),
    Rule::new("preferredTransport", Kind::Text, Need::May),
    Rule::new("additionalInterfaces", Kind::List, Need::May),
    Rule::new("supportsAuthenticatedExtendedCard", Kind::Flag, Need::May),
    Rule::new("security", Kind::List, Need::May),
];

const PROVIDER: &[Rule] = &[
    Rule::new("organization", Kind::Text, Need::Should),
    Rule::new("url", Kind::Text, Need::Should),
];

const CAPABILITIES: &[Rule] = &[
    Rule::new("streaming", Kind::Flag, Need::May),
    Rule::new("pushNotifications", Kind::Flag, Need::May),
    Rule::new("extendedAgentCard", Kind::Flag, Need::May),
    Rule::new("stateTransitionHistory", Kind::Flag, Need::May),
    Rule::new("extensions", Kind::List, Need::May),
];

const EXTENSION: &[Rule] = &[
    Rule::new("uri", Kind::Text, Need::Must),
    Rule::new("description", Kind::Text, Need::May),
    Rule::new("required", Kind::Flag, Need::May),
    Rule::new("params", Kind::Object, Need::May),
];

/// Checks a card by itself, as before publishing it: loopback addresses are warned about.
///
/// Findings come errors first, then in the order of their pointers. At most 100 of each severity
/// are kept; a last one counts the rest.
#[must_use]
pub fn check(card: &Card) -> Vec<Finding> {
    check_with(card, None)
}

/// Checks a card against the address its agent is registered at: hosts that differ are warned
/// about, since the registered one is used.
#[must_use]
pub fn check_registered(card: &Card, registered: &Url) -> Vec<Finding> {
    check_with(card, Some(registered))
}

fn check_with(card: &Card, registered: Option<&Url>) -> Vec<Finding> {
    let mut findings = Findings::default();
    let members = card.members();
    types::check(members, "", CARD, &mut findings);
    if let Some(provider) = members::object(members, "provider") {
        types::check(provider, "/provider", PROVIDER, &mut findings);
    }
    check_capabilities(card, &mut findings);
    interfaces::check(card, registered, &mut findings);
    skills::check(card, &mut findings);
    forms::check(card, &mut findings);
    security::check(card, &mut findings);
    signatures::check(card, &mut findings);
    texts::check(card, &mut findings);
    findings.sorted()
}

fn check_capabilities(card: &Card, findings: &mut Findings) {
    let Some(capabilities) = members::object(card.members(), "capabilities") else {
        return;
    };
    types::check(capabilities, "/capabilities", CAPABILITIES, findings);
    check_unknown(capabilities, findings);
    if card.shape() == Shape::V1 && capabilities.contains_key("stateTransitionHistory") {
        findings.warning(
            "/capabilities/stateTransitionHistory",
            "`stateTransitionHistory` belongs to 0.3, readers of 1.0 ignore it",
            "leave it out",
        );
    }
    let extensions = members::list(capabilities, "extensions");
    for (index, extension) in extensions.iter().enumerate() {
        let pointer = format!("/capabilities/extensions/{index}");
        if let Some(extension) = types::entry(extension, &pointer, findings) {
            types::check(extension, &pointer, EXTENSION, findings);
        }
    }
}

/// Warns about features that only this agent's own clients know to look for.
fn check_unknown(capabilities: &members::Object, findings: &mut Findings) {
    let unknown = known::unknown(capabilities, known::CAPABILITIES);
    for (name, _) in unknown.filter(|(_, value)| value.is_boolean()) {
        let shown = members::shown(name);
        findings.warning(
            &members::step("/capabilities", name),
            format!("`{shown}` is no capability of A2A, clients ignore it"),
            "declare an extension in `capabilities.extensions`",
        );
    }
}

#[cfg(test)]
mod tests;
