//! Interfaces, matched by binding, version and URL, and compared in time linear in their number.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Value, json};
use url::Url;

use super::change::{Change, ChangeKind, Changes};
use crate::interface::read_located;
use crate::members::shown;
use crate::{Card, Interface, InterfaceBinding, ProtocolVersion};

/// An interface of one of the cards.
struct Found {
    interface: Interface,
    pointer: String,
    /// Its URL as clients resolve it.
    address: String,
}

/// What makes two interfaces the same one.
type Key<'a> = (&'a str, &'a InterfaceBinding, ProtocolVersion);

impl Found {
    fn all(card: &Card) -> Vec<Self> {
        let located = read_located(card.members()).into_iter();
        located
            .map(|(interface, pointer)| Self {
                address: resolved(&interface.url)
                    .map_or_else(|| interface.url.clone(), |url| url.to_string()),
                interface,
                pointer,
            })
            .collect()
    }

    fn key(&self) -> Key<'_> {
        (
            &self.address,
            &self.interface.binding,
            self.interface.version,
        )
    }
}

pub(super) fn diff(old: &Card, new: &Card, changes: &mut Changes) {
    let (old, new) = (Found::all(old), Found::all(new));
    let nothing_moved = diff_addresses(&old, &new, changes);
    diff_tenants(&old, &new, changes);
    if nothing_moved {
        diff_rank(&old, &new, changes);
    }
}

/// Compares where the agent is reached, and tells whether that is the same.
fn diff_addresses(old: &[Found], new: &[Found], changes: &mut Changes) -> bool {
    let known_origins: HashSet<String> = old.iter().map(origin).collect();
    let (gone, added) = (without(old, new), without(new, old));
    let mut movable: HashMap<_, VecDeque<usize>> = HashMap::new();
    for (index, found) in gone.iter().enumerate() {
        let kind = (&found.interface.binding, found.interface.version);
        movable.entry(kind).or_default().push_back(index);
    }
    let mut moved = HashSet::new();
    for found in &added {
        let interface = &found.interface;
        let kind = if known_origins.contains(&origin(found)) {
            ChangeKind::Interface
        } else {
            ChangeKind::InterfaceOrigin
        };
        let index = movable
            .get_mut(&(&interface.binding, interface.version))
            .and_then(VecDeque::pop_front);
        moved.extend(index);
        let before = index.map(|index| &gone[index].interface);
        changes.push(Change {
            kind,
            pointer: found.pointer.clone(),
            before: before.map(written),
            after: Some(written(interface)),
            message: match before {
                Some(before) => format!("{} moved from `{}`", named(interface), shown(&before.url)),
                None => format!("{} is new", named(interface)),
            },
        });
    }
    for (index, found) in gone.iter().enumerate() {
        if !moved.contains(&index) {
            changes.push(Change {
                kind: ChangeKind::Interface,
                pointer: found.pointer.clone(),
                before: Some(written(&found.interface)),
                after: None,
                message: format!("{} is gone", named(&found.interface)),
            });
        }
    }
    gone.is_empty() && added.is_empty()
}

fn diff_tenants(old: &[Found], new: &[Found], changes: &mut Changes) {
    let mut tenants: HashMap<Key<'_>, Option<&str>> = HashMap::new();
    for found in old {
        let tenant = found.interface.tenant.as_deref();
        tenants.entry(found.key()).or_insert(tenant);
    }
    for found in new {
        if let Some(before) = tenants.get(&found.key()) {
            changes.compare(
                ChangeKind::Interface,
                &format!("{}/tenant", found.pointer),
                (
                    before.map(Value::from),
                    found.interface.tenant.as_deref().map(Value::from),
                ),
                &format!("tenant of {}", named(&found.interface)),
            );
        }
    }
}

/// Compares which interface clients prefer, where the cards have the same ones.
fn diff_rank(old: &[Found], new: &[Found], changes: &mut Changes) {
    let (Some(was), Some(is)) = (old.first(), new.first()) else {
        return;
    };
    if was.key() != is.key() {
        changes.push(Change {
            kind: ChangeKind::Rank,
            pointer: is.pointer.clone(),
            before: Some(written(&was.interface)),
            after: Some(written(&is.interface)),
            message: format!("{} is preferred now", named(&is.interface)),
        });
    }
}

fn without<'a>(found: &'a [Found], others: &[Found]) -> Vec<&'a Found> {
    let others: HashSet<Key<'_>> = others.iter().map(Found::key).collect();
    found
        .iter()
        .filter(|found| !others.contains(&found.key()))
        .collect()
}

/// Returns scheme, host and port of an interface; its URL where it has none.
fn origin(found: &Found) -> String {
    let Some(url) = resolved(&found.interface.url) else {
        return found.address.clone();
    };
    let origin = url.origin();
    if origin.is_tuple() {
        origin.ascii_serialization()
    } else {
        // Such as `grpc://`, of which URL parsers know no default port.
        url[..url::Position::BeforePath].to_owned()
    }
}

/// Returns an address as URL parsers of clients read it: `http:/a` and `http:\\a` lead to the
/// host `a`. A gRPC target without scheme counts as https.
fn resolved(address: &str) -> Option<Url> {
    let with_host = |text: &str| Url::parse(text).ok().filter(Url::has_host);
    with_host(address)
        .filter(|url| url.scheme() != "dns")
        .or_else(|| {
            let target = address.strip_prefix("dns:///").unwrap_or(address);
            with_host(&format!("https://{target}"))
        })
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
