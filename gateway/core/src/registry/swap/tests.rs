//! States are shown at once, whatever there is to read.

use std::sync::atomic::{AtomicBool, Ordering};

use agent_cards::Card;
use async_trait::async_trait;
use gateway_protocol::{Binding, Version};
use jiff::Timestamp;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::{
    agent::{AgentSpec, OnDrift},
    decision::Discard,
    ports::{CardFetch, CardSource, FetchedCard},
    profile::VersionedProfile,
    route::{Features, Question, choose},
    testing::{Pins, card, fetched, id, profile, spec},
};

/// Skills of a card that takes a while to be read.
const LARGE: usize = 4_000;

fn guarded(name: &str) -> AgentSpec {
    let mut spec = spec(name);
    spec.card.trust.on_drift = OnDrift::Quarantine;
    spec
}

fn brought(card: Card) -> CardFetch {
    CardFetch {
        result: Ok(fetched(card)),
        tried: Vec::new(),
        retry_after: None,
    }
}

fn plain(name: &str) -> Card {
    card(name, "weather", &json!({}))
}

/// A card of another skill, or of so many that reading them takes a while.
fn other(name: &str, skills: usize) -> Card {
    let skill = |number: usize| {
        let about = format!("music number {number} of {}", number * 7919);
        json!({ "id": format!("s{number}"), "name": about, "description": about, "tags": [] })
    };
    let skills: Vec<_> = (0..skills).map(skill).collect();
    card(name, "weather", &json!({ "skills": skills }))
}

/// Returns what the watcher of an agent finds next.
fn found(registry: &Registry, name: &str, fetch: CardFetch, second: i64) -> Found {
    let catalog = registry.catalog();
    let agent = catalog.agent(&id(name)).unwrap();
    let latest = registry.latest().get(&id(name)).cloned();
    let before = latest.unwrap_or_else(|| agent.status.clone());
    let at = Timestamp::from_second(second).unwrap();
    (id(name), before.after(&agent.spec, fetch, at))
}

/// Chooses an agent for a message about the weather; returns the chosen one and the reasons against the others.
fn chosen(registry: &Registry, min_fit: f64) -> (Option<String>, Vec<(String, Discard)>) {
    let catalog = registry.catalog();
    let mut profile = profile();
    profile.min_fit = min_fit;
    let profile = VersionedProfile::from(profile);
    let features = Features {
        text: "weather".to_owned(),
        ..Features::default()
    };
    let choice = choose(Question {
        catalog: &catalog,
        profile: &profile,
        rule: None,
        features: &features,
        meaning: None,
        version: Version::V1,
        binding: Binding::JsonRpc,
        now: Instant::now(),
        at: Timestamp::UNIX_EPOCH,
    });
    let reason = |found: crate::decision::Candidate| Some((found.agent.to_string(), found.reason?));
    let chosen = choice.chosen.map(|chosen| chosen.agent.spec.id.to_string());
    (
        chosen,
        choice.candidates.into_iter().filter_map(reason).collect(),
    )
}

fn two() -> Arc<Registry> {
    let registry = Registry::new(vec![guarded("a"), spec("b")]);
    let both = ["a", "b"].map(|name| (id(name), brought(plain(name))));
    registry.apply(both.into(), Timestamp::UNIX_EPOCH);
    registry
}

#[tokio::test]
async fn a_held_agent_gets_nothing_new_before_any_card_is_read() {
    let registry = two();
    let index = Arc::clone(registry.catalog().texts());
    // The other's card changes, too, and waits to be read.
    let changed = found(&registry, "b", brought(other("b", 1)), 1);
    registry.show(vec![changed]);
    let drifted = found(&registry, "a", brought(other("a", 1)), 2);
    registry.show(vec![drifted]);
    let catalog = registry.catalog();
    assert!(Arc::ptr_eq(&index, catalog.texts()), "nothing was read");
    let held = &catalog.agent(&id("a")).unwrap().status;
    assert_eq!(held.state, AgentState::Quarantined);
    assert_eq!(
        held.fingerprint(),
        Some(plain("a").fingerprint()),
        "tasks go on"
    );
    let other_card = catalog.agent(&id("b")).unwrap().status.fingerprint();
    assert_eq!(other_card, Some(plain("b").fingerprint()), "not read yet");
    let held = vec![("a".to_owned(), Discard::CardQuarantined)];
    assert_eq!(chosen(&registry, 0.0), (Some("b".to_owned()), held));

    registry.read();
    let catalog = registry.catalog();
    let read = catalog.agent(&id("b")).unwrap().status.fingerprint();
    assert_eq!(read, Some(other("b", 1).fingerprint()));
    assert!(!registry.has_unread());
}

#[tokio::test]
async fn a_hold_is_heeded_whatever_card_of_the_agent_is_being_read() {
    let registry = two();
    let accepted = {
        let (agent, mut status) = found(&registry, "a", brought(plain("a")), 1);
        let waiting = crate::registry::acceptance::Waiting {
            fetched: fetched(other("a", 1)),
            seen_at: Timestamp::UNIX_EPOCH,
        };
        status = status.after(&guarded("a"), brought(other("a", 1)), Timestamp::UNIX_EPOCH);
        let spec = guarded("a");
        (
            agent,
            status
                .accepting(&spec, &waiting, Timestamp::UNIX_EPOCH)
                .unwrap(),
        )
    };
    registry.show(vec![accepted]);
    let state = || registry.catalog().agent(&id("a")).unwrap().status.clone();
    assert_eq!(
        state().state,
        AgentState::Ready,
        "the old card, until the new one is read"
    );
    let third = found(&registry, "a", brought(other("a", 2)), 3);
    registry.show(vec![third]);
    let held = state();
    assert_eq!(held.state, AgentState::Quarantined);
    assert_eq!(held.fingerprint(), Some(plain("a").fingerprint()));
    registry.read();
    let held = state();
    assert_eq!(held.state, AgentState::Quarantined);
    assert_eq!(held.fingerprint(), Some(other("a", 1).fingerprint()));
}

#[tokio::test]
async fn a_card_that_is_given_up_is_out_of_the_running_before_the_index_forgets_it() {
    for min_fit in [0.0, 0.25] {
        let registry = two();
        let failed = CardFetch {
            result: Err("connection refused".to_owned()),
            tried: Vec::new(),
            retry_after: None,
        };
        let gone = found(&registry, "b", failed, 10_000);
        registry.show(vec![gone]);
        assert!(registry.has_unread(), "there is a text too many");
        let before = chosen(&registry, min_fit);
        let lost = vec![("b".to_owned(), Discard::CardUnavailable)];
        assert_eq!(before, (Some("a".to_owned()), lost), "{min_fit}");
        registry.read();
        assert!(!registry.has_unread());
        assert_eq!(chosen(&registry, min_fit), before, "{min_fit}");
    }
}

/// Serves what it is told to.
#[derive(Debug, Default)]
struct Changing {
    a: AtomicBool,
    b: AtomicBool,
}

#[async_trait]
impl CardSource for Changing {
    async fn fetch(&self, agent: &AgentSpec, _force: bool) -> CardFetch {
        let name = agent.id.as_str();
        let (changes, skills) = match name {
            "a" => (&self.a, 1),
            _ => (&self.b, LARGE),
        };
        if changes.load(Ordering::Relaxed) {
            brought(other(name, skills))
        } else {
            brought(plain(name))
        }
    }

    async fn verify(&self, _agent: &AgentSpec, _kept: &mut FetchedCard) {}
}

#[tokio::test]
async fn a_hold_does_not_wait_for_cards_that_are_being_read() {
    let registry = Registry::new(vec![guarded("a"), spec("b")]);
    let (source, stop) = (Arc::<Changing>::default(), CancellationToken::new());
    let cards: Arc<dyn CardSource> = Arc::<Changing>::clone(&source);
    tokio::spawn(Arc::clone(&registry).run((cards, Arc::new(Pins::default())), stop.clone()));
    let status = |name: &str| registry.catalog().agent(&id(name)).unwrap().status.clone();
    for name in ["a", "b"] {
        registry.settled(&id(name), Duration::from_secs(60)).await;
    }
    source.b.store(true, Ordering::Relaxed);
    registry.refresh(&id("b"));
    while registry.latest().is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    source.a.store(true, Ordering::Relaxed);
    registry.refresh(&id("a"));
    while status("a").state != AgentState::Quarantined {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let read = status("b").fingerprint() == Some(other("b", LARGE).fingerprint());
    assert!(!read, "the hold came with the large card");
    while registry.has_unread() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(status("a").state, AgentState::Quarantined);
    stop.cancel();
}
