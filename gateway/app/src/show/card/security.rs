//! How callers authenticate, in words.

use agent_cards::{Security, SecurityRequirement, SecurityScheme};
use serde_json::{Map, Value, json};

/// Says what a caller must show, and how.
pub(super) fn text(security: &Security) -> String {
    let kind = |name: &str| {
        let found = security.schemes.iter().find(|(known, _)| known == name);
        found.map_or_else(
            || "not described".to_owned(),
            |(_, scheme)| describe(scheme),
        )
    };
    let alternative = |requirement: &SecurityRequirement| {
        let schemes = requirement.schemes.iter().map(|(name, scopes)| {
            let scopes = match scopes.as_slice() {
                [] => String::new(),
                scopes => format!(" for {}", scopes.join(" ")),
            };
            format!("{name} ({}){scopes}", kind(name))
        });
        let needed: Vec<String> = schemes.collect();
        if needed.is_empty() {
            return "nothing".to_owned();
        }
        needed.join(" and ")
    };
    if !security.requirements.is_empty() {
        let alternatives = security.requirements.iter().map(alternative);
        return alternatives.collect::<Vec<_>>().join(", or ");
    }
    if security.schemes.is_empty() {
        return "none".to_owned();
    }
    let described = security.schemes.iter();
    let described: Vec<String> = described
        .map(|(name, scheme)| format!("{name} ({})", describe(scheme)))
        .collect();
    format!("none required; described {}", described.join(", "))
}

/// Renders the same for a program: the schemes in the form of 1.0, and the alternatives with their scopes.
pub(super) fn members(security: &Security) -> Value {
    let schemes = security.schemes.iter();
    let schemes: Map<String, Value> = schemes
        .map(|(name, scheme)| (name.clone(), scheme.value()))
        .collect();
    let requirements = security.requirements.iter().map(|requirement| {
        let schemes = requirement.schemes.iter();
        schemes
            .map(|(name, scopes)| (name.clone(), json!(scopes)))
            .collect::<Map<String, Value>>()
    });
    json!({ "schemes": schemes, "requirements": requirements.collect::<Vec<_>>() })
}

fn describe(scheme: &SecurityScheme) -> String {
    let value = scheme.value();
    let Some((kind, scheme)) = value.as_object().and_then(|members| members.iter().next()) else {
        return "of unknown kind".to_owned();
    };
    let text = |name: &str| scheme.get(name).and_then(Value::as_str).unwrap_or("?");
    match kind.as_str() {
        "apiKeySecurityScheme" => format!("API key in {} {}", text("location"), text("name")),
        "httpAuthSecurityScheme" => format!("HTTP {}", text("scheme")),
        "oauth2SecurityScheme" => {
            let flows = scheme.get("flows").and_then(Value::as_object);
            let flows: Vec<&str> = flows
                .into_iter()
                .flatten()
                .map(|(name, _)| name.as_str())
                .collect();
            format!("OAuth 2 {}", flows.join(", "))
        }
        "openIdConnectSecurityScheme" => format!("OpenID Connect at {}", text("openIdConnectUrl")),
        "mtlsSecurityScheme" => "client certificate".to_owned(),
        _ => "of unknown kind".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use agent_cards::Card;

    use super::text;

    fn shown(security: &str) -> String {
        let card = format!(r#"{{"name": "a", "skills": [], {security}}}"#);
        text(Card::parse(card.as_bytes()).unwrap().security())
    }

    #[test]
    fn alternatives_and_what_is_needed_together_are_told_apart() {
        let schemes = r#""securitySchemes": {
            "login": {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "t", "scopes": {}}}},
            "key": {"type": "apiKey", "in": "header", "name": "X-Key"}}"#;
        assert_eq!(
            shown(&format!(
                r#"{schemes}, "security": [{{"login": ["read", "write"], "key": []}}, {{"token": []}}, {{}}]"#
            )),
            "login (OAuth 2 clientCredentials) for read write and key (API key in header X-Key), or token (not described), or nothing"
        );
        assert_eq!(
            shown(schemes),
            "none required; described login (OAuth 2 clientCredentials), key (API key in header X-Key)"
        );
        assert_eq!(shown(r#""url": "https://a.example""#), "none");
    }
}
