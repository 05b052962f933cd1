//! What the cards of a catalog mean, as far as they have been read.

use std::{collections::HashMap, sync::Arc};

use super::{CardMeaning, Direction, direction::Rounded};

/// The meanings of the cards of a catalog, by position and by fingerprint.
#[derive(Debug, Default)]
pub struct Meanings {
    agents: Vec<Option<Arc<CardMeaning>>>,
    read: HashMap<Box<str>, Arc<CardMeaning>>,
    wholes: Wholes,
}

/// What the cards mean as a whole, once more, one after the other: each request is compared with all of them.
#[derive(Debug, Default)]
struct Wholes {
    width: usize,
    numbers: Vec<i8>,
    /// Of each card, with the position of its agent.
    scales: Vec<(usize, f32)>,
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
        let agents: Vec<_> = fingerprints.into_iter().map(&mut meaning).collect();
        Self {
            wholes: Wholes::of(&agents),
            agents,
            read,
        }
    }

    /// Returns every agent whose card has been read, with how close the card as a whole is to a request.
    pub(crate) fn closeness(&self, request: &Direction) -> impl Iterator<Item = (usize, f32)> {
        let numbers = self.wholes.numbers.chunks_exact(self.wholes.width.max(1));
        let wholes = self.wholes.scales.iter().zip(numbers);
        wholes.map(|((agent, scale), numbers)| {
            let scale = *scale;
            (*agent, request.product(Rounded { numbers, scale }))
        })
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
        let cards: usize = self.read.values().map(|meaning| meaning.bytes()).sum();
        cards + self.wholes.numbers.len() + size_of_val(&*self.wholes.scales)
    }
}

impl Wholes {
    fn of(agents: &[Option<Arc<CardMeaning>>]) -> Self {
        let mut wholes = Self::default();
        for (agent, card) in agents.iter().enumerate() {
            if let Some(Rounded { numbers, scale }) = card.as_ref().and_then(|card| card.first()) {
                wholes.width = numbers.len();
                wholes.numbers.extend_from_slice(numbers);
                wholes.scales.push((agent, scale));
            }
        }
        wholes
    }
}
