//! The walk over the places of a card, and what it says when it finds none.

mod causes;
mod encodings;
mod redirects;

use std::time::Duration;

use gateway_core::{
    agent::{AgentAuth, AgentSpec},
    ports::{CardFetch, CardSource},
};

use super::mock::*;
use crate::{CardFetcher, guard::Clients};

pub(super) const CARD: &str =
    r#"{"name":"Alpha","url":"http://0.0.0.0:8000/","version":"1","skills":[]}"#;
const CURRENT: &str = "/.well-known/agent-card.json";
const LEGACY: &str = "/.well-known/agent.json";

pub(super) async fn fetch(agent: &AgentSpec) -> CardFetch {
    CardFetcher::new(Clients::new()).fetch(agent, false).await
}

/// Starts an agent with a card at some paths and a status at all others.
async fn host(paths: &'static [&'static str], otherwise: u16) -> Mock {
    Mock::answers(move |seen| {
        let path = seen.target.split('?').next().unwrap();
        if paths.contains(&path) {
            json(CARD)
        } else {
            response(otherwise, "", "")
        }
    })
    .await
}

fn outcomes(fetch: &CardFetch) -> Vec<&str> {
    fetch
        .tried
        .iter()
        .map(|tried| tried.outcome.as_str())
        .collect()
}

#[tokio::test]
async fn c001_both_well_known_names_are_found() {
    let mock = host(&[LEGACY], 404).await;
    let found = fetch(&agent(&mock.url)).await;
    assert_eq!(
        found.result.as_ref().unwrap().location.as_str(),
        format!("{}{LEGACY}", mock.url)
    );
    assert_eq!(found.result.as_ref().unwrap().card.name(), "Alpha");
    assert_eq!(outcomes(&found), ["404", "200, card accepted"]);

    let mock = host(&[CURRENT], 404).await;
    assert!(fetch(&agent(&mock.url)).await.result.is_ok());
    assert_eq!(mock.targets(), [CURRENT]);
}

#[tokio::test]
async fn c001_trouble_other_than_absence_stops_the_walk() {
    for status in [401, 403, 410, 429, 500, 503] {
        let mock = host(&[LEGACY], status).await;
        let found = fetch(&agent(&mock.url)).await;
        assert!(found.result.unwrap_err().contains(&status.to_string()));
        assert_eq!(mock.targets(), [CURRENT], "{status}");
    }
}

#[tokio::test]
async fn c001_later_walks_begin_where_the_card_was() {
    static MOVED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    let mock = Mock::answers(|seen| {
        let at = if MOVED.load(std::sync::atomic::Ordering::SeqCst) {
            CURRENT
        } else {
            LEGACY
        };
        if seen.target == at {
            json(CARD)
        } else {
            response(404, "", "")
        }
    })
    .await;
    let (fetcher, agent) = (CardFetcher::new(Clients::new()), agent(&mock.url));
    for _ in 0..2 {
        fetcher.fetch(&agent, true).await.result.unwrap();
    }
    assert_eq!(mock.targets(), [CURRENT, LEGACY, LEGACY]);
    MOVED.store(true, std::sync::atomic::Ordering::SeqCst);
    for _ in 0..2 {
        fetcher.fetch(&agent, true).await.result.unwrap();
    }
    assert_eq!(mock.targets()[3..], [LEGACY, CURRENT, CURRENT]);
}

#[tokio::test]
async fn c002_agents_below_a_path_are_found_at_either_end() {
    let mock = host(&["/t/abc/.well-known/agent-card.json"], 405).await;
    let found = fetch(&agent(&format!("{}/t/abc", mock.url))).await;
    assert!(found.result.is_ok());
    assert_eq!(mock.targets(), ["/t/abc/.well-known/agent-card.json"]);

    let mock = host(&[CURRENT], 404).await;
    let found = fetch(&agent(&format!("{}/a2a", mock.url))).await;
    assert_eq!(found.result.as_ref().unwrap().location.path(), CURRENT);
    assert_eq!(outcomes(&found), ["404", "404", "200, card accepted"]);
}

#[tokio::test]
async fn c001_pages_and_foreign_json_lead_on_to_the_next_place() {
    for (status, body) in [
        (200, "<html>welcome</html>"),
        (200, ""),
        (200, "hello"),
        (200, r#"{"hello":1}"#),
        (200, "[]"),
        (204, ""),
    ] {
        let mock = Mock::answers(move |seen| {
            if seen.target == LEGACY {
                json(CARD)
            } else {
                response(status, "", body)
            }
        })
        .await;
        assert!(fetch(&agent(&mock.url)).await.result.is_ok(), "{body}");
    }
}

#[tokio::test]
async fn c015_request_carries_version_and_credential_of_the_agent_only() {
    let mock = host(&[CURRENT], 404).await;
    let mut agent = agent(&mock.url);
    agent.auth = AgentAuth::Header {
        name: "X-Key".to_owned(),
        value: "k".into(),
    };
    fetch(&agent).await.result.unwrap();
    let [seen] = mock.seen().try_into().unwrap();
    assert_eq!(seen.method, "GET");
    let names: Vec<_> = seen.headers.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "a2a-version",
            "accept",
            "accept-encoding",
            "host",
            "user-agent",
            "x-key"
        ]
    );
    assert_eq!(
        (
            seen.headers["a2a-version"].as_str(),
            seen.headers["x-key"].as_str()
        ),
        ("1.0", "k")
    );
}

#[tokio::test]
async fn c071_a_card_on_another_origin_gets_no_credential() {
    let (agent_host, card_host) = (host(&[], 404).await, host(&["/cards/alpha"], 404).await);
    let mut agent = agent(&agent_host.url);
    agent.auth = AgentAuth::Bearer("agent-secret".into());
    agent.card.url = Some(format!("{}/cards/alpha", card_host.url).parse().unwrap());
    fetch(&agent).await.result.unwrap();
    assert!(!card_host.seen()[0].headers.contains_key("authorization"));
    assert!(agent_host.seen().is_empty());

    agent.card.auth = AgentAuth::Bearer("card-secret".into());
    fetch(&agent).await.result.unwrap();
    assert_eq!(
        card_host.seen()[1].headers["authorization"],
        "Bearer card-secret"
    );
}

#[tokio::test]
async fn secrets_in_the_address_are_sent_and_not_shown() {
    let mock = host(&[CURRENT], 404).await;
    let with_user = mock.url.replace("http://", "http://user:s3same@");
    let found = fetch(&agent(&format!("{with_user}/?token=t0ken"))).await;
    let [seen] = mock.seen().try_into().unwrap();
    assert_eq!(seen.target, format!("{CURRENT}?token=t0ken"));
    assert_eq!(seen.headers["authorization"], "Basic dXNlcjpzM3NhbWU=");
    let shown = format!("{found:?}");
    assert!(
        !shown.contains("t0ken") && !shown.contains("s3same"),
        "{shown}"
    );
}

#[tokio::test]
async fn one_limit_of_time_holds_for_the_whole_walk() {
    let mock = Mock::script(|_, mut stream| async move {
        use tokio::io::AsyncWriteExt as _;
        tokio::time::sleep(Duration::from_millis(150)).await;
        stream.write_all(&response(404, "", "")).await.ok();
    })
    .await;
    let mut agent = agent(&format!("{}/a2a", mock.url));
    agent.card.timeout = Duration::from_millis(250);
    let found = fetch(&agent).await;
    assert_eq!(outcomes(&found), ["404", "no card within 0.25 s"]);
    assert!(found.result.unwrap_err().contains("card.timeout"));
}

#[tokio::test]
async fn a_pause_that_an_agent_asks_for_is_passed_on() {
    for (status, header, pause) in [
        (429, "retry-after: 7\r\n", Some(7)),
        (503, "retry-after: 0\r\n", Some(0)),
        (503, "", None),
        (500, "retry-after: 7\r\n", None),
        (404, "retry-after: 7\r\n", None),
    ] {
        let mock = Mock::always(response(status, header, "")).await;
        let found = fetch(&agent(&mock.url)).await;
        assert_eq!(
            found.retry_after,
            pause.map(Duration::from_secs),
            "{status} {header}"
        );
        assert!(found.result.is_err());
    }
}

#[tokio::test]
async fn the_most_telling_place_gives_the_reason() {
    let mock = Mock::answers(|seen| match seen.target.as_str() {
        "/a2a/.well-known/agent.json" => json("{\"a\":1}"),
        CURRENT => json("<html></html>"),
        _ => response(404, "", ""),
    })
    .await;
    let found = fetch(&agent(&format!("{}/a2a", mock.url))).await;
    assert_eq!(found.tried.len(), 4);
    assert!(found.result.unwrap_err().contains("not an AgentCard"));
}
