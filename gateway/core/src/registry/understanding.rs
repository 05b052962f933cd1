//! Reads what cards mean, in the background: a start with many cards does not wait for it. Until a card has been read,
//! its agent is judged by words alone.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

use super::Registry;
use crate::{
    fit::AgentText,
    meaning::{CardMeaning, Semantics, texts_of},
    ports::EncodingError,
};

/// Cards that were read within this time are swapped in together.
const BATCH: Duration = Duration::from_secs(1);
/// Texts that are enough for one call of the encoder.
const TEXTS: usize = 48;
/// The pause after the first failure; it doubles with each further one.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// A card by its fingerprint.
type Card<'a> = (&'a str, AgentText<'a>);
/// What cards mean, by their fingerprints.
type Read = HashMap<Box<str>, Arc<CardMeaning>>;

impl Registry {
    /// Reads what every card of the current catalog means, now and whenever it is swapped, until stopped.
    pub async fn understand(self: Arc<Self>, semantics: Arc<Semantics>, stop: CancellationToken) {
        let mut swapped = self.swapped.subscribe();
        let mut refused = HashSet::new();
        let mut pause = PAUSE;
        while !stop.is_cancelled() {
            swapped.mark_unchanged();
            let wait = async {
                match self.understand_some(&semantics, &mut refused).await {
                    Ok(true) => pause = PAUSE,
                    Ok(false) => {
                        pause = PAUSE;
                        // It fails only when the registry is gone, which this holds.
                        let _changed = swapped.changed().await;
                    }
                    Err(error) => {
                        if pause == PAUSE {
                            tracing::warn!(model = semantics.name(), %error, "cards cannot be read by meaning; their agents are routed to by words alone meanwhile");
                        }
                        tokio::time::sleep(pause).await;
                        pause = LONGEST_PAUSE.min(pause * 2);
                    }
                }
            };
            stop.run_until_cancelled(wait).await;
        }
    }

    /// Reads cards for a while, but for those the encoder refuses. Says whether there are more.
    async fn understand_some(
        &self,
        semantics: &Semantics,
        refused: &mut HashSet<Box<str>>,
    ) -> Result<bool, EncodingError> {
        semantics.prepare().await?;
        let begun = Instant::now();
        let catalog = self.catalog();
        let unread: Vec<Card<'_>> = catalog.not_understood().collect();
        let current: HashSet<&str> = unread.iter().map(|(fingerprint, _)| *fingerprint).collect();
        refused.retain(|known| current.contains(&**known));
        let mut unread = unread.into_iter();
        let (mut read, mut result) = (Read::new(), Ok(true));
        while begun.elapsed() < BATCH {
            let batch = next_batch(&mut unread, semantics, (refused, &mut read)).await;
            if batch.is_empty() {
                result = Ok(false);
                break;
            }
            if let Err(error) = read_all(&batch, semantics, (refused, &mut read)).await {
                result = Err(error);
                break;
            }
        }
        if !read.is_empty() {
            let _turn = self.latest();
            let understanding = self.current.load().understanding(&read);
            self.current.store(Arc::new(understanding));
        }
        result
    }
}

/// Takes cards that have to be read now, as many as are worth a call of the encoder. What was kept of others is put
/// with what has been read.
async fn next_batch<'a>(
    unread: &mut impl Iterator<Item = Card<'a>>,
    semantics: &Semantics,
    (refused, read): (&HashSet<Box<str>>, &mut Read),
) -> Vec<Card<'a>> {
    let (mut batch, mut texts) = (Vec::new(), 0);
    while texts < TEXTS
        && let Some((fingerprint, text)) = unread.find(|(card, _)| !refused.contains(*card))
    {
        if let Some(kept) = semantics.recall(fingerprint).await {
            read.insert(fingerprint.into(), Arc::new(kept));
        } else {
            texts += texts_of(&text);
            batch.push((fingerprint, text));
        }
    }
    batch
}

/// Reads cards together. If they are refused, one by one, so that one that cannot be read keeps back no other.
async fn read_all(
    batch: &[Card<'_>],
    semantics: &Semantics,
    (refused, read): (&mut HashSet<Box<str>>, &mut Read),
) -> Result<(), EncodingError> {
    match semantics.cards(batch).await {
        Ok(meanings) => {
            let fingerprints = batch.iter().map(|(fingerprint, _)| Box::from(*fingerprint));
            read.extend(fingerprints.zip(meanings.into_iter().map(Arc::new)));
        }
        Err(EncodingError::Refused(problem)) => match batch {
            [(fingerprint, card)] => {
                tracing::warn!(
                    agent = card.name,
                    problem,
                    "the sentence encoder refuses this card; its agent is routed to by words alone"
                );
                refused.insert(Box::from(*fingerprint));
            }
            _ => {
                for card in batch {
                    Box::pin(read_all(
                        std::slice::from_ref(card),
                        semantics,
                        (refused, read),
                    ))
                    .await?;
                }
            }
        },
        Err(unavailable) => return Err(unavailable),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::{
        ports::CardFetch,
        testing::{Kept, Subjects, card, fetched, id, spec},
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
    async fn a_card_that_is_refused_keeps_back_no_other() {
        let registry = Registry::new(vec![spec("a"), spec("b")]);
        let semantics = Arc::new(Semantics::new(Arc::new(Subjects::default())));
        brings(&registry, "a", "boom");
        brings(&registry, "b", "money");
        let stop = CancellationToken::new();
        let reading = tokio::spawn(Arc::clone(&registry).understand(semantics, stop.clone()));
        known(&registry, 1).await;
        brings(&registry, "a", "weather");
        known(&registry, 2).await;
        stop.cancel();
        reading.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn an_encoder_that_is_down_is_asked_again() {
        let registry = Registry::new(vec![spec("a")]);
        let encoder = Arc::new(Subjects::default());
        encoder.is_down.store(true, Ordering::Relaxed);
        let semantics = Arc::new(Semantics::new(Arc::clone(&encoder) as _));
        brings(&registry, "a", "weather");
        let stop = CancellationToken::new();
        let reading = tokio::spawn(Arc::clone(&registry).understand(semantics, stop.clone()));
        tokio::time::sleep(Duration::from_secs(600)).await;
        assert_eq!(registry.catalog().meanings().known(), 0);
        encoder.is_down.store(false, Ordering::Relaxed);
        known(&registry, 1).await;
        stop.cancel();
        reading.await.unwrap();
    }

    #[tokio::test]
    async fn what_was_kept_is_not_read_again() {
        let kept = Arc::new(Kept::default());
        for is_first in [true, false] {
            let registry = Registry::new(vec![spec("a")]);
            let encoder = Arc::new(Subjects::default());
            let semantics =
                Semantics::new(Arc::clone(&encoder) as _).keeping(Arc::clone(&kept) as _);
            brings(&registry, "a", "weather");
            let stop = CancellationToken::new();
            let semantics = Arc::new(semantics);
            let reading = tokio::spawn(Arc::clone(&registry).understand(semantics, stop.clone()));
            known(&registry, 1).await;
            stop.cancel();
            reading.await.unwrap();
            let read = encoder.read.lock().unwrap().clone();
            let is_read = read.iter().any(|text| text.contains("a weather"));
            assert_eq!(is_read, is_first, "{read:?}");
        }
    }
}
