//! Writes a card in the shape of another protocol version, and says what that loses.

use serde::Serialize;

use crate::members::{self, Object};
use crate::publish::PublishedInterface;
use crate::publish::agent::{self, Rewrite};
use crate::publish::form::{Flags, Form};
use crate::{Card, CardError, Change, ChangeKind, Shape, diff};

/// A card in another shape.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The card.
    pub card: Card,
    /// What the shape has no place for.
    pub losses: Vec<Loss>,
}

/// Something a card says that its converted form does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// Where it is in the card that was converted, as a JSON pointer.
    pub pointer: String,
    /// What is lost, in one sentence.
    pub message: String,
}

/// The error for a card that has no use in another shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// Readers of 0.3 would find no address to call.
    #[error("the card has no interface of 0.3, offer one or keep it a card of 1.0")]
    NoLegacyInterface,
    /// The converted card cannot be read.
    #[error("the converted card cannot be read")]
    Unreadable(#[from] CardError),
}

/// Writes a card in another shape: the same agent, described to readers of other versions.
///
/// Interfaces keep their own protocol versions, so a card of 0.3 turned to one of 1.0 still offers
/// 0.3. Signatures are left out, since they cover the other form. Members this crate does not know
/// survive; known ones of the wrong type do not.
///
/// # Errors
///
/// Refuses to write a card for readers of 0.3 who could call nothing in it.
pub fn convert(card: &Card, to: Shape) -> Result<Converted, ConvertError> {
    let is_legacy = |interface: &PublishedInterface| interface.version.is_legacy();
    let mut interfaces: Vec<PublishedInterface> = card
        .interfaces()
        .iter()
        .map(PublishedInterface::from)
        .collect();
    if to != Shape::V1 && !interfaces.iter().any(is_legacy) {
        return Err(ConvertError::NoLegacyInterface);
    }
    if to == Shape::V03 {
        interfaces.retain(is_legacy);
    }
    let empty = Object::new();
    let declared = members::object(card.members(), "capabilities").unwrap_or(&empty);
    let rewrite = Rewrite {
        form: Form::new(to),
        interfaces: &interfaces,
        flags: flags(card.members(), declared),
        extensions: agent::extensions(declared),
        security: card.security(),
        skills_keep_security: true,
    };
    let body = rewrite.of(card).to_string();
    let converted = Card::parse(body.as_bytes())?;
    let losses = losses(card, &converted, to);
    Ok(Converted {
        card: converted,
        losses,
    })
}

/// Returns what the card says of its features; what it does not say stays unsaid.
fn flags(card: &Object, declared: &Object) -> Flags {
    Flags {
        streaming: members::flag(declared, "streaming"),
        push_notifications: members::flag(declared, "pushNotifications"),
        extended_card: members::flag(declared, "extendedAgentCard")
            .or_else(|| members::flag(card, "supportsAuthenticatedExtendedCard")),
    }
}

fn losses(card: &Card, converted: &Card, to: Shape) -> Vec<Loss> {
    let mut losses: Vec<Loss> = diff(card, converted)
        .into_iter()
        .filter(|change| !is_scheme(change))
        .map(|change| Loss {
            message: change.message,
            pointer: change.pointer,
        })
        .collect();
    for (name, scheme) in &card.security().schemes {
        let pointer = members::step("/securitySchemes", name);
        let shown = members::shown(name);
        if to == Shape::V1 {
            losses.extend(scheme.flows_lost_in_v1().into_iter().map(|flow| Loss {
                pointer: pointer.clone(),
                message: format!(
                    "security scheme `{shown}`: 1.0 has room for one OAuth flow, `{flow}` is left out"
                ),
            }));
        }
        if to == Shape::V03 {
            losses.extend(scheme.lost_in_v03().into_iter().map(|member| Loss {
                pointer: format!("{pointer}{member}"),
                message: format!("security scheme `{shown}`: 0.3 has no place for `{member}`"),
            }));
        }
    }
    let capabilities = members::object(card.members(), "capabilities");
    let history =
        capabilities.and_then(|declared| members::member(declared, "stateTransitionHistory"));
    if to == Shape::V1 && history.is_some() {
        losses.push(Loss {
            pointer: "/capabilities/stateTransitionHistory".to_owned(),
            message: "`stateTransitionHistory` has no place in 1.0".to_owned(),
        });
    }
    losses
}

fn is_scheme(change: &Change) -> bool {
    change.kind == ChangeKind::Security && change.pointer.starts_with("/securitySchemes/")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn parse(value: &Value) -> Card {
        Card::parse(value.to_string().as_bytes()).unwrap()
    }

    fn lost(card: &Card, to: Shape) -> Vec<String> {
        let losses = convert(card, to).unwrap().losses;
        losses
            .into_iter()
            .map(|loss| format!("{}: {}", loss.pointer, loss.message))
            .collect()
    }

    fn legacy() -> Value {
        json!({
            "name": "a", "description": "d", "version": "1",
            "protocolVersion": "0.3.0", "url": "https://a.example/rpc", "preferredTransport": "JSONRPC",
            "additionalInterfaces": [{"url": "https://a.example/rpc", "transport": "JSONRPC"},
                                     {"url": "https://a.example/rest", "transport": "HTTP+JSON"}],
            "capabilities": {"streaming": true, "extensions": [{"uri": "urn:x", "required": true, "params": {"a": 1}}], "x": 1},
            "supportsAuthenticatedExtendedCard": true,
            "securitySchemes": {
                "o": {"type": "oauth2", "flows": {"authorizationCode": {"authorizationUrl": "a", "tokenUrl": "t", "scopes": {}},
                                                  "clientCredentials": {"tokenUrl": "t", "scopes": {"s": "S"}}}},
                "k": {"type": "apiKey", "in": "header", "name": "X-Key"}},
            "security": [{"o": ["s"]}, {"k": []}],
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "skills": [{"id": "s", "name": "S", "description": "d", "tags": ["t"], "security": [{"k": []}], "x-cost": 1}],
            "x-note": "n",
        })
    }

    #[test]
    fn hybrid_loses_nothing_and_leads_back_to_the_same_card() {
        let original = parse(&legacy());
        let hybrid = convert(&original, Shape::Hybrid).unwrap();
        assert_eq!(hybrid.losses, []);
        assert_eq!(hybrid.card.shape(), Shape::Hybrid);
        let scheme = &hybrid.card.value()["securitySchemes"]["o"];
        assert_eq!(scheme["flows"].as_object().unwrap().len(), 2);
        let current = &scheme["oauth2SecurityScheme"]["flows"];
        assert_eq!(current.as_object().unwrap().len(), 1);
        let back = convert(&hybrid.card, Shape::V03).unwrap();
        assert_eq!(back.losses, []);
        assert_eq!(back.card.value(), original.value());
    }

    #[test]
    fn card_of_0_3_in_the_shape_of_1_0_keeps_one_oauth_flow_and_names_the_others() {
        let converted = convert(&parse(&legacy()), Shape::V1).unwrap();
        assert_eq!(
            converted.losses,
            [Loss {
                pointer: "/securitySchemes/o".to_owned(),
                message: "security scheme `o`: 1.0 has room for one OAuth flow, `clientCredentials` is left out".to_owned(),
            }]
        );
        let card = converted.card.value();
        assert_eq!(converted.card.shape(), Shape::V1);
        assert_eq!(card["supportedInterfaces"][1]["protocolVersion"], "0.3");
        assert_eq!(card["capabilities"]["extendedAgentCard"], true);
        assert_eq!(card["capabilities"].get("pushNotifications"), None);
        assert_eq!(
            card["capabilities"]["extensions"][0]["params"],
            json!({"a": 1})
        );
        assert_eq!(
            card["skills"][0]["securityRequirements"],
            json!([{"schemes": {"k": {"list": []}}}])
        );
        assert_eq!(card["x-note"], "n");
        for name in [
            "url",
            "security",
            "protocolVersion",
            "supportsAuthenticatedExtendedCard",
        ] {
            assert_eq!(card.get(name), None);
        }
    }

    #[test]
    fn what_0_3_has_no_place_for_is_named() {
        let card = parse(&json!({
            "name": "a", "description": "d", "version": "1", "skills": [], "capabilities": {},
            "supportedInterfaces": [
                {"url": "https://a.example/1", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
                {"url": "https://a.example/0", "protocolBinding": "JSONRPC", "protocolVersion": "0.3", "tenant": "t"}],
            "securitySchemes": {"o": {"oauth2SecurityScheme": {"flows": {"deviceCode": {"tokenUrl": "t"}}}}},
            "signatures": [{"protected": "e30", "signature": "AA"}],
        }));
        assert_eq!(
            lost(&card, Shape::V03),
            [
                "/signatures: the card is no longer signed",
                "/supportedInterfaces/0: JSONRPC 1.0 at `https://a.example/1` is gone",
                "/url/tenant: tenant of JSONRPC 0.3 at `https://a.example/0` is gone",
                "/securitySchemes/o/oauth2SecurityScheme/flows/deviceCode: security scheme `o`: 0.3 has no place for `/oauth2SecurityScheme/flows/deviceCode`",
            ]
        );
        assert_eq!(
            lost(&card, Shape::Hybrid),
            ["/signatures: the card is no longer signed"]
        );
    }

    #[test]
    fn history_of_states_is_lost_in_1_0() {
        let mut card = legacy();
        card["capabilities"]["stateTransitionHistory"] = json!(true);
        card["securitySchemes"] = json!({});
        assert_eq!(
            lost(&parse(&card), Shape::V1),
            ["/capabilities/stateTransitionHistory: `stateTransitionHistory` has no place in 1.0"]
        );
    }

    #[test]
    fn card_that_nobody_could_call_is_not_written() {
        let card = parse(&json!({"name": "a", "skills": [], "supportedInterfaces": [
            {"url": "https://a.example", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]}));
        for to in [Shape::V03, Shape::Hybrid] {
            assert_eq!(
                convert(&card, to).unwrap_err(),
                ConvertError::NoLegacyInterface
            );
        }
        assert!(convert(&card, Shape::V1).unwrap().losses.is_empty());
    }

    #[test]
    fn flow_that_readers_of_1_0_see_stays_the_one_of_the_hybrid() {
        let card = parse(&json!({
            "name": "a", "skills": [], "url": "https://a.example", "protocolVersion": "0.3.0",
            "supportedInterfaces": [{"url": "https://a.example", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
            "securitySchemes": {"o": {
                "type": "oauth2", "flows": {"authorizationCode": {"tokenUrl": "a"}},
                "oauth2SecurityScheme": {"flows": {"deviceCode": {"tokenUrl": "d"}}}}},
        }));
        let converted = convert(&card, Shape::V1).unwrap().card;
        let flows = &converted.value()["securitySchemes"]["o"]["oauth2SecurityScheme"]["flows"];
        assert_eq!(flows, &json!({"deviceCode": {"tokenUrl": "d"}}));
    }
}
