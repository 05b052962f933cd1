//! Which ports of the registered host a card may lead calls to, and what goes there.

use agent_cards::Severity;
use gateway_protocol::{
    Binding::{Grpc, JsonRpc},
    Version::V1,
};
use serde_json::json;

use super::*;
use crate::{agent::AgentAuth, testing};

fn accepted(registered: &str, auth: AgentAuth, grpc: &str) -> AcceptedCard {
    let mut spec = testing::spec("a");
    (spec.url, spec.auth) = (Url::parse(registered).unwrap(), auth);
    let json_rpc = Url::parse(registered).unwrap().join("rpc").unwrap();
    let interfaces = json!({ "supportedInterfaces": [
        { "url": grpc, "protocolBinding": "GRPC", "protocolVersion": "1.0" },
        { "url": json_rpc, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
    ]});
    let fetched = testing::fetched(testing::card("a", "b", &interfaces));
    let card = fetched.card.clone();
    AcceptedCard::new(&spec, (&fetched, card), Timestamp::UNIX_EPOCH)
}

fn bearer() -> AgentAuth {
    AgentAuth::Bearer("secret".into())
}

/// Returns the findings about the first interface.
fn found(accepted: &AcceptedCard) -> Vec<(Severity, &str, &str)> {
    let findings = accepted.findings.iter();
    let of_first = findings.filter(|found| found.pointer.starts_with("/supportedInterfaces/0"));
    of_first
        .map(|found| (found.severity, &*found.pointer, &*found.message))
        .collect()
}

#[test]
fn c071_a_port_that_only_the_card_names_is_called_last_and_without_credential() {
    let accepted = accepted("http://m:9001", bearer(), "http://m:10001");
    let called = accepted.endpoint(V1, Grpc).unwrap();
    assert_eq!(
        (called.binding, called.withholds_credential),
        (JsonRpc, false)
    );
    let message = "no credential is shown at http://m:10001, as the agent is registered elsewhere; it is called last";
    assert_eq!(
        found(&accepted),
        [(Severity::Warning, "/supportedInterfaces/0", message)]
    );
    assert!(
        accepted
            .findings
            .is_sorted_by_key(|found| (found.severity, &found.pointer))
    );
}

#[test]
fn c071_the_registered_port_and_agents_without_credential_need_no_such_care() {
    for (registered, auth, grpc) in [
        ("http://m:9001", AgentAuth::None, "http://m:10001"),
        ("http://m:9001", bearer(), "m:9001"),
        ("https://m", bearer(), "m:443"),
    ] {
        let accepted = accepted(registered, auth, grpc);
        assert_eq!(accepted.endpoint(V1, Grpc).unwrap().binding, Grpc, "{grpc}");
        let about_credentials = |found: &Finding| found.message.contains("credential");
        assert!(!accepted.findings.iter().any(about_credentials), "{grpc}");
    }
}

#[test]
fn c083_no_card_leads_a_call_to_the_gateway_itself() {
    let mut spec = testing::spec("a");
    spec.url = Url::parse("http://127.0.0.1:9001").unwrap();
    spec.own = ["127.0.0.1:8080", "127.0.0.1:9901"]
        .map(|own| own.parse().unwrap())
        .into();
    let grpc = |port: u16| {
        let url = format!("agent.example:{port}");
        json!({ "url": url, "protocolBinding": "GRPC", "protocolVersion": "1.0" })
    };
    let interfaces = json!({ "supportedInterfaces": [grpc(9901), grpc(10_001), grpc(8080)] });
    let fetched = testing::fetched(testing::card("a", "b", &interfaces));
    let card = fetched.card.clone();
    let accepted = AcceptedCard::new(&spec, (&fetched, card), Timestamp::UNIX_EPOCH);
    let called: Vec<_> = accepted
        .endpoints
        .iter()
        .map(|found| found.url.as_str())
        .collect();
    assert_eq!(called, ["http://127.0.0.1:10001/"]);
    let refused = accepted
        .findings
        .iter()
        .filter(|found| found.message.contains("the gateway itself"));
    let refused: Vec<_> = refused
        .map(|found| (found.severity, found.pointer.as_str()))
        .collect();
    let error = Severity::Error;
    assert_eq!(
        refused,
        [
            (error, "/supportedInterfaces/0/url"),
            (error, "/supportedInterfaces/2/url")
        ]
    );
}

#[test]
fn c071_grpc_without_tls_is_not_called_where_tls_is_registered() {
    let accepted = accepted("https://m:9001", AgentAuth::None, "http://m:10001");
    let bindings: Vec<_> = accepted
        .endpoints
        .iter()
        .map(|found| found.binding)
        .collect();
    assert_eq!(bindings, [JsonRpc]);
    let message = "`http://m:10001` is gRPC without TLS and the agent is registered with TLS, so it is not called";
    assert_eq!(
        found(&accepted),
        [(Severity::Error, "/supportedInterfaces/0/url", message)]
    );
}
