//! The card served in place of one agent's.

use serde_json::{Value, json};

use super::form::{self, Flags, Form};
use super::{Publish, PublishedInterface};
use crate::known;
use crate::members::{self, Object};
use crate::{Card, Security, SecurityRequirement, Skill};

/// Returns the card to serve for an agent.
///
/// Members that both protocol versions know are written with the type the specification gives
/// them, since one wrong type makes official readers refuse the whole card; required lists are
/// always present.
#[must_use]
pub fn agent(card: &Card, options: &Publish) -> Value {
    let empty = Object::new();
    let declared = members::object(card.members(), "capabilities").unwrap_or(&empty);
    let rewrite = Rewrite {
        form: options.form(),
        interfaces: &options.interfaces,
        flags: options.flags(),
        extensions: options.with_own_extensions(extensions(declared)),
        security: &options.security,
        skills_keep_security: false,
    };
    rewrite.of(card)
}

/// A card written anew from another: its words stay, what is named here replaces the rest.
#[derive(Debug)]
pub(crate) struct Rewrite<'a> {
    pub(crate) form: Form,
    pub(crate) interfaces: &'a [PublishedInterface],
    pub(crate) flags: Flags,
    pub(crate) extensions: Vec<Value>,
    pub(crate) security: &'a Security,
    pub(crate) skills_keep_security: bool,
}

impl Rewrite<'_> {
    pub(crate) fn of(self, card: &Card) -> Value {
        let source = card.members();
        let mut served = Object::new();
        served.insert("name".to_owned(), json!(card.name()));
        served.insert("description".to_owned(), json!(card.description()));
        served.insert("version".to_owned(), json!(card.version()));
        form::write_addresses(&mut served, self.form, self.interfaces);
        if let Some(provider) = members::object(source, "provider") {
            let provider = read_provider(provider);
            served.extend(provider.map(|provider| ("provider".to_owned(), provider)));
        }
        for name in ["documentationUrl", "iconUrl"] {
            if let Some(link) = members::text(source, name) {
                served.insert(name.to_owned(), json!(link));
            }
        }
        let skills = members::list(source, "skills")
            .iter()
            .filter_map(|value| self.skill(value))
            .collect();
        form::write_capabilities(
            &mut served,
            self.form,
            self.flags,
            self.extensions,
            other_capabilities(source, self.form),
        );
        form::write_security(&mut served, self.form, self.security);
        let modes = [
            ("defaultInputModes", card.default_input_modes()),
            ("defaultOutputModes", card.default_output_modes()),
        ];
        for (name, modes) in modes {
            served.insert(name.to_owned(), json!(modes));
        }
        served.insert("skills".to_owned(), skills);
        keep_unknown(source, known::CARD, &mut served);
        Value::Object(served)
    }

    fn skill(&self, value: &Value) -> Option<Value> {
        let source = value.as_object()?;
        let skill = Skill::read(source)?;
        let mut served = Object::new();
        served.insert("id".to_owned(), json!(skill.id));
        served.insert("name".to_owned(), json!(skill.name));
        served.insert("description".to_owned(), json!(skill.description));
        served.insert("tags".to_owned(), json!(skill.tags));
        let optional = [
            ("examples", skill.examples),
            ("inputModes", skill.input_modes),
            ("outputModes", skill.output_modes),
        ];
        for (name, entries) in optional {
            if !entries.is_empty() {
                served.insert(name.to_owned(), json!(entries));
            }
        }
        if self.skills_keep_security {
            let requirements = SecurityRequirement::read_all(source);
            form::write_requirements(&mut served, self.form, &requirements);
        }
        keep_unknown(source, known::SKILL, &mut served);
        Some(Value::Object(served))
    }
}

/// Returns a provider that has all that the protocol demands of one (A2A §4.4.2): an empty text in its place would
/// be an address that leads nowhere.
fn read_provider(provider: &Object) -> Option<Value> {
    let mut served = Object::new();
    for name in known::PROVIDER {
        let text = members::text(provider, name).filter(|text| !text.trim().is_empty())?;
        served.insert((*name).to_owned(), json!(text));
    }
    keep_unknown(provider, known::PROVIDER, &mut served);
    Some(Value::Object(served))
}

/// Returns the extensions of a card's capabilities, each with the types it must have.
pub(crate) fn extensions(capabilities: &Object) -> Vec<Value> {
    members::list(capabilities, "extensions")
        .iter()
        .filter_map(|value| extension(value.as_object()?))
        .collect()
}

fn extension(source: &Object) -> Option<Value> {
    let uri = members::text(source, "uri").filter(|uri| !uri.is_empty())?;
    let mut served = Object::new();
    served.insert("uri".to_owned(), json!(uri));
    if let Some(description) = members::text(source, "description") {
        served.insert("description".to_owned(), json!(description));
    }
    if let Some(required) = members::flag(source, "required") {
        served.insert("required".to_owned(), json!(required));
    }
    if let Some(params) = members::object(source, "params") {
        served.insert("params".to_owned(), json!(params));
    }
    keep_unknown(source, known::EXTENSION, &mut served);
    Some(Value::Object(served))
}

/// Returns what else the agent declares; only 0.3 knows a history of state transitions.
fn other_capabilities(card: &Object, form: Form) -> Object {
    let mut others = Object::new();
    let Some(declared) = members::object(card, "capabilities") else {
        return others;
    };
    let history = members::flag(declared, "stateTransitionHistory");
    if let Some(history) = history.filter(|_| form.has_legacy()) {
        others.insert("stateTransitionHistory".to_owned(), json!(history));
    }
    keep_unknown(declared, known::CAPABILITIES, &mut others);
    others
}

fn keep_unknown(source: &Object, known: &[&str], served: &mut Object) {
    let unknown = known::unknown(source, known);
    served.extend(unknown.map(|(name, value)| (name.clone(), value.clone())));
}

#[cfg(test)]
mod tests;
