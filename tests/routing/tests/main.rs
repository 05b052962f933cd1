//! What routing promises on labelled requests and real cards.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers as well"
)]

mod adversarial;
mod hybrid;
mod scale;
mod targets;

use gateway_core::fit::{AgentText, FitIndex, SkillText};
use routing::{
    catalog::NamedCard,
    labelled::{LabelledSet, Request},
};

fn dev() -> LabelledSet {
    LabelledSet::read(&routing::dev_folder()).unwrap()
}

/// Reads what the catalog gives to the index.
fn text_of(agent: usize, named: &NamedCard) -> AgentText<'_> {
    let card = &named.card;
    let skills = card.skills().iter().map(|skill| SkillText {
        id: &skill.id,
        name: &skill.name,
        description: &skill.description,
        tags: &skill.tags,
        examples: &skill.examples,
    });
    AgentText {
        agent,
        name: card.name(),
        description: card.description(),
        skills: skills.collect(),
    }
}

fn index(known: &FitIndex, cards: &[NamedCard]) -> FitIndex {
    let cards = cards.iter().enumerate();
    known.rebuild(cards.map(|(agent, named)| (named.card.fingerprint(), text_of(agent, named))))
}

/// Returns the requests that an agent is not right for.
fn foreign<'s>(set: &'s LabelledSet, agent: &str) -> Vec<&'s Request> {
    let requests = set.requests.iter();
    requests
        .filter(|request| !request.expected_agents.iter().any(|right| right == agent))
        .collect()
}

/// Returns which of the requests an agent comes first for.
fn won(index: &FitIndex, agent: usize, requests: &[&Request]) -> Vec<String> {
    let is_won = |request: &&&Request| {
        let fits = index.fits(&request.text);
        let mine = fits.get(agent).map_or(0.0, |fit| fit.value);
        mine > 0.0
            && fits
                .best_first()
                .first()
                .is_some_and(|best| best.agent == agent)
    };
    let won = requests.iter().filter(is_won);
    won.map(|request| format!("{} {}", request.id, request.text))
        .collect()
}
