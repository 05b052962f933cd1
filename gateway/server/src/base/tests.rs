//! Addresses as configured, as forwarded by a trusted proxy, and as forged.

use axum::http::HeaderValue;

use super::*;
use crate::testing::settings;

const PROXY: &str = "10.1.2.3";
const STRANGER: &str = "192.0.2.7";

fn base(public_url: Option<&str>, peer: &str, fields: &[(&'static str, &str)]) -> String {
    let settings = Settings {
        public_url: public_url.map(|url| url.parse().unwrap()),
        trusted_proxies: vec!["10.0.0.0/8".parse().unwrap()],
        ..settings()
    };
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        headers.append(*name, HeaderValue::from_str(value).unwrap());
    }
    let peer = Peer(peer.parse().unwrap());
    let base = PublicBase::of(&settings, &Uri::from_static("/x"), &headers, Some(peer));
    base.as_str().to_owned()
}

const FRONT: [(&str, &str); 4] = [
    ("host", "inner:8080"),
    ("x-forwarded-proto", "https"),
    ("x-forwarded-host", "pub.example"),
    ("x-forwarded-prefix", "/edge/"),
];

#[test]
fn configured_address_wins_and_keeps_its_prefix() {
    for peer in [PROXY, STRANGER] {
        assert_eq!(
            base(Some("https://pub.example/edge/"), peer, &FRONT),
            "https://pub.example/edge"
        );
    }
    assert_eq!(
        base(Some("https://pub.example"), STRANGER, &[]),
        "https://pub.example"
    );
}

#[test]
fn own_authority_is_used_otherwise_and_odd_ones_are_not() {
    let own = |host| base(None, STRANGER, &[("host", host)]);
    assert_eq!(own("127.0.0.1:8080"), "http://127.0.0.1:8080");
    assert_eq!(own("[::1]:8080"), "http://[::1]:8080");
    for odd in ["", "a/b", "user@host", "a b"] {
        assert_eq!(own(odd), "http://localhost", "{odd}");
    }
}

#[test]
fn c111_a_trusted_front_is_believed_and_a_stranger_is_not() {
    assert_eq!(base(None, PROXY, &FRONT), "https://pub.example/edge");
    assert_eq!(
        base(None, "::ffff:10.1.2.3", &FRONT),
        "https://pub.example/edge"
    );
    assert_eq!(base(None, STRANGER, &FRONT), "http://inner:8080");
}

#[test]
fn c111_what_a_client_wrote_before_the_front_is_ignored() {
    let forged = [
        ("host", "inner:8080"),
        ("x-forwarded-host", "evil.example, pub.example"),
        ("x-forwarded-proto", "http"),
        ("x-forwarded-proto", "https"),
        ("forwarded", "host=evil.example;proto=http"),
    ];
    assert_eq!(base(None, PROXY, &forged), "https://pub.example");
}

#[test]
fn ports_are_taken_unless_they_go_without_saying() {
    for (host, port, expected) in [
        ("pub.example", "443", "https://pub.example"),
        ("pub.example", "8443", "https://pub.example:8443"),
        ("pub.example:9443", "8443", "https://pub.example:9443"),
        ("pub.example", "many", "https://pub.example"),
    ] {
        let fields = [
            ("x-forwarded-proto", "https"),
            ("x-forwarded-host", host),
            ("x-forwarded-port", port),
        ];
        assert_eq!(base(None, PROXY, &fields), expected);
    }
}

#[test]
fn odd_values_never_make_an_odd_address() {
    for (name, value, expected) in [
        ("x-forwarded-host", "user@evil.example", "http://inner:8080"),
        ("x-forwarded-host", "a b", "http://inner:8080"),
        ("x-forwarded-host", "", "http://inner:8080"),
        ("x-forwarded-proto", "javascript", "http://inner:8080"),
        ("x-forwarded-prefix", "edge", "http://inner:8080"),
        ("x-forwarded-prefix", "/../..", "http://inner:8080"),
        ("x-forwarded-prefix", "//x", "http://inner:8080/x"),
        ("x-forwarded-prefix", "///x//y", "http://inner:8080/x//y"),
        ("x-forwarded-prefix", "/\\x", "http://inner:8080/x"),
        ("x-forwarded-prefix", "/..//x", "http://inner:8080/x"),
        (
            "x-forwarded-prefix",
            "/a?b#c\"",
            "http://inner:8080/a%3Fb%23c%22",
        ),
    ] {
        let fields = [("host", "inner:8080"), (name, value)];
        assert_eq!(base(None, PROXY, &fields), expected, "{name}: {value}");
    }
}
