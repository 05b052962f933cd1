//! The card served for one agent, rule by rule.

use super::super::{OriginalCard, PublishedInterface, ServedShape, signed};
use super::*;
use crate::{
    Extension, InterfaceBinding, ProtocolVersion, SecurityScheme, SigningKey, TrustedKeys, check,
    verify,
};

const RPC: &str = "https://gateway.example/agents/tick";

fn options(shape: ServedShape, versions: &[ProtocolVersion]) -> Publish {
    let interface = |version: &ProtocolVersion| PublishedInterface {
        url: RPC.to_owned(),
        binding: InterfaceBinding::JsonRpc,
        version: *version,
        tenant: None,
    };
    Publish {
        interfaces: versions.iter().map(interface).collect(),
        shape,
        streaming: true,
        push_notifications: false,
        extended_card: false,
        extensions: Vec::new(),
        security: Security::default(),
        original: None,
    }
}

fn served(card: &Value, options: &Publish) -> Value {
    agent(&Card::parse(card.to_string().as_bytes()).unwrap(), options)
}

fn names(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

fn upstream() -> Value {
    json!({
        "name": "Tock", "description": "Tells the time.", "version": "3",
        "url": "http://10.0.0.7/a2a/tock/v03", "preferredTransport": "HTTP+JSON", "protocolVersion": "0.3.0",
        "supportedInterfaces": [
            {"url": "http://10.0.0.7/a2a/tock/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {"url": "http://10.0.0.7/a2a/tock/rest?k=1", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
        ],
        "capabilities": {"streaming": false, "pushNotifications": true, "stateTransitionHistory": true, "x": 1},
        "security": [{"o": []}], "securityRequirements": [{"schemes": {"o": {}}}],
        "security_schemes": {"o": {"type": "http", "scheme": "bearer"}}, "signatures": [{"protected": "e30", "signature": "x"}],
        "skills": [{"id": "now", "name": "Now", "description": "d", "tags": null, "security": [{"o": []}], "x-cost": 3}],
        "x-audit": {"owner": "clock"},
    })
}

#[test]
fn tenants_stand_in_the_members_of_1_0_only() {
    let versions = [ProtocolVersion::V1_0, ProtocolVersion::V0_3];
    let mut options = options(ServedShape::Hybrid, &versions);
    for interface in &mut options.interfaces {
        interface.tenant = Some("tick".to_owned());
    }
    options.interfaces[1].tenant = None;
    let card = served(&upstream(), &options);
    let entry = &card["supportedInterfaces"][0];
    let members = ["url", "protocolBinding", "protocolVersion", "tenant"];
    assert_eq!(names(entry), members);
    assert_eq!(entry["tenant"], "tick");
    assert_eq!(names(&card["supportedInterfaces"][1]), members[..3]);
    assert_eq!(
        names(&card["additionalInterfaces"][0]),
        ["url", "transport"]
    );
}

#[test]
fn c005_addresses_of_the_agent_never_reach_the_served_card() {
    for shape in [ServedShape::V1, ServedShape::Hybrid] {
        let options = options(shape, &[ProtocolVersion::V1_0, ProtocolVersion::V0_3]);
        let text = served(&upstream(), &options).to_string();
        assert!(
            !text.contains("10.0.0.7") && !text.contains("tock/"),
            "{text}"
        );
        assert!(text.contains(&format!("\"{RPC}\"")), "{text}");
    }
}

#[test]
fn card_for_1_0_readers_has_no_member_of_0_3() {
    let options = options(
        ServedShape::V1,
        &[ProtocolVersion::V1_0, ProtocolVersion::V0_3],
    );
    let card = served(&upstream(), &options);
    assert_eq!(
        names(&card),
        [
            "name",
            "description",
            "version",
            "supportedInterfaces",
            "capabilities",
            "defaultInputModes",
            "defaultOutputModes",
            "skills",
            "x-audit"
        ]
    );
    assert_eq!(
        names(&card["capabilities"]),
        ["streaming", "pushNotifications", "extendedAgentCard", "x"]
    );
    let versions: Vec<&Value> = card["supportedInterfaces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|interface| &interface["protocolVersion"])
        .collect();
    assert_eq!(versions, ["1.0", "0.3"]);
}

#[test]
fn hybrid_has_the_members_of_both_versions() {
    let options = options(
        ServedShape::Hybrid,
        &[ProtocolVersion::V1_0, ProtocolVersion::V0_3],
    );
    let card = served(&upstream(), &options);
    assert_eq!(card["supportedInterfaces"].as_array().unwrap().len(), 2);
    assert_eq!(card["protocolVersion"], "0.3.0");
    assert_eq!(card["url"], RPC);
    assert_eq!(card["preferredTransport"], "JSONRPC");
    assert_eq!(
        card["additionalInterfaces"],
        json!([{"url": RPC, "transport": "JSONRPC"}])
    );
    assert_eq!(card["supportsAuthenticatedExtendedCard"], false);
    assert_eq!(card["capabilities"]["stateTransitionHistory"], true);
}

#[test]
fn hybrid_with_only_0_3_interfaces_is_a_plain_0_3_card() {
    let options = options(ServedShape::Hybrid, &[ProtocolVersion::V0_3]);
    let card = served(&upstream(), &options);
    assert_eq!(card.get("supportedInterfaces"), None);
    assert_eq!(card["capabilities"].get("extendedAgentCard"), None);
    assert_eq!(card["url"], RPC);
}

#[test]
fn hybrid_without_0_3_interface_promises_none() {
    let options = options(ServedShape::Hybrid, &[ProtocolVersion::V1_0]);
    let card = served(&upstream(), &options);
    assert_eq!(card.get("url"), None);
    assert_eq!(card.get("protocolVersion"), None);
}

#[test]
fn security_and_signatures_of_the_agent_are_left_out() {
    let options = options(ServedShape::Hybrid, &[ProtocolVersion::V0_3]);
    let text = served(&upstream(), &options).to_string();
    assert!(
        !text.contains("security") && !text.contains("signature"),
        "{text}"
    );
}

#[test]
fn c079_callers_are_told_the_schemes_of_the_gateway_in_the_form_of_their_version() {
    let bearer = SecurityScheme::bearer(Some("JWT")).described("A token of the gateway.");
    let served_as = |shape, versions: &[ProtocolVersion]| {
        let mut options = options(shape, versions);
        options.security = Security::one("token", bearer.clone());
        served(&upstream(), &options)
    };
    let legacy = json!({"type": "http", "scheme": "Bearer", "bearerFormat": "JWT", "description": "A token of the gateway."});
    let wrapped = json!({"scheme": "Bearer", "bearerFormat": "JWT", "description": "A token of the gateway."});
    let card = served_as(ServedShape::V1, &[ProtocolVersion::V1_0]);
    assert_eq!(
        card["securitySchemes"],
        json!({"token": {"httpAuthSecurityScheme": wrapped}})
    );
    assert_eq!(
        card["securityRequirements"],
        json!([{"schemes": {"token": {"list": []}}}])
    );
    assert_eq!(card.get("security"), None);
    let card = served_as(ServedShape::Hybrid, &[ProtocolVersion::V0_3]);
    assert_eq!(card["securitySchemes"], json!({"token": legacy}));
    assert_eq!(card["security"], json!([{"token": []}]));
    assert_eq!(card.get("securityRequirements"), None);
    let card = served_as(
        ServedShape::Hybrid,
        &[ProtocolVersion::V1_0, ProtocolVersion::V0_3],
    );
    assert_eq!(card["securitySchemes"]["token"]["type"], "http");
    assert_eq!(
        card["securitySchemes"]["token"]["httpAuthSecurityScheme"],
        wrapped
    );
    assert!(card.get("security").is_some() && card.get("securityRequirements").is_some());
}

#[test]
fn security_of_the_agent_is_passed_through_when_asked_for() {
    let card = Card::parse(upstream().to_string().as_bytes()).unwrap();
    let mut options = options(ServedShape::V1, &[ProtocolVersion::V1_0]);
    options.security = card.security().clone();
    assert_eq!(
        agent(&card, &options)["securitySchemes"],
        json!({"o": {"httpAuthSecurityScheme": {"scheme": "bearer"}}})
    );
}

#[test]
fn place_and_digest_of_the_original_card_are_named_in_an_extension() {
    let card = Card::parse(upstream().to_string().as_bytes()).unwrap();
    let mut options = options(ServedShape::V1, &[ProtocolVersion::V1_0]);
    options.original = Some(OriginalCard {
        url: "https://gateway.example/agents/tick/original-card".to_owned(),
        digest: card.fingerprint().to_owned(),
    });
    let served = agent(&card, &options);
    let extension = &served["capabilities"]["extensions"][0];
    assert_eq!(extension["uri"], "urn:a2a-gateway:original-card:1");
    assert_eq!(extension["required"], false);
    assert_eq!(
        extension["params"],
        json!({"url": "https://gateway.example/agents/tick/original-card", "digest": card.fingerprint()})
    );
}

#[test]
fn c085_served_card_is_signed_by_the_gateway_alone() {
    // The example key of RFC 8037, appendix A.1.
    let key = SigningKey::from_pem(
        b"-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----",
    )
    .unwrap();
    let mut keys = TrustedKeys::new();
    keys.add(key.public_jwk().to_string().as_bytes()).unwrap();
    for shape in [ServedShape::V1, ServedShape::Hybrid] {
        let options = options(shape, &[ProtocolVersion::V1_0, ProtocolVersion::V0_3]);
        let signed = signed(&served(&upstream(), &options), &key).unwrap();
        let card = Card::parse(signed.to_string().as_bytes()).unwrap();
        let verification = verify(&card, &keys);
        assert!(verification.is_valid());
        for report in verification.signatures() {
            assert_eq!(report.key.as_deref(), Some(key.key_id()));
        }
    }
}

#[test]
fn c012_unknown_members_survive() {
    let options = options(ServedShape::V1, &[ProtocolVersion::V1_0]);
    let card = served(&upstream(), &options);
    assert_eq!(card["x-audit"], json!({"owner": "clock"}));
    assert_eq!(card["skills"][0]["x-cost"], 3);
    assert_eq!(card["capabilities"]["x"], 1);
}

#[test]
fn c012_required_lists_are_present_though_the_agent_left_them_out() {
    let options = options(ServedShape::Hybrid, &[ProtocolVersion::V0_3]);
    let card = served(&json!({"name": "a", "url": "https://a.example"}), &options);
    assert_eq!(card["skills"], json!([]));
    assert_eq!(card["defaultInputModes"], json!(["text/plain"]));
    assert_eq!(card["defaultOutputModes"], json!(["text/plain"]));
    assert_eq!(
        served(&upstream(), &options)["skills"][0]["tags"],
        json!([])
    );
}

#[test]
fn members_of_the_wrong_type_do_not_spoil_the_served_card() {
    let options = options(
        ServedShape::Hybrid,
        &[ProtocolVersion::V1_0, ProtocolVersion::V0_3],
    );
    let card = served(
        &json!({
            "name": "a", "url": "https://a.example", "version": 2, "iconUrl": false, "provider": {"url": 1},
            "default_input_modes": "text", "capabilities": {"extensions": [{"uri": "urn:x", "params": []}, {}]},
            "skills": [null, {"id": 1}, {"id": "s", "tags": "a,b", "examples": [{"a": 1}, "do it"], "input_modes": ["a/b"]}],
        }),
        &options,
    );
    assert_eq!(card["version"], "");
    assert_eq!(card.get("iconUrl"), None);
    assert_eq!(card.get("provider"), None, "a part of one is none");
    assert_eq!(card["defaultInputModes"], json!(["text/plain"]));
    assert_eq!(
        card["capabilities"]["extensions"],
        json!([{"uri": "urn:x"}])
    );
    assert_eq!(
        card["skills"],
        json!([{"id": "s", "name": "s", "description": "", "tags": [], "examples": ["do it"], "inputModes": ["a/b"]}])
    );
}

#[test]
fn extensions_of_the_gateway_replace_those_of_the_same_uri() {
    let mut options = options(ServedShape::V1, &[ProtocolVersion::V1_0]);
    options.extensions = vec![Extension {
        uri: "urn:b".to_owned(),
        description: Some("ours".to_owned()),
        required: false,
    }];
    let mut card = upstream();
    card["capabilities"]["extensions"] = json!([
        {"uri": "urn:a", "required": true, "params": {"depth": 2}, "x": 1}, {"uri": "urn:b", "required": true}]);
    assert_eq!(
        served(&card, &options)["capabilities"]["extensions"],
        json!([
            {"uri": "urn:a", "required": true, "params": {"depth": 2}, "x": 1},
            {"uri": "urn:b", "description": "ours", "required": false},
        ])
    );
}

#[test]
fn flags_are_those_of_the_options() {
    let mut options = options(
        ServedShape::Hybrid,
        &[ProtocolVersion::V1_0, ProtocolVersion::V0_3],
    );
    options.extended_card = true;
    let card = served(&upstream(), &options);
    assert_eq!(card["capabilities"]["streaming"], true);
    assert_eq!(card["capabilities"]["pushNotifications"], false);
    assert_eq!(card["capabilities"]["extendedAgentCard"], true);
    assert_eq!(card["supportsAuthenticatedExtendedCard"], true);
}

#[test]
fn served_card_of_a_sound_agent_has_no_findings() {
    for shape in [ServedShape::V1, ServedShape::Hybrid] {
        let options = options(shape, &[ProtocolVersion::V1_0, ProtocolVersion::V0_3]);
        let served = served(&upstream(), &options);
        let card = Card::parse(served.to_string().as_bytes()).unwrap();
        assert_eq!(check(&card), []);
    }
}
