//! What leaves a card before it is served, and what stays.

use serde_json::json;

use super::*;

fn hosts() -> InnerHosts {
    InnerHosts::of(&["https://agent.corp.example:8443/a2a".parse().unwrap()])
}

fn card(changes: &Value) -> Card {
    let mut card = json!({
        "name": "a", "description": "see http://10.0.0.5/", "version": "1", "capabilities": {}, "skills": [],
        "supportedInterfaces": [
            { "url": "http://rpc.corp.example/x", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
            { "url": "grpc.corp.example:50051", "protocolBinding": "GRPC", "protocolVersion": "1.0" },
            { "url": "http://payments:8080/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
            { "url": "http://[2001:db8::17]:80/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
            { "url": "rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
            { "url": "x-pigeon://loft.example/coop", "protocolBinding": "urn:pigeon", "protocolVersion": "1.0" },
        ],
    });
    for (name, value) in changes.as_object().unwrap() {
        card[name] = value.clone();
    }
    Card::parse(card.to_string().as_bytes()).unwrap()
}

fn concealed(changes: &Value) -> (Value, Vec<String>) {
    let concealed = conceal(&card(changes), &hosts());
    assert_eq!(concealed.withheld.count, concealed.withheld.members.len());
    (concealed.card.value().clone(), concealed.withheld.members)
}

/// Ways to name an inner host.
const INNER: &[&str] = &[
    "https://agent.corp.example/docs",
    "HTTPS://AGENT.Corp.Example.:9000",
    "agent.corp.example",
    "agent.corp.example:8443/a2a",
    "call rpc.corp.example, then wait",
    "(grpc.corp.example:50051)",
    "loft.example",
    "http://payments/",
    "payments:8080",
    "wss://x@agent.corp.example/",
    "//agent.corp.example/x",
    "\\\\agent.corp.example\\share",
    "http:agent.corp.example",
    "http:/\\/agent.corp.example",
    "ht\ntp://agent.\tcorp.example",
    "https://%61gent.corp.example/",
    "https://ａｇｅｎｔ。corp.example/",
    "https://public.example/?next=http%3A%2F%2Fagent.corp.example%2F",
    "https://public.example/?next=http%253A%252F%252F10.0.0.5",
    "https://public.example/proxy/http://10.0.0.5/",
    "http://10.0.0.5/",
    "10.0.0.5",
    "10.0.0.5:80",
    "１０.0.0.5",
    "http://167772165/",
    "http://0x0a.5/",
    "http://127.1/",
    "http://192.168.1.1",
    "http://172.31.0.1",
    "http://100.64.0.1",
    "http://169.254.169.254/latest",
    "http://0.0.0.0:8000",
    "http://[::1]:1/",
    "[fd00::1]:80",
    "fe80::1",
    "http://[::ffff:10.0.0.5]/",
    "http://[64:ff9b::10.0.0.5]/",
    "http://localhost/",
    "localhost:9201",
    "http://db.localhost/",
    "printer.local",
    "payments.svc.cluster.local",
    "http://helper.internal:9205/",
    "mailto:ops@agent.corp.example",
    "dns:///agent.corp.example:1",
    "[https://agent.corp.example]",
    "https://agent.corp.example:port/",
    "at:agent.corp.example",
    "at:10.0.0.5:x",
    "age\u{ad}nt.corp.example",
    "payments",
    " \"Payments\". ",
    "2001:db8::17",
    "[2001:0DB8:0::17]",
    "at 2001:db8:0:0:0:0:0:17, mostly",
    "https://[2001:db8::17]/docs",
    "https://proxy.example/agent.corp.example/docs",
    "docs/agent.corp.example/x",
    "docs/payments:8080/x",
    "\u{201c}agent.corp.example\u{201d}",
    "\u{ab}agent.corp.example\u{bb}",
    "docs\u{2014}agent.corp.example\u{2013}and more",
    "-agent.corp.example-",
    "http://agent.corp.example-",
    "a+agent.corp.example+b",
    "~agent.corp.example~",
    "$agent.corp.example$",
    "_agent.corp.example_",
    "\u{200e}agent.corp.example\u{200f}",
    "agent\u{202a}.corp.example",
    "http://[fe80::1%25eth0]/",
    "[fe80::1%eth0]:80",
    "fe80::1%eth0",
    "fd00::",
];

#[test]
fn c005_inner_hosts_are_found_however_they_are_written() {
    for inner in INNER {
        let (served, withheld) = concealed(&json!({ "x-note": inner }));
        assert_eq!(withheld, ["/x-note"], "{inner}");
        assert_eq!(served.get("x-note"), None);
    }
}

#[test]
fn c012_what_names_no_inner_host_stays() {
    for harmless in [
        "https://public.example/",
        "https://corp.example/agent",
        "notagent.corp.example",
        "agent.corp.example.org",
        "8.8.8.8",
        "http://8.8.8.8/",
        "https://[2606:4700::1111]/",
        "12:30",
        "3:4",
        "12:30:45",
        "2026-11-30T12:30:45.123Z",
        "1.10.0.0.5",
        "10",
        "10.5",
        "127.5",
        "1.2.3",
        "local",
        "localhost",
        "internal use",
        "payments are due, rpc",
        "https://public.example/payments/",
        "2001:db8::18",
        "https://public.example/v1.2.3/a%20b",
        "a-b_c+d",
        "a::b",
        "sha256:10",
        "urn:uuid:10",
        "and/or",
        "text/plain; q=0.5",
        "",
        "@",
        "//",
        "::",
        "http://",
    ] {
        let (served, withheld) = concealed(&json!({ "x-note": harmless }));
        assert_eq!(withheld, [""; 0], "{harmless}");
        assert_eq!(served["x-note"], harmless);
    }
}

#[test]
fn values_go_and_what_is_around_them_stays() {
    let (served, withheld) = concealed(&json!({
        "x-deep": { "a": [1, "http://10.0.0.5/", { "b~/": "10.0.0.5", "keep": true }], "http://10.0.0.5/": 1 },
        "documentationUrl": "https://agent.corp.example/docs",
        "icon_url": "http://localhost/icon.png",
        "provider": { "organization": "o", "url": "http://10.0.0.5/", "x": "10.0.0.5" },
        "capabilities": { "x": "10.0.0.5", "extensions": [
            { "uri": "https://agent.corp.example/ext/v1", "params": { "at": "10.0.0.5", "n": 1 }, "x": "10.0.0.5" },
            { "uri": "urn:x", "params": { "n": 2 } },
        ]},
        "skills": [{ "id": "s", "name": "http://10.0.0.5/", "description": "d", "tags": ["10.0.0.5"], "x": ["10.0.0.5"] }],
    }));
    let mut sorted = withheld;
    sorted.sort();
    assert_eq!(
        sorted,
        [
            "/capabilities/extensions/0/params/at",
            "/capabilities/extensions/0/x",
            "/capabilities/x",
            "/documentationUrl",
            "/icon_url",
            "/provider/url",
            "/provider/x",
            "/skills/0/x/0",
            "/x-deep/a/1",
            "/x-deep/a/2/b~0~1",
            "/x-deep/http:~1~110.0.0.5~1",
        ]
    );
    assert_eq!(served["x-deep"], json!({ "a": [1, { "keep": true }] }));
    let extension = &served["capabilities"]["extensions"][0];
    let expected = json!({ "uri": "https://agent.corp.example/ext/v1", "params": { "n": 1 } });
    assert_eq!(extension, &expected);
    assert_eq!(served["skills"][0]["name"], "http://10.0.0.5/", "prose");
    assert_eq!(served["description"], "see http://10.0.0.5/", "prose");
}

#[test]
fn a_card_that_tells_nothing_is_the_same_card() {
    let card = card(&json!({ "x-note": "kept" }));
    let concealed = conceal(&card, &hosts());
    assert_eq!(concealed.card.fingerprint(), card.fingerprint());
    assert_eq!(concealed.withheld, Withheld::default());
}

#[test]
fn the_list_of_what_went_is_bounded_and_the_count_is_not() {
    let many = json!({ "x": vec!["10.0.0.5"; 500] });
    let withheld = conceal(&card(&many), &hosts()).withheld;
    assert_eq!((withheld.count, withheld.members.len()), (500, MOST_LISTED));
}

proptest::proptest! {
    #[test]
    fn any_text_is_looked_through_and_none_is_changed(text in "\\PC{0,60}", twice in "[:/@%.\\[\\]0-9a-f]{0,40}") {
        for text in [text, twice] {
            let (served, withheld) = concealed(&json!({ "x-note": text }));
            let is_kept = served.get("x-note") == Some(&json!(text));
            proptest::prop_assert_eq!(is_kept, withheld.is_empty());
        }
    }
}
