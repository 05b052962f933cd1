//! The catalog: an immutable snapshot of all agents and their cards, swapped as a whole.

mod accepted;
mod endpoint;
mod status;
mod texts;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

pub(crate) use self::texts::Texts;
pub use self::{
    accepted::AcceptedCard,
    endpoint::Endpoint,
    status::{AgentState, CardStatus, Departure, Drift, HeldCard, Pinned},
};
use crate::{
    agent::{AgentId, AgentSpec},
    digest,
    fit::{AgentText, FitIndex},
    meaning::{CardMeaning, Meanings},
    stats::AgentStats,
};

/// All agents with their cards, as of one moment. A call keeps the snapshot it started with.
#[derive(Debug)]
pub struct Catalog {
    digest: String,
    agents: Vec<Arc<CatalogAgent>>,
    positions: Arc<HashMap<AgentId, usize>>,
    roster: Arc<Roster>,
    texts: Arc<Texts>,
    meanings: Arc<Meanings>,
    lags: bool,
}

/// The positions of the agents, each list in the order of their ids.
#[derive(Debug, Default)]
pub(crate) struct Roster {
    /// Those with a card in use.
    pub(crate) known: Vec<usize>,
    /// The others.
    pub(crate) unknown: Vec<usize>,
}

/// One agent of the catalog.
#[derive(Debug)]
pub struct CatalogAgent {
    /// What the operator says about it.
    pub spec: Arc<AgentSpec>,
    /// What was measured.
    pub stats: Arc<AgentStats>,
    /// The state of its card.
    pub status: CardStatus,
}

impl Catalog {
    /// Builds a catalog. What `previous` has read of cards is kept.
    #[must_use]
    pub fn new(agents: Vec<Arc<CatalogAgent>>, previous: Option<&Self>) -> Self {
        match previous {
            Some(previous) => previous.knowing(Texts::of(&agents, &previous.texts), agents),
            None => Self {
                positions: Arc::new(positions_of(&agents)),
                ..Self::empty().knowing(Texts::of(&agents, &Arc::default()), agents)
            },
        }
    }

    fn empty() -> Self {
        Self {
            digest: String::new(),
            agents: Vec::new(),
            positions: Arc::default(),
            roster: Arc::default(),
            texts: Arc::default(),
            meanings: Arc::default(),
            lags: false,
        }
    }

    /// Returns the catalog of the same agents in other states, without a look at any text. None may be in use with a card
    /// of which the index knows another.
    pub(crate) fn showing(&self, agents: Vec<Arc<CatalogAgent>>) -> Self {
        Self {
            digest: digest_of(&agents),
            positions: Arc::clone(&self.positions),
            roster: self.roster_of(&agents),
            texts: Arc::clone(&self.texts),
            meanings: Arc::clone(&self.meanings),
            lags: !self.texts.are_of(&agents),
            agents,
        }
    }

    /// Returns the catalog of the same agents with texts that were read meanwhile.
    pub(crate) fn knowing(&self, texts: Arc<Texts>, agents: Vec<Arc<CatalogAgent>>) -> Self {
        let meanings = if Arc::ptr_eq(&texts, &self.texts) {
            Arc::clone(&self.meanings)
        } else {
            Arc::new(self.meanings.of(texts.fingerprints(), &HashMap::new()))
        };
        Self {
            texts,
            meanings,
            ..self.same()
        }
        .showing(agents)
    }

    /// Returns the same catalog with what more cards mean, by their fingerprints.
    #[must_use]
    pub fn understanding(&self, new: &HashMap<Box<str>, Arc<CardMeaning>>) -> Self {
        Self {
            meanings: Arc::new(self.meanings.of(self.texts.fingerprints(), new)),
            ..self.same()
        }
    }

    /// Returns the roster, which is the same as long as the same agents have a card.
    fn roster_of(&self, agents: &[Arc<CatalogAgent>]) -> Arc<Roster> {
        let has_card = |agent: &Arc<CatalogAgent>| agent.status.accepted.is_some();
        let is_same = agents
            .iter()
            .map(has_card)
            .eq(self.agents.iter().map(has_card));
        if is_same {
            return Arc::clone(&self.roster);
        }
        Arc::new(Roster::of(agents))
    }

    fn same(&self) -> Self {
        Self {
            digest: self.digest.clone(),
            agents: self.agents.clone(),
            positions: Arc::clone(&self.positions),
            roster: Arc::clone(&self.roster),
            texts: Arc::clone(&self.texts),
            meanings: Arc::clone(&self.meanings),
            lags: self.lags,
        }
    }

    /// Returns the cards whose meaning has not been read, each once, by fingerprint.
    pub fn not_understood(&self) -> impl Iterator<Item = (&str, AgentText<'_>)> {
        let mut seen = HashSet::new();
        let cards = self.texts.all_of(&self.agents);
        cards.filter(move |(fingerprint, _)| {
            !self.meanings.knows(fingerprint) && seen.insert(*fingerprint)
        })
    }

    /// Returns the digest over all agents and cards.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns the start of the digest, to be shown; it is too short to tell catalogs apart by.
    #[must_use]
    pub fn version(&self) -> &str {
        digest::shown(&self.digest)
    }

    /// Returns all agents, in the order of the configuration.
    #[must_use]
    pub fn agents(&self) -> &[Arc<CatalogAgent>] {
        &self.agents
    }

    /// Returns an agent by its id.
    #[must_use]
    pub fn agent(&self, id: &AgentId) -> Option<&Arc<CatalogAgent>> {
        self.positions
            .get(id)
            .and_then(|&position| self.agents.get(position))
    }

    /// Returns which agents have a card in use and which have not.
    pub(crate) fn roster(&self) -> &Roster {
        &self.roster
    }

    /// Returns the text index over all cards; its positions are those of [`Catalog::agents`].
    #[must_use]
    pub fn fit(&self) -> &FitIndex {
        self.texts.fit()
    }

    /// Returns the texts that were read of the cards.
    pub(crate) fn texts(&self) -> &Arc<Texts> {
        &self.texts
    }

    /// Tells whether the index knows other cards than those in use: of an agent that has none in use now, or not yet of
    /// one that is quarantined.
    pub(crate) fn lags(&self) -> bool {
        self.lags
    }

    /// Returns what the cards mean, as far as they have been read.
    #[must_use]
    pub fn meanings(&self) -> &Meanings {
        &self.meanings
    }
}

impl Roster {
    fn of(agents: &[Arc<CatalogAgent>]) -> Self {
        let mut by_id: Vec<_> = agents.iter().enumerate().collect();
        by_id.sort_unstable_by_key(|(_, agent)| &agent.spec.id);
        let is_known = |(_, agent): &(usize, &Arc<CatalogAgent>)| agent.status.accepted.is_some();
        let (known, unknown): (Vec<_>, Vec<_>) = by_id.into_iter().partition(is_known);
        let positions = |agents: Vec<(usize, _)>| agents.into_iter().map(|(at, _)| at).collect();
        Self {
            known: positions(known),
            unknown: positions(unknown),
        }
    }
}

/// Hashes ids and card fingerprints in order, since positions depend on the order.
fn digest_of(agents: &[Arc<CatalogAgent>]) -> String {
    let mut text = String::new();
    for agent in agents {
        text.push_str(agent.spec.id.as_str());
        text.push('=');
        if let Some(accepted) = &agent.status.accepted {
            text.push_str(accepted.card.fingerprint());
        }
        // Its skills are not offered meanwhile, so what is served differs.
        if agent.status.state == AgentState::Quarantined {
            text.push_str(" quarantined");
        }
        text.push('\n');
    }
    digest::sha256(text.as_bytes())
}

fn positions_of(agents: &[Arc<CatalogAgent>]) -> HashMap<AgentId, usize> {
    agents
        .iter()
        .enumerate()
        .map(|(position, agent)| (agent.spec.id.clone(), position))
        .collect()
}

#[cfg(test)]
mod tests;
