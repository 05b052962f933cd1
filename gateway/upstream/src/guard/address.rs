//! Which addresses the gateway never calls, whoever asks for it.
//!
//! Agents on private networks are normal and registered by the operator. Link-local addresses are not: clouds
//! serve the credentials of the machine there.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// Where clouds serve metadata outside of 169.254.0.0/16: Alibaba and Oracle.
const METADATA_V4: [Ipv4Addr; 2] = [
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
];
/// Where Amazon serves metadata over IPv6.
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);
/// The names that Google's metadata service goes by.
const METADATA_NAMES: [&str; 2] = ["metadata.google.internal", "metadata.goog"];

/// Reports an address that the gateway does not call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RefusedAddress {
    /// The scheme is neither `http` nor `https`.
    #[error("scheme `{0}` is not supported, use http or https")]
    Scheme(String),
    /// The address is link-local, or the metadata service of a cloud elsewhere.
    #[error(
        "link-local addresses (169.254.0.0/16, fe80::/10) and metadata services are never called, use another address"
    )]
    LinkLocal,
}

/// Decides whether the gateway may call an address, as far as the text says: what a name resolves to is
/// checked when it is connected to.
///
/// # Errors
/// [`RefusedAddress`] says which rule forbids it.
pub fn check(url: &Url) -> Result<(), RefusedAddress> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(RefusedAddress::Scheme(url.scheme().to_owned()));
    }
    if url.host_str().is_some_and(is_metadata_name) {
        return Err(RefusedAddress::LinkLocal);
    }
    let literal = match url.host() {
        Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
        Some(Host::Domain(_)) | None => None,
    };
    if literal.is_some_and(is_link_local) {
        return Err(RefusedAddress::LinkLocal);
    }
    Ok(())
}

/// Returns an address as it may be shown: without user, password, query and fragment.
#[must_use]
pub fn shown(url: &Url) -> Url {
    let mut shown = url.clone();
    // These fail only for addresses without a host, which have no user either.
    shown.set_username("").ok();
    shown.set_password(None).ok();
    shown.set_query(None);
    shown.set_fragment(None);
    shown
}

/// Tells whether an address is link-local or serves metadata, also where IPv6 only wraps an IPv4 address.
pub(super) fn is_link_local(address: IpAddr) -> bool {
    let v4 = |address: Ipv4Addr| address.is_link_local() || METADATA_V4.contains(&address);
    match address {
        IpAddr::V4(address) => v4(address),
        IpAddr::V6(address) => {
            address.is_unicast_link_local()
                || address == METADATA_V6
                || wrapped(address).is_some_and(v4)
        }
    }
}

fn is_metadata_name(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    METADATA_NAMES.contains(&host)
}

/// Returns the IPv4 address inside a mapped or compatible (RFC 4291 §2.5.5) or NAT64 (RFC 6052) address.
fn wrapped(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, high, low] = address.segments();
    let is_wrapper = matches!(
        [a, b, c, d, e, f],
        [0, 0, 0, 0, 0, 0 | 0xffff] | [0x64, 0xff9b, 0, 0, 0, 0]
    );
    is_wrapper.then(|| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)))
}

#[cfg(test)]
mod tests {
    use super::{RefusedAddress, check};

    #[test]
    fn c083_link_local_is_refused_in_every_spelling() {
        for text in [
            "http://169.254.169.254/",
            "http://169.254.0.1:8080/rpc",
            "http://0xa9fea9fe/",
            "http://2852039166/",
            "http://[fe80::1]/",
            "http://[febf::1]/",
            "http://[::ffff:169.254.169.254]/",
            "http://[::169.254.169.254]/",
            "http://[64:ff9b::a9fe:a9fe]/",
            "http://100.100.100.200/latest/meta-data/",
            "http://192.0.0.192/opc/v2/",
            "http://[fd00:ec2::254]/",
            "http://METADATA.google.internal./computeMetadata/v1/",
        ] {
            assert_eq!(
                check(&text.parse().unwrap()),
                Err(RefusedAddress::LinkLocal),
                "{text}"
            );
        }
    }

    #[test]
    fn c083_other_schemes_are_refused_by_name() {
        for text in [
            "file:///etc/passwd",
            "htp://typo/card.json",
            "ftp://x/",
            "data:,x",
        ] {
            let refused = check(&text.parse().unwrap()).unwrap_err();
            let (scheme, _) = text.split_once(':').unwrap();
            assert_eq!(refused, RefusedAddress::Scheme(scheme.to_owned()), "{text}");
        }
    }

    #[test]
    fn operators_may_register_private_addresses() {
        for text in [
            "http://127.0.0.1:9001",
            "http://10.1.2.3",
            "https://[fd00::1]/",
            "https://agents.example/",
        ] {
            assert_eq!(check(&text.parse().unwrap()), Ok(()), "{text}");
        }
    }
}
