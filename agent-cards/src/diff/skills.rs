//! Skills, matched by their identifiers.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::change::{ChangeKind, Changes};
use super::{diff_requirements, diff_unknown};
use crate::Skill;
use crate::known;
use crate::members::{self, Object, shown};

/// Members of a skill that say what it is.
const DESCRIBING: [&str; 6] = [
    "name",
    "description",
    "tags",
    "examples",
    "inputModes",
    "outputModes",
];

/// A skill of a card: its identifier and how often it occurred before, and where it is.
type Key = (String, usize);
type Found<'a> = (Key, usize, &'a Object);

pub(super) fn diff(before: &Object, after: &Object, changes: &mut Changes) {
    let (old, new) = (keyed(before), keyed(after));
    let known: HashMap<&Key, &Object> = old.iter().map(|(key, _, skill)| (key, *skill)).collect();
    for (key, index, skill) in &new {
        let subject = format!("skill `{}`", shown(&key.0));
        let pointer = format!("/skills/{index}");
        match known.get(key) {
            Some(old) => diff_skill(&pointer, &subject, (old, skill), changes),
            None => {
                let values = (None, Some(Value::Object((*skill).clone())));
                changes.compare(ChangeKind::Skill, &pointer, values, &subject);
            }
        }
    }
    let kept: HashSet<&Key> = new.iter().map(|(key, _, _)| key).collect();
    for (key, index, skill) in old.iter().filter(|(key, _, _)| !kept.contains(key)) {
        let values = (Some(Value::Object((*skill).clone())), None);
        let subject = format!("skill `{}`", shown(&key.0));
        changes.compare(
            ChangeKind::Skill,
            &format!("/skills/{index}"),
            values,
            &subject,
        );
    }
}

fn keyed(card: &Object) -> Vec<Found<'_>> {
    let mut uses: HashMap<String, usize> = HashMap::new();
    members::list(card, "skills")
        .iter()
        .enumerate()
        .filter_map(|(index, value)| {
            let object = value.as_object()?;
            let id = Skill::read(object)?.id;
            let occurrence = uses.entry(id.clone()).or_default();
            *occurrence += 1;
            Some(((id, *occurrence), index, object))
        })
        .collect()
}

fn diff_skill(pointer: &str, subject: &str, (old, new): (&Object, &Object), changes: &mut Changes) {
    let subject = format!("{subject}: ");
    for name in DESCRIBING {
        changes.member(ChangeKind::Skill, (pointer, name), (old, new), &subject);
    }
    diff_requirements((pointer, &subject), (old, new), changes);
    diff_unknown(old, new, (pointer, known::SKILL), changes);
}
