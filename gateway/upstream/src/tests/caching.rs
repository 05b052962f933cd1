//! How long a card is used without asking, and how asking again stays cheap.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use gateway_core::ports::{CardFetch, CardSource};

use super::{cards::CARD, mock::*};
use crate::{CardFetcher, guard::Clients};

/// Starts an agent whose answer the test changes while it runs.
async fn changing(first: Vec<u8>) -> (Mock, impl Fn(Vec<u8>)) {
    let answer = Arc::new(Mutex::new(first));
    let current = Arc::clone(&answer);
    let mock = Mock::answers(move |_| current.lock().unwrap().clone()).await;
    (mock, move |next| *answer.lock().unwrap() = next)
}

fn card(headers: &str) -> Vec<u8> {
    response(200, headers, CARD)
}

fn outcome(fetch: &CardFetch) -> &str {
    &fetch.tried.last().unwrap().outcome
}

#[tokio::test]
async fn c119_a_fresh_card_is_not_fetched_again() {
    let (mock, _) = changing(card("cache-control: max-age=300\r\n")).await;
    let (fetcher, agent) = (CardFetcher::new(Clients::new()), agent(&mock.url));
    let first = fetcher.fetch(&agent, false).await;
    assert_eq!(first.result.unwrap().fresh_for, Duration::from_secs(300));
    for _ in 0..100 {
        let again = fetcher.fetch(&agent, false).await;
        assert!(again.result.unwrap().fresh_for <= Duration::from_secs(300));
        assert_eq!(again.tried.len(), 1);
    }
    assert_eq!(mock.seen().len(), 1);
}

#[tokio::test]
async fn c119_many_at_once_make_one_request() {
    static REQUESTS: AtomicUsize = AtomicUsize::new(0);
    let mock = Mock::script(|_, mut stream| async move {
        use tokio::io::AsyncWriteExt as _;
        REQUESTS.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(100)).await;
        stream.write_all(&card("")).await.unwrap();
    })
    .await;
    let (fetcher, agent) = (CardFetcher::new(Clients::new()), agent(&mock.url));
    for force in [false, true] {
        let all = join_all((0..500).map(|_| fetcher.fetch(&agent, force))).await;
        assert!(all.iter().all(|fetch| fetch.result.is_ok()));
        assert_eq!(REQUESTS.swap(0, Ordering::SeqCst), 1, "force: {force}");
    }
}

#[tokio::test]
async fn an_abandoned_fetch_does_not_block_the_next_one() {
    let mock = Mock::script(|_, mut stream| async move {
        use tokio::io::AsyncWriteExt as _;
        tokio::time::sleep(Duration::from_millis(100)).await;
        stream.write_all(&card("")).await.ok();
    })
    .await;
    let (fetcher, agent) = (CardFetcher::new(Clients::new()), agent(&mock.url));
    tokio::select! {
        _ = fetcher.fetch(&agent, false) => panic!("the agent answers later"),
        () = mock.is_asked() => {}
    }
    assert!(fetcher.fetch(&agent, false).await.result.is_ok());
    assert_eq!(mock.seen().len(), 2);
}

#[tokio::test]
async fn c009_force_revalidates_and_a_304_keeps_the_card() {
    let (mock, change) = changing(card("cache-control: max-age=300\r\netag: \"1\"\r\n")).await;
    let (fetcher, agent) = (CardFetcher::new(Clients::new()), agent(&mock.url));
    let before = fetcher.fetch(&agent, false).await.result.unwrap();

    change(b"HTTP/1.1 304 X\r\netag: \"1\"\r\ncache-control: max-age=600\r\n\r\n".to_vec());
    let unchanged = fetcher.fetch(&agent, true).await;
    assert_eq!(outcome(&unchanged), "304, card unchanged");
    let unchanged = unchanged.result.unwrap();
    assert_eq!(unchanged.card.fingerprint(), before.card.fingerprint());
    assert_eq!(unchanged.fresh_for, Duration::from_secs(600));
    assert_eq!(mock.seen()[1].headers["if-none-match"], "\"1\"");

    change(response(
        200,
        "etag: \"2\"\r\n",
        CARD.replace("Alpha", "Beta"),
    ));
    assert_eq!(
        fetcher
            .fetch(&agent, true)
            .await
            .result
            .unwrap()
            .card
            .name(),
        "Beta"
    );
    assert_eq!(mock.seen()[2].headers["if-none-match"], "\"1\"");
}

#[tokio::test]
async fn c009_validators_survive_failures_of_the_agent() {
    let date = "Mon, 30 Nov 2026 09:00:00 GMT";
    let (mock, change) = changing(card(&format!("last-modified: {date}\r\n"))).await;
    let (fetcher, agent) = (CardFetcher::new(Clients::new()), agent(&mock.url));
    fetcher.fetch(&agent, false).await.result.unwrap();
    change(response(500, "", ""));
    assert!(
        fetcher
            .fetch(&agent, true)
            .await
            .result
            .unwrap_err()
            .contains("500")
    );
    change(b"HTTP/1.1 304 X\r\n\r\n".to_vec());
    assert!(fetcher.fetch(&agent, true).await.result.is_ok());
    assert_eq!(mock.seen()[2].headers["if-modified-since"], date);
}

#[tokio::test]
async fn what_the_agent_allows_beyond_freshness_is_passed_on() {
    let allowed = "cache-control: max-age=300, stale-while-revalidate=60, stale-if-error=600\r\n";
    let (mock, _) = changing(card(allowed)).await;
    let (fetcher, agent) = (CardFetcher::new(Clients::new()), agent(&mock.url));
    for _ in 0..2 {
        let card = fetcher.fetch(&agent, false).await.result.unwrap();
        assert_eq!(card.stale_while_revalidate, Duration::from_secs(60));
        assert_eq!(card.stale_if_error, Some(Duration::from_secs(600)));
    }
    assert_eq!(mock.seen().len(), 1);
}

#[tokio::test]
async fn no_store_and_no_cache_ask_each_time() {
    for (directive, conditional) in [("no-store", false), ("no-cache", true)] {
        let (mock, _) = changing(card(&format!(
            "cache-control: {directive}\r\netag: \"1\"\r\n"
        )))
        .await;
        let (fetcher, agent) = (CardFetcher::new(Clients::new()), agent(&mock.url));
        for _ in 0..2 {
            assert_eq!(
                fetcher.fetch(&agent, false).await.result.unwrap().fresh_for,
                Duration::ZERO
            );
        }
        let seen = mock.seen();
        assert_eq!(seen.len(), 2, "{directive}");
        assert_eq!(
            seen[1].headers.contains_key("if-none-match"),
            conditional,
            "{directive}"
        );
    }
}

#[tokio::test]
async fn without_caching_headers_the_configured_lifetime_holds() {
    let (mock, _) = changing(card("")).await;
    let mut agent = agent(&mock.url);
    agent.card.ttl = Duration::from_millis(200);
    let fetcher = CardFetcher::new(Clients::new());
    assert_eq!(
        fetcher.fetch(&agent, false).await.result.unwrap().fresh_for,
        Duration::from_millis(200)
    );
    tokio::time::sleep(Duration::from_millis(300)).await;
    fetcher.fetch(&agent, false).await.result.unwrap();
    assert_eq!(mock.seen().len(), 2);
}

#[tokio::test]
async fn failures_are_not_kept() {
    let (mock, change) = changing(response(503, "", "")).await;
    let (fetcher, agent) = (CardFetcher::new(Clients::new()), agent(&mock.url));
    assert!(fetcher.fetch(&agent, false).await.result.is_err());
    change(card(""));
    assert!(fetcher.fetch(&agent, false).await.result.is_ok());
}

#[tokio::test]
async fn a_changed_address_is_another_card() {
    let (first, _) = changing(card("")).await;
    let (second, _) = changing(response(200, "", CARD.replace("Alpha", "Beta"))).await;
    let fetcher = CardFetcher::new(Clients::new());
    assert_eq!(
        fetcher
            .fetch(&agent(&first.url), false)
            .await
            .result
            .unwrap()
            .card
            .name(),
        "Alpha"
    );
    assert_eq!(
        fetcher
            .fetch(&agent(&second.url), false)
            .await
            .result
            .unwrap()
            .card
            .name(),
        "Beta"
    );
}
