//! Tests of how the state of an agent follows its card.

use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use serde_json::json;

use super::*;
use crate::testing::{card, fetched, id, spec};

fn good() -> CardFetch {
    CardFetch {
        result: Ok(fetched(card("a", "about", &json!({})))),
        tried: Vec::new(),
    }
}

fn bad() -> CardFetch {
    CardFetch {
        result: Err("connection refused".to_owned()),
        tried: Vec::new(),
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
            tried: Vec::new()
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
}

async fn run_for(source: Arc<Counting>, time: Duration, act: impl FnOnce(&Registry)) -> usize {
    let registry = Registry::new(vec![spec("a")]);
    let stop = CancellationToken::new();
    let cards: Arc<dyn CardSource> = Arc::<Counting>::clone(&source);
    let running = tokio::spawn(Arc::clone(&registry).run(cards, stop.clone()));
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

#[test]
fn pauses_grow_and_stay_bounded() {
    let pauses: Vec<_> = (1..=10)
        .map(|failures| backoff(failures).as_secs())
        .collect();
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
    assert_eq!(backoff(u32::MAX), LONGEST_PAUSE);
}
