//! Interfaces: whether a client that believes the card reaches anything.

mod address;

use std::collections::HashSet;

use url::Url;

use self::address::Address;
use super::finding::Findings;
use super::types::{self, Kind, Need, Rule};
use crate::interface::{assumed_version, read_current};
use crate::members::{self, Object};
use crate::{Card, InterfaceBinding, ProtocolVersion, Shape};

const LISTED: &[Rule] = &[
    Rule::new("url", Kind::Text, Need::Must),
    Rule::new("protocolBinding", Kind::Text, Need::Should),
    Rule::new("protocolVersion", Kind::Text, Need::Must),
    Rule::new("tenant", Kind::Text, Need::May),
];

const ADDITIONAL: &[Rule] = &[
    Rule::new("url", Kind::Text, Need::Must),
    Rule::new("transport", Kind::Text, Need::Should),
];

pub(super) fn check(card: &Card, registered: Option<&Url>, findings: &mut Findings) {
    let members = card.members();
    check_listed(members, registered, findings);
    check_legacy(members, registered, findings);
    if card.shape() == Shape::V03 {
        check_legacy_version(members, findings);
    }
    if !card.interfaces().iter().any(|interface| {
        !matches!(interface.binding, InterfaceBinding::Other(_))
            && is_spoken(interface.version)
            && Address::read(&interface.url, &interface.binding).is_ok()
    }) {
        findings.error(
            "",
            "no usable interface: the card names no address with a known binding and version",
            "list one in `supportedInterfaces` (1.0) or `url` (0.3)",
        );
    }
}

fn check_listed(card: &Object, registered: Option<&Url>, findings: &mut Findings) {
    let assumed = assumed_version(card);
    let mut seen = HashSet::new();
    let list = members::pointer(card, "", "supportedInterfaces");
    let entries = members::list(card, "supportedInterfaces");
    for (index, entry) in entries.iter().enumerate() {
        let pointer = format!("{list}/{index}");
        let Some(entry) = types::entry(entry, &pointer, findings) else {
            continue;
        };
        types::check(entry, &pointer, LISTED, findings);
        check_version(entry, &pointer, findings);
        check_binding(entry, &pointer, "protocolBinding", findings);
        let Some(interface) = read_current(entry, assumed) else {
            continue;
        };
        address::check(&interface, &format!("{pointer}/url"), registered, findings);
        if !seen.insert(interface) {
            findings.warning(
                &pointer,
                "interface is listed twice",
                "remove one of the two",
            );
        }
    }
}

fn check_legacy(card: &Object, registered: Option<&Url>, findings: &mut Findings) {
    check_binding(card, "", "preferredTransport", findings);
    check_legacy_url(card, "", "preferredTransport", registered, findings);
    let list = members::pointer(card, "", "additionalInterfaces");
    let entries = members::list(card, "additionalInterfaces");
    for (index, entry) in entries.iter().enumerate() {
        let pointer = format!("{list}/{index}");
        if let Some(entry) = types::entry(entry, &pointer, findings) {
            types::check(entry, &pointer, ADDITIONAL, findings);
            check_binding(entry, &pointer, "transport", findings);
            check_legacy_url(entry, &pointer, "transport", registered, findings);
        }
    }
}

fn check_legacy_url(
    object: &Object,
    pointer: &str,
    binding: &str,
    registered: Option<&Url>,
    findings: &mut Findings,
) {
    // The two shapes name the binding differently; read as a listed interface they are the same.
    let mut entry = Object::new();
    entry.extend(members::member(object, "url").map(|url| ("url".to_owned(), url.clone())));
    let named = members::member(object, binding);
    entry.extend(named.map(|name| ("protocolBinding".to_owned(), name.clone())));
    if let Some(interface) = read_current(&entry, ProtocolVersion::V0_3) {
        address::check(&interface, &format!("{pointer}/url"), registered, findings);
    }
}

fn check_legacy_version(card: &Object, findings: &mut Findings) {
    if members::member(card, "protocolVersion").is_none() {
        findings.warning(
            "/protocolVersion",
            "`protocolVersion` is missing, 0.3 is assumed",
            "write `\"protocolVersion\": \"0.3.0\"`",
        );
    }
    check_version(card, "", findings);
    let stated = members::text(card, "protocolVersion").and_then(|text| text.parse().ok());
    if stated.is_some_and(|version: ProtocolVersion| !version.is_legacy()) {
        findings.warning(
            "/protocolVersion",
            "the card says 1.0 or later and is written in the form of 0.3",
            "list 1.0 interfaces in `supportedInterfaces`",
        );
    }
}

fn check_version(object: &Object, pointer: &str, findings: &mut Findings) {
    let Some(text) = members::text(object, "protocolVersion") else {
        return;
    };
    let pointer = members::pointer(object, pointer, "protocolVersion");
    match text.parse() {
        Err(_) if text.trim().is_empty() => {}
        Err(_) => findings.error(
            &pointer,
            format!("`{}` is not a protocol version", members::shown(text)),
            "write `1.0` or `0.3`",
        ),
        Ok(version) if !is_spoken(version) || version < ProtocolVersion::V0_3 => {
            let message = format!("protocol version {version} is neither 0.3 nor 1.x");
            findings.warning(&pointer, message, "offer `1.0` or `0.3`");
        }
        Ok(_) => {}
    }
}

/// Tells whether the version is on the wire like one this project knows; 0.2 is close to 0.3.
fn is_spoken(version: ProtocolVersion) -> bool {
    matches!(
        version,
        ProtocolVersion {
            major: 0,
            minor: 2..=3
        } | ProtocolVersion { major: 1, .. }
    )
}

fn check_binding(object: &Object, pointer: &str, name: &str, findings: &mut Findings) {
    let Some(text) = members::text(object, name).filter(|text| !text.is_empty()) else {
        return;
    };
    let pointer = members::pointer(object, pointer, name);
    match InterfaceBinding::read(text) {
        InterfaceBinding::Other(_) => findings.warning(
            &pointer,
            format!(
                "binding `{}` is not known, the interface is passed over",
                members::shown(text)
            ),
            "offer `JSONRPC`, `HTTP+JSON` or `GRPC` as well",
        ),
        known if known.as_str() != text => findings.warning(
            &pointer,
            format!("binding is written `{}`", members::shown(text)),
            format!("write `{known}`"),
        ),
        _ => {}
    }
}
