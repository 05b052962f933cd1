//! Security: whether a caller can find out how to authenticate.

use std::collections::HashSet;

use serde_json::Value;

use super::finding::Findings;
use super::types::{self, Kind, Need, Rule};
use crate::members::{self, Object, shown};
use crate::security::KINDS;
use crate::{Card, SecurityRequirement};

/// The members a scheme of each kind must have, by its `type`, in the words of 0.3.
const REQUIRED: [(&str, &[Rule]); 5] = [
    (
        "apiKey",
        &[
            Rule::new("in", Kind::Text, Need::Must),
            Rule::new("name", Kind::Text, Need::Must),
        ],
    ),
    ("http", &[Rule::new("scheme", Kind::Text, Need::Must)]),
    ("oauth2", &[Rule::new("flows", Kind::Object, Need::Must)]),
    (
        "openIdConnect",
        &[Rule::new("openIdConnectUrl", Kind::Text, Need::Must)],
    ),
    ("mutualTLS", &[]),
];

/// The same where 1.0 has other words.
const API_KEY: &[Rule] = &[
    Rule::new("location", Kind::Text, Need::Must),
    Rule::new("name", Kind::Text, Need::Must),
];

pub(super) fn check(card: &Card, findings: &mut Findings) {
    let members = card.members();
    let empty = Object::new();
    let schemes = members::object(members, "securitySchemes").unwrap_or(&empty);
    let place = members::pointer(members, "", "securitySchemes");
    for (name, scheme) in schemes {
        let pointer = members::step(&place, name);
        if let Some(scheme) = types::entry(scheme, &pointer, findings) {
            check_scheme(scheme, &pointer, findings);
        }
    }
    check_use(card, schemes, findings);
}

fn check_scheme(scheme: &Object, pointer: &str, findings: &mut Findings) {
    let wrapped = KINDS
        .iter()
        .filter_map(|(kind, wrapper)| Some((*kind, *wrapper, members::object(scheme, wrapper)?)));
    let mut found = false;
    for (kind, wrapper, scheme) in wrapped {
        found = true;
        let rules = if kind == "apiKey" {
            API_KEY
        } else {
            required(kind)
        };
        let pointer = format!("{pointer}/{wrapper}");
        types::check(scheme, &pointer, rules, findings);
        check_flows(scheme, &pointer, true, findings);
    }
    match members::text(scheme, "type") {
        Some(kind) if REQUIRED.iter().any(|(known, _)| *known == kind) => {
            types::check(scheme, pointer, required(kind), findings);
            check_flows(scheme, pointer, false, findings);
        }
        Some(kind) => findings.error(
            &format!("{pointer}/type"),
            format!("`{}` is no kind of security scheme", shown(kind)),
            "write `apiKey`, `http`, `oauth2`, `openIdConnect` or `mutualTLS`",
        ),
        None if found => {}
        None => findings.error(
            pointer,
            "the scheme does not say of what kind it is",
            "write `type` (0.3) or wrap it, such as in `httpAuthSecurityScheme` (1.0)",
        ),
    }
}

fn required(kind: &str) -> &'static [Rule] {
    REQUIRED
        .iter()
        .find(|(known, _)| *known == kind)
        .map_or(&[], |(_, rules)| rules)
}

/// Checks that readers of 1.0, whose schema has room for one OAuth flow, find one.
fn check_flows(scheme: &Object, pointer: &str, is_current: bool, findings: &mut Findings) {
    let Some(flows) = members::object(scheme, "flows") else {
        return;
    };
    let pointer = format!("{pointer}/flows");
    let count = flows.values().filter(|flow| flow.is_object()).count();
    if count == 0 {
        findings.error(
            &pointer,
            "no OAuth flow is described",
            "describe `authorizationCode` or another",
        );
    } else if is_current && count > 1 {
        findings.error(
            &pointer,
            format!("{count} OAuth flows are described, 1.0 has room for one"),
            "give each flow a scheme of its own",
        );
    }
}

/// Checks that what callers must present is described, and that they are told to present it.
fn check_use(card: &Card, schemes: &Object, findings: &mut Findings) {
    let members = card.members();
    let mut used = HashSet::new();
    check_requirements((members, ""), schemes, &mut used, findings);
    for (index, skill) in members::list(members, "skills").iter().enumerate() {
        if let Some(skill) = skill.as_object() {
            check_requirements(
                (skill, &format!("/skills/{index}")),
                schemes,
                &mut used,
                findings,
            );
        }
    }
    if !schemes.is_empty() && used.is_empty() {
        findings.warning(
            &members::pointer(members, "", "securitySchemes"),
            "schemes are described and none is required, callers take the agent for open",
            "name them in `securityRequirements` (1.0) or `security` (0.3)",
        );
    }
    if schemes.is_empty() && card.capabilities().extended_card {
        findings.warning(
            "/securitySchemes",
            "a card for authenticated callers is offered and no scheme says how to authenticate",
            "describe the scheme that opens it",
        );
    }
}

fn check_requirements(
    (object, pointer): (&Object, &str),
    schemes: &Object,
    used: &mut HashSet<String>,
    findings: &mut Findings,
) {
    let name = match members::member(object, "securityRequirements") {
        Some(Value::Array(list)) if !list.is_empty() => "securityRequirements",
        _ => "security",
    };
    let place = members::pointer(object, pointer, name);
    for (index, requirement) in SecurityRequirement::read_all(object)
        .into_iter()
        .enumerate()
    {
        for (scheme, _) in requirement.schemes {
            if !schemes.contains_key(&scheme) {
                findings.error(
                    &format!("{place}/{index}"),
                    format!("scheme `{}` is required and not described", shown(&scheme)),
                    "describe it in `securitySchemes`",
                );
            }
            used.insert(scheme);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::check::tests::checked;

    #[test]
    fn schemes_of_either_form_are_fine() {
        let schemes = json!({
            "a": {"type": "apiKey", "in": "header", "name": "X-Key"},
            "b": {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}},
            "c": {"type": "http", "scheme": "Bearer", "httpAuthSecurityScheme": {"scheme": "Bearer"}},
            "d": {"type": "oauth2", "flows": {"clientCredentials": {}, "authorizationCode": {}}},
            "e": {"mtlsSecurityScheme": {}},
        });
        let requirements =
            json!([{"schemes": {"a": {}, "b": {}}}, {"schemes": {"c": {"list": []}}}]);
        let found =
            checked(json!({"securitySchemes": schemes, "securityRequirements": requirements}));
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn schemes_that_nobody_can_follow_are_errors() {
        let schemes = json!({
            "a": {"type": "apiKey", "location": "header", "name": "X-Key"},
            "b": {"type": "bearer"},
            "c": {"scheme": "Bearer"},
            "d": {"oauth2SecurityScheme": {"flows": {"clientCredentials": {}, "authorizationCode": {}}}},
            "e": {"type": "oauth2", "flows": {}},
            "f": "bearer",
        });
        let found = checked(
            json!({"securitySchemes": schemes, "securityRequirements": [{"schemes": {"a": {}}}]}),
        );
        assert_eq!(
            found,
            [
                "Error /securitySchemes/a/in: `in` is missing",
                "Error /securitySchemes/b/type: `bearer` is no kind of security scheme",
                "Error /securitySchemes/c: the scheme does not say of what kind it is",
                "Error /securitySchemes/d/oauth2SecurityScheme/flows: 2 OAuth flows are described, 1.0 has room for one",
                "Error /securitySchemes/e/flows: no OAuth flow is described",
                "Error /securitySchemes/f: entry is a string, expected an object",
            ]
        );
    }

    #[test]
    fn requirement_of_a_scheme_that_is_not_described_is_an_error() {
        let skill = json!({"id": "s", "name": "S", "description": "d", "tags": [],
            "securityRequirements": [{"schemes": {"k": {}}}]});
        assert_eq!(
            checked(json!({"skills": [skill], "securityRequirements": [{"schemes": {"o": {}}}]})),
            [
                "Error /securityRequirements/0: scheme `o` is required and not described",
                "Error /skills/0/securityRequirements/0: scheme `k` is required and not described",
            ]
        );
    }

    #[test]
    fn schemes_that_are_never_required_are_a_warning() {
        assert_eq!(
            checked(json!({"securitySchemes": {"e": {"mtlsSecurityScheme": {}}}})),
            [
                "Warning /securitySchemes: schemes are described and none is required, callers take the agent for open"
            ]
        );
    }

    #[test]
    fn extended_card_without_scheme_is_a_warning() {
        assert_eq!(
            checked(json!({"capabilities": {"extendedAgentCard": true}})),
            [
                "Warning /securitySchemes: a card for authenticated callers is offered and no scheme says how to authenticate"
            ]
        );
    }
}
