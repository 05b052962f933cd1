//! Whether an address is one of the gateway's own. Names are not looked up, but for that of this machine.

use std::net::{IpAddr, SocketAddr};

use url::{Host, Url};

/// Tells whether one of the listeners is at an address.
pub(super) fn is_among(listeners: &[SocketAddr], url: &Url) -> bool {
    let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
        return false;
    };
    listeners
        .iter()
        .any(|own| own.port() == port && is_at(own.ip().to_canonical(), &host))
}

fn is_at(own: IpAddr, host: &Host<&str>) -> bool {
    let ip = match host {
        Host::Ipv4(ip) => IpAddr::V4(*ip),
        Host::Ipv6(ip) => IpAddr::V6(*ip).to_canonical(),
        Host::Domain(name) => {
            let name = name.trim_end_matches('.');
            let is_here = name == "localhost" || name.ends_with(".localhost");
            return is_here && (own.is_loopback() || own.is_unspecified());
        }
    };
    // Whoever listens on all addresses is at those of this machine, and the others of it are not known.
    own == ip || (own.is_unspecified() && ip.is_loopback()) || ip.is_unspecified()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listeners_are_recognised_by_port_and_host() {
        for (own, url, is_own) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080/", true),
            ("127.0.0.1:8080", "http://127.0.0.1:8081/", false),
            ("127.0.0.1:8080", "http://10.0.0.5:8080/", false),
            ("127.0.0.1:8080", "http://localhost:8080/", true),
            ("127.0.0.1:8080", "http://a.localhost.:8080/", true),
            ("127.0.0.1:8080", "http://agent.test:8080/", false),
            ("127.0.0.1:8080", "http://[::ffff:127.0.0.1]:8080/", true),
            ("127.0.0.1:8080", "http://0.0.0.0:8080/", true),
            ("0.0.0.0:8080", "http://127.0.0.2:8080/", true),
            ("0.0.0.0:8080", "http://10.0.0.5:8080/", false),
            ("[::]:8080", "http://[::1]:8080/", true),
            ("10.0.0.1:80", "http://10.0.0.1/", true),
            ("10.0.0.1:80", "http://localhost/", false),
            ("10.0.0.1:443", "https://10.0.0.1/", true),
        ] {
            let own: SocketAddr = own.parse().unwrap();
            let url = Url::parse(url).unwrap();
            assert_eq!(is_among(&[own], &url), is_own, "{own} {url}");
        }
    }
}
