//! What the cards of a catalog mean, as far as they have been read.

use std::{collections::HashMap, sync::Arc};

use super::CardMeaning;

/// The meanings of the cards of a catalog, by position and by fingerprint.
#[derive(Debug, Default)]
pub struct Meanings {
    agents: Vec<Option<Arc<CardMeaning>>>,
    read: HashMap<Box<str>, Arc<CardMeaning>>,
}

impl Meanings {
    /// Returns the meanings of other cards, given by fingerprint in the order of the catalog: what is known here or
    /// among `new` ones.
    pub(crate) fn of<'a>(
        &self,
        fingerprints: impl IntoIterator<Item = Option<&'a str>>,
        new: &HashMap<Box<str>, Arc<CardMeaning>>,
    ) -> Self {
        let mut read = HashMap::new();
        let mut meaning = |fingerprint: Option<&str>| {
            let fingerprint = fingerprint?;
            let known = self
                .read
                .get(fingerprint)
                .or_else(|| new.get(fingerprint))?;
            read.insert(fingerprint.into(), Arc::clone(known));
            Some(Arc::clone(known))
        };
        let agents = fingerprints.into_iter().map(&mut meaning).collect();
        Self { agents, read }
    }

    /// Returns the meaning of the card of an agent, if it has been read.
    #[must_use]
    pub fn get(&self, agent: usize) -> Option<&CardMeaning> {
        self.agents.get(agent)?.as_deref()
    }

    /// Says whether a card has been read.
    pub(crate) fn knows(&self, fingerprint: &str) -> bool {
        self.read.contains_key(fingerprint)
    }

    /// Returns how many agents have a card that has been read.
    #[must_use]
    pub fn known(&self) -> usize {
        self.agents.iter().flatten().count()
    }

    /// Returns how many bytes the meanings take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.read.values().map(|meaning| meaning.bytes()).sum()
    }
}
