//! Tests of how the state of an agent follows its card.

mod restart;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use agent_cards::Card;
use async_trait::async_trait;
use serde_json::json;

use super::*;
use crate::{
    agent::OnDrift,
    ports::{CardTry, FetchedCard, StoredPin},
    testing::{Pins, card, fetched, id, spec},
};

fn good() -> CardFetch {
    CardFetch {
        result: Ok(fetched(card("a", "about", &json!({})))),
        tried: Vec::new(),
        retry_after: None,
    }
}

fn bad() -> CardFetch {
    CardFetch {
        result: Err("connection refused".to_owned()),
        tried: Vec::new(),
        retry_after: None,
    }
}

fn state(registry: &Registry) -> AgentState {
    registry.catalog().agent(&id("a")).unwrap().status.state
}

#[test]
fn c009_a_card_outlives_its_agent_until_it_is_too_stale() {
    let registry = Registry::new(vec![spec("a")]);
    let at = |seconds: i64| Timestamp::from_second(seconds).unwrap();
    let after = |fetch: CardFetch, seconds: i64| {
        registry.apply(vec![(id("a"), fetch)], at(seconds));
        state(&registry)
    };
    assert_eq!(after(bad(), 0), AgentState::Unavailable);
    assert_eq!(after(good(), 10), AgentState::Ready);
    assert_eq!(after(bad(), 100), AgentState::Stale);
    assert_eq!(after(bad(), 10 + 60 + 3600), AgentState::Stale);
    assert_eq!(after(bad(), 10 + 60 + 3601), AgentState::Unavailable);
    assert_eq!(after(bad(), 10 + 60 + 3602), AgentState::Unavailable);
    assert_eq!(after(good(), 8000), AgentState::Ready);
}

#[test]
fn catalog_version_changes_with_cards_and_not_with_states() {
    let registry = Registry::new(vec![spec("a")]);
    let version = |fetch: CardFetch| {
        registry.apply(vec![(id("a"), fetch)], Timestamp::UNIX_EPOCH);
        registry.catalog().version().to_owned()
    };
    let first = version(good());
    assert_eq!(version(good()), first);
    assert_eq!(version(bad()), first);
    let other = fetched(card("a", "something else", &json!({})));
    assert_ne!(
        version(CardFetch {
            result: Ok(other),
            tried: Vec::new(),
            retry_after: None,
        }),
        first
    );
}

#[derive(Debug, Default)]
struct Counting {
    fetches: AtomicUsize,
    forced: AtomicUsize,
    no_store: bool,
}

#[async_trait]
impl CardSource for Counting {
    async fn fetch(&self, _agent: &AgentSpec, force: bool) -> CardFetch {
        self.fetches.fetch_add(1, Ordering::Relaxed);
        self.forced.fetch_add(usize::from(force), Ordering::Relaxed);
        let mut fetch = good();
        if self.no_store
            && let Ok(card) = &mut fetch.result
        {
            card.fresh_for = Duration::ZERO;
        }
        fetch
    }

    async fn verify(&self, _agent: &AgentSpec, _kept: &mut FetchedCard) {}
}

async fn run_for(source: Arc<Counting>, time: Duration, act: impl FnOnce(&Registry)) -> usize {
    let registry = Registry::new(vec![spec("a")]);
    let stop = CancellationToken::new();
    let cards: Arc<dyn CardSource> = Arc::<Counting>::clone(&source);
    let running =
        tokio::spawn(Arc::clone(&registry).run((cards, Arc::new(Pins::default())), stop.clone()));
    registry.settled(&id("a"), Duration::from_secs(1)).await;
    assert_eq!(state(&registry), AgentState::Ready);
    act(&registry);
    tokio::time::sleep(time).await;
    stop.cancel();
    running.await.unwrap();
    source.fetches.load(Ordering::Relaxed)
}

#[tokio::test(start_paused = true)]
async fn a_fresh_card_is_left_alone_and_refreshed_when_it_expires() {
    let source = Arc::new(Counting::default());
    assert_eq!(
        run_for(Arc::clone(&source), Duration::from_secs(50), |_| ()).await,
        1
    );
    assert!((2..=3).contains(&(run_for(source, Duration::from_secs(70), |_| ()).await - 1)));
}

#[tokio::test(start_paused = true)]
async fn a_card_that_may_not_be_kept_is_not_fetched_in_a_loop() {
    let source = Arc::new(Counting {
        no_store: true,
        ..Counting::default()
    });
    assert!(run_for(source, Duration::from_secs(60), |_| ()).await <= 13);
}

#[tokio::test(start_paused = true)]
async fn a_refresh_on_request_goes_past_the_cache() {
    let source = Arc::new(Counting::default());
    let wake = |registry: &Registry| assert!(registry.refresh(&id("a")));
    assert_eq!(
        run_for(Arc::clone(&source), Duration::from_secs(1), wake).await,
        2
    );
    assert_eq!(source.forced.load(Ordering::Relaxed), 1);
    assert!(!Registry::new(vec![spec("a")]).refresh(&id("b")));
}

#[tokio::test(start_paused = true)]
async fn a_doubted_card_is_fetched_again_once() {
    let source = Arc::new(Counting::default());
    let doubt = |registry: &Registry| {
        assert!(registry.doubt(&id("a")));
        assert!(!registry.doubt(&id("a")), "once in a while is enough");
        assert!(!registry.doubt(&id("b")));
    };
    let fetches = run_for(Arc::clone(&source), Duration::from_secs(1), doubt).await;
    assert_eq!((fetches, source.forced.load(Ordering::Relaxed)), (2, 1));
}

#[test]
fn an_agent_without_a_card_is_not_doubted() {
    let registry = Registry::new(vec![spec("a")]);
    assert!(!registry.doubt(&id("a")), "pending");
    registry.apply(vec![(id("a"), bad())], Timestamp::UNIX_EPOCH);
    assert!(!registry.doubt(&id("a")), "unavailable");
    registry.apply(vec![(id("a"), good())], Timestamp::UNIX_EPOCH);
    assert!(registry.doubt(&id("a")));
}

#[test]
fn a_refused_card_is_not_taken_over_and_says_why() {
    let registry = Registry::new(vec![spec("a")]);
    registry.apply(vec![(id("a"), good())], Timestamp::UNIX_EPOCH);
    let before = registry.catalog();
    let uncallable = card("a", "new text", &json!({ "supportedInterfaces": [] }));
    let refused = CardFetch {
        result: Ok(fetched(uncallable)),
        tried: vec![CardTry {
            url: "http://a.test/".to_owned(),
            outcome: "200, card accepted".to_owned(),
        }],
        retry_after: None,
    };
    registry.apply(vec![(id("a"), refused)], Timestamp::UNIX_EPOCH);
    let after = registry.catalog();
    assert_eq!(after.version(), before.version());
    let status = &after.agent(&id("a")).unwrap().status;
    assert_eq!(status.state, AgentState::Stale);
    assert!(status.problem.as_ref().unwrap().contains("no interface"));
    assert_eq!(status.tried[0].outcome, "a card, which is refused");
}

#[test]
fn the_shorter_limit_of_agent_and_operator_ends_the_use_of_a_stale_card() {
    for (stale_if_error, last_second) in [
        (None, 3660),
        (Some(90), 150),
        (Some(90_000), 3660),
        (Some(0), 60),
    ] {
        let registry = Registry::new(vec![spec("a")]);
        let mut fetch = good();
        if let Ok(card) = &mut fetch.result {
            card.stale_if_error = stale_if_error.map(Duration::from_secs);
        }
        let state_after = |fetch, seconds| {
            registry.apply(
                vec![(id("a"), fetch)],
                Timestamp::from_second(seconds).unwrap(),
            );
            state(&registry)
        };
        assert_eq!(state_after(fetch, 0), AgentState::Ready);
        assert_eq!(state_after(bad(), last_second), AgentState::Stale);
        assert_eq!(state_after(bad(), last_second + 1), AgentState::Unavailable);
    }
}

/// Serves whatever card it was given last.
#[derive(Debug)]
struct Serving {
    card: Mutex<Card>,
    is_down: AtomicBool,
}

impl Serving {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            card: card("a", "about", &json!({})).into(),
            is_down: AtomicBool::new(false),
        })
    }

    fn changes(&self, skill: &str) {
        let skills = json!([{ "id": skill, "name": "s", "description": "d", "tags": [] }]);
        *self.card.lock().unwrap() = card("a", "about", &json!({ "skills": skills }));
    }
}

#[async_trait]
impl CardSource for Serving {
    async fn fetch(&self, _agent: &AgentSpec, _force: bool) -> CardFetch {
        if self.is_down.load(Ordering::Relaxed) {
            return bad();
        }
        CardFetch {
            result: Ok(fetched(self.card.lock().unwrap().clone())),
            ..good()
        }
    }

    async fn verify(&self, _agent: &AgentSpec, _kept: &mut FetchedCard) {}
}

/// A registry of one agent that is quarantined when its card drifts, running until it is dropped.
struct Guarded {
    registry: Arc<Registry>,
    stop: CancellationToken,
}

impl Guarded {
    async fn run(source: &Arc<Serving>, pins: &Arc<Pins>) -> Self {
        Self::run_as(|_| {}, Arc::<Serving>::clone(source), pins).await
    }

    /// Runs under other settings.
    async fn run_as(
        change: impl FnOnce(&mut AgentSpec),
        source: Arc<dyn CardSource>,
        pins: &Arc<Pins>,
    ) -> Self {
        let mut spec = spec("a");
        spec.card.trust.on_drift = OnDrift::Quarantine;
        change(&mut spec);
        let guarded = Self {
            registry: Registry::new(vec![spec]),
            stop: CancellationToken::new(),
        };
        let ports: (_, Arc<dyn CardPins>) = (source, Arc::<Pins>::clone(pins));
        tokio::spawn(Arc::clone(&guarded.registry).run(ports, guarded.stop.clone()));
        guarded
            .registry
            .settled(&id("a"), Duration::from_secs(1))
            .await;
        guarded
    }

    async fn refreshed(&self) -> CardStatus {
        self.registry.refresh(&id("a"));
        tokio::time::sleep(Duration::from_secs(1)).await;
        self.status()
    }

    /// Accepts a card, and waits until the next catalog is in use.
    async fn accept(&self, fingerprint: &str) -> Result<(), NotAccepted> {
        let outcome = self.registry.accept(&id("a"), fingerprint).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        outcome
    }

    fn status(&self) -> CardStatus {
        self.registry
            .catalog()
            .agent(&id("a"))
            .unwrap()
            .status
            .clone()
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

#[tokio::test(start_paused = true)]
async fn a_drifted_card_waits_for_the_operator_also_across_a_restart() {
    let (source, pins) = (Serving::new(), Arc::new(Pins::default()));
    let first = Guarded::run(&source, &pins).await;
    assert_eq!(first.status().state, AgentState::Ready);
    let old = first.status().accepted.unwrap().card.clone();

    source.changes("new");
    let held = first.refreshed().await;
    assert_eq!(held.state, AgentState::Quarantined);
    assert!(
        held.problem.as_ref().unwrap().contains("accept-card a"),
        "{held:?}"
    );
    assert_eq!(held.accepted.unwrap().card.fingerprint(), old.fingerprint());
    drop(first);

    let second = Guarded::run(&source, &pins).await;
    let again = second.status();
    assert_eq!(again.state, AgentState::Quarantined);
    assert_eq!(
        again.accepted.unwrap().card.fingerprint(),
        old.fingerprint()
    );
    let waiting = again.held.unwrap().card.clone();

    // Another card than the accepted one waits, and the accepted one is used when it comes back.
    source.changes("newer");
    second.accept(waiting.fingerprint()).await.unwrap();
    let newer = second.refreshed().await;
    assert_eq!(newer.state, AgentState::Quarantined);
    assert_eq!(
        newer.accepted.unwrap().received.fingerprint(),
        waiting.fingerprint()
    );
    let outdated = second.accept(waiting.fingerprint()).await;
    assert!(matches!(outdated, Err(NotAccepted::NotWaiting)));
    source.changes("new");
    let accepted = second.refreshed().await;
    assert_eq!(
        (accepted.state, accepted.held.is_none()),
        (AgentState::Ready, true)
    );
    assert!(accepted.problem.is_none() && accepted.drift.is_none());
    drop(second);

    let third = Guarded::run(&source, &pins).await;
    assert_eq!(third.status().state, AgentState::Ready);
    let b = id("b");
    let unknown = third.registry.accept(&b, waiting.fingerprint());
    assert!(matches!(unknown.await, Err(NotAccepted::NotWaiting)));
}

#[tokio::test(start_paused = true)]
async fn a_card_is_accepted_for_good_while_its_agent_is_down() {
    let (source, pins) = (Serving::new(), Arc::new(Pins::default()));
    let first = Guarded::run(&source, &pins).await;
    source.changes("new");
    let held = first.refreshed().await.held.unwrap();
    source.is_down.store(true, Ordering::Relaxed);
    assert_eq!(first.refreshed().await.state, AgentState::Quarantined);

    pins.break_down(true);
    let lost = first.accept(held.card.fingerprint()).await;
    assert!(matches!(lost, Err(NotAccepted::NotKept(_))), "{lost:?}");
    assert_eq!(first.status().state, AgentState::Quarantined);
    pins.break_down(false);
    first.accept(held.card.fingerprint()).await.unwrap();
    let accepted = first.status();
    assert_eq!(accepted.state, AgentState::Stale, "its agent is down");
    assert!(accepted.problem.unwrap().contains("refused"));
    assert!(accepted.held.is_none() && accepted.drift.is_none());
    assert_eq!(
        accepted.accepted.unwrap().received.fingerprint(),
        held.card.fingerprint()
    );
    drop(first);

    source.is_down.store(false, Ordering::Relaxed);
    let second = Guarded::run(&source, &pins).await;
    assert_eq!(second.status().state, AgentState::Ready);
    second.stop.cancel();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let a = id("a");
    let stopped = second.registry.accept(&a, held.card.fingerprint());
    assert!(matches!(stopped.await, Err(NotAccepted::Stopping)));
}

#[tokio::test(start_paused = true)]
async fn an_agent_whose_accepted_card_cannot_be_read_is_held_until_it_is_accepted() {
    let unreadable = |agent| StoredPin {
        agent,
        card: Err("it is cut off".to_owned()),
        sighting: Ok(None),
    };
    let out_of_order = Pins::default();
    out_of_order.break_down(true);
    for (pins, reason) in [
        (Pins::holding(vec![unreadable(Some(id("a")))]), "cut off"),
        (Pins::holding(vec![unreadable(None)]), "names no agent"),
        (out_of_order, "the disk is gone"),
    ] {
        let (source, pins) = (Serving::new(), Arc::new(pins));
        let guarded = Guarded::run(&source, &pins).await;
        let status = guarded.status();
        assert_eq!(status.state, AgentState::Quarantined, "{reason}");
        assert!(status.accepted.is_none(), "nothing to go on with");
        let problem = status.problem.unwrap();
        assert!(
            problem.contains(reason) && problem.contains("accept-card a"),
            "{problem}"
        );
        let again = guarded.refreshed().await;
        assert_eq!(again.state, AgentState::Quarantined, "{reason}");

        pins.break_down(false);
        let waiting = again.held.unwrap();
        let fingerprint = waiting.card.fingerprint();
        guarded.accept(fingerprint).await.unwrap();
        assert_eq!(guarded.status().state, AgentState::Ready, "{reason}");
        drop(guarded);

        let restarted = Guarded::run(&source, &pins).await;
        assert_eq!(restarted.status().state, AgentState::Ready, "{reason}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_unreadable_card_spoils_no_other() {
    let pins = Pins::holding(vec![
        StoredPin {
            agent: Some(id("b")),
            card: Err("it is cut off".to_owned()),
            sighting: Ok(None),
        },
        StoredPin {
            agent: Some(id("a")),
            card: Ok(card("a", "about", &json!({}))),
            sighting: Ok(None),
        },
    ]);
    let guarded = Guarded::run(&Serving::new(), &Arc::new(pins)).await;
    assert_eq!(guarded.status().state, AgentState::Ready);
}

#[tokio::test(start_paused = true)]
async fn a_card_that_returns_to_the_accepted_one_ends_the_quarantine() {
    let (source, pins) = (Serving::new(), Arc::new(Pins::default()));
    let guarded = Guarded::run(&source, &pins).await;
    let old = source.card.lock().unwrap().clone();
    source.changes("new");
    assert_eq!(guarded.refreshed().await.state, AgentState::Quarantined);
    *source.card.lock().unwrap() = old;
    let status = guarded.refreshed().await;
    assert_eq!(
        (status.state, status.held.is_none()),
        (AgentState::Ready, true)
    );
}

/// Answers when told to, and counts how many wait for it.
#[derive(Debug)]
struct Gated {
    waiting: AtomicUsize,
    gate: tokio::sync::Semaphore,
}

#[async_trait]
impl CardSource for Gated {
    async fn fetch(&self, _agent: &AgentSpec, _force: bool) -> CardFetch {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        self.gate.acquire().await.unwrap().forget();
        good()
    }

    async fn verify(&self, _agent: &AgentSpec, _kept: &mut FetchedCard) {}
}

#[tokio::test(start_paused = true)]
async fn a_large_start_fetches_a_bounded_number_at_a_time_and_loses_none() {
    let agents = lanes::MAX_SEARCHES + 50;
    let specs = (0..agents)
        .map(|number| spec(&format!("a{number}")))
        .collect();
    let (registry, stop) = (Registry::new(specs), CancellationToken::new());
    let source = Arc::new(Gated {
        waiting: AtomicUsize::new(0),
        gate: tokio::sync::Semaphore::new(0),
    });
    let cards: Arc<dyn CardSource> = Arc::<Gated>::clone(&source);
    let running =
        tokio::spawn(Arc::clone(&registry).run((cards, Arc::new(Pins::default())), stop.clone()));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let begun = || source.waiting.swap(0, Ordering::SeqCst);
    assert_eq!(begun(), lanes::MAX_SEARCHES);
    source.gate.add_permits(agents);
    for number in 0..agents {
        let id = id(&format!("a{number}"));
        registry.settled(&id, Duration::from_secs(60)).await;
        let state = registry.catalog().agent(&id).unwrap().status.state;
        assert_eq!(state, AgentState::Ready, "{id}");
    }
    assert_eq!(begun(), agents - lanes::MAX_SEARCHES);

    for number in 0..agents {
        registry.refresh(&id(&format!("a{number}")));
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(begun(), lanes::MAX_REFRESHES, "requests come first now");
    stop.cancel();
    running.await.unwrap();
}
