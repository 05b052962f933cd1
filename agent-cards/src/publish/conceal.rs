//! Taking out of a card what would tell its readers where the agent is behind the gateway.
//!
//! The protocol's own addresses are replaced anyway (see [`agent`](super::agent())). What is left are links, extension
//! parameters and members that nobody here understands. They are kept, but for values that name an inner host.

mod hosts;

use serde_json::Value;

use crate::Card;
use crate::known;
use crate::members::{self, Object};

pub use self::hosts::InnerHosts;

/// The most members that are listed by name.
const MOST_LISTED: usize = 100;

/// A card without inner addresses, and what it no longer has.
#[derive(Clone, Debug)]
pub struct Concealed {
    /// The card to [publish](super::agent()); the same one if nothing had to go.
    pub card: Card,
    /// What was taken out.
    pub withheld: Withheld,
}

/// What was taken out of a card.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Withheld {
    /// How many values.
    pub count: usize,
    /// Where they were, as JSON pointers, 100 at most.
    pub members: Vec<String>,
}

/// Takes out of a card what names an inner host: the hosts given and those of the card's interfaces, as well as
/// loopback, private and link-local addresses.
///
/// Looked at are members that neither version of the protocol knows, the parameters of extensions, and the links
/// `documentationUrl`, `iconUrl` and `provider.url`. A value goes, the members around it stay. What people read
/// (names, descriptions, tags, examples) and the URIs of extensions, which are identifiers, are left as they are.
///
/// # Panics
///
/// Never: what makes a card one is not taken out of it.
#[must_use]
pub fn conceal(card: &Card, inner: &InnerHosts) -> Concealed {
    let inner = inner.with(
        card.interfaces()
            .iter()
            .map(|interface| interface.url.as_str()),
    );
    let mut concealing = Concealing {
        inner: &inner,
        withheld: Withheld::default(),
    };
    let mut members = card.members().clone();
    concealing.card(&mut members);
    let withheld = concealing.withheld;
    if withheld.count == 0 {
        return Concealed {
            card: card.clone(),
            withheld,
        };
    }
    let body = Value::Object(members).to_string();
    Concealed {
        card: Card::parse(body.as_bytes()).expect("what makes a card one is still there"),
        withheld,
    }
}

struct Concealing<'a> {
    inner: &'a InnerHosts,
    withheld: Withheld,
}

impl Concealing<'_> {
    fn card(&mut self, card: &mut Object) {
        self.links(card, "", &["documentationUrl", "iconUrl"]);
        self.unknown(card, "", known::CARD);
        self.child(card, "", "provider", |this, provider, at| {
            this.links(provider, at, &["url"]);
            this.unknown(provider, at, known::PROVIDER);
        });
        self.child(card, "", "capabilities", |this, capabilities, at| {
            this.unknown(capabilities, at, known::CAPABILITIES);
            this.each(capabilities, at, "extensions", |this, extension, at| {
                this.links(extension, at, &["params"]);
                this.unknown(extension, at, known::EXTENSION);
            });
        });
        self.each(card, "", "skills", |this, skill, at| {
            this.unknown(skill, at, known::SKILL);
        });
    }

    /// Looks into a member that is an object.
    fn child(
        &mut self,
        parent: &mut Object,
        at: &str,
        name: &str,
        look: impl FnOnce(&mut Self, &mut Object, &str),
    ) {
        for (spelling, value) in parent.iter_mut() {
            if members::camel_case(spelling) == name
                && let Value::Object(child) = value
            {
                return look(self, child, &members::step(at, spelling));
            }
        }
    }

    /// Looks into each object of a list.
    fn each(
        &mut self,
        parent: &mut Object,
        at: &str,
        name: &str,
        look: impl Fn(&mut Self, &mut Object, &str),
    ) {
        for (spelling, value) in parent.iter_mut() {
            let (true, Value::Array(entries)) = (members::camel_case(spelling) == name, value)
            else {
                continue;
            };
            let at = members::step(at, spelling);
            for (index, entry) in entries.iter_mut().enumerate() {
                if let Value::Object(entry) = entry {
                    look(self, entry, &format!("{at}/{index}"));
                }
            }
        }
    }

    /// Takes inner addresses out of members that the protocol knows.
    fn links(&mut self, object: &mut Object, at: &str, names: &[&str]) {
        self.retain(object, at, |name| {
            names.contains(&members::camel_case(name).as_ref())
        });
    }

    /// Takes inner addresses out of members that the protocol does not know.
    fn unknown(&mut self, object: &mut Object, at: &str, known: &[&str]) {
        self.retain(object, at, |name| {
            !known.contains(&members::camel_case(name).as_ref())
        });
    }

    fn retain(&mut self, object: &mut Object, at: &str, is_looked_at: impl Fn(&str) -> bool) {
        object.retain(|name, value| {
            if !is_looked_at(name) {
                return true;
            }
            let pointer = members::step(at, name);
            if self.inner.is_named_in(name) {
                self.take(pointer);
                return false;
            }
            self.keeps(value, &pointer)
        });
    }

    /// Looks through a value of any kind; returns whether it may stay.
    fn keeps(&mut self, value: &mut Value, at: &str) -> bool {
        match value {
            Value::String(text) => {
                let is_inner = self.inner.is_named_in(text);
                if is_inner {
                    self.take(at.to_owned());
                }
                !is_inner
            }
            Value::Array(entries) => {
                let mut index = 0_usize;
                entries.retain_mut(|entry| {
                    let keeps = self.keeps(entry, &format!("{at}/{index}"));
                    index += 1;
                    keeps
                });
                true
            }
            Value::Object(object) => {
                self.retain(object, at, |_| true);
                true
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => true,
        }
    }

    fn take(&mut self, pointer: String) {
        self.withheld.count += 1;
        if self.withheld.members.len() < MOST_LISTED {
            self.withheld.members.push(pointer);
        }
    }
}

#[cfg(test)]
mod tests;
