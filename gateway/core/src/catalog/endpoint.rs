//! Which interfaces of a card can be called, at which address, and which of them suits a client best.

mod own;

use agent_cards::{Card, Finding, InterfaceBinding, Severity};
use gateway_protocol::{Binding, Version, translate::Dialect};
use url::Url;

use crate::agent::{AgentAuth, AgentSpec};

/// One interface of an agent that the gateway can call. Address, binding, version and tenant always come
/// from the same entry of the card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Protocol binding.
    pub binding: Binding,
    /// Protocol version.
    pub version: Version,
    /// The address that is called: the registered origin with the path the card gives; for gRPC the
    /// registered host with the port the card gives.
    pub url: Url,
    /// The address the card gives.
    pub declared: String,
    /// Tenant to name in calls.
    pub tenant: Option<String>,
    /// Whether calls go without the credential that is configured for the agent, which only the registered origin
    /// is shown.
    pub withholds_credential: bool,
}

impl Endpoint {
    /// Returns the JSON dialect that is spoken with this interface.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.binding.dialect(self.version)
    }

    /// Ranks an interface for a client, the best first: those that refuse the agent's own credential come last, as
    /// the agent will hardly answer there.
    pub(super) fn rank(&self, version: Version, binding: Binding) -> (bool, u8) {
        (self.withholds_credential, self.loss(version, binding))
    }

    /// Ranks what a call from a client loses on this interface: nothing where both speak the same; what the two JSON
    /// forms of 0.3 do not share; what protobuf has no place for; or what the versions do not share.
    fn loss(&self, version: Version, binding: Binding) -> u8 {
        match (self.version == version, self.binding) {
            (true, own) if own == binding => 0,
            (true, Binding::JsonRpc | Binding::HttpJson) => {
                1 + u8::from(self.dialect() != binding.dialect(version))
            }
            (true, Binding::Grpc) => 3,
            (false, Binding::JsonRpc) => 4,
            (false, Binding::HttpJson) => 5,
            (false, Binding::Grpc) => 6,
        }
    }
}

/// Returns the interfaces of a card that the gateway can call, in the card's order.
pub(super) fn all(spec: &AgentSpec, card: &Card) -> Vec<Endpoint> {
    card.interfaces()
        .iter()
        .filter_map(|interface| {
            let binding = match interface.binding {
                InterfaceBinding::JsonRpc => Binding::JsonRpc,
                InterfaceBinding::HttpJson => Binding::HttpJson,
                InterfaceBinding::Grpc => Binding::Grpc,
                _ => return None,
            };
            let url = match binding {
                Binding::Grpc => grpc_address(&spec.url, &interface.url)
                    .filter(|url| !own::is_among(&spec.own, url))?,
                Binding::JsonRpc | Binding::HttpJson => reachable(&spec.url, &interface.url)?,
            };
            let has_credential = !matches!(spec.auth, AgentAuth::None);
            Some(Endpoint {
                withholds_credential: has_credential && url.origin() != spec.url.origin(),
                binding,
                version: Version::parse(&interface.version.to_string())?,
                url,
                declared: interface.url.clone(),
                tenant: interface.tenant.clone(),
            })
        })
        .collect()
}

/// Says of each interface that leads to the gateway itself that it is not called.
pub(super) fn to_itself(spec: &AgentSpec, card: &Card) -> Vec<Finding> {
    let leads_here = |address: &str| {
        grpc_address(&spec.url, address).is_some_and(|url| own::is_among(&spec.own, &url))
    };
    let interfaces = card.located_interfaces().into_iter();
    let leading = interfaces.filter(|(interface, _)| {
        interface.binding == InterfaceBinding::Grpc && leads_here(&interface.url)
    });
    leading
        .map(|(interface, pointer)| Finding {
            severity: Severity::Error,
            pointer: format!("{pointer}/url"),
            message: format!(
                "`{}` is where the gateway itself listens, so it is not called",
                interface.url
            ),
            hint: "correct the port in the card, or let the gateway listen at another".to_owned(),
        })
        .collect()
}

/// Says where the agent's credential is not shown, once for all such interfaces.
pub(super) fn without_credential(card: &Card, endpoints: &[Endpoint]) -> Option<Finding> {
    let mut withholding = endpoints
        .iter()
        .filter(|endpoint| endpoint.withholds_credential);
    let first = withholding.next()?;
    let is_first = |(interface, _): &(agent_cards::Interface, String)| {
        interface.binding == InterfaceBinding::Grpc && interface.url == first.declared
    };
    let (_, pointer) = card.located_interfaces().into_iter().find(is_first)?;
    let origin = first.url.origin().ascii_serialization();
    let more = match withholding.count() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(Finding {
        severity: Severity::Warning,
        pointer,
        message: format!(
            "no credential is shown at {origin}{more}, as the agent is registered elsewhere; it is called last"
        ),
        hint:
            "to show it there, make that the agent's `url` and set `card.url` to where its card is"
                .to_owned(),
    })
}

/// The registered origin wins over the host a card gives: containers announce `0.0.0.0` or inner names,
/// and a card must not lead the gateway to another host.
fn reachable(registered: &Url, declared: &str) -> Option<Url> {
    let declared = Url::parse(declared)
        .or_else(|_| registered.join(declared))
        .ok()?;
    let mut url = registered.clone();
    url.set_path(declared.path());
    url.set_query(declared.query());
    url.set_fragment(None);
    Some(url)
}

/// gRPC has a port of its own, so the registered host is joined with the port the card gives. Addresses come
/// with and without scheme (`host:port`, `dns:///host:port`, `https://host:port`); without one the registered
/// address says whether TLS is used. No card leads a call out of TLS.
fn grpc_address(registered: &Url, declared: &str) -> Option<Url> {
    let (scheme, rest) = match declared.split_once("://") {
        Some((scheme, rest)) => (Some(scheme), rest.trim_start_matches('/')),
        None => (None, declared),
    };
    let secure = match scheme.map(str::to_ascii_lowercase).as_deref() {
        Some("https" | "grpcs") => true,
        Some("http" | "grpc") if registered.scheme() == "https" => return None,
        Some("http" | "grpc") => false,
        _ => registered.scheme() == "https",
    };
    let authority = rest.split(['/', '?']).next()?;
    let scheme = if secure { "https" } else { "http" };
    let declared = Url::parse(&format!("{scheme}://{authority}")).ok()?;
    let mut url = Url::parse(&format!("{scheme}://{}", registered.host_str()?)).ok()?;
    url.set_port(declared.port()).ok()?;
    Some(url)
}

#[cfg(test)]
mod tests {
    use gateway_protocol::{
        Binding::{self, Grpc, HttpJson, JsonRpc},
        Version::{self, V1, V03},
    };
    use url::Url;

    use super::*;

    fn endpoint(binding: Binding, version: Version) -> Endpoint {
        Endpoint {
            binding,
            version,
            url: Url::parse("http://m").unwrap(),
            declared: String::new(),
            tenant: None,
            withholds_credential: false,
        }
    }

    #[test]
    fn c018_interfaces_are_ranked_by_what_they_lose_for_a_client() {
        let v03 = |binding| endpoint(binding, V03);
        let v1 = |binding| endpoint(binding, V1);
        for (client, version, ranks) in [
            (JsonRpc, V1, [0, 1, 3, 4, 5, 6]),
            (HttpJson, V1, [1, 0, 3, 4, 5, 6]),
            (Grpc, V1, [1, 1, 0, 4, 5, 6]),
            (JsonRpc, V03, [4, 5, 6, 0, 2, 3]),
            (HttpJson, V03, [4, 5, 6, 2, 0, 3]),
            (Grpc, V03, [4, 5, 6, 2, 1, 0]),
        ] {
            let all = [
                v1(JsonRpc),
                v1(HttpJson),
                v1(Grpc),
                v03(JsonRpc),
                v03(HttpJson),
                v03(Grpc),
            ];
            let ranked = all.map(|endpoint| endpoint.loss(version, client));
            assert_eq!(ranked, ranks, "{client} {version}");
        }
    }

    #[test]
    fn grpc_addresses_are_read_with_and_without_scheme() {
        for (registered, declared, called) in [
            ("http://m:9001", "0.0.0.0:10001", "http://m:10001/"),
            ("http://m:9001", "http://inner:10001", "http://m:10001/"),
            ("https://m", "m:443", "https://m/"),
            ("https://m", "dns:///m:8443", "https://m:8443/"),
            ("http://m:9001", "grpcs://m:8443/x", "https://m:8443/"),
            ("http://[::1]:1", "[::]:2", "http://[::1]:2/"),
        ] {
            let url = grpc_address(&Url::parse(registered).unwrap(), declared).unwrap();
            assert_eq!(url.as_str(), called, "{registered} {declared}");
        }
    }

    #[test]
    fn c071_no_card_leads_a_call_out_of_tls() {
        let registered = Url::parse("https://m:9001").unwrap();
        for declared in ["http://m:10001", "HTTP://m:9001", "grpc://m:10001"] {
            assert_eq!(grpc_address(&registered, declared), None, "{declared}");
        }
    }

    #[test]
    fn c004_registered_origin_wins_and_the_path_of_the_card_is_kept() {
        for (registered, declared, called) in [
            ("http://m:9001", "http://0.0.0.0:8000/", "http://m:9001/"),
            (
                "http://m:9001",
                "http://[::]:8000/rpc?k=1",
                "http://m:9001/rpc?k=1",
            ),
            (
                "http://m:9001/a2a",
                "http://m:9001/other",
                "http://m:9001/other",
            ),
            (
                "http://m:9001/rpc/",
                "http://m:9001/rpc/",
                "http://m:9001/rpc/",
            ),
            ("https://m", "http://169.254.169.254/rpc", "https://m/rpc"),
            ("http://m:9001/base/", "rpc", "http://m:9001/base/rpc"),
        ] {
            let url = reachable(&Url::parse(registered).unwrap(), declared).unwrap();
            assert_eq!(url.as_str(), called, "{registered} {declared}");
        }
    }
}
