//! Where the card of an agent is looked for.

use serde_json::Value;

use crate::{
    dialect::{BOTH, V1, V03},
    mock::{Answer, CARD, LEGACY_CARD, Mock},
    world::{Setup, World},
};

fn card_of(mock: &Mock, name: &str) -> String {
    V1.card(name, &mock.rpc_url()).to_string()
}

/// Starts an agent that answers calls and has no card yet.
async fn without_card() -> Mock {
    let mock = Mock::bare().await;
    mock.answers(|call| V1.obliging(call));
    mock
}

fn location(agent: &Value) -> &str {
    agent["card"]["location"]
        .as_str()
        .unwrap_or_else(|| panic!("no card: {agent}"))
}

#[tokio::test]
async fn c001_a_card_at_either_name_is_found_and_the_name_that_worked_is_asked_first() {
    for dialect in BOTH {
        let mock = Mock::bare().await;
        mock.answers(move |call| dialect.obliging(call));
        let card = dialect.card("alpha", &mock.rpc_url()).to_string();
        mock.at(LEGACY_CARD, move |_| Answer::json(&card));
        let world = World::of("alpha", &mock).await;
        let agent = world.agent("alpha").await;
        assert_eq!(location(&agent), mock.url() + LEGACY_CARD);
        assert_eq!(
            agent["tried"].as_array().unwrap().len(),
            2,
            "{}",
            agent["tried"]
        );
        assert_eq!(
            world.call(dialect.send("ping")).await.task()["status"]["state"],
            dialect.state("completed")
        );

        mock.asked_for_card(2).await;
        let confirmed = agent["checked_at"].clone();
        world
            .refresh("alpha", "a refresh", |agent| {
                agent["checked_at"] != confirmed
            })
            .await;
        assert_eq!(mock.card_requests(), [CARD, LEGACY_CARD, LEGACY_CARD]);

        mock.serves_card(&dialect.card("alpha", &mock.rpc_url()));
        mock.at(LEGACY_CARD, |_| Answer::http(404, "", ""));
        let current = mock.url() + CARD;
        world
            .refresh("alpha", "the card at its new place", |agent| {
                location(agent) == current
            })
            .await;
    }
}

#[tokio::test]
async fn c001_the_old_name_is_tried_only_where_the_current_one_holds_no_card() {
    let not_here = [
        ("404", Answer::http(404, "", "")),
        ("405", Answer::http(405, "", "")),
        (
            "a web page",
            Answer::http(200, "content-type: text/html\r\n", "<html></html>"),
        ),
        ("other JSON", Answer::json(r#"{"hello":"world"}"#)),
        ("a list", Answer::json("[]")),
        ("nothing", Answer::http(200, "", "")),
    ];
    let trouble = [
        ("401", Answer::http(401, "", "")),
        ("403", Answer::http(403, "", "")),
        ("429", Answer::http(429, "", "")),
        ("500", Answer::http(500, "", "")),
        ("503", Answer::http(503, "", "")),
        (
            "elsewhere",
            Answer::http(302, "location: http://127.0.0.2:9/card\r\n", ""),
        ),
    ];
    let mut setup = Setup::new();
    let mut mocks = Vec::new();
    for (number, (_, answer)) in not_here.iter().chain(&trouble).enumerate() {
        let mock = without_card().await;
        let (card, answer) = (card_of(&mock, "old"), answer.clone());
        mock.at(CARD, move |_| answer.clone());
        mock.at(LEGACY_CARD, move |_| Answer::json(&card));
        setup = setup.agent(&format!("agent-{number}"), &mock);
        mocks.push(mock);
    }
    let world = setup.start().await;
    for (number, (what, _)) in not_here.iter().chain(&trouble).enumerate() {
        let agent = world.agent(&format!("agent-{number}")).await;
        let asked_for_old = mocks[number]
            .card_requests()
            .iter()
            .any(|path| path == LEGACY_CARD);
        let falls_back = number < not_here.len();
        assert_eq!(asked_for_old, falls_back, "{what}: {agent}");
        assert_eq!(
            agent["state"],
            if falls_back { "ready" } else { "unavailable" },
            "{what}"
        );
        if !falls_back {
            let tried = agent["tried"][0]["outcome"].as_str().unwrap();
            assert!(
                agent["problem"].is_string() && !tried.contains("accepted"),
                "{what}: {agent}"
            );
        }
    }
}

#[tokio::test]
async fn c001_a_refused_card_is_reported_as_refused() {
    let mock = without_card().await;
    mock.at(CARD, |_| {
        Answer::http(401, "www-authenticate: Bearer\r\n", "")
    });
    let card = card_of(&mock, "open");
    mock.at(LEGACY_CARD, move |_| Answer::json(&card));
    let world = World::of("alpha", &mock).await;
    let agent = world.agent("alpha").await;
    assert!(
        agent["problem"].as_str().unwrap().contains("401"),
        "{agent}"
    );
    assert_eq!(agent["tried"][0]["outcome"], "401");
    let refused = world.post("/agents/alpha", V1.send("ping")).await;
    assert!(refused.message().contains("alpha"), "{}", refused.body);
    assert!(mock.calls().is_empty());
}

#[tokio::test]
async fn c002_the_most_specific_card_of_a_host_is_taken() {
    const UNDER_PATH: &str = "/t/abc/.well-known/agent-card.json";
    const LEGACY_UNDER_PATH: &str = "/t/abc/.well-known/agent.json";
    // Registered path, where cards are, and which one must be found.
    let cases: [(&str, &[&str], &str); 6] = [
        ("/t/abc", &[UNDER_PATH], UNDER_PATH),
        ("/t/abc/", &[UNDER_PATH], UNDER_PATH),
        ("/t/abc", &[UNDER_PATH, CARD], UNDER_PATH),
        ("/t/abc", &[LEGACY_UNDER_PATH, CARD], LEGACY_UNDER_PATH),
        ("/a2a", &[CARD], CARD),
        ("/a2a", &[LEGACY_CARD], LEGACY_CARD),
    ];
    let (mut setup, mut mocks) = (Setup::new(), Vec::new());
    for (number, (path, places, _)) in cases.iter().enumerate() {
        let mock = without_card().await;
        mock.at(CARD, |_| Answer::http(405, "", ""));
        for place in *places {
            let card = card_of(&mock, place);
            mock.at(place, move |_| Answer::json(&card));
        }
        setup = setup.agent_at(&format!("agent-{number}"), &(mock.url() + path), "");
        mocks.push(mock);
    }
    let world = setup.start().await;
    for (number, (path, places, expected)) in cases.iter().enumerate() {
        let id = format!("agent-{number}");
        let agent = world.agent(&id).await;
        assert_eq!(
            agent["card"]["name"], **expected,
            "{path} {places:?}: {agent}"
        );
        let reply = world.post(&format!("/agents/{id}"), V1.send("ping")).await;
        assert_eq!(reply.task_id(), "t-1", "{path} {places:?}");
    }
}

#[tokio::test]
async fn c002_an_exact_card_address_is_the_only_place() {
    let mock = without_card().await;
    mock.serves_card(&V1.card("root", &mock.rpc_url()));
    let card = card_of(&mock, "exact");
    mock.at("/cards/alpha?v=2", move |_| Answer::json(&card));
    let settings = format!("card: {{ url: \"{}/cards/alpha?v=2\" }}", mock.url());
    let missing = format!("card: {{ url: \"{}/cards/none\" }}", mock.url());
    let world = Setup::new()
        .agent_with("alpha", &mock, &settings)
        .agent_with("beta", &mock, &missing)
        .start()
        .await;
    assert_eq!(world.agent("alpha").await["card"]["name"], "exact");
    assert_eq!(world.agent("beta").await["state"], "unavailable");
    let mut asked = mock.card_requests();
    asked.sort();
    assert_eq!(asked, ["/cards/alpha?v=2", "/cards/none"]);
}

#[tokio::test]
async fn c004_the_registered_host_wins_over_the_one_in_the_card() {
    let declared = [
        "http://0.0.0.0:8000/rpc",
        "http://[::]:8000/rpc",
        "http://localhost:1/rpc",
        "http://127.0.0.1:1/rpc",
        "http://alpha.agents.svc.cluster.local/rpc",
        "http://169.254.169.254/rpc",
        "https://elsewhere.example/rpc",
    ];
    let (mut setup, mut mocks) = (Setup::new(), Vec::new());
    for dialect in BOTH {
        for (number, url) in declared.iter().enumerate() {
            let mock = Mock::start(dialect, "alpha").await;
            mock.serves_card(&dialect.card("alpha", url));
            let id = format!("v{}-{number}", if dialect == V03 { 0 } else { 1 });
            setup = setup.agent(&id, &mock);
            mocks.push((id, dialect, *url, mock));
        }
    }
    let world = setup.start().await;
    for (id, dialect, url, mock) in &mocks {
        let reply = world
            .post(&format!("/agents/{id}"), dialect.send("ping"))
            .await;
        assert_eq!(reply.task_id(), "t-1", "{url}");
        assert_eq!(mock.only_call().target, "/rpc", "{url}");
        let card = world.agent(id).await["card"].take();
        let findings = card["findings"].to_string();
        assert!(
            findings.contains("host") || findings.contains("address"),
            "{url}: {findings}"
        );
        assert_eq!(card["endpoints"][0]["declared"], *url);
        let served = world
            .get(&format!("/agents/{id}/.well-known/agent-card.json"))
            .await
            .body;
        let host = url.split('/').nth(2).unwrap();
        assert!(served.contains(world.address()), "{served}");
        assert!(!served.contains(host), "{served}");
    }
}
