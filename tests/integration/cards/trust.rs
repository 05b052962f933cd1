//! What a card must show to be used, and what happens when it changes.

use std::path::PathBuf;

use agent_cards::{Card, SigningKey, TrustedKeys, sign, verify};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    dialect::{V1, success},
    mock::{Answer, CARD, Mock},
    world::{Reply, Setup, World, admin::candidate, client::receive},
};

/// A key pair, in files that a configuration can name.
struct Keys {
    folder: TempDir,
    key: SigningKey,
}

impl Keys {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let pem = rcgen::KeyPair::generate().unwrap().serialize_pem();
        let key = SigningKey::from_pem(pem.as_bytes()).unwrap();
        let keys = Self { folder, key };
        std::fs::write(keys.private(), pem).unwrap();
        let set = json!({ "keys": [keys.key.public_jwk()] });
        std::fs::write(keys.public(), set.to_string()).unwrap();
        keys
    }

    fn private(&self) -> PathBuf {
        self.folder.path().join("key.pem")
    }

    fn public(&self) -> PathBuf {
        self.folder.path().join("keys.json")
    }

    fn sign(&self, card: &Value) -> Value {
        let card = Card::parse(card.to_string().as_bytes()).unwrap();
        sign(&card, &self.key).unwrap().value().clone()
    }

    fn trusted(&self) -> TrustedKeys {
        let mut keys = TrustedKeys::new();
        keys.add(&std::fs::read(self.public()).unwrap()).unwrap();
        keys
    }
}

/// The card of an agent with one skill.
fn card(mock: &Mock, skill: &str) -> Value {
    let mut card = V1.card("alpha", &mock.rpc_url());
    card["skills"] =
        json!([{ "id": skill, "name": skill, "description": "says it again", "tags": ["echo"] }]);
    card
}

async fn refreshed(world: &World, what: &str, state: &str) -> Value {
    world
        .admin_post("/v1/agents/alpha/refresh", &json!({}))
        .await;
    world
        .agent_becomes("alpha", what, |agent| agent["state"] == state)
        .await
}

async fn accept(world: &World, fingerprint: &Value) -> Reply {
    let body = json!({ "fingerprint": fingerprint });
    world
        .admin_post("/v1/agents/alpha/accept-card", &body)
        .await
}

/// A gateway whose agent has a task that waits, and whose card then changed in a skill; returns the sealed id of the
/// task.
async fn quarantined() -> (World, Mock, String) {
    let mock = Mock::start(V1, "alpha").await;
    mock.serves_card(&card(&mock, "echo"));
    mock.answers(|call| match call.rpc_method().as_str() {
        "SendMessage" => {
            let task = V1.sent_task("t-1", "c-1", "input-required");
            Answer::json(success(call, &task))
        }
        _ => V1.obliging(call),
    });
    let world = Setup::new()
        .agent_with(
            "alpha",
            &mock,
            "card: { on_drift: quarantine, serve: verbatim }",
        )
        .start()
        .await;
    let task = world.call(V1.send("ping")).await.task_id();
    mock.serves_card(&card(&mock, "transfer_money"));
    refreshed(&world, "quarantined", "quarantined").await;
    (world, mock, task)
}

#[tokio::test]
async fn a_quarantined_agent_goes_on_with_its_tasks_and_gets_no_new_ones() {
    let (mut world, mock, task) = quarantined().await;
    let listed = world.get("/.well-known/agent-card.json").await.json();
    assert_eq!(listed["skills"], json!([]), "not offered");
    for restarted in [false, true] {
        if restarted {
            world.restart().await;
            let again = world.agent("alpha").await;
            assert_eq!(again["state"], "quarantined", "{again}");
            assert_eq!(again["card"]["name"], "alpha");
        }
        let served = world.get("/agents/alpha").await;
        assert!(!served.body.contains("transfer_money"), "{}", served.body);
        let asked = mock.calls().len();
        for path in ["/a2a", "/agents/alpha"] {
            let refused = world.post(path, V1.send("ping")).await;
            let decision = world.decision_of(&refused).await;
            let reason = &candidate(&decision, "alpha")["reason"];
            assert_eq!(reason, "card_quarantined", "{path}: {decision}");
            assert!(
                !refused.message().contains("accept-card"),
                "not the caller's business"
            );
        }
        assert_eq!(mock.calls().len(), asked, "nothing reaches the agent");
        world.call(V1.about("GetTask", &task)).await.result();
        let mut reply = V1.send("go on");
        reply["params"]["message"]["taskId"] = json!(task);
        world.call(reply).await.result();
        let mut reply = V1.send("go on");
        reply["params"]["message"]["taskId"] = json!("t-1");
        world.post("/agents/alpha", reply).await.result();
    }
}

#[tokio::test]
async fn a_quarantined_card_is_used_once_the_operator_accepts_it() {
    let (mut world, _mock, _) = quarantined().await;
    let held = world.agent("alpha").await;
    assert_eq!(held["held"]["changes"][0]["kind"], "skill", "{held}");
    let problem = held["problem"].as_str().unwrap();
    assert!(problem.contains("accept-card alpha"), "{held}");
    let stranger = accept(&world, &json!("sha256:00")).await;
    assert_eq!(stranger.status, 409, "{}", stranger.body);
    let accepted = accept(&world, &held["held"]["fingerprint"]).await;
    assert_eq!(accepted.status, 200, "{}", accepted.body);
    let ready = world.agent("alpha").await;
    assert_eq!(ready["state"], "ready", "{ready}");
    assert_eq!(ready["drift"], Value::Null, "accepted, so no news: {ready}");
    world.call(V1.send("ping")).await.task();
    world.restart().await;
    assert_eq!(world.agent("alpha").await["state"], "ready");
}

#[tokio::test]
async fn a_card_stays_accepted_that_was_accepted_while_its_agent_was_down() {
    let (mut world, mock, _) = quarantined().await;
    let held = world.agent("alpha").await["held"]["fingerprint"].clone();
    mock.at(CARD, |_| Answer::http(500, "", "out of order"));
    world
        .admin_post("/v1/agents/alpha/refresh", &json!({}))
        .await;
    world
        .agent_becomes("alpha", "out of order", |agent| {
            let problem = agent["problem"].as_str().unwrap_or_default();
            problem.contains("500")
        })
        .await;
    let accepted = accept(&world, &held).await;
    assert_eq!(accepted.status, 200, "{}", accepted.body);
    let agent = world.agent("alpha").await;
    assert_eq!(
        (
            &agent["state"],
            &agent["held"],
            &agent["card"]["fingerprint"]
        ),
        (&json!("stale"), &Value::Null, &held),
        "{agent}"
    );
    mock.serves_card(&card(&mock, "transfer_money"));
    world.restart().await;
    assert_eq!(world.agent("alpha").await["state"], "ready");
}

#[tokio::test]
async fn drift_is_shown_and_used_by_default() {
    let mock = Mock::start(V1, "alpha").await;
    mock.serves_card(&card(&mock, "echo"));
    let world = World::of("alpha", &mock).await;
    mock.serves_card(&card(&mock, "other"));
    world
        .admin_post("/v1/agents/alpha/refresh", &json!({}))
        .await;
    let agent = world
        .agent_becomes("alpha", "a card with drift", |agent| {
            agent["drift"].is_object()
        })
        .await;
    assert_eq!(agent["state"], "ready");
    let kinds: Vec<_> = agent["drift"]["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| &change["kind"])
        .collect();
    assert_eq!(kinds, ["skill", "skill"], "{agent}");
}

#[tokio::test]
async fn c085_a_tampered_card_never_becomes_active_where_a_signature_is_required() {
    let (keys, mock) = (Keys::new(), Mock::start(V1, "alpha").await);
    let signed = keys.sign(&card(&mock, "echo"));
    mock.serves_card(&signed);
    let trust = format!(
        "card: {{ require_signature: true, trusted_keys: [\"{}\"] }}",
        keys.public().display()
    );
    let world = Setup::new()
        .agent_with("alpha", &mock, &trust)
        .start()
        .await;
    let good = world.agent("alpha").await;
    assert_eq!(
        (&good["state"], &good["card"]["signature"]["outcome"]),
        (&json!("ready"), &json!("valid"))
    );

    let mut tampered = signed.clone();
    tampered["skills"][0]["name"] = json!("echp");
    mock.serves_card(&tampered);
    let stale = refreshed(&world, "stale", "stale").await;
    assert!(
        stale["problem"].as_str().unwrap().contains("does not hold"),
        "{stale}"
    );
    assert_eq!(stale["card"]["fingerprint"], good["card"]["fingerprint"]);
    world.call(V1.send("ping")).await.task();

    mock.serves_card(&card(&mock, "echo"));
    world
        .admin_post("/v1/agents/alpha/refresh", &json!({}))
        .await;
    world
        .agent_becomes("alpha", "the missing signature", |agent| {
            agent["problem"]
                .as_str()
                .is_some_and(|problem| problem.contains("no signature"))
        })
        .await;
    mock.serves_card(&signed);
    refreshed(&world, "ready", "ready").await;
}

#[tokio::test]
async fn keys_are_fetched_from_allowed_addresses_and_from_no_others() {
    let (keys, mock) = (Keys::new(), Mock::start(V1, "alpha").await);
    let jku = format!("{}/keys.json", mock.url());
    let key = keys.key.clone().with_jku(jku.parse().unwrap());
    let plain = Card::parse(card(&mock, "echo").to_string().as_bytes()).unwrap();
    mock.serves_card(sign(&plain, &key).unwrap().value());
    mock.at("/keys.json", {
        let set = std::fs::read_to_string(keys.public()).unwrap();
        move |_| Answer::json(&set)
    });
    for (trust, state, asked) in [
        (format!("trust: {{ jku: [\"{jku}\"] }}"), "ready", 1),
        (
            format!("trust: {{ jku: [\"{}/other.json\"] }}", mock.url()),
            "unavailable",
            1,
        ),
    ] {
        let world = Setup::new()
            .agent_with("alpha", &mock, "card: { require_signature: true }")
            .section(&trust)
            .start()
            .await;
        let agent = world.agent("alpha").await;
        assert_eq!(agent["state"], state, "{agent}");
        let requests = mock.log();
        let found = requests
            .iter()
            .filter(|request| request.target == "/keys.json");
        assert_eq!(found.count(), asked);
    }
}

#[tokio::test]
async fn c085_served_cards_carry_the_gateways_signature_and_never_a_stale_one() {
    let (agents_keys, own, mock) = (Keys::new(), Keys::new(), Mock::start(V1, "alpha").await);
    mock.serves_card(&agents_keys.sign(&card(&mock, "echo")));
    let without = World::of("alpha", &mock).await;
    let unsigned = without.get("/agents/alpha").await.json();
    assert!(unsigned.get("signatures").is_none(), "{unsigned}");
    assert_eq!(without.get("/.well-known/jwks.json").await.status, 404);

    let world = Setup::new()
        .agent("alpha", &mock)
        .section("public_url: https://gateway.example")
        .keys(&format!("card_file: \"{}\"", own.private().display()))
        .start()
        .await;
    let set = world.get("/.well-known/jwks.json").await;
    let tag = set.header("etag").unwrap();
    assert_eq!(set.header("content-type"), Some("application/jwk-set+json"));
    let asked = |method| world.request(method, "/.well-known/jwks.json");
    let head = receive(asked(reqwest::Method::HEAD)).await;
    assert_eq!(
        (head.status, head.body.as_str(), head.header("etag")),
        (200, "", Some(tag))
    );
    assert_eq!(head.header("content-length"), set.header("content-length"));
    let known = asked(reqwest::Method::GET).header("if-none-match", format!("W/{tag}"));
    let known = receive(known).await;
    assert_eq!((known.status, known.body.as_str()), (304, ""));
    assert_eq!(known.header("cache-control"), Some("public, max-age=300"));
    let mut published = TrustedKeys::new();
    published.add(set.body.as_bytes()).unwrap();
    for path in ["/agents/alpha", "/.well-known/agent-card.json"] {
        for version in ["0.3", "1.0"] {
            let request = world.request(reqwest::Method::GET, path);
            let served = receive(request.header("a2a-version", version)).await;
            let card = Card::parse(served.body.as_bytes()).unwrap();
            assert!(
                verify(&card, &published).is_valid(),
                "{path} {version}: {}",
                served.body
            );
            assert!(!verify(&card, &agents_keys.trusted()).is_valid());
        }
    }
}

#[tokio::test]
async fn the_agents_own_card_is_served_where_the_operator_says_so() {
    let (keys, mock) = (Keys::new(), Mock::start(V1, "alpha").await);
    let signed = keys.sign(&card(&mock, "echo"));
    mock.serves_card(&signed);
    let path = "/agents/alpha/.well-known/original-agent-card.json";
    let raw = reqwest::get(mock.url() + CARD)
        .await
        .unwrap()
        .text()
        .await
        .unwrap();
    for (serve, original, own) in [
        ("rewritten", 404, false),
        ("with_original", 200, false),
        ("verbatim", 200, true),
    ] {
        let world = Setup::new()
            .agent_with("alpha", &mock, &format!("card: {{ serve: {serve} }}"))
            .start()
            .await;
        let found = world.get(path).await;
        assert_eq!(found.status, original, "{serve}");
        if original == 200 {
            assert_eq!(found.body, raw, "{serve}");
        }
        let served = world.get("/agents/alpha").await;
        let card = Card::parse(served.body.as_bytes()).unwrap();
        assert_eq!(verify(&card, &keys.trusted()).is_valid(), own, "{serve}");
        let extensions = &card.value()["capabilities"]["extensions"];
        let named = extensions
            .as_array()
            .into_iter()
            .flatten()
            .find(|extension| extension["uri"] == "urn:a2a-gateway:original-card:1");
        assert_eq!(
            named.is_some(),
            serve == "with_original",
            "{serve}: {card:?}"
        );
        if let Some(named) = named {
            assert!(named["params"]["url"].as_str().unwrap().ends_with(path));
            let digest = Card::parse(raw.as_bytes())
                .unwrap()
                .fingerprint()
                .to_owned();
            assert_eq!(named["params"]["digest"], digest);
        }
    }
}
