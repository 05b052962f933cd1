//! What becomes of an agent whose accepted card was damaged in the store.

use std::path::Path;

use serde_json::{Value, json};
use sqlx::{Connection, SqliteConnection, sqlite::SqliteConnectOptions};

use crate::{
    dialect::V1,
    mock::Mock,
    world::{Setup, World, admin::candidate},
};

pub(super) async fn execute(store: &Path, statement: &str) {
    let options = SqliteConnectOptions::new().filename(store);
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement.to_owned()))
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}

/// Starts a gateway that has accepted the card of an agent, and starts it again after something happened to its store.
async fn damaged(on_drift: &str, statement: &str) -> (World, Mock) {
    let mock = Mock::start(V1, "alpha").await;
    let mut world = Setup::new()
        .agent_with("alpha", &mock, &format!("card: {{ on_drift: {on_drift} }}"))
        .start()
        .await;
    world.call(V1.send("ping")).await.task();
    world
        .restart_after(async |store| execute(store, statement).await)
        .await;
    (world, mock)
}

const DAMAGES: [&str; 5] = [
    "UPDATE card_pins SET card = '{'",
    "UPDATE card_pins SET card = substr(card, 1, length(card) - 20)",
    "UPDATE card_pins SET card = 42",
    r#"UPDATE card_pins SET card = '{"form":2,"pages":[]}'"#,
    "UPDATE card_pins SET agent = 'Somebody Else'",
];

#[tokio::test]
async fn an_agent_whose_accepted_card_is_damaged_is_held_until_the_operator_accepts_it() {
    for damage in DAMAGES {
        let (mut world, mock) = damaged("quarantine", damage).await;
        let held = world.agent("alpha").await;
        assert_eq!(held["state"], "quarantined", "{damage}: {held}");
        let problem = held["problem"].as_str().unwrap();
        assert!(
            problem.contains("not known whether its card changed")
                && problem.contains("agents accept-card alpha"),
            "{damage}: {problem}"
        );
        assert!(held["held"]["unknown"].is_string(), "{damage}: {held}");

        let before = mock.calls().len();
        for path in ["/a2a", "/agents/alpha"] {
            let refused = world.post(path, V1.send("ping")).await;
            let decision = world.decision_of(&refused).await;
            let reason = &candidate(&decision, "alpha")["reason"];
            assert_eq!(reason, "card_quarantined", "{damage} {path}: {decision}");
            assert!(
                !refused.message().contains("accept-card"),
                "{}",
                refused.body
            );
        }
        assert_eq!(mock.calls().len(), before, "{damage}: nothing reaches it");
        let card = world.get("/agents/alpha").await;
        assert_eq!(card.status, 503, "{damage}");
        assert!(!card.body.contains("accept-card"), "{}", card.body);

        let body = json!({ "fingerprint": held["held"]["fingerprint"] });
        let path = "/v1/agents/alpha/accept-card";
        assert_eq!(world.admin_post(path, &body).await.status, 200);
        assert_eq!(world.agent("alpha").await["state"], "ready", "{damage}");
        world.call(V1.send("ping")).await.task();
        world.restart().await;
        assert_eq!(world.agent("alpha").await["state"], "ready", "{damage}");
    }
}

#[tokio::test]
async fn a_warning_tells_that_changes_are_not_known() {
    for damage in DAMAGES {
        let (world, _mock) = damaged("warn", damage).await;
        let agent = world.agent("alpha").await;
        assert_eq!(agent["state"], "ready", "{damage}: {agent}");
        assert!(agent["drift"]["unknown"].is_string(), "{damage}: {agent}");
        world.call(V1.send("ping")).await.task();
    }
}

#[tokio::test]
async fn a_damaged_card_does_not_matter_where_changes_are_ignored() {
    let (world, _mock) = damaged("ignore", "UPDATE card_pins SET card = '{'").await;
    let agent = world.agent("alpha").await;
    assert_eq!(
        (&agent["state"], &agent["drift"]),
        (&json!("ready"), &Value::Null)
    );
}
