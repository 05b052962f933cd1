//! One card for many agents.

mod naming;

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::{Publish, form};
use crate::card::DEFAULT_MODE;
use crate::members::Object;
use crate::{Card, Skill};

/// Who the federation is, as its card says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Federation {
    /// The name for people.
    pub name: String,
    /// What callers find here.
    pub description: String,
    /// The version of this federation's offer.
    pub version: String,
    /// Who runs it.
    pub provider: Option<Provider>,
    /// Where its documentation is.
    pub documentation_url: Option<String>,
    /// How much the skill list may hold.
    pub limits: SkillLimits,
}

/// Who runs an agent or a federation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// The organisation's name.
    pub organization: String,
    /// The organisation's address on the web.
    pub url: String,
}

/// How much the skill list of a federated card may hold.
///
/// Agents take turns, one skill each, so that none crowds out another. A skill that no longer
/// fits is left out whole; a smaller one after it may still fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkillLimits {
    /// The most skills listed.
    pub most: usize,
    /// The most bytes all listed skills take as compact JSON.
    pub bytes: usize,
}

impl Default for SkillLimits {
    /// 1,000 skills and 1 MiB.
    fn default() -> Self {
        Self {
            most: 1_000,
            bytes: 1024 * 1024,
        }
    }
}

/// A skill offered to the federated card.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// The agent's identifier at the gateway.
    pub agent: &'a str,
    /// The agent's card, for its name and default modes.
    pub card: &'a Card,
    /// One of the card's skills.
    pub skill: &'a Skill,
}

/// A federated card and what became of the skills offered to it.
#[derive(Clone, Debug, PartialEq)]
pub struct FederatedCard {
    /// The card to serve.
    pub card: Value,
    /// The listed skills in the card's order.
    pub skills: Vec<FederatedSkill>,
    /// How many offered skills did not fit the limits.
    pub left_out: usize,
}

/// Which agent's skill a listed one is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FederatedSkill {
    /// The identifier in the federated card: `<agent>.<skill>`, numbered if that is taken.
    pub id: String,
    /// The agent's identifier at the gateway.
    pub agent: String,
    /// The skill's identifier in the agent's card.
    pub skill: String,
}

/// Returns one card that lists the offered skills in the order offered.
///
/// A skill's modes are written out, since the card's defaults are those of all agents together.
/// Names that two skills share are told apart by the agent's name.
#[must_use]
pub fn federated<'a>(
    identity: &Federation,
    offers: impl IntoIterator<Item = Offer<'a>>,
    options: &Publish,
) -> FederatedCard {
    let offers: Vec<Offer<'a>> = offers.into_iter().collect();
    let ids = naming::unique_ids(&offers);
    let names = naming::distinct_names(&offers, &ids);
    let entries = within(identity.limits, &offers, &|index| {
        entry(&offers[index], &ids[index], &names[index])
    });
    let mut skills = Vec::new();
    let mut listed = Vec::new();
    let mut modes = Modes::default();
    for ((offer, id), entry) in offers.iter().zip(ids).zip(entries) {
        if let Some(entry) = entry {
            modes.add(offer);
            listed.push(entry);
            skills.push(FederatedSkill {
                id,
                agent: offer.agent.to_owned(),
                skill: offer.skill.id.clone(),
            });
        }
    }
    FederatedCard {
        card: card(identity, options, listed, &modes),
        left_out: offers.len() - skills.len(),
        skills,
    }
}

fn card(identity: &Federation, options: &Publish, skills: Vec<Value>, modes: &Modes<'_>) -> Value {
    let mut card = Object::new();
    card.insert("name".to_owned(), json!(identity.name));
    card.insert("description".to_owned(), json!(identity.description));
    card.insert("version".to_owned(), json!(identity.version));
    let form = options.form();
    form::write_addresses(&mut card, form, &options.interfaces);
    if let Some(provider) = &identity.provider {
        let provider = json!({"organization": provider.organization, "url": provider.url});
        card.insert("provider".to_owned(), provider);
    }
    if let Some(documentation) = &identity.documentation_url {
        card.insert("documentationUrl".to_owned(), json!(documentation));
    }
    let extensions = options.with_own_extensions(Vec::new());
    form::write_capabilities(&mut card, form, options.flags(), extensions, Object::new());
    form::write_security(&mut card, form, &options.security);
    card.insert("defaultInputModes".to_owned(), modes.input.written());
    card.insert("defaultOutputModes".to_owned(), modes.output.written());
    card.insert("skills".to_owned(), Value::Array(skills));
    Value::Object(card)
}

fn entry(offer: &Offer<'_>, id: &str, name: &str) -> Value {
    let mut entry = Object::new();
    entry.insert("id".to_owned(), json!(id));
    entry.insert("name".to_owned(), json!(name));
    entry.insert("description".to_owned(), json!(offer.skill.description));
    entry.insert("tags".to_owned(), json!(offer.skill.tags));
    if !offer.skill.examples.is_empty() {
        entry.insert("examples".to_owned(), json!(offer.skill.examples));
    }
    let input = offer.card.input_modes(offer.skill);
    let output = offer.card.output_modes(offer.skill);
    entry.insert("inputModes".to_owned(), json!(input));
    entry.insert("outputModes".to_owned(), json!(output));
    Value::Object(entry)
}

/// Returns the entry of each offer that is listed under the limits. The others are not written.
fn within(
    limits: SkillLimits,
    offers: &[Offer<'_>],
    write: &dyn Fn(usize) -> Value,
) -> Vec<Option<Value>> {
    let mut turns: Vec<(usize, usize)> = Vec::with_capacity(offers.len());
    let mut next_turn: HashMap<&str, usize> = HashMap::new();
    for (index, offer) in offers.iter().enumerate() {
        let turn = next_turn.entry(offer.agent).or_default();
        turns.push((*turn, index));
        *turn += 1;
    }
    turns.sort_unstable();
    let mut entries = vec![None; offers.len()];
    let (mut count, mut bytes) = (0, 0);
    for (_, index) in turns {
        if count >= limits.most {
            break;
        }
        if bytes + least_size(&offers[index]) > limits.bytes {
            continue;
        }
        let entry = write(index);
        // One more byte for the comma between entries.
        let size = entry.to_string().len() + 1;
        if bytes + size <= limits.bytes {
            entries[index] = Some(entry);
            count += 1;
            bytes += size;
        }
    }
    entries
}

/// Returns a size that the entry of an offer is never smaller than: that of its texts before they are escaped.
fn least_size(offer: &Offer<'_>) -> usize {
    let skill = offer.skill;
    let lists = [&skill.tags, &skill.examples].into_iter().flatten();
    skill.description.len() + lists.map(String::len).sum::<usize>()
}

/// The modes of all listed skills, in the order they first occur.
#[derive(Default)]
struct Modes<'a> {
    input: Union<'a>,
    output: Union<'a>,
}

#[derive(Default)]
struct Union<'a> {
    seen: HashSet<&'a str>,
    ordered: Vec<&'a str>,
}

impl<'a> Modes<'a> {
    fn add(&mut self, offer: &Offer<'a>) {
        self.input.add(offer.card.input_modes(offer.skill));
        self.output.add(offer.card.output_modes(offer.skill));
    }
}

impl<'a> Union<'a> {
    fn add(&mut self, modes: &'a [String]) {
        for mode in modes {
            if self.seen.insert(mode) {
                self.ordered.push(mode);
            }
        }
    }

    fn written(&self) -> Value {
        if self.ordered.is_empty() {
            return json!([DEFAULT_MODE]);
        }
        json!(self.ordered)
    }
}

#[cfg(test)]
mod tests;
