//! Fetches the card of one agent, again and again.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use tokio::{
    sync::mpsc,
    task::{JoinError, spawn_blocking},
    time::sleep,
};

use super::{
    acceptance::{Approval, NotAccepted, Waiting},
    bell::Bell,
    lanes::Lanes,
};
use crate::{
    agent::{AgentId, AgentSpec},
    catalog::{AgentState, CardStatus},
    ports::{CardFetch, CardPin, CardPins, CardSource, FetchedCard, Sighting},
};

/// A card that may not be kept at all is asked for again after this time.
const SHORTEST_FRESHNESS: Duration = Duration::from_secs(5);
/// First pause after a failed fetch; doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Longest pause between fetches of an agent that keeps failing.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Longest pause that an agent gets when it asks for one.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(600);
/// How long an agent has to answer for the first time before its card from before the start is used.
const GRACE: Duration = Duration::from_secs(1);
/// Refreshes are spread over this part of the time between them, so that agents registered together are not
/// fetched together.
const SPREAD: u32 = 10;

/// Watches one agent. It alone decides about the state of the agent's card.
pub(super) struct Watcher {
    pub(super) bell: Arc<Bell>,
    pub(super) approvals: mpsc::Receiver<Approval>,
    pub(super) spec: Arc<AgentSpec>,
    pub(super) status: CardStatus,
    /// The card that the status holds, if it holds one.
    pub(super) waiting: Option<Waiting>,
    /// The fingerprint of the card that is remembered across restarts.
    pub(super) remembered: Option<String>,
    /// What is remembered of when the agent was seen with it.
    pub(super) sighting: Option<Sighting>,
    /// Whether the first fetch is under way, or yet to come.
    pub(super) is_new: bool,
    pub(super) failures: u32,
    pub(super) cards: Arc<dyn CardSource>,
    pub(super) pins: Arc<dyn CardPins>,
    /// Shared by all watchers.
    pub(super) lanes: Arc<Lanes>,
    pub(super) results: mpsc::Sender<(AgentId, CardStatus)>,
}

impl Watcher {
    /// Fetches now and whenever it is time, or somebody asks.
    pub(super) async fn run(mut self) {
        let mut force = false;
        loop {
            let Some(fetch) = self.fetch(force).await else {
                return;
            };
            if !self.shows_the_same(&fetch) {
                self.keep(Timestamp::now()).await;
            }
            self.is_new = false;
            let lanes = Arc::clone(&self.lanes);
            let turn = lanes.turn().await;
            let pause = self.take(fetch, Timestamp::now()).await;
            drop(turn);
            let result = (self.spec.id.clone(), self.status.clone());
            if self.results.send(result).await.is_err() {
                return;
            }
            self.remember().await;
            self.rest(pause).await;
            // The pause has its own idea of freshness: it may end before the cache's.
            force = true;
        }
    }

    /// Fetches. The operator is not kept waiting meanwhile, as an agent may take its time, and messages are not kept from
    /// an agent whose card is known from before. Returns nothing when nobody is interested any more.
    async fn fetch(&mut self, force: bool) -> Option<CardFetch> {
        let (lanes, cards) = (Arc::clone(&self.lanes), Arc::clone(&self.cards));
        let (spec, state) = (Arc::clone(&self.spec), self.status.state);
        let fetching = async move {
            let _place = lanes.place(state).await;
            cards.fetch(&spec, force).await
        };
        tokio::pin!(fetching);
        let grace = sleep(GRACE);
        tokio::pin!(grace);
        loop {
            tokio::select! {
                fetch = &mut fetching => return Some(fetch),
                () = &mut grace, if self.is_new => {
                    self.keep(Timestamp::now()).await;
                    if self.status.accepted.is_some() {
                        let result = (self.spec.id.clone(), self.status.clone());
                        self.results.send(result).await.ok()?;
                    }
                }
                Some(approval) = self.approvals.recv() => self.answer(approval).await,
            }
        }
    }

    /// Waits until it is time for the next fetch, or somebody asks for it.
    async fn rest(&mut self, pause: Duration) {
        let resting = sleep(pause);
        tokio::pin!(resting);
        loop {
            tokio::select! {
                () = &mut resting => return,
                () = self.bell.rings() => return,
                Some(approval) = self.approvals.recv() => self.answer(approval).await,
            }
        }
    }

    async fn answer(&mut self, approval: Approval) {
        let outcome = self.accept(&approval.fingerprint, Timestamp::now()).await;
        if outcome.is_ok() {
            let result = (self.spec.id.clone(), self.status.clone());
            // The gateway is stopping if nobody takes it, and begins with this card next time.
            let _taken_or_not = self.results.send(result).await;
            self.bell.ring();
        }
        // Who asked may have gone; what was accepted stays so.
        let _heard_or_not = approval.answer.send(outcome);
    }

    /// Accepts the card that waits, once the store has it.
    async fn accept(&mut self, fingerprint: &str, now: Timestamp) -> Result<(), NotAccepted> {
        if self.waiting.is_none()
            && let Some(pinned) = self.status.pinned.card()
            && pinned.fingerprint() == fingerprint
        {
            return Ok(());
        }
        let is_meant = |waiting: &&Waiting| waiting.fetched.card.fingerprint() == fingerprint;
        let waiting = self.waiting.as_ref().filter(is_meant).cloned();
        let waiting = waiting.ok_or(NotAccepted::NotWaiting)?;
        let card = waiting.fetched.card.clone();
        let (before, spec) = (self.status.clone(), Arc::clone(&self.spec));
        let judging = spawn_blocking(move || before.accepting(&spec, &waiting, now));
        let next = judging
            .await
            .unwrap_or_else(|error| Err(format!("judging it failed inside the gateway: {error}")))
            .map_err(NotAccepted::Unusable)?;
        let sighting = Sighting::of(&self.spec, &next);
        let pin = CardPin {
            agent: self.spec.id.clone(),
            card,
            accepted_at: now,
            sighting: sighting.clone(),
        };
        self.pins.pin(pin).await.map_err(NotAccepted::NotKept)?;
        self.remembered = Some(fingerprint.to_owned());
        self.sighting = sighting;
        self.status = next;
        self.waiting = None;
        Ok(())
    }

    /// Takes over what a fetch brought; returns how long to wait for the next one.
    async fn take(&mut self, fetch: CardFetch, now: Timestamp) -> Duration {
        let due = fetch.result.as_ref().ok().map(due);
        let asked = fetch.retry_after.unwrap_or_default();
        let arrived = fetch.result.as_ref().ok().cloned();
        self.status = self.judged(fetch, now).await;
        self.waiting = self.waiting_after(arrived, now);
        let pause = match due.filter(|_| {
            matches!(
                self.status.state,
                AgentState::Ready | AgentState::Quarantined
            )
        }) {
            Some(due) => {
                self.failures = 0;
                due
            }
            None => {
                self.failures = self.failures.saturating_add(1);
                let pause = backoff(self.failures).max(asked.min(LONGEST_RETRY_AFTER));
                (pause + random_part(pause / SPREAD)).min(self.time_left(now))
            }
        };
        self.status.next_fetch_at = now.checked_add(pause).ok();
        pause
    }

    /// Tells whether a fetch brought the card that is remembered; the one from before the start is not needed then.
    fn shows_the_same(&self, fetch: &CardFetch) -> bool {
        let fetched = fetch.result.as_ref().ok();
        fetched
            .is_some_and(|fetched| self.remembered.as_deref() == Some(fetched.card.fingerprint()))
    }

    /// Takes the card from before the start, if nothing has come of the first fetch yet.
    async fn keep(&mut self, now: Timestamp) {
        if !std::mem::take(&mut self.is_new) || self.status.pinned.card().is_none() {
            return;
        }
        match self.kept(now).await {
            Ok(status) => self.status = status,
            Err(error) => {
                let id = &self.spec.id;
                tracing::error!(agent.id = %id, %error, "judging the card of agent `{id}` from before the start ended abnormally");
            }
        }
    }

    /// Returns the status with the card from before the start, or with the reason why it is not used.
    async fn kept(&self, now: Timestamp) -> Result<CardStatus, JoinError> {
        let (before, spec) = (self.status.clone(), Arc::clone(&self.spec));
        let Some(sighting) = self.sighting.clone() else {
            return Ok(before.not_keeping("it is not known when it was last seen"));
        };
        let verifying = {
            let (sighting, spec, pinned) =
                (sighting.clone(), Arc::clone(&spec), before.pinned.clone());
            spawn_blocking(move || sighting.card(&spec, &pinned))
        };
        let mut kept = match verifying.await? {
            Ok(kept) => kept,
            Err(reason) => return Ok(before.not_keeping(reason)),
        };
        self.cards.verify(&spec, &mut kept).await;
        let _turn = self.lanes.turn().await;
        spawn_blocking(move || before.keeping(&spec, (&kept, &sighting), now)).await
    }

    /// Judges on a thread where no request waits: comparing and verifying a large card takes its time.
    async fn judged(&self, fetch: CardFetch, now: Timestamp) -> CardStatus {
        let (before, spec) = (self.status.clone(), Arc::clone(&self.spec));
        let judging = spawn_blocking(move || before.after(&spec, fetch, now));
        judging.await.unwrap_or_else(|error| {
            let id = &self.spec.id;
            tracing::error!(agent.id = %id, %error, "judging the card of agent `{id}` ended abnormally");
            let problem = "judging its card failed inside the gateway; report the card and the gateway's log";
            let nothing = CardFetch {
                result: Err(problem.to_owned()),
                tried: Vec::new(),
                retry_after: None,
            };
            self.status.after(&self.spec, nothing, now)
        })
    }

    /// Returns the card that the status holds: the one that arrived, or the one from before that still waits.
    fn waiting_after(&mut self, arrived: Option<FetchedCard>, now: Timestamp) -> Option<Waiting> {
        let held = self.status.held.as_ref()?.card.fingerprint();
        let arrived = arrived.filter(|fetched| fetched.card.fingerprint() == held);
        let arrived = arrived.map(|fetched| Waiting {
            fetched,
            seen_at: now,
        });
        arrived.or_else(|| self.waiting.take())
    }

    /// Remembers the accepted card across restarts, and when its agent was seen with it. A failure is logged, as the card
    /// is good all the same, and made up for after the next fetch.
    async fn remember(&mut self) {
        let Some(card) = self.status.pinned.card().cloned() else {
            return;
        };
        if self.remembered.as_deref() == Some(card.fingerprint()) {
            return self.sight().await;
        }
        let fingerprint = card.fingerprint().to_owned();
        let sighting = Sighting::of(&self.spec, &self.status);
        let pin = CardPin {
            agent: self.spec.id.clone(),
            card,
            accepted_at: Timestamp::now(),
            sighting: sighting.clone(),
        };
        match self.pins.pin(pin).await {
            Ok(()) => {
                self.remembered = Some(fingerprint);
                self.sighting = sighting;
            }
            Err(error) => {
                let id = &self.spec.id;
                tracing::error!(agent.id = %id, error = %error, "the accepted card of agent `{id}` is not remembered");
            }
        }
    }

    /// Remembers when the agent was seen with its card, unless that is known nearly enough.
    async fn sight(&mut self) {
        let (Some(sighting), Some(accepted)) = (
            Sighting::of(&self.spec, &self.status),
            self.status.accepted.as_ref(),
        ) else {
            return;
        };
        let usable_for = accepted.fresh_for.saturating_add(accepted.stale_for);
        let known = self.sighting.as_ref();
        if known.is_some_and(|known| !sighting.replaces(known, usable_for)) {
            return;
        }
        let id = &self.spec.id;
        match self.pins.sight(id.clone(), sighting.clone()).await {
            Ok(()) => self.sighting = Some(sighting),
            Err(error) => {
                tracing::error!(agent.id = %id, error = %error, "it is not remembered that agent `{id}` was seen with its card");
            }
        }
    }

    /// A card that is about to be given up is asked for at that moment, however long the pause would be.
    fn time_left(&self, now: Timestamp) -> Duration {
        self.status.accepted.as_ref().map_or(Duration::MAX, |card| {
            let left = card.usable_until().duration_since(now);
            Duration::try_from(left)
                .unwrap_or_default()
                .max(FIRST_PAUSE)
        })
    }
}

/// Returns after how long a card is asked for again: a little before its freshness ends, so that it is never
/// used stale; a little after that, where the agent lets it be used meanwhile.
fn due(fetched: &FetchedCard) -> Duration {
    let fresh = fetched.fresh_for.max(SHORTEST_FRESHNESS);
    let spread = fresh / SPREAD;
    if fetched.stale_while_revalidate.is_zero() {
        (fresh - random_part(spread)).max(SHORTEST_FRESHNESS)
    } else {
        fresh + random_part(spread.min(fetched.stale_while_revalidate))
    }
}

fn backoff(failures: u32) -> Duration {
    FIRST_PAUSE
        .saturating_mul(1 << failures.saturating_sub(1).min(16))
        .min(LONGEST_PAUSE)
}

fn random_part(of: Duration) -> Duration {
    let random = uuid::Uuid::new_v4().as_bytes()[0];
    of.mul_f64(f64::from(random) / 255.0)
}

#[cfg(test)]
mod tests;
