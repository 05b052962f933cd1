//! Members written in the form of the other protocol version.

use serde_json::Value;

use super::finding::Findings;
use crate::members::{self, Object};
use crate::{Card, Interface, Shape};

/// Members of 0.3 and what 1.0 has in their place.
const LEGACY: [(&str, &str); 4] = [
    (
        "preferredTransport",
        "`supportedInterfaces[].protocolBinding`",
    ),
    ("protocolVersion", "`supportedInterfaces[].protocolVersion`"),
    (
        "supportsAuthenticatedExtendedCard",
        "`capabilities.extendedAgentCard`",
    ),
    ("security", "`securityRequirements`"),
];

pub(super) fn check(card: &Card, findings: &mut Findings) {
    let members = card.members();
    if card.shape() == Shape::V1 {
        for (name, instead) in LEGACY {
            if members::member(members, name).is_some() {
                let message = format!("`{name}` belongs to 0.3, readers of 1.0 ignore it");
                let pointer = members::pointer(members, "", name);
                findings.warning(&pointer, message, format!("use {instead}"));
            }
        }
    }
    let is_legacy = |interface: &Interface| interface.version.is_legacy();
    let interfaces = card.interfaces();
    // Beside one of 1.0 it may be meant for readers of both.
    if card.shape() == Shape::V1 && !interfaces.is_empty() && interfaces.iter().all(is_legacy) {
        findings.warning(
            "/url",
            "the card offers 0.3 alone and in the form of 1.0, which readers of 0.3 cannot read",
            "name the address that speaks 0.3 in `url` too, and it in `protocolVersion`",
        );
    }
    if card.shape() == Shape::V03 && members::member(members, "securityRequirements").is_some() {
        findings.warning(
            "/securityRequirements",
            "`securityRequirements` belongs to 1.0, readers of 0.3 ignore it",
            "use `security`",
        );
    }
    check_requirements(members, "", findings);
    let skills = members::list(members, "skills");
    for (index, skill) in skills.iter().enumerate() {
        if let Some(skill) = skill.as_object() {
            check_requirements(skill, &format!("/skills/{index}"), findings);
        }
    }
}

/// Checks that `securityRequirements` wraps its schemes and `security` does not.
fn check_requirements(object: &Object, pointer: &str, findings: &mut Findings) {
    let list = members::pointer(object, pointer, "securityRequirements");
    let wraps = |entry: &Value| entry.get("schemes").is_some_and(Value::is_object);
    for (index, entry) in members::list(object, "securityRequirements")
        .iter()
        .enumerate()
    {
        if !wraps(entry) {
            findings.warning(
                &format!("{list}/{index}"),
                "requirement is written in the form of 0.3",
                "write `{\"schemes\": {\"<scheme>\": {\"list\": […]}}}`",
            );
        }
    }
    for (index, entry) in members::list(object, "security").iter().enumerate() {
        if wraps(entry) {
            findings.warning(
                &format!("{pointer}/security/{index}"),
                "requirement is written in the form of 1.0",
                "write `{\"<scheme>\": […]}`",
            );
        }
    }
}
