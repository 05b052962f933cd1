//! Tests of when the next fetch is due.

use futures_util::FutureExt as _;
use serde_json::json;

use super::*;
use crate::{
    agent::OnDrift,
    testing::{Pins, card, fetched, spec},
};

#[derive(Debug)]
struct Nothing;

#[async_trait::async_trait]
impl CardSource for Nothing {
    async fn fetch(&self, _agent: &AgentSpec, _force: bool) -> CardFetch {
        failed(None)
    }

    async fn verify(&self, _agent: &AgentSpec, _kept: &mut FetchedCard) {}
}

fn watcher() -> Watcher {
    let bell = Arc::<Bell>::default();
    Watcher {
        approvals: bell.take_inbox().unwrap(),
        bell,
        waiting: None,
        spec: Arc::new(spec("a")),
        status: CardStatus::pending(),
        remembered: None,
        sighting: None,
        is_new: true,
        failures: 0,
        cards: Arc::new(Nothing),
        pins: Arc::new(Pins::default()),
        lanes: Arc::default(),
        results: mpsc::channel(1).0,
    }
}

fn arrived(fresh_for: u64, stale_while_revalidate: u64) -> CardFetch {
    let mut fetched = fetched(card("a", "about", &json!({})));
    fetched.fresh_for = Duration::from_secs(fresh_for);
    fetched.stale_while_revalidate = Duration::from_secs(stale_while_revalidate);
    CardFetch {
        result: Ok(fetched),
        tried: Vec::new(),
        retry_after: None,
    }
}

fn failed(retry_after: Option<u64>) -> CardFetch {
    CardFetch {
        result: Err("the agent is busy".to_owned()),
        tried: Vec::new(),
        retry_after: retry_after.map(Duration::from_secs),
    }
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

#[track_caller]
fn within(pause: Duration, from: u64, to: u64) {
    let allowed = Duration::from_secs(from)..=Duration::from_secs(to);
    assert!(allowed.contains(&pause), "{pause:?} is not in {allowed:?}");
}

#[test]
fn refreshes_are_spread_before_the_end_of_freshness_or_over_what_the_agent_allows() {
    let pauses = |fresh, revalidate| {
        let fetched = arrived(fresh, revalidate).result.unwrap();
        let pauses: Vec<_> = (0..200).map(|_| due(&fetched)).collect();
        (*pauses.iter().min().unwrap(), *pauses.iter().max().unwrap())
    };
    for (fresh, revalidate, from, to) in
        [(300, 0, 270, 300), (300, 60, 300, 330), (300, 7, 300, 307)]
    {
        let (least, most) = pauses(fresh, revalidate);
        within(least, from, to);
        within(most, from, to);
        assert!(
            most - least > Duration::from_secs((to - from) / 2),
            "{least:?} {most:?}"
        );
    }
    within(pauses(0, 0).0, 5, 5);
}

#[tokio::test]
async fn pauses_after_failures_grow_stay_bounded_and_start_over() {
    let mut watcher = watcher();
    for expected in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
        let pause = watcher.take(failed(None), at(0)).await;
        within(pause, expected, expected + expected.div_ceil(10));
    }
    watcher.take(arrived(60, 0), at(0)).await;
    within(watcher.take(failed(None), at(1)).await, 1, 2);
    assert_eq!(backoff(u32::MAX), LONGEST_PAUSE);
}

#[tokio::test]
async fn an_agent_that_asks_for_a_pause_gets_it_within_bounds() {
    within(watcher().take(failed(Some(120)), at(0)).await, 120, 132);
    within(watcher().take(failed(Some(0)), at(0)).await, 1, 2);
    within(
        watcher().take(failed(Some(1_000_000)), at(0)).await,
        600,
        660,
    );
}

#[tokio::test]
async fn a_card_about_to_be_given_up_is_asked_for_at_that_moment() {
    let mut watcher = watcher();
    watcher.take(arrived(60, 0), at(0)).await;
    let end = 60 + 3600;
    within(
        watcher.take(failed(Some(300)), at(end - 100)).await,
        100,
        100,
    );
    assert_eq!(watcher.status.state, AgentState::Stale);
    assert_eq!(watcher.status.next_fetch_at, Some(at(end)));
    within(watcher.take(failed(Some(300)), at(end)).await, 1, 1);
    within(watcher.take(failed(Some(300)), at(end + 1)).await, 300, 330);
    assert_eq!(watcher.status.state, AgentState::Unavailable);
}

#[test]
fn a_card_is_judged_where_no_request_waits() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    runtime.block_on(async {
        let (release, held) = std::sync::mpsc::channel::<()>();
        let occupied = spawn_blocking(move || held.recv());
        let mut watcher = watcher();
        let mut taking = std::pin::pin!(watcher.take(arrived(60, 0), at(0)));
        let judged_here = taking.as_mut().now_or_never();
        assert!(judged_here.is_none(), "on the thread of requests");
        release.send(()).unwrap();
        occupied.await.unwrap().unwrap();
        taking.await;
    });
}

#[tokio::test]
async fn a_card_is_remembered_once_and_again_after_a_failure() {
    let pins = Arc::new(Pins::default());
    let mut watcher = Watcher {
        pins: Arc::<Pins>::clone(&pins),
        ..watcher()
    };
    for (breaks, written) in [(true, 0), (false, 1), (false, 1)] {
        pins.break_down(breaks);
        watcher.take(arrived(60, 0), at(0)).await;
        watcher.remember().await;
        assert_eq!(pins.written(), written);
    }
}

#[tokio::test]
async fn a_card_whose_changes_do_not_matter_is_remembered_for_a_restart() {
    let pins = Arc::new(Pins::default());
    let mut spec = spec("a");
    spec.card.trust.on_drift = OnDrift::Ignore;
    let mut watcher = Watcher {
        pins: Arc::<Pins>::clone(&pins),
        spec: Arc::new(spec),
        ..watcher()
    };
    watcher.take(arrived(60, 0), at(0)).await;
    watcher.remember().await;
    assert_eq!(
        (watcher.status.state, pins.written()),
        (AgentState::Ready, 1)
    );
}

#[tokio::test]
async fn it_is_written_that_an_agent_was_seen_when_that_says_something_new() {
    let pins = Arc::new(Pins::default());
    let mut watcher = Watcher {
        pins: Arc::<Pins>::clone(&pins),
        ..watcher()
    };
    for (fetch, second, sighted) in [
        (arrived(60, 0), 0, 0),
        (arrived(60, 0), 59, 0),
        (failed(None), 100, 0),
        (arrived(60, 0), 101, 1),
        (arrived(61, 0), 102, 2),
        (arrived(61, 0), 103, 2),
    ] {
        watcher.take(fetch, at(second)).await;
        watcher.remember().await;
        assert_eq!(pins.sighted(), sighted, "at {second}");
    }
    assert_eq!(pins.written(), 1, "the card, with when it was seen");

    let brief = |seconds| {
        let mut fetch = arrived(8, 0);
        fetch.result.as_mut().unwrap().stale_if_error = Some(Duration::from_secs(seconds));
        fetch
    };
    for (second, sighted) in [(200, 3), (200, 3), (201, 3), (202, 4)] {
        watcher.take(brief(24), at(second)).await;
        watcher.remember().await;
        assert_eq!(pins.sighted(), sighted, "at {second}, of 32 s");
    }
    pins.break_down(true);
    watcher.take(brief(25), at(203)).await;
    watcher.remember().await;
    pins.break_down(false);
    watcher.take(brief(25), at(203)).await;
    watcher.remember().await;
    assert_eq!(pins.sighted(), 5, "made up for");
}
