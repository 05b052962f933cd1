//! The catalog: an immutable snapshot of all agents and their cards, swapped as a whole.

mod accepted;
mod endpoint;
mod status;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

pub use self::{
    accepted::AcceptedCard,
    endpoint::Endpoint,
    status::{AgentState, CardStatus, Departure, Drift, HeldCard, Pinned},
};
use crate::{
    agent::{AgentId, AgentSpec},
    digest,
    fit::{AgentText, FitIndex, SkillText},
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
    fit: Arc<FitIndex>,
    meanings: Arc<Meanings>,
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
        let digest = digest_of(&agents);
        if let Some(previous) = previous.filter(|previous| previous.digest == digest) {
            return Self {
                digest,
                agents,
                positions: Arc::clone(&previous.positions),
                roster: Arc::clone(&previous.roster),
                fit: Arc::clone(&previous.fit),
                meanings: Arc::clone(&previous.meanings),
            };
        }
        let known = previous.map(|previous| (&*previous.fit, &*previous.meanings));
        let (fit, meanings) = known.unzip();
        let fit = fit.map_or_else(
            || index(&FitIndex::default(), &agents),
            |fit| index(fit, &agents),
        );
        let meanings =
            meanings.map(|known| known.of(agents.iter().map(fingerprint), &HashMap::new()));
        Self {
            digest,
            positions: Arc::new(positions_of(&agents)),
            roster: Arc::new(Roster::of(&agents)),
            fit: Arc::new(fit),
            meanings: Arc::new(meanings.unwrap_or_default()),
            agents,
        }
    }

    /// Returns the same catalog with what more cards mean, by their fingerprints.
    #[must_use]
    pub fn understanding(&self, new: &HashMap<Box<str>, Arc<CardMeaning>>) -> Self {
        let fingerprints = self.agents.iter().map(fingerprint);
        Self {
            digest: self.digest.clone(),
            agents: self.agents.clone(),
            positions: Arc::clone(&self.positions),
            roster: Arc::clone(&self.roster),
            fit: Arc::clone(&self.fit),
            meanings: Arc::new(self.meanings.of(fingerprints, new)),
        }
    }

    /// Returns the cards whose meaning has not been read, each once, by fingerprint.
    pub fn not_understood(&self) -> impl Iterator<Item = (&str, AgentText<'_>)> {
        let mut seen = HashSet::new();
        let agents = self.agents.iter().enumerate();
        agents.filter_map(move |(position, agent)| {
            let fingerprint = fingerprint(agent)?;
            let is_new = !self.meanings.knows(fingerprint) && seen.insert(fingerprint);
            Some((fingerprint, text_of(position, agent)?)).filter(|_| is_new)
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
        &self.fit
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

fn index(known: &FitIndex, agents: &[Arc<CatalogAgent>]) -> FitIndex {
    let cards = agents.iter().enumerate();
    known.rebuild(
        cards
            .filter_map(|(position, agent)| Some((fingerprint(agent)?, text_of(position, agent)?))),
    )
}

fn fingerprint(agent: &Arc<CatalogAgent>) -> Option<&str> {
    Some(agent.status.accepted.as_ref()?.card.fingerprint())
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
