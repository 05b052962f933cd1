//! The card from before a restart, while its agent cannot be asked.

use agent_cards::{SigningKey, TrustedKeys, verify};

use super::*;
use crate::ports::Sighting;

/// Leaves the pins of a run in which the card was accepted.
async fn accepted(source: &Arc<Serving>) -> Arc<Pins> {
    let pins = Arc::new(Pins::default());
    let first = Guarded::run(source, &pins).await;
    assert_eq!(first.status().state, AgentState::Ready);
    assert!(!first.status().accepted.unwrap().is_from_before);
    // It is written after it is in use.
    tokio::time::sleep(Duration::from_secs(1)).await;
    source.is_down.store(true, Ordering::Relaxed);
    pins
}

fn change(pins: &Pins, change: impl Fn(&mut Sighting)) {
    pins.change(|pin| change(pin.sighting.as_mut().unwrap().as_mut().unwrap()));
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_is_down_is_known_by_its_card_from_before() {
    let source = Serving::new();
    let pins = accepted(&source).await;
    for _ in 0..2 {
        let again = Guarded::run(&source, &pins).await;
        let status = again.status();
        assert_eq!(status.state, AgentState::Stale);
        assert_eq!(status.problem.as_deref(), Some("connection refused"));
        assert!(status.accepted.unwrap().is_from_before);
    }
    source.is_down.store(false, Ordering::Relaxed);
    let third = Guarded::run(&source, &pins).await;
    let status = third.status();
    assert_eq!((status.state, status.problem), (AgentState::Ready, None));
    assert!(!status.accepted.unwrap().is_from_before);
}

#[tokio::test(start_paused = true)]
async fn it_is_used_as_long_as_it_would_have_been_without_the_restart() {
    let source = Serving::new();
    let pins = accepted(&source).await;
    for (stale_if_error, age, state) in [
        (None, 3600, AgentState::Stale),
        (None, 3670, AgentState::Unavailable),
        (Some(60), 100, AgentState::Stale),
        (Some(60), 130, AgentState::Unavailable),
        // As if the clock had been set back.
        (Some(60), -100, AgentState::Stale),
    ] {
        let seen_at = Timestamp::now() - jiff::SignedDuration::from_secs(age);
        change(&pins, |sighting| {
            sighting.seen_at = seen_at;
            sighting.stale_if_error = stale_if_error.map(Duration::from_secs);
        });
        let status = Guarded::run(&source, &pins).await.status();
        assert_eq!(status.state, state, "{stale_if_error:?} {age}");
        let problem = status.problem.unwrap();
        assert!(problem.starts_with("connection refused"), "{problem}");
        let is_old = state == AgentState::Unavailable;
        assert_eq!(problem.contains("is too old"), is_old, "{problem}");
        if let Some(card) = status.accepted {
            assert!(card.confirmed_at <= Timestamp::now());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn it_is_not_used_for_another_address_nor_against_what_is_demanded_now() {
    type Change = fn(&mut AgentSpec);
    let source = Serving::new();
    let pins = accepted(&source).await;
    let changes: [(Change, &str); 5] = [
        (
            |spec| spec.url = "http://b.test/".parse().unwrap(),
            "address",
        ),
        (
            |spec| spec.card.url = "http://b.test/".parse().ok(),
            "address",
        ),
        (
            |spec| spec.card.trust.require_signature = true,
            "no signature",
        ),
        (
            |spec| spec.card.trust.origin = "https://c.test".parse().ok(),
            "card.origin",
        ),
        (|spec| spec.card.max_stale = Duration::ZERO, ""),
    ];
    for (change, reason) in changes {
        let cards: Arc<dyn CardSource> = Arc::<Serving>::clone(&source);
        let status = Guarded::run_as(change, cards, &pins).await.status();
        let problem = status.problem.unwrap();
        if reason.is_empty() {
            assert_eq!(status.state, AgentState::Stale, "still fresh");
            continue;
        }
        assert_eq!(status.state, AgentState::Unavailable, "{reason}");
        assert!(status.accepted.is_none());
        let told = problem.starts_with("connection refused; its card from before the start");
        assert!(told && problem.contains(reason), "{problem}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_of_it_counts_as_nothing() {
    type Damage = fn(&mut StoredPin);
    let damages: [Damage; 4] = [
        |pin| pin.sighting = Err("it is cut off".to_owned()),
        |pin| pin.sighting = Ok(None),
        |pin| pin.card = Err("it is cut off".to_owned()),
        |pin| pin.card = Ok(card("a", "another", &json!({}))),
    ];
    for damage in damages {
        let source = Serving::new();
        let pins = accepted(&source).await;
        pins.change(damage);
        let status = Guarded::run(&source, &pins).await.status();
        assert_eq!(status.state, AgentState::Unavailable);
        assert!(status.accepted.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn a_restart_is_no_way_around_a_quarantine_while_the_agent_is_down() {
    let (source, pins) = (Serving::new(), Arc::new(Pins::default()));
    let first = Guarded::run(&source, &pins).await;
    let old = first.status().fingerprint().map(str::to_owned);
    source.changes("new");
    assert_eq!(first.refreshed().await.state, AgentState::Quarantined);
    source.is_down.store(true, Ordering::Relaxed);
    drop(first);

    for _ in 0..2 {
        let again = Guarded::run(&source, &pins).await;
        let status = again.refreshed().await;
        assert_eq!(status.state, AgentState::Quarantined);
        assert_eq!(status.fingerprint(), old.as_deref(), "tasks go on");
        assert!(status.held.is_none());
        let problem = status.problem.unwrap();
        assert!(problem.contains("gets nothing new"), "{problem}");
    }
    source.is_down.store(false, Ordering::Relaxed);
    let third = Guarded::run(&source, &pins).await;
    let held = third.status();
    assert_eq!(held.state, AgentState::Quarantined);
    let waiting = held.held.unwrap().card.clone();

    // The card that is accepted while its agent is down is the one after a restart.
    source.is_down.store(true, Ordering::Relaxed);
    third.accept(waiting.fingerprint()).await.unwrap();
    drop(third);
    let fourth = Guarded::run(&source, &pins).await.status();
    assert_eq!(fourth.state, AgentState::Stale);
    assert_eq!(fourth.fingerprint(), Some(waiting.fingerprint()));
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_shows_a_card_that_is_refused_goes_on_with_the_one_before() {
    let source = Serving::new();
    let pins = accepted(&source).await;
    source.is_down.store(false, Ordering::Relaxed);
    let uncallable = card("a", "about", &json!({ "supportedInterfaces": [] }));
    *source.card.lock().unwrap() = uncallable;
    let status = Guarded::run(&source, &pins).await.status();
    assert_eq!(status.state, AgentState::Stale);
    assert!(status.accepted.unwrap().is_from_before);
    assert!(status.problem.unwrap().contains("no interface"));
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_takes_its_time_is_known_from_before_meanwhile() {
    let source = Serving::new();
    let pins = accepted(&source).await;
    let gated = Arc::new(Gated {
        waiting: AtomicUsize::new(0),
        gate: tokio::sync::Semaphore::new(0),
    });
    let cards: Arc<dyn CardSource> = Arc::<Gated>::clone(&gated);
    let again = Guarded::run_as(|_| {}, cards, &pins).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let status = again.status();
    assert_eq!((status.state, status.checked_at), (AgentState::Stale, None));
    assert!(status.problem.unwrap().contains("waiting for the agent"));
    gated.gate.add_permits(1);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(again.status().state, AgentState::Ready);
}

/// Is down, and knows the key set that a card from before names.
#[derive(Debug)]
struct KeySet(TrustedKeys);

#[async_trait]
impl CardSource for KeySet {
    async fn fetch(&self, _agent: &AgentSpec, _force: bool) -> CardFetch {
        bad()
    }

    async fn verify(&self, _agent: &AgentSpec, kept: &mut FetchedCard) {
        kept.verification = verify(&kept.card, &self.0);
    }
}

#[tokio::test(start_paused = true)]
async fn its_signature_is_verified_with_the_key_set_that_it_names() {
    let pair = rcgen::KeyPair::generate().unwrap();
    let key = SigningKey::from_pem(pair.serialize_pem().as_bytes()).unwrap();
    let mut trusted = TrustedKeys::new();
    let set = json!({ "keys": [key.public_jwk()] }).to_string();
    trusted.add(set.as_bytes()).unwrap();

    let source = Serving::new();
    let signed = agent_cards::sign(&source.card.lock().unwrap().clone(), &key).unwrap();
    *source.card.lock().unwrap() = signed;
    let pins = accepted(&source).await;
    for (keys, state) in [
        (trusted, AgentState::Stale),
        (TrustedKeys::new(), AgentState::Unavailable),
    ] {
        let demanding = |spec: &mut AgentSpec| spec.card.trust.require_signature = true;
        let again = Guarded::run_as(demanding, Arc::new(KeySet(keys)), &pins).await;
        assert_eq!(again.status().state, state);
    }
}
