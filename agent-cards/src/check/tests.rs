//! The checker, finding by finding.

use serde_json::{Value, json};

use super::*;

/// Checks a sound 1.0 card after `changes` were laid over its members.
pub(in crate::check) fn checked(changes: Value) -> Vec<String> {
    let mut card = json!({
        "name": "Becas", "description": "Grants.", "version": "1.2.0", "capabilities": {},
        "supportedInterfaces": [{"url": "https://a.example/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "review", "name": "Review", "description": "Reviews.", "tags": ["grants"]}],
    });
    let Value::Object(changes) = changes else {
        panic!("changes must be an object")
    };
    card.as_object_mut().unwrap().extend(changes);
    findings_of(&card)
}

fn findings_of(card: &Value) -> Vec<String> {
    let card = Card::parse(card.to_string().as_bytes()).unwrap();
    check(&card).iter().map(line).collect()
}

fn line(finding: &Finding) -> String {
    assert!(!finding.hint.is_empty(), "{finding:?}");
    format!(
        "{:?} {}: {}",
        finding.severity, finding.pointer, finding.message
    )
}

fn listed(url: &str) -> Value {
    json!({"supportedInterfaces": [{"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]})
}

#[test]
fn sound_card_has_no_findings() {
    assert!(checked(json!({})).is_empty());
}

#[test]
fn c012_missing_and_null_members_are_warnings_that_name_the_field() {
    let found = checked(
        json!({"skills": [{"id": "a", "name": "A", "description": "d"},
        {"id": "b", "name": "B", "description": "d", "tags": null}], "capabilities": null}),
    );
    assert_eq!(
        found,
        [
            "Warning /capabilities: `capabilities` is null, which counts as missing",
            "Warning /skills/0/tags: `tags` is missing",
            "Warning /skills/1/tags: `tags` is null, which counts as missing",
        ]
    );
}

#[test]
fn c012_requirements_in_the_other_form_are_warnings() {
    let found = checked(json!({"securitySchemes": {"o": {"mtlsSecurityScheme": {}}},
               "securityRequirements": [{"schemes": {"o": {"list": ["r"]}}}, {"o": ["r"]}]}));
    assert_eq!(
        found,
        ["Warning /securityRequirements/1: requirement is written in the form of 0.3"]
    );
}

#[test]
fn c129_wrong_types_are_errors() {
    let found = checked(
        json!({"capabilities": {"streaming": "yes"}, "defaultInputModes": ["text/plain", 3]}),
    );
    assert_eq!(
        found,
        [
            "Error /capabilities/streaming: `streaming` is a string, expected true or false",
            "Error /defaultInputModes/1: entry is a number, expected a string",
        ]
    );
}

#[test]
fn c129_duplicate_and_missing_skill_ids_are_errors() {
    let skill = |id: &str| json!({"id": id, "name": "n", "description": "d", "tags": []});
    let mut nameless = skill("");
    nameless.as_object_mut().unwrap().shift_remove("id");
    let found = checked(json!({"skills": [skill("a"), skill("b"), skill("a"), nameless, 7]}));
    assert_eq!(
        found,
        [
            "Error /skills/2/id: skill id `a` is already used at /skills/0",
            "Error /skills/3/id: `id` is missing",
            "Error /skills/4: entry is a number, expected an object",
        ]
    );
}

#[test]
fn c129_interface_without_version_or_url_is_an_error() {
    let found = checked(json!({"supportedInterfaces": [
        {"url": "https://a.example", "protocolBinding": "JSONRPC"},
        {"protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]}));
    assert_eq!(
        found,
        [
            "Error /supportedInterfaces/0/protocolVersion: `protocolVersion` is missing",
            "Error /supportedInterfaces/1/url: `url` is missing",
        ]
    );
}

#[test]
fn c129_address_of_the_card_itself_is_an_error() {
    let found = checked(listed("https://a.example/x/.well-known/agent-card.json"));
    assert_eq!(
        found,
        [
            "Error /supportedInterfaces/0/url: `https://a.example/x/.well-known/agent-card.json` is the address of the card itself"
        ]
    );
}

#[test]
fn c129_card_without_interface_is_an_error() {
    let found = checked(json!({"supportedInterfaces": []}));
    assert!(
        found[0].starts_with("Error : no usable interface"),
        "{found:?}"
    );
    let found = checked(listed("a.example/rpc"));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[1].contains("is not an absolute URL"), "{found:?}");
}

#[test]
fn c004_addresses_nobody_can_reach_are_warnings() {
    for url in ["http://0.0.0.0:8000/", "http://[::]:8000/"] {
        let found = checked(listed(url));
        assert_eq!(
            found,
            [format!(
                "Warning /supportedInterfaces/0/url: `{url}` is an address to listen on, nobody can reach it"
            )]
        );
    }
    assert!(checked(listed("http://localhost:8000/"))[0].contains("same machine only"));
}

#[test]
fn c004_host_that_differs_from_the_registered_one_is_a_warning() {
    let against = |url: &str, registered: &str| {
        let card = json!({"name": "a", "url": url, "skills": [], "protocolVersion": "0.3.0"});
        let card = Card::parse(card.to_string().as_bytes()).unwrap();
        let found = check_registered(&card, &Url::parse(registered).unwrap());
        found
            .iter()
            .filter(|finding| finding.pointer == "/url")
            .map(line)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        against("http://10.1.2.3:80/a2a", "http://m.example:9001"),
        [
            "Warning /url: the card names http://10.1.2.3, the agent is registered at http://m.example:9001"
        ]
    );
    assert_eq!(
        against("http://localhost:8000/", "http://127.0.0.1:8000").len(),
        0
    );
    assert_eq!(
        against("http://localhost:8000/", "http://127.0.0.1:9001").len(),
        1
    );
    assert_eq!(
        against("http://m.example:8443/", "https://m.example:8443").len(),
        1
    );
}

#[test]
fn c071_grpc_without_tls_beside_a_registration_with_it_is_an_error() {
    let errors = |url: &str, registered: &str| {
        let mut card = listed(url);
        card["name"] = json!("a");
        card["supportedInterfaces"][0]["protocolBinding"] = json!("GRPC");
        let card = Card::parse(card.to_string().as_bytes()).unwrap();
        let found = check_registered(&card, &Url::parse(registered).unwrap());
        let errors = found
            .iter()
            .filter(|finding| finding.severity == Severity::Error);
        errors.map(line).collect::<Vec<_>>()
    };
    assert_eq!(
        errors("http://m.example:10001", "https://m.example"),
        [
            "Error /supportedInterfaces/0/url: `http://m.example:10001` is gRPC without TLS and the agent is registered with TLS, so it is not called"
        ]
    );
    for (url, registered) in [
        ("m.example:10001", "https://m.example"),
        ("https://m.example:10001", "https://m.example"),
        ("http://m.example:10001", "http://m.example"),
    ] {
        assert_eq!(errors(url, registered), [""; 0], "{url} {registered}");
    }
}

#[test]
fn interfaces_of_0_3_in_the_form_of_1_0_alone_are_a_warning() {
    let interfaces = json!([{"url": "https://a.example", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"}]);
    let expected = "Warning /url: the card offers 0.3 alone and in the form of 1.0, which readers of 0.3 cannot read";
    assert_eq!(
        checked(json!({"supportedInterfaces": interfaces})),
        [expected]
    );
    let both = json!({"supportedInterfaces": interfaces, "url": "https://a.example", "protocolVersion": "0.3.0"});
    assert!(!checked(both).iter().any(|found| found == expected));
}

#[test]
fn unknown_bindings_and_versions_are_warnings() {
    let found = checked(json!({"supportedInterfaces": [
        {"url": "https://a.example", "protocolBinding": "jsonrpc", "protocolVersion": "1.0"},
        {"url": "mqtt://a.example", "protocolBinding": "MQTT", "protocolVersion": "2.0"}]}));
    assert_eq!(
        found,
        [
            "Warning /supportedInterfaces/0/protocolBinding: binding is written `jsonrpc`",
            "Warning /supportedInterfaces/1/protocolBinding: binding `MQTT` is not known, the interface is passed over",
            "Warning /supportedInterfaces/1/protocolVersion: protocol version 2.0 is neither 0.3 nor 1.x",
            "Warning /supportedInterfaces/1/url: `mqtt://a.example` is not an http or https URL",
        ]
    );
}

#[test]
fn legacy_duplicate_and_misspelled_members_are_warnings() {
    let interface =
        json!({"url": "https://a.example", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"});
    let found = checked(json!({
        "supportedInterfaces": [interface, interface], "security": [{}],
        "default_input_modes": ["text"], "icon_url": "https://a.example/i.png",
    }));
    assert_eq!(
        found,
        [
            "Warning /default_input_modes: `default_input_modes` repeats `defaultInputModes`",
            "Warning /icon_url: `icon_url` is spelled in snake_case",
            "Warning /security: `security` belongs to 0.3, readers of 1.0 ignore it",
            "Warning /supportedInterfaces/1: interface is listed twice",
        ]
    );
}

#[test]
fn pointers_use_the_spelling_of_the_card() {
    let found = findings_of(&json!({
        "name": "a", "skills": [],
        "supported_interfaces": [{"url": "https://a.example", "protocol_binding": "MQTT", "protocolVersion": "1.0"}],
    }));
    let named = "/supported_interfaces/0/protocol_binding: binding `MQTT` is not known";
    assert!(found.iter().any(|line| line.contains(named)), "{found:#?}");
}

#[test]
fn modes_that_are_no_media_types_are_warnings() {
    assert_eq!(
        checked(json!({"defaultOutputModes": ["text"]})),
        ["Warning /defaultOutputModes/0: `text` is not a media type"]
    );
}

#[test]
fn address_of_a_0_3_card_is_checked_in_its_own_members() {
    let found = findings_of(&json!({
        "name": "a", "description": "d", "version": "1", "capabilities": {}, "skills": [],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "protocolVersion": "1.0",
        "url": "http://0.0.0.0/", "additionalInterfaces": [{"url": "x", "transport": "JSONRPC"}],
    }));
    assert_eq!(
        found,
        [
            "Error /additionalInterfaces/0/url: `x` is not an absolute URL",
            "Warning /protocolVersion: the card says 1.0 or later and is written in the form of 0.3",
            "Warning /skills: no skill is listed",
            "Warning /url: `http://0.0.0.0/` is an address to listen on, nobody can reach it",
        ]
    );
}

#[test]
fn capabilities_that_a2a_does_not_have_are_warnings() {
    let capabilities = json!({"websocket": true, "stateTransitionHistory": true, "x": {"a": 1}});
    assert_eq!(
        checked(json!({ "capabilities": capabilities })),
        [
            "Warning /capabilities/stateTransitionHistory: `stateTransitionHistory` belongs to 0.3, readers of 1.0 ignore it",
            "Warning /capabilities/websocket: `websocket` is no capability of A2A, clients ignore it",
        ]
    );
}

#[test]
fn address_without_encryption_is_a_warning_where_the_card_is_published() {
    let card = listed("http://a.example/rpc");
    assert_eq!(
        checked(card),
        ["Warning /supportedInterfaces/0/url: `http://a.example/rpc` is not encrypted"]
    );
}
