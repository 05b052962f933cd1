//! Where served cards say the gateway is reached: every binding in both versions, whatever an agent speaks.

use agent_cards::{InterfaceBinding, ProtocolVersion, publish::PublishedInterface};
use gateway_core::AgentId;
use url::Url;

/// The versions from the most preferred to the least.
const VERSIONS: [ProtocolVersion; 2] = [ProtocolVersion::V1_0, ProtocolVersion::V0_3];

/// Lists the addresses of the federated endpoint.
pub(super) fn federated(base: &str) -> Vec<PublishedInterface> {
    VERSIONS
        .into_iter()
        .flat_map(|version| {
            let grpc = grpc(base, version);
            http(&format!("{base}/a2a"), version)
                .into_iter()
                .chain([grpc])
        })
        .collect()
}

/// Lists the addresses of one agent.
///
/// All of gRPC is one address, so that a request must name the agent: in 1.0 by the tenant, which clients repeat
/// (A2A §8.3.2). A 0.3 card has no place to say so, and its readers would reach any agent.
pub(super) fn of_agent(base: &str, agent: &AgentId) -> Vec<PublishedInterface> {
    let url = format!("{base}/agents/{agent}");
    let [current, legacy] = VERSIONS;
    let grpc = PublishedInterface {
        tenant: Some(agent.as_str().to_owned()),
        ..grpc(base, current)
    };
    http(&url, current)
        .into_iter()
        .chain([grpc])
        .chain(http(&url, legacy))
        .collect()
}

/// JSON-RPC comes first, since only it passes every member of both versions untouched.
fn http(url: &str, version: ProtocolVersion) -> [PublishedInterface; 2] {
    [InterfaceBinding::JsonRpc, InterfaceBinding::HttpJson].map(|binding| PublishedInterface {
        url: url.to_owned(),
        binding,
        version,
        tenant: None,
    })
}

fn grpc(base: &str, version: ProtocolVersion) -> PublishedInterface {
    PublishedInterface {
        url: authority(base),
        binding: InterfaceBinding::Grpc,
        version,
        tenant: None,
    }
}

/// Returns host and port without a scheme, the form that the most gRPC clients take.
fn authority(base: &str) -> String {
    let url = Url::parse(base).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or("localhost");
    let port = url.as_ref().and_then(Url::port_or_known_default);
    format!("{host}:{}", port.unwrap_or(80))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(interfaces: &[PublishedInterface]) -> Vec<String> {
        interfaces
            .iter()
            .map(|interface| {
                let binding = interface.binding.as_str();
                let tenant = interface
                    .tenant
                    .iter()
                    .map(|tenant| format!(" as {tenant}"));
                let tenant: String = tenant.collect();
                format!("{binding} {} {}{tenant}", interface.version, interface.url)
            })
            .collect()
    }

    #[test]
    fn federated_card_lists_all_bindings_in_both_versions() {
        assert_eq!(
            listed(&federated("https://pub.example/edge")),
            [
                "JSONRPC 1.0 https://pub.example/edge/a2a",
                "HTTP+JSON 1.0 https://pub.example/edge/a2a",
                "GRPC 1.0 pub.example:443",
                "JSONRPC 0.3 https://pub.example/edge/a2a",
                "HTTP+JSON 0.3 https://pub.example/edge/a2a",
                "GRPC 0.3 pub.example:443",
            ]
        );
    }

    #[test]
    fn card_of_an_agent_lists_no_address_that_could_lead_to_another() {
        let agent = AgentId::parse("becas").unwrap();
        let interfaces = of_agent("http://127.0.0.1:8080", &agent);
        assert_eq!(
            listed(&interfaces),
            [
                "JSONRPC 1.0 http://127.0.0.1:8080/agents/becas",
                "HTTP+JSON 1.0 http://127.0.0.1:8080/agents/becas",
                "GRPC 1.0 127.0.0.1:8080 as becas",
                "JSONRPC 0.3 http://127.0.0.1:8080/agents/becas",
                "HTTP+JSON 0.3 http://127.0.0.1:8080/agents/becas",
            ]
        );
    }

    #[test]
    fn grpc_addresses_have_a_port_and_no_scheme() {
        for (base, expected) in [
            ("http://gw.example", "gw.example:80"),
            ("https://gw.example/edge", "gw.example:443"),
            ("http://[::1]:8080", "[::1]:8080"),
        ] {
            assert_eq!(authority(base), expected);
        }
    }
}
