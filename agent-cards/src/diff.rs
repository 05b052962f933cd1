//! What changed between two versions of an agent's card, most severe first.
//!
//! Both cards are compared by what they mean: the same agent written in the other protocol shape
//! has not changed.

mod change;
mod interfaces;
mod skills;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

pub use self::change::{Change, ChangeKind};

use self::change::Changes;
use crate::known;
use crate::members::{self, Object};
use crate::{Card, Security, SecurityRequirement};

/// Returns what changed from `old` to `new`, most severe first.
///
/// There is one change per member that differs. A hostile card cannot make the list long: the
/// 1,000 most severe are kept, and one more, of the most severe kind left out, counts the rest.
#[must_use]
pub fn diff(old: &Card, new: &Card) -> Vec<Change> {
    let mut changes = Changes::default();
    let (before, after) = (old.members(), new.members());
    diff_identity(before, after, &mut changes);
    interfaces::diff(old, new, &mut changes);
    diff_security(old, new, &mut changes);
    diff_signatures(before, after, &mut changes);
    skills::diff(before, after, &mut changes);
    diff_capabilities(old, new, &mut changes);
    changes.member(
        ChangeKind::Description,
        ("", "description"),
        (before, after),
        "",
    );
    for name in ["version", "documentationUrl", "iconUrl"] {
        changes.member(ChangeKind::Wording, ("", name), (before, after), "");
    }
    diff_unknown(before, after, ("", known::CARD), &mut changes);
    changes.sorted()
}

fn diff_identity(before: &Object, after: &Object, changes: &mut Changes) {
    changes.member(ChangeKind::Identity, ("", "name"), (before, after), "");
    let empty = Object::new();
    let old = members::object(before, "provider").unwrap_or(&empty);
    let new = members::object(after, "provider").unwrap_or(&empty);
    for name in ["organization", "url"] {
        changes.member(
            ChangeKind::Identity,
            ("/provider", name),
            (old, new),
            "provider ",
        );
    }
    diff_unknown(old, new, ("/provider", known::PROVIDER), changes);
}

fn diff_security(old: &Card, new: &Card, changes: &mut Changes) {
    let (before, after) = (old.security(), new.security());
    let by_name = |security: &'_ Security| -> BTreeMap<String, Value> {
        let schemes = security.schemes.iter();
        schemes
            .map(|(name, scheme)| (name.clone(), scheme.value()))
            .collect()
    };
    let (was, is) = (by_name(before), by_name(after));
    let names: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
    for name in names {
        changes.compare(
            ChangeKind::Security,
            &members::step("/securitySchemes", name),
            (was.get(name).cloned(), is.get(name).cloned()),
            &format!("security scheme `{}`", members::shown(name)),
        );
    }
    diff_requirements(("", ""), (old.members(), new.members()), changes);
}

/// Compares the requirements of two cards or skills; the order of alternatives does not matter.
fn diff_requirements(
    (pointer, subject): (&str, &str),
    (before, after): (&Object, &Object),
    changes: &mut Changes,
) {
    let read = |object| {
        let mut requirements = SecurityRequirement::read_all(object);
        for requirement in &mut requirements {
            requirement.schemes.sort();
            for (_, scopes) in &mut requirement.schemes {
                scopes.sort();
            }
        }
        requirements.sort();
        requirements.dedup();
        requirements
    };
    let (old, new) = (read(before), read(after));
    if old == new {
        return;
    }
    let written = |requirements: &[SecurityRequirement]| {
        let list: Vec<Value> = requirements
            .iter()
            .map(SecurityRequirement::in_v1)
            .collect();
        (!list.is_empty()).then_some(Value::Array(list))
    };
    let name = match members::member(after, "security") {
        Some(_) if members::member(after, "securityRequirements").is_none() => "security",
        _ => "securityRequirements",
    };
    let verb = match (old.is_empty(), new.is_empty()) {
        (true, _) => "are new",
        (_, true) => "are gone",
        (false, false) => "changed",
    };
    changes.push(Change {
        kind: ChangeKind::Security,
        pointer: members::pointer(after, pointer, name),
        before: written(&old),
        after: written(&new),
        message: format!("{subject}security requirements {verb}"),
    });
}

/// Compares who signed: a new signature by the same key is what a changed card must have.
fn diff_signatures(before: &Object, after: &Object, changes: &mut Changes) {
    let signers = |card| {
        let entries = members::list(card, "signatures").iter();
        entries
            .map(crate::signature::signer)
            .collect::<BTreeSet<_>>()
    };
    let (old, new) = (signers(before), signers(after));
    if old == new {
        return;
    }
    let written = |signers: &BTreeSet<String>| {
        (!signers.is_empty()).then(|| {
            signers
                .iter()
                .map(|signer| Value::from(signer.as_str()))
                .collect()
        })
    };
    let message = match (old.is_empty(), new.is_empty()) {
        (true, _) => "the card is signed and was not",
        (_, true) => "the card is no longer signed",
        (false, false) => "the card is signed with other keys",
    };
    changes.push(Change {
        kind: ChangeKind::Signature,
        pointer: "/signatures".to_owned(),
        before: written(&old),
        after: written(&new),
        message: message.to_owned(),
    });
}

fn diff_capabilities(old: &Card, new: &Card, changes: &mut Changes) {
    let (before, after) = (old.capabilities(), new.capabilities());
    let flags = [
        ("streaming", before.streaming, after.streaming),
        (
            "pushNotifications",
            before.push_notifications,
            after.push_notifications,
        ),
        (
            "extendedAgentCard",
            before.extended_card,
            after.extended_card,
        ),
    ];
    for (name, was, is) in flags {
        changes.flag(
            &format!("/capabilities/{name}"),
            was,
            is,
            &format!("`{name}`"),
        );
    }
    let empty = Object::new();
    let old_members = members::object(old.members(), "capabilities").unwrap_or(&empty);
    let new_members = members::object(new.members(), "capabilities").unwrap_or(&empty);
    diff_extensions(old_members, new_members, changes);
    diff_unknown(
        old_members,
        new_members,
        ("/capabilities", known::CAPABILITIES),
        changes,
    );
    let modes = [
        (
            "defaultInputModes",
            old.default_input_modes(),
            new.default_input_modes(),
        ),
        (
            "defaultOutputModes",
            old.default_output_modes(),
            new.default_output_modes(),
        ),
    ];
    for (name, was, is) in modes {
        let values = (Some(Value::from(was)), Some(Value::from(is)));
        let pointer = members::pointer(new.members(), "", name);
        changes.compare(
            ChangeKind::Capability,
            &pointer,
            values,
            &format!("`{name}`"),
        );
    }
}

fn diff_extensions(before: &Object, after: &Object, changes: &mut Changes) {
    let (old, new) = (extensions(before), extensions(after));
    let uris: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    for uri in uris {
        let (was, is) = (old.get(uri), new.get(uri));
        let index = is.or(was).map_or(0, |(index, _)| *index);
        let meaning = |found: Option<&(usize, &Value)>| {
            found.map(|(_, extension)| meaning_of_extension(extension))
        };
        changes.compare(
            ChangeKind::Capability,
            &format!("/capabilities/extensions/{index}"),
            (meaning(was), meaning(is)),
            &format!("extension `{}`", members::shown(uri)),
        );
    }
}

/// Returns the extensions by their URI, with their places in the list; the first of a URI counts.
fn extensions(capabilities: &Object) -> HashMap<&str, (usize, &Value)> {
    let mut found = HashMap::new();
    let list = members::list(capabilities, "extensions").iter();
    for (index, extension) in list.enumerate() {
        if let Some(uri) = extension["uri"].as_str() {
            found.entry(uri).or_insert((index, extension));
        }
    }
    found
}

/// Returns an extension without what says nothing.
fn meaning_of_extension(extension: &Value) -> Value {
    let mut meaning = extension.clone();
    if let Value::Object(members) = &mut meaning {
        members.retain(|_, value| !value.is_null() && *value != Value::Bool(false) && *value != "");
    }
    meaning
}

/// Compares the members that mean nothing to this crate.
fn diff_unknown(
    before: &Object,
    after: &Object,
    (pointer, known): (&str, &[&str]),
    changes: &mut Changes,
) {
    let names: BTreeSet<&String> = known::unknown(before, known)
        .chain(known::unknown(after, known))
        .map(|(name, _)| name)
        .collect();
    for name in names {
        changes.compare(
            ChangeKind::Other,
            &members::step(pointer, name),
            (before.get(name).cloned(), after.get(name).cloned()),
            &format!("`{}`", members::shown(name)),
        );
    }
}

#[cfg(test)]
mod tests;
