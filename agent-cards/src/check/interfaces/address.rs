//! The address of one interface: whether it is one, and whether it leads anywhere.

use url::{Host, Url};

use super::super::finding::Findings;
use crate::members::shown;
use crate::{Interface, InterfaceBinding};

/// An address that was understood.
pub(super) struct Address(Url);

impl Address {
    /// Reads the URL of an interface, or says what is wrong with it.
    ///
    /// gRPC addresses may also be `host:port` or `dns:///host:port`.
    pub(super) fn read(text: &str, binding: &InterfaceBinding) -> Result<Self, &'static str> {
        let spelled = match binding {
            InterfaceBinding::Grpc if !text.contains("://") => &format!("https://{text}"),
            InterfaceBinding::Grpc => &text.replacen("dns:///", "https://", 1),
            _ => text,
        };
        let url = Url::parse(spelled).map_err(|_| "is not an absolute URL")?;
        match url.scheme() {
            "http" | "https" => Ok(Self(url)),
            _ => Err("is not an http or https URL"),
        }
    }

    fn is_unspecified(&self) -> bool {
        match self.0.host() {
            Some(Host::Ipv4(address)) => address.is_unspecified(),
            Some(Host::Ipv6(address)) => address.is_unspecified(),
            Some(Host::Domain(_)) | None => false,
        }
    }

    fn is_card(&self) -> bool {
        let path = self.0.path().trim_end_matches('/');
        path.ends_with("/.well-known/agent-card.json") || path.ends_with("/.well-known/agent.json")
    }
}

/// Checks the address of an interface, found at `pointer`.
pub(super) fn check(
    interface: &Interface,
    pointer: &str,
    registered: Option<&Url>,
    findings: &mut Findings,
) {
    let text = shown(&interface.url);
    let address = match Address::read(&interface.url, &interface.binding) {
        Ok(address) => address,
        Err(problem) if matches!(interface.binding, InterfaceBinding::Other(_)) => {
            let message = format!("`{text}` {problem}");
            return findings.warning(pointer, message, "custom bindings may use other schemes");
        }
        Err(problem) => {
            let message = format!("`{text}` {problem}");
            return findings.error(pointer, message, "write the full URL with http or https");
        }
    };
    if address.is_card() {
        findings.error(
            pointer,
            format!("`{text}` is the address of the card itself"),
            "write the address that answers requests",
        );
    }
    if address.is_unspecified() {
        findings.warning(
            pointer,
            format!("`{text}` is an address to listen on, nobody can reach it"),
            "write the host name clients use",
        );
    } else {
        check_host(&address.0, interface, pointer, registered, findings);
    }
}

fn check_host(
    url: &Url,
    Interface {
        url: text, binding, ..
    }: &Interface,
    pointer: &str,
    registered: Option<&Url>,
    findings: &mut Findings,
) {
    let Some(registered) = registered else {
        if is_loopback(url) {
            findings.warning(
                pointer,
                format!(
                    "`{}` is reached from the same machine only",
                    shown(url.as_str())
                ),
                "write the host name clients use",
            );
        } else if url.scheme() == "http" {
            findings.warning(
                pointer,
                format!("`{}` is not encrypted", shown(url.as_str())),
                "offer https",
            );
        }
        return;
    };
    let is_grpc = *binding == InterfaceBinding::Grpc;
    if is_grpc && (registered.scheme(), url.scheme()) == ("https", "http") {
        return findings.error(
            pointer,
            format!(
                "`{}` is gRPC without TLS and the agent is registered with TLS, so it is not called",
                shown(text)
            ),
            "offer it with TLS",
        );
    }
    let same_host = url.host() == registered.host() || is_loopback(url) && is_loopback(registered);
    // gRPC usually listens beside HTTP, on a port of its own.
    let same_port = is_grpc
        || (url.scheme(), url.port_or_known_default())
            == (registered.scheme(), registered.port_or_known_default());
    if !same_host || !same_port {
        let named = shown(&url.origin().ascii_serialization());
        let used = registered.origin().ascii_serialization();
        findings.warning(
            pointer,
            format!("the card names {named}, the agent is registered at {used}"),
            "the registered address is used; mend the card or the registration",
        );
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grpc_addresses_need_no_scheme() {
        for text in ["a.example:443", "dns:///a.example:443", "https://a.example"] {
            assert!(
                Address::read(text, &InterfaceBinding::Grpc).is_ok(),
                "{text}"
            );
        }
    }

    #[test]
    fn other_bindings_need_an_absolute_url() {
        for text in ["/a2a", "a.example/a2a", "localhost:8080", "ftp://a.example"] {
            assert!(
                Address::read(text, &InterfaceBinding::JsonRpc).is_err(),
                "{text}"
            );
        }
    }
}
