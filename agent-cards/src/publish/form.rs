//! The members that differ between the protocol versions, written from what is published.

use serde_json::{Value, json};

use super::{Publish, PublishedInterface, ServedShape};
use crate::Extension;
use crate::members::Object;

/// Which version's members a served card has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    V03,
    V1,
    Both,
}

impl Form {
    /// Readers of 0.3 get its members only where they find an interface they speak, and strict
    /// ones get nothing else if there is no later interface.
    pub(super) fn of(options: &Publish) -> Self {
        let legacy = legacy_interfaces(options).count();
        match options.shape {
            ServedShape::V1 => Self::V1,
            ServedShape::Hybrid if legacy == 0 => Self::V1,
            ServedShape::Hybrid if legacy == options.interfaces.len() => Self::V03,
            ServedShape::Hybrid => Self::Both,
        }
    }

    pub(super) fn has_legacy(self) -> bool {
        self != Self::V1
    }

    pub(super) fn has_current(self) -> bool {
        self != Self::V03
    }
}

/// Writes the members that say where the gateway is reached.
pub(super) fn write_addresses(card: &mut Object, options: &Publish) {
    let form = Form::of(options);
    let preferred = legacy_interfaces(options).next();
    if let Some(preferred) = preferred.filter(|_| form.has_legacy()) {
        // A2A 0.3 §5.6.4: the list should repeat the preferred interface.
        let all: Vec<Value> = legacy_interfaces(options)
            .map(|interface| json!({"url": interface.url, "transport": interface.binding.as_str()}))
            .collect();
        card.insert("protocolVersion".to_owned(), json!("0.3.0"));
        card.insert("url".to_owned(), json!(preferred.url));
        let transport = preferred.binding.as_str();
        card.insert("preferredTransport".to_owned(), json!(transport));
        card.insert("additionalInterfaces".to_owned(), Value::Array(all));
    }
    if form.has_current() {
        let all = options.interfaces.iter().map(current_interface);
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

/// Writes the capabilities: the options' flags, and the agent's extensions before the options' own.
pub(super) fn write_capabilities(
    card: &mut Object,
    options: &Publish,
    extensions: Vec<Value>,
    others: Object,
) {
    let form = Form::of(options);
    let mut capabilities = Object::new();
    capabilities.insert("streaming".to_owned(), json!(options.streaming));
    let push = json!(options.push_notifications);
    capabilities.insert("pushNotifications".to_owned(), push);
    if form.has_current() {
        let extended = json!(options.extended_card);
        capabilities.insert("extendedAgentCard".to_owned(), extended);
    }
    let replaced = |extension: &Value| {
        let uri = extension.get("uri").and_then(Value::as_str);
        options
            .extensions
            .iter()
            .any(|own| Some(own.uri.as_str()) == uri)
    };
    let listed: Vec<Value> = extensions
        .into_iter()
        .filter(|extension| !replaced(extension))
        .chain(options.extensions.iter().map(extension))
        .collect();
    if !listed.is_empty() {
        capabilities.insert("extensions".to_owned(), Value::Array(listed));
    }
    capabilities.extend(others);
    card.insert("capabilities".to_owned(), Value::Object(capabilities));
    if form.has_legacy() {
        let extended = json!(options.extended_card);
        card.insert("supportsAuthenticatedExtendedCard".to_owned(), extended);
    }
}

fn extension(extension: &Extension) -> Value {
    let mut entry = Object::new();
    entry.insert("uri".to_owned(), json!(extension.uri));
    if let Some(description) = &extension.description {
        entry.insert("description".to_owned(), json!(description));
    }
    entry.insert("required".to_owned(), json!(extension.required));
    Value::Object(entry)
}

fn legacy_interfaces(options: &Publish) -> impl Iterator<Item = &PublishedInterface> {
    options
        .interfaces
        .iter()
        .filter(|interface| interface.version.is_legacy())
}
