//! Finding decisions.

use serde_json::{Value, json};

use crate::{
    dialect::V1,
    mock::{Answer, Mock},
    world::{Setup, World},
};

/// Starts a gateway with four decisions, oldest first: alpha completed, beta failed, nobody, alpha still at work.
async fn world() -> (World, Vec<String>) {
    let (alpha, beta) = (
        Mock::start(V1, "alpha").await,
        Mock::start(V1, "beta").await,
    );
    alpha.serves_card(&V1.card_about("alpha", &alpha.rpc_url(), "parking permits"));
    beta.serves_card(&V1.card_about("beta", &beta.rpc_url(), "library hours"));
    beta.always(Answer::json(r#"{"error":{"code":-32004,"message":"no"}}"#));
    let world = Setup::new()
        .agent("alpha", &alpha)
        .agent("beta", &beta)
        .profile("")
        .start()
        .await;
    let mut ids = Vec::new();
    for (text, state) in [
        ("parking permits", "completed"),
        ("library hours", "error"),
        ("zzz", "not_sent"),
        ("parking permits", "working"),
    ] {
        if state == "working" {
            let task = json!({ "result": V1.sent_task("t-2", "c-2", "working") });
            alpha.always(Answer::json(task));
        }
        let decision = world.decision_of(&world.call(V1.send(text)).await).await;
        world.outcome(&decision["id"], state).await;
        ids.push(decision["id"].as_str().unwrap().to_owned());
    }
    (world, ids)
}

#[tokio::test]
async fn every_filter_selects_what_it_says_newest_first() {
    let (world, ids) = world().await;
    let middle = world.decision(&ids[2]).await["at"]
        .as_str()
        .unwrap()
        .to_owned();
    // Positions of the decisions expected, newest first.
    let cases: Vec<(String, &[usize])> = vec![
        ("".into(), &[3, 2, 1, 0]),
        ("agent=alpha".into(), &[3, 2, 1, 0]),
        ("agent=gamma".into(), &[]),
        ("agent=alpha&verdict=chosen".into(), &[3, 0]),
        ("agent=beta&verdict=chosen".into(), &[1]),
        ("agent=beta&verdict=discarded".into(), &[3, 2, 0]),
        ("verdict=chosen".into(), &[3, 1, 0]),
        ("verdict=outscored".into(), &[]),
        ("outcome=completed".into(), &[0]),
        ("outcome=error".into(), &[1]),
        ("outcome=working".into(), &[3]),
        ("outcome=not_sent".into(), &[2]),
        ("outcome=open".into(), &[]),
        ("caller=anonymous".into(), &[3, 2, 1, 0]),
        ("caller=somebody".into(), &[]),
        ("since=1h".into(), &[3, 2, 1, 0]),
        ("since=2000-01-01T00:00:00Z".into(), &[3, 2, 1, 0]),
        ("since=2999-01-01T00:00:00Z".into(), &[]),
        (format!("since={middle}"), &[3, 2]),
        ("limit=2".into(), &[3, 2]),
        (format!("before={}", ids[2]), &[1, 0]),
        (
            format!("before={}&limit=1&agent=alpha&verdict=chosen", ids[3]),
            &[0],
        ),
    ];
    for (query, expected) in cases {
        let found: Vec<Value> = world
            .decisions(&query)
            .await
            .iter()
            .map(|found| found["id"].clone())
            .collect();
        let expected: Vec<Value> = expected
            .iter()
            .map(|&position| json!(ids[position]))
            .collect();
        assert_eq!(found, expected, "{query}");
    }
}

#[tokio::test]
async fn pages_follow_each_other_to_the_end() {
    let (world, ids) = world().await;
    let (mut found, mut query) = (Vec::new(), "limit=3".to_owned());
    loop {
        let page = world
            .admin_get(&format!("/v1/decisions?{query}"))
            .await
            .json();
        found.extend(
            page["decisions"]
                .as_array()
                .unwrap()
                .iter()
                .map(|decision| decision["id"].as_str().unwrap().to_owned()),
        );
        match page["next_before"].as_str() {
            Some(next) => query = format!("limit=3&before={next}"),
            None => break,
        }
    }
    assert_eq!(found, ids.into_iter().rev().collect::<Vec<_>>());
}

#[tokio::test]
async fn filters_that_mean_nothing_are_refused_by_name() {
    let (world, _) = world().await;
    for (query, expected) in [
        ("verdict=winner", "winner"),
        ("since=yesterday", "yesterday"),
        ("limit=0", "limit"),
        ("limit=501", "limit"),
        ("limit=x", "limit"),
        ("agent=No%20Such", "No Such"),
        ("colour=red", "colour"),
    ] {
        let refused = world.admin_get(&format!("/v1/decisions?{query}")).await;
        assert_eq!(refused.status, 400, "{query}: {}", refused.body);
        assert!(refused.body.contains(expected), "{query}: {}", refused.body);
    }
    for path in ["/v1/decisions/none", "/v1/agents/none", "/v1/none", "/"] {
        let missing = world.admin_get(path).await;
        assert_eq!(
            (missing.status, missing.json()["error"]["status"].as_str()),
            (404, Some("NOT_FOUND")),
            "{path}"
        );
    }
}
