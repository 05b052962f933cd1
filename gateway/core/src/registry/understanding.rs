//! Reads what cards mean, in the background: a start with many cards does not wait for it. Until a card has been read,
//! its agent is judged by words alone.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError},
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

use super::Registry;
use crate::meaning::Semantics;

/// Cards that were read within this time are swapped in together.
const BATCH: Duration = Duration::from_secs(1);

impl Registry {
    /// Reads what every card of the current catalog means, now and whenever it is swapped, until stopped.
    pub async fn understand(self: Arc<Self>, semantics: Arc<Semantics>, stop: CancellationToken) {
        let mut swapped = self.swapped.subscribe();
        while !stop.is_cancelled() {
            swapped.mark_unchanged();
            let (registry, semantics) = (Arc::clone(&self), Arc::clone(&semantics));
            let reading =
                tokio::task::spawn_blocking(move || registry.understand_some(&semantics)).await;
            match reading {
                Ok(true) => continue,
                Ok(false) => {}
                Err(error) => {
                    tracing::error!(error = %error, "the sentence encoder broke on a card; agents are routed to by words alone until cards change");
                }
            }
            let stopped = stop.run_until_cancelled(swapped.changed()).await;
            if !matches!(stopped, Some(Ok(()))) {
                return;
            }
        }
    }

    /// Reads cards for a while. Says whether there are more.
    fn understand_some(&self, semantics: &Semantics) -> bool {
        let begun = Instant::now();
        let catalog = self.catalog();
        let mut unread = catalog.not_understood();
        let mut new = HashMap::new();
        let mut more = true;
        while begun.elapsed() < BATCH && more {
            match unread.next() {
                Some((fingerprint, text)) => {
                    new.insert(fingerprint.into(), Arc::new(semantics.card(&text)));
                }
                None => more = false,
            }
        }
        if !new.is_empty() {
            let _turn = self.swapping.lock().unwrap_or_else(PoisonError::into_inner);
            let understanding = self.current.load().understanding(&new);
            self.current.store(Arc::new(understanding));
        }
        more
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::{
        ports::CardFetch,
        testing::{Subjects, card, fetched, id, spec},
    };

    fn brings(registry: &Registry, agent: &str, about: &str) {
        let fetch = CardFetch {
            result: Ok(fetched(card(agent, about, &json!({})))),
            tried: Vec::new(),
            retry_after: None,
        };
        registry.apply(vec![(id(agent), fetch)], Timestamp::UNIX_EPOCH);
    }

    async fn known(registry: &Registry, count: usize) {
        while registry.catalog().meanings().known() != count {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    #[tokio::test]
    async fn cards_are_read_as_they_come_until_stopped() {
        let registry = Registry::new(vec![spec("a"), spec("b")]);
        let semantics = Arc::new(Semantics::new(Arc::new(Subjects::default())));
        let stop = CancellationToken::new();
        let reading = Arc::clone(&registry).understand(semantics, stop.clone());
        let reading = tokio::spawn(reading);
        brings(&registry, "a", "weather");
        known(&registry, 1).await;
        brings(&registry, "b", "money");
        known(&registry, 2).await;
        stop.cancel();
        reading.await.unwrap();
    }

    #[tokio::test]
    async fn a_card_that_breaks_the_encoder_leaves_its_agent_to_words() {
        let registry = Registry::new(vec![spec("a")]);
        let semantics = Arc::new(Semantics::new(Arc::new(Subjects::default())));
        let stop = CancellationToken::new();
        let reading = tokio::spawn(Arc::clone(&registry).understand(semantics, stop.clone()));
        brings(&registry, "a", "boom");
        tokio::task::yield_now().await;
        assert_eq!(registry.catalog().meanings().known(), 0);
        brings(&registry, "a", "weather");
        known(&registry, 1).await;
        stop.cancel();
        reading.await.unwrap();
    }
}
