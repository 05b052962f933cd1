//! What was read of the texts of all cards. It takes its time, so it is kept as long as the cards are the same.

use std::sync::Arc;

use super::CatalogAgent;
use crate::fit::{AgentText, FitIndex, SkillText};

/// The texts of the cards of a catalog.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// Of the card of each agent that has one, in the order of the catalog.
    fingerprints: Vec<Option<Box<str>>>,
    fit: FitIndex,
}

impl Texts {
    /// Reads the cards in use, but for those that were read before. The same cards have the same texts.
    pub(crate) fn of(agents: &[Arc<CatalogAgent>], before: &Arc<Self>) -> Arc<Self> {
        if before.are_of(agents) {
            return Arc::clone(before);
        }
        let fingerprints = agents.iter().map(|agent| fingerprint(agent).map(Box::from));
        Arc::new(Self {
            fingerprints: fingerprints.collect(),
            fit: before.fit.rebuild(cards(agents)),
        })
    }

    /// Tells whether these are the texts of the cards in use.
    pub(crate) fn are_of(&self, agents: &[Arc<CatalogAgent>]) -> bool {
        self.fingerprints()
            .eq(agents.iter().map(|agent| fingerprint(agent)))
    }

    /// Returns the fingerprints of the cards, in the order of the catalog.
    pub(crate) fn fingerprints(&self) -> impl Iterator<Item = Option<&str>> {
        self.fingerprints.iter().map(Option::as_deref)
    }

    /// Returns the fingerprint of the card of one agent.
    pub(crate) fn fingerprint(&self, agent: usize) -> Option<&str> {
        self.fingerprints.get(agent)?.as_deref()
    }

    /// Returns the index over all of them.
    pub(crate) fn fit(&self) -> &FitIndex {
        &self.fit
    }

    /// Returns those cards in use whose texts these are, by their fingerprints.
    pub(crate) fn all_of<'a>(
        &'a self,
        agents: &'a [Arc<CatalogAgent>],
    ) -> impl Iterator<Item = (&'a str, AgentText<'a>)> {
        cards(agents)
            .filter(|(fingerprint, text)| self.fingerprint(text.agent) == Some(fingerprint))
    }
}

fn cards(agents: &[Arc<CatalogAgent>]) -> impl Iterator<Item = (&str, AgentText<'_>)> {
    let cards = agents.iter().enumerate();
    cards.filter_map(|(position, agent)| Some((fingerprint(agent)?, text_of(position, agent)?)))
}

fn fingerprint(agent: &CatalogAgent) -> Option<&str> {
    agent.status.fingerprint()
}

fn text_of(position: usize, agent: &CatalogAgent) -> Option<AgentText<'_>> {
    let card = &agent.status.accepted.as_ref()?.card;
    let skills = card.skills().iter().map(|skill| SkillText {
        id: &skill.id,
        name: &skill.name,
        description: &skill.description,
        tags: &skill.tags,
        examples: &skill.examples,
    });
    Some(AgentText {
        agent: position,
        name: card.name(),
        description: card.description(),
        skills: skills.collect(),
    })
}
