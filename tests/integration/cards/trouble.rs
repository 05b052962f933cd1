//! What the operator reads when an agent has no usable card.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    dialect::V1,
    mock::{Answer, CARD, Mock},
    world::Setup,
};

/// What an agent answers when it is asked for its card, by the id it is registered under.
fn causes() -> Vec<(&'static str, Answer)> {
    let html = Answer::http(200, "content-type: text/html\r\n", "<html>login</html>");
    let large = format!("{{\"name\":\"{}\"}}", "x".repeat(5000));
    let begun = "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{";
    vec![
        ("missing", Answer::http(404, "", "")),
        ("html", html),
        ("empty", Answer::json("{}")),
        ("list", Answer::json("[1]")),
        ("credential", Answer::http(401, "", "")),
        ("forbidden", Answer::http(403, "", "")),
        ("broken", Answer::http(500, "", "")),
        (
            "redirect",
            Answer::http(302, "location: http://elsewhere.example/\r\n", ""),
        ),
        ("large", Answer::json(large)),
        ("reset", Answer::nothing().reset()),
        ("cut", Answer::raw(begun).close()),
        ("not-http", Answer::raw("SSH-2.0-OpenSSH_9.6\r\n").close()),
        (
            "encoding",
            Answer::http(200, "content-encoding: gzip\r\n", "no gzip"),
        ),
    ]
}

/// Checks what the operator sees of an agent without a card, and returns the problem in words.
#[track_caller]
fn told(agent: &Value) -> String {
    assert_eq!(agent["state"], "unavailable", "{agent}");
    for tried in agent["tried"].as_array().unwrap() {
        let (url, outcome) = (
            tried["url"].as_str().unwrap(),
            tried["outcome"].as_str().unwrap(),
        );
        assert!(url.starts_with("http") && !outcome.is_empty(), "{agent}");
    }
    let problem = agent["problem"].as_str().unwrap().to_owned();
    assert!(problem.contains("; "), "no next step: {problem}");
    assert!(!problem.contains("login"), "words of the agent: {problem}");
    problem
}

#[tokio::test]
async fn c125_each_cause_has_its_own_words_each_place_its_outcome_and_one_next_step() {
    let plain = Mock::bare().await;
    let nobody = plain.address().replace("127.0.0.1", "127.0.0.3");
    let mut ids = vec!["refused", "tls"];
    let mut setup = Setup::new()
        .agent_at("refused", &format!("http://{nobody}"), "")
        .agent_at("tls", &format!("https://{}", plain.address()), "");
    for (id, answer) in causes() {
        let mock = Mock::bare().await;
        mock.at(CARD, move |_| answer.clone());
        setup = setup.agent_with(id, &mock, "card: { max_size: 4KiB }");
        ids.push(id);
    }
    let world = setup.start().await;
    let mut problems: BTreeMap<String, &str> = BTreeMap::new();
    for id in ids {
        let problem = told(&world.agent(id).await);
        if let Some(other) = problems.insert(problem.clone(), id) {
            panic!("`{id}` and `{other}` are told in the same words: {problem}");
        }
        let refused = world.post(&format!("/agents/{id}"), V1.send("ping")).await;
        assert!(
            refused.message().contains(&format!("`{id}`")),
            "{}",
            refused.body
        );
    }
}

#[tokio::test]
async fn c125_a_card_without_a_usable_interface_says_so() {
    let pigeon = Mock::start(V1, "pigeon").await;
    let mut card = V1.card("pigeon", "unused");
    card["supportedInterfaces"] = json!([
        { "url": "https://x.example:443", "protocolBinding": "urn:pigeon", "protocolVersion": "1.0" }
    ]);
    pigeon.serves_card(&card);
    let world = Setup::new().agent("pigeon", &pigeon).start().await;
    let refused = world.post("/agents/pigeon", V1.send("ping")).await;
    let decision = world.decision_of(&refused).await;
    assert_eq!(
        decision["candidates"][0]["reason"], "version_unreachable",
        "{decision}"
    );
    assert_eq!(refused.code(), -32009, "{}", refused.body);
    assert!(
        refused.message().contains("no interface of A2A"),
        "{}",
        refused.message()
    );
    let findings: Value = world.agent("pigeon").await["card"]["findings"].take();
    assert!(
        !findings.as_array().unwrap().is_empty(),
        "nothing tells the operator: {findings}"
    );
    assert!(pigeon.calls().is_empty());
}
