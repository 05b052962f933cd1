//! What is remembered of the cards that agents were accepted with, as it is found at the start.
//!
//! A card that was remembered and cannot be read must not count as none, or whoever damages the store could have any
//! card accepted.

use std::{collections::HashMap, sync::Arc};

use crate::{
    agent::AgentId,
    catalog::Pinned,
    ports::{CardPins, Sighting, StoredPin},
};

/// The remembered cards by agent.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    known: HashMap<AgentId, (Pinned, Option<Sighting>)>,
    /// What holds for agents of which nothing was found.
    others: Pinned,
}

impl Remembered {
    /// Reads what is remembered; says what is not readable.
    pub(super) async fn read(pins: &dyn CardPins) -> Self {
        match pins.pins().await {
            Ok(pins) => pins.into_iter().fold(Self::default(), Self::with),
            Err(error) => {
                tracing::error!(error = %error, "no accepted card can be read: what changed in cards since the last run is not known");
                Self {
                    others: Pinned::Unreadable(error.0.into()),
                    ..Self::default()
                }
            }
        }
    }

    fn with(mut self, pin: StoredPin) -> Self {
        let pinned = match pin.card {
            Ok(card) => Pinned::Card(card),
            Err(reason) => Pinned::Unreadable(reason.into()),
        };
        match (pin.agent, pinned) {
            (Some(id), pinned) => {
                let sighting = pin.sighting.unwrap_or_else(|reason| {
                    tracing::error!(agent.id = %id, "when agent `{id}` was last seen with its card cannot be read: {reason}");
                    None
                });
                if let Pinned::Unreadable(reason) = &pinned {
                    tracing::error!(agent.id = %id, "the accepted card of agent `{id}` cannot be read: {reason}");
                }
                self.known.insert(id, (pinned, sighting));
            }
            (None, _) => {
                tracing::error!(
                    "an accepted card names no agent: it may be that of any agent without one"
                );
                let reason =
                    Arc::from("an accepted card in the store names no agent, it may be this one's");
                self.others = Pinned::Unreadable(reason);
            }
        }
        self
    }

    /// Takes what is known of one agent: its card, and when it was last seen with it.
    pub(super) fn of(&mut self, agent: &AgentId) -> (Pinned, Option<Sighting>) {
        self.known
            .remove(agent)
            .unwrap_or_else(|| (self.others.clone(), None))
    }
}
