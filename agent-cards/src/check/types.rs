//! The type rules: which members an object needs and what each must be.

use serde_json::Value;

use super::finding::Findings;
use crate::members::{self, Object};

/// A rule for one member.
#[derive(Debug)]
pub(super) struct Rule {
    name: &'static str,
    kind: Kind,
    need: Need,
}

/// What a member must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Flag,
    Object,
    List,
    Texts,
}

/// What it means that a member is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// The object is of no use: an error.
    Must,
    /// The specification requires it, a default serves: a warning.
    Should,
    /// Nothing.
    May,
}

impl Rule {
    pub(super) const fn new(name: &'static str, kind: Kind, need: Need) -> Self {
        Self { name, kind, need }
    }
}

impl Kind {
    fn expected(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Flag => "true or false",
            Self::Object => "an object",
            Self::List => "a list",
            Self::Texts => "a list of strings",
        }
    }

    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Flag => value.is_boolean(),
            Self::Object => value.is_object(),
            Self::List | Self::Texts => value.is_array(),
        }
    }

    fn hint(self) -> String {
        match self {
            Self::Text | Self::Flag => format!("write {}", self.expected()),
            Self::Object => format!(
                "write {}, `{{}}` if there is nothing to say",
                self.expected()
            ),
            Self::List | Self::Texts => {
                format!("write {}, `[]` if there are none", self.expected())
            }
        }
    }
}

/// Checks the members of `object`, which is found at `pointer`, against the rules.
pub(super) fn check(object: &Object, pointer: &str, rules: &[Rule], findings: &mut Findings) {
    for rule in rules {
        check_spelling(object, pointer, rule.name, findings);
        let pointer = members::pointer(object, pointer, rule.name);
        match members::member(object, rule.name) {
            None => check_absence(object, &pointer, rule, findings),
            Some(value) => check_value(value, &pointer, rule, findings),
        }
    }
}

/// Returns an entry of a list of objects, or reports that it is none.
pub(super) fn entry<'a>(
    value: &'a Value,
    pointer: &str,
    findings: &mut Findings,
) -> Option<&'a Object> {
    if !value.is_object() {
        let message = format!("entry is {}, expected an object", members::kind(value));
        findings.error(pointer, message, "remove the entry or write an object");
    }
    value.as_object()
}

fn check_spelling(object: &Object, pointer: &str, name: &str, findings: &mut Findings) {
    let snake = members::snake_case(name);
    if snake == name || !object.contains_key(snake.as_ref()) {
        return;
    }
    let pointer = format!("{pointer}/{snake}");
    if object.contains_key(name) {
        let message = format!("`{snake}` repeats `{name}`");
        findings.warning(&pointer, message, format!("keep only `{name}`"));
    } else {
        let message = format!("`{snake}` is spelled in snake_case");
        findings.warning(&pointer, message, format!("write `{name}`"));
    }
}

fn check_absence(object: &Object, pointer: &str, rule: &Rule, findings: &mut Findings) {
    let name = rule.name;
    let is_null = object.contains_key(name);
    let message = match (is_null, rule.need) {
        (true, _) => format!("`{name}` is null, which counts as missing"),
        (false, Need::May) => return,
        (false, Need::Must | Need::Should) => format!("`{name}` is missing"),
    };
    match rule.need {
        Need::Must => findings.error(pointer, message, rule.kind.hint()),
        Need::Should => findings.warning(pointer, message, rule.kind.hint()),
        // ProtoJSON lets servers write null for any member that is not set.
        Need::May => {}
    }
}

fn check_value(value: &Value, pointer: &str, rule: &Rule, findings: &mut Findings) {
    let name = rule.name;
    if !rule.kind.fits(value) {
        let found = members::kind(value);
        let message = format!("`{name}` is {found}, expected {}", rule.kind.expected());
        findings.error(pointer, message, rule.kind.hint());
        return;
    }
    if value.as_str().is_some_and(|text| text.trim().is_empty()) {
        let message = format!("`{name}` is empty");
        match rule.need {
            Need::Must => findings.error(pointer, message, "give it a value"),
            Need::Should => findings.warning(pointer, message, "give it a value"),
            Need::May => {}
        }
    }
    if rule.kind == Kind::Texts {
        let entries = value.as_array().map_or(&[][..], Vec::as_slice);
        for (index, entry) in entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| !entry.is_string())
        {
            let message = format!("entry is {}, expected a string", members::kind(entry));
            findings.error(&format!("{pointer}/{index}"), message, "write a string");
        }
    }
}
