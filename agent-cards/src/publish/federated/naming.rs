//! Identifiers and names that tell the skills of a federation apart.

use std::collections::{HashMap, HashSet};

use super::Offer;

/// Returns `<agent>.<skill>` for each offer, with `-2`, `-3`, … where that is taken already.
pub(super) fn unique_ids(offers: &[Offer<'_>]) -> Vec<String> {
    let mut taken: HashSet<String> = HashSet::with_capacity(offers.len());
    let mut last_number: HashMap<String, usize> = HashMap::new();
    let mut ids = Vec::with_capacity(offers.len());
    for offer in offers {
        let plain = format!("{}.{}", offer.agent, offer.skill.id);
        let mut id = plain.clone();
        let number = last_number.entry(plain.clone()).or_insert(1);
        while !taken.insert(id.clone()) {
            *number += 1;
            id = format!("{plain}-{number}");
        }
        ids.push(id);
    }
    ids
}

/// Returns the name of each offer: with the agent's name where two share one, with the unique
/// identifier where the agents share theirs too, and numbered where a skill has just that name.
pub(super) fn distinct_names(offers: &[Offer<'_>], ids: &[String]) -> Vec<String> {
    let mut names: Vec<String> = offers
        .iter()
        .map(|offer| offer.skill.name.clone())
        .collect();
    for shared in shared(&names) {
        names[shared] = format!("{} ({})", names[shared], offers[shared].card.name());
    }
    for shared in shared(&names) {
        names[shared] = format!("{} ({})", offers[shared].skill.name, ids[shared]);
    }
    let mut taken: HashSet<String> = HashSet::with_capacity(names.len());
    for name in &mut names {
        let plain = name.clone();
        let mut number = 1_usize;
        while !taken.insert(name.clone()) {
            number += 1;
            *name = format!("{plain} {number}");
        }
    }
    names
}

/// Returns the places of the names that occur more than once.
fn shared(names: &[String]) -> Vec<usize> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    (0..names.len())
        .filter(|index| counts[names[*index].as_str()] > 1)
        .collect()
}
