//! Accepted cards: what was written comes back, and what was damaged is told apart from what never was.

use std::{path::Path, time::Duration};

use agent_cards::Card;
use gateway_core::ports::{CardPin, CardPins, Sighting, StoredPin};
use gateway_store::SqliteStore;
use jiff::Timestamp;
use sqlx::{Connection, SqliteConnection, sqlite::SqliteConnectOptions};

use super::open;
use crate::suite::samples::agent;

const CARD: &str = r#"{"name":"a","url":"http://a.test/","skills":[]}"#;

async fn pin(store: &SqliteStore, id: &str) {
    let card = Card::parse(CARD.as_bytes()).unwrap();
    let accepted_at = Timestamp::UNIX_EPOCH;
    let agent = agent(id);
    let pin = CardPin {
        agent,
        card,
        accepted_at,
        sighting: Some(seen(0)),
    };
    store.pin(pin).await.unwrap();
}

fn seen(second: i64) -> Sighting {
    Sighting {
        card: "sha256:00".to_owned(),
        source: "sha256:01".to_owned(),
        location: "http://a.test/card.json?v=1".parse().unwrap(),
        seen_at: Timestamp::from_second(second).unwrap(),
        fresh_for: Duration::from_millis(1500),
        stale_if_error: (second != 0).then(|| Duration::from_secs(90)),
        waits: second % 2 == 1,
    }
}

async fn execute(path: &Path, statement: String) {
    let options = SqliteConnectOptions::new().filename(path);
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement))
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}

#[tokio::test]
async fn an_accepted_card_comes_back_and_takes_the_place_of_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("store.db")).await;
    pin(&store, "becas").await;
    pin(&store, "becas").await;
    let [found] = <[StoredPin; 1]>::try_from(store.pins().await.unwrap()).unwrap();
    assert_eq!(found.agent, Some(agent("becas")));
    assert_eq!(found.card.unwrap().raw(), CARD.as_bytes());
    assert_eq!(found.sighting.unwrap(), Some(seen(0)));
}

#[tokio::test]
async fn an_agent_is_seen_again_with_its_card() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("store.db")).await;
    pin(&store, "becas").await;
    pin(&store, "pagos").await;
    for second in 1..=2 {
        let sighting = seen(second);
        store.sight(agent("becas"), sighting.clone()).await.unwrap();
        for found in store.pins().await.unwrap() {
            let is_other = found.agent == Some(agent("pagos"));
            let expected = if is_other { seen(0) } else { seen(second) };
            assert_eq!(found.sighting.unwrap(), Some(expected));
            assert!(found.card.is_ok());
        }
    }
}

#[tokio::test]
async fn a_damaged_sighting_is_found_as_such_and_spoils_neither_its_card_nor_another() {
    for damage in [
        "card = x'ff'",
        "location = 'nowhere'",
        "seen_at = 'yesterday'",
        "seen_at = 9223372036854775807",
        "fresh_for = -1",
        "stale_if_error = -1",
        "waits = 2",
        "waits = 'no'",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let store = open(&path).await;
        pin(&store, "becas").await;
        pin(&store, "pagos").await;
        let damaging = format!("UPDATE card_sightings SET {damage} WHERE agent = 'becas'");
        execute(&path, damaging).await;
        for found in store.pins().await.unwrap() {
            let is_damaged = found.agent == Some(agent("becas"));
            assert_eq!(found.sighting.is_err(), is_damaged, "{damage}: {found:?}");
            assert!(found.card.is_ok(), "{damage}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = open(&path).await;
    pin(&store, "becas").await;
    execute(&path, "DELETE FROM card_sightings".to_owned()).await;
    let [found] = <[StoredPin; 1]>::try_from(store.pins().await.unwrap()).unwrap();
    assert_eq!(found.sighting, Ok(None));
}

#[tokio::test]
async fn a_damaged_card_is_found_as_such_and_spoils_no_other() {
    for (damage, told) in [
        ("'{'", "not valid JSON"),
        ("x'7b226e616d65'", "not valid JSON"),
        ("x''", "empty"),
        ("x'ff00fe'", "not valid JSON"),
        ("7", "mismatched types"),
        ("'[]'", "list"),
        (r#"'{"form":2,"parts":[]}'"#, "not an AgentCard"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let store = open(&path).await;
        pin(&store, "becas").await;
        pin(&store, "pagos").await;
        let damaging = format!("UPDATE card_pins SET card = {damage} WHERE agent = 'becas'");
        execute(&path, damaging).await;
        let found = store.pins().await.unwrap();
        assert_eq!(found.len(), 2, "{damage}");
        for pin in found {
            if pin.agent == Some(agent("pagos")) {
                assert!(pin.card.is_ok(), "{damage}");
                continue;
            }
            assert_eq!(pin.agent, Some(agent("becas")), "{damage}");
            let problem = pin.card.unwrap_err();
            assert!(problem.contains(told), "{damage}: {problem}");
        }
    }
}

#[tokio::test]
async fn a_card_that_names_no_agent_is_not_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = open(&path).await;
    for name in ["'Not An Id'", "x'ff'", "''"] {
        pin(&store, "becas").await;
        execute(&path, format!("UPDATE card_pins SET agent = {name}")).await;
        let found = store.pins().await.unwrap();
        assert!(found.len() == 1 && found[0].agent.is_none(), "{found:?}");
        execute(&path, "DELETE FROM card_pins".to_owned()).await;
    }
}

#[tokio::test]
async fn pins_that_cannot_be_looked_for_are_an_error_and_not_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = open(&path).await;
    pin(&store, "becas").await;
    execute(&path, "ALTER TABLE card_pins RENAME TO gone".to_owned()).await;
    let error = store.pins().await.unwrap_err().to_string();
    assert!(error.contains("cannot read the accepted cards"), "{error}");
}
