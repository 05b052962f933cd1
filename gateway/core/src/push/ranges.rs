//! Which IP addresses are on the public Internet, by the special-purpose registries of IANA.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The networks of IPv4 that are not, as first address and prefix length. Some clouds serve their metadata in
/// 100.64.0.0/10 and 192.0.0.0/24.
const SPECIAL_V4: [(Ipv4Addr, u8); 14] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 3),
];

/// The networks inside `2000::/3` that are not: protocol assignments with Teredo, documentation, 6to4.
const SPECIAL_V6: [(Ipv6Addr, u8); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Tells whether an address is on the public Internet. IPv4 addresses wrapped in IPv6 count as what they wrap.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => wrapped(address).map_or_else(|| is_public_v6(address), is_public_v4),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let within = |(first, prefix): &(Ipv4Addr, u8)| {
        (first.to_bits() ^ address.to_bits()).leading_zeros() >= u32::from(*prefix)
    };
    !SPECIAL_V4.iter().any(within)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let within = |(first, prefix): &(Ipv6Addr, u8)| {
        (first.to_bits() ^ address.to_bits()).leading_zeros() >= u32::from(*prefix)
    };
    let is_global = address.segments()[0] & 0xe000 == 0x2000;
    is_global && !SPECIAL_V6.iter().any(within)
}

/// Returns the IPv4 address inside a mapped (RFC 4291 §2.5.5) or NAT64 (RFC 6052) address.
fn wrapped(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, high, low] = address.segments();
    let is_wrapper = matches!(
        [a, b, c, d, e, f],
        [0, 0, 0, 0, 0, 0xffff] | [0x64, 0xff9b, 0, 0, 0, 0]
    );
    is_wrapper.then(|| Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edges_of_each_network_are_on_the_right_side() {
        for (inside, outside) in [
            ("10.255.255.255", "11.0.0.0"),
            ("100.127.255.255", "100.128.0.0"),
            ("127.255.255.255", "128.0.0.1"),
            ("169.254.0.0", "169.253.255.255"),
            ("172.31.255.255", "172.32.0.0"),
            ("192.168.0.0", "192.167.255.255"),
            ("198.19.255.255", "198.20.0.0"),
            ("224.0.0.0", "223.255.255.255"),
            ("255.255.255.255", "8.8.8.8"),
            ("::1", "2606:4700::1111"),
            ("fc00::", "2001:200::1"),
            ("fe80::1", "2a00::1"),
            ("2001:0:1::", "2001:4860:4860::8888"),
            ("2001:db8::1", "2001:db9::1"),
            ("2002:808:808::", "2003::1"),
            ("::ffff:10.0.0.1", "::ffff:8.8.8.8"),
            ("64:ff9b::127.0.0.1", "64:ff9b::8.8.8.8"),
            ("::8.8.8.8", "2400::1"),
            ("ff02::1", "2800::1"),
        ] {
            assert!(!is_public(inside.parse().unwrap()), "{inside}");
            assert!(is_public(outside.parse().unwrap()), "{outside}");
        }
    }
}
