//! One change, and the ordered list of them.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::members::{self, Object, shown};

/// What a change is about, the most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// The agent's name or provider: it may be another agent.
    Identity,
    /// An address at an origin (scheme, host and port) the card did not name before.
    InterfaceOrigin,
    /// How callers authenticate, to the agent or for a skill.
    Security,
    /// Whether the card is signed, and with which keys.
    Signature,
    /// A skill is new, gone or described otherwise.
    Skill,
    /// The agent's description, which steers who is chosen as skills do.
    Description,
    /// An address at a known origin, its binding, version or tenant: messages may go elsewhere.
    Interface,
    /// Which of the same interfaces is preferred.
    Rank,
    /// An optional feature, an extension or a default media type.
    Capability,
    /// The agent's version or a link.
    Wording,
    /// A member this crate does not know.
    Other,
}

/// Something that differs between two versions of a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// What the change is about.
    pub kind: ChangeKind,
    /// Where it is, as a JSON pointer into the new card; into the old one for what is gone.
    pub pointer: String,
    /// What was there, nothing for what is new.
    pub before: Option<Value>,
    /// What is there, nothing for what is gone.
    pub after: Option<Value>,
    /// What changed, in one sentence.
    pub message: String,
}

impl ChangeKind {
    /// Tells whether the change is drift: callers who trusted the old card must not take the new
    /// one on trust.
    #[must_use]
    pub fn is_drift(self) -> bool {
        self <= Self::Interface
    }

    /// Returns the name of the kind in `kebab-case`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::InterfaceOrigin => "interface-origin",
            Self::Security => "security",
            Self::Signature => "signature",
            Self::Skill => "skill",
            Self::Description => "description",
            Self::Interface => "interface",
            Self::Rank => "rank",
            Self::Capability => "capability",
            Self::Wording => "wording",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for ChangeKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Change {
    /// Tells whether the change is drift, see [`ChangeKind::is_drift`].
    #[must_use]
    pub fn is_drift(&self) -> bool {
        self.kind.is_drift()
    }
}

/// The most changes listed: a hostile card could cause tens of thousands.
const MOST: usize = 1_000;

/// Collects changes.
#[derive(Debug, Default)]
pub(super) struct Changes(Vec<Change>);

impl Changes {
    pub(super) fn push(&mut self, change: Change) {
        self.0.push(change);
    }

    /// Adds a change if the two values differ.
    pub(super) fn compare(
        &mut self,
        kind: ChangeKind,
        pointer: &str,
        (before, after): (Option<Value>, Option<Value>),
        subject: &str,
    ) {
        let message = match (&before, &after) {
            (before, after) if before == after => return,
            (None, _) => format!("{subject} is new"),
            (_, None) => format!("{subject} is gone"),
            (Some(Value::String(was)), Some(Value::String(is))) => {
                format!("{subject} is `{}`, was `{}`", shown(is), shown(was))
            }
            (Some(_), Some(_)) => format!("{subject} changed"),
        };
        self.push(Change {
            kind,
            pointer: pointer.to_owned(),
            before,
            after,
            message,
        });
    }

    /// Compares a member of the objects at `pointer`; one that is empty counts as missing.
    pub(super) fn member(
        &mut self,
        kind: ChangeKind,
        (pointer, name): (&str, &str),
        (before, after): (&Object, &Object),
        subject: &str,
    ) {
        let read = |object| {
            members::member(object, name)
                .filter(|value| !is_empty(value))
                .cloned()
        };
        let values = (read(before), read(after));
        let place = if values.1.is_some() { after } else { before };
        let pointer = members::pointer(place, pointer, name);
        self.compare(kind, &pointer, values, &format!("{subject}`{name}`"));
    }

    /// Compares a feature that is offered or not.
    pub(super) fn flag(&mut self, pointer: &str, was: bool, is: bool, subject: &str) {
        if was != is {
            let verb = if is {
                "is offered"
            } else {
                "is no longer offered"
            };
            self.push(Change {
                kind: ChangeKind::Capability,
                pointer: pointer.to_owned(),
                before: Some(Value::Bool(was)),
                after: Some(Value::Bool(is)),
                message: format!("{subject} {verb}"),
            });
        }
    }

    /// Returns the changes, the most severe first, those of a kind in the order found; beyond a
    /// bound they are counted.
    pub(super) fn sorted(mut self) -> Vec<Change> {
        self.0.sort_by_key(|change| change.kind);
        if let Some(kind) = self.0.get(MOST).map(|change| change.kind) {
            let rest = self.0.len() - MOST;
            self.0.truncate(MOST);
            self.0.push(Change {
                kind,
                pointer: String::new(),
                before: None,
                after: None,
                message: format!("{rest} more changes are not listed"),
            });
        }
        self.0
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_empty(),
        Value::Array(entries) => entries.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Null => true,
        Value::Bool(_) | Value::Number(_) => false,
    }
}
