//! Interfaces, matched by binding, version and URL.

use std::collections::HashSet;

use serde_json::{Value, json};
use url::Url;

use super::change::{Change, ChangeKind, Changes};
use crate::interface::locate;
use crate::members::shown;
use crate::{Card, Interface};

pub(super) fn diff(old: &Card, new: &Card, changes: &mut Changes) {
    let known_origins: HashSet<String> = old.interfaces().iter().map(origin).collect();
    let mut gone: Vec<&Interface> = without(old.interfaces(), new.interfaces());
    let added = without(new.interfaces(), old.interfaces());
    let nothing_moved = gone.is_empty() && added.is_empty();
    for interface in added {
        let kind = if known_origins.contains(&origin(interface)) {
            ChangeKind::Interface
        } else {
            ChangeKind::InterfaceOrigin
        };
        let moved = gone.iter().position(|gone| {
            gone.binding == interface.binding && gone.version == interface.version
        });
        let before = moved.map(|position| gone.remove(position));
        changes.push(Change {
            kind,
            pointer: locate(new.members(), interface),
            before: before.map(written),
            after: Some(written(interface)),
            message: match before {
                Some(before) => format!("{} moved from `{}`", named(interface), shown(&before.url)),
                None => format!("{} is new", named(interface)),
            },
        });
    }
    for interface in gone {
        changes.push(Change {
            kind: ChangeKind::Interface,
            pointer: locate(old.members(), interface),
            before: Some(written(interface)),
            after: None,
            message: format!("{} is gone", named(interface)),
        });
    }
    diff_tenants(old, new, changes);
    if nothing_moved {
        diff_rank(old, new, changes);
    }
}

fn diff_tenants(old: &Card, new: &Card, changes: &mut Changes) {
    for interface in new.interfaces() {
        let before = old
            .interfaces()
            .iter()
            .find(|before| same(before, interface));
        if let Some(before) = before {
            changes.compare(
                ChangeKind::Interface,
                &format!("{}/tenant", locate(new.members(), interface)),
                (
                    before.tenant.as_deref().map(Value::from),
                    interface.tenant.as_deref().map(Value::from),
                ),
                &format!("tenant of {}", named(interface)),
            );
        }
    }
}

/// Compares which interface clients prefer, where the cards have the same ones.
fn diff_rank(old: &Card, new: &Card, changes: &mut Changes) {
    let (Some(was), Some(is)) = (old.interfaces().first(), new.interfaces().first()) else {
        return;
    };
    if !same(was, is) {
        changes.push(Change {
            kind: ChangeKind::Interface,
            pointer: locate(new.members(), is),
            before: Some(written(was)),
            after: Some(written(is)),
            message: format!("{} is preferred now", named(is)),
        });
    }
}

fn without<'a>(interfaces: &'a [Interface], others: &[Interface]) -> Vec<&'a Interface> {
    interfaces
        .iter()
        .filter(|interface| !others.iter().any(|other| same(interface, other)))
        .collect()
}

fn same(one: &Interface, other: &Interface) -> bool {
    (&one.url, &one.binding, one.version) == (&other.url, &other.binding, other.version)
}

/// Returns scheme, host and port of an interface; its URL where it has none.
fn origin(interface: &Interface) -> String {
    let text = interface.url.replacen("dns:///", "", 1);
    let spelled = if text.contains("://") {
        text
    } else {
        format!("https://{text}")
    };
    match Url::parse(&spelled).map(|url| url.origin()) {
        Ok(origin) if origin.is_tuple() => origin.ascii_serialization(),
        _ => interface.url.clone(),
    }
}

fn named(interface: &Interface) -> String {
    let Interface {
        url,
        binding,
        version,
        ..
    } = interface;
    format!("{} {version} at `{}`", shown(binding.as_str()), shown(url))
}

fn written(interface: &Interface) -> Value {
    let mut value = json!({
        "url": interface.url,
        "protocolBinding": interface.binding.as_str(),
        "protocolVersion": interface.version.to_string(),
    });
    if let Some(tenant) = &interface.tenant {
        value["tenant"] = json!(tenant);
    }
    value
}
