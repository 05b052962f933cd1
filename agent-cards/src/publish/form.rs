//! The members that differ between the protocol versions, written from what is known of a card.

use serde_json::{Value, json};

use super::PublishedInterface;
use crate::members::Object;
use crate::{Security, SecurityRequirement, Shape};

/// Which version's members a written card has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form(Shape);

/// The optional features of an agent; one that is not known is not written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flags {
    pub(crate) streaming: Option<bool>,
    pub(crate) push_notifications: Option<bool>,
    pub(crate) extended_card: Option<bool>,
}

impl Form {
    pub(crate) fn new(shape: Shape) -> Self {
        Self(shape)
    }

    pub(crate) fn has_legacy(self) -> bool {
        self.0 != Shape::V1
    }

    pub(crate) fn has_current(self) -> bool {
        self.0 != Shape::V03
    }
}

/// Writes the members that say where the agent is reached.
pub(crate) fn write_addresses(card: &mut Object, form: Form, interfaces: &[PublishedInterface]) {
    let mut legacy = interfaces
        .iter()
        .filter(|interface| interface.version.is_legacy())
        .peekable();
    if let Some(preferred) = legacy.peek().filter(|_| form.has_legacy()) {
        let version = format!("{}.0", preferred.version);
        card.insert("protocolVersion".to_owned(), json!(version));
        card.insert("url".to_owned(), json!(preferred.url));
        let transport = preferred.binding.as_str();
        card.insert("preferredTransport".to_owned(), json!(transport));
        // A2A 0.3 §5.6.4: the list should repeat the preferred interface.
        let all: Vec<Value> = legacy
            .map(|interface| json!({"url": interface.url, "transport": interface.binding.as_str()}))
            .collect();
        card.insert("additionalInterfaces".to_owned(), Value::Array(all));
    }
    if form.has_current() {
        let all = interfaces.iter().map(current_interface);
        card.insert("supportedInterfaces".to_owned(), all.collect());
    }
}

fn current_interface(interface: &PublishedInterface) -> Value {
    let mut entry = Object::new();
    entry.insert("url".to_owned(), json!(interface.url));
    let binding = interface.binding.as_str();
    entry.insert("protocolBinding".to_owned(), json!(binding));
    let version = interface.version.to_string();
    entry.insert("protocolVersion".to_owned(), json!(version));
    if let Some(tenant) = &interface.tenant {
        entry.insert("tenant".to_owned(), json!(tenant));
    }
    Value::Object(entry)
}

/// Writes the capabilities: the flags, the extensions, and whatever else is declared.
pub(crate) fn write_capabilities(
    card: &mut Object,
    form: Form,
    flags: Flags,
    extensions: Vec<Value>,
    others: Object,
) {
    let mut capabilities = Object::new();
    let current_extended = flags.extended_card.filter(|_| form.has_current());
    for (name, flag) in [
        ("streaming", flags.streaming),
        ("pushNotifications", flags.push_notifications),
        ("extendedAgentCard", current_extended),
    ] {
        if let Some(flag) = flag {
            capabilities.insert(name.to_owned(), json!(flag));
        }
    }
    if !extensions.is_empty() {
        capabilities.insert("extensions".to_owned(), Value::Array(extensions));
    }
    capabilities.extend(others);
    card.insert("capabilities".to_owned(), Value::Object(capabilities));
    if let Some(extended) = flags.extended_card.filter(|_| form.has_legacy()) {
        let name = "supportsAuthenticatedExtendedCard".to_owned();
        card.insert(name, json!(extended));
    }
}

/// Writes how callers authenticate; a scheme of a card for all readers has the members of both
/// versions.
pub(crate) fn write_security(card: &mut Object, form: Form, security: &Security) {
    if !security.schemes.is_empty() {
        let schemes: Object = security
            .schemes
            .iter()
            .map(|(name, scheme)| {
                let mut written = Object::new();
                if form.has_legacy() {
                    written.extend(scheme.in_v03());
                }
                if form.has_current() {
                    written.extend(scheme.in_v1());
                }
                (name.clone(), Value::Object(written))
            })
            .collect();
        card.insert("securitySchemes".to_owned(), Value::Object(schemes));
    }
    write_requirements(card, form, &security.requirements);
}

/// Writes the security requirements of a card or a skill.
pub(crate) fn write_requirements(
    object: &mut Object,
    form: Form,
    requirements: &[SecurityRequirement],
) {
    if requirements.is_empty() {
        return;
    }
    if form.has_legacy() {
        let list = requirements.iter().map(SecurityRequirement::in_v03);
        object.insert("security".to_owned(), list.collect());
    }
    if form.has_current() {
        let list = requirements.iter().map(SecurityRequirement::in_v1);
        object.insert("securityRequirements".to_owned(), list.collect());
    }
}
