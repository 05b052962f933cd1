//! A card server that goes through everything card servers do: what the operator sees, and whether routing goes on.
//!
//! Each row holds twice: for an agent whose card was good before, and for one that never had a card.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use agent_cards::{Card, SigningKey, sign};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    dialect::V1,
    mock::{Answer, CARD, Gate, Mock, Request, gzip, tls_port},
    world::Setup,
};

/// The key that all cards here are signed with, and the file of its public half.
static KEY: LazyLock<(SigningKey, TempDir)> = LazyLock::new(|| {
    let key = new_key().with_key_id("good");
    let folder = tempfile::tempdir().unwrap();
    let set = json!({ "keys": [key.public_jwk()] }).to_string();
    std::fs::write(folder.path().join("keys.json"), set).unwrap();
    (key, folder)
});

/// Returns settings of an agent that serve all rows. The size is larger than that of the good card.
fn settings() -> String {
    let keys = KEY.1.path().join("keys.json");
    format!(
        "card: {{ max_size: 4KiB, timeout: 2s, require_signature: true, trusted_keys: [\"{}\"] }}",
        keys.display()
    )
}

fn new_key() -> SigningKey {
    let pair = rcgen::KeyPair::generate().unwrap();
    SigningKey::from_pem(pair.serialize_pem().as_bytes()).unwrap()
}

fn signed_by(key: &SigningKey, card: &Value) -> Value {
    let card = Card::parse(card.to_string().as_bytes()).unwrap();
    sign(&card, key).unwrap().value().clone()
}

fn signed(card: &Value) -> Value {
    signed_by(&KEY.0, card)
}

fn good_card(rpc: &str) -> Value {
    signed(&V1.card("alpha", rpc))
}

/// What a card server answers; it is told where its agent takes calls.
type Serves = Arc<dyn Fn(&str, &Request) -> Answer + Send + Sync>;

/// What becomes of an agent whose card server does something.
struct Row {
    cause: &'static str,
    serves: Serves,
    /// The year in which the certificate of its port expires; without one, the port speaks plain HTTP.
    certificate: Option<i32>,
    /// The state of an agent whose card was good before.
    after_good: &'static str,
    /// The state of one that never had a card.
    at_start: &'static str,
    /// Words of the problem the operator reads; for a card that is taken, of the outcome of its place.
    told: &'static str,
}

/// The last good card goes on; without one there is nothing to go on with.
const FAILS: (&str, &str) = ("stale", "unavailable");
const TAKEN: (&str, &str) = ("ready", "ready");

fn row(
    cause: &'static str,
    serves: impl Fn(&str, &Request) -> Answer + Send + Sync + 'static,
    states: (&'static str, &'static str),
    told: &'static str,
) -> Row {
    Row {
        cause,
        serves: Arc::new(serves),
        certificate: None,
        after_good: states.0,
        at_start: states.1,
        told,
    }
}

/// A port that nobody gets through TLS at. It cannot have served a good card before.
fn tls(cause: &'static str, valid_until: i32, told: &'static str) -> Row {
    Row {
        certificate: Some(valid_until),
        ..row(cause, good, FAILS, told)
    }
}

fn answer(
    status: u16,
    headers: impl Into<String>,
    body: impl AsRef<[u8]> + Send + Sync + 'static,
) -> impl Fn(&str, &Request) -> Answer {
    let headers = headers.into();
    move |_, _| Answer::http(status, &headers, &body)
}

fn says(body: &'static str) -> impl Fn(&str, &Request) -> Answer {
    answer(200, "content-type: application/json\r\n", body)
}

fn plays(script: Answer) -> impl Fn(&str, &Request) -> Answer {
    move |_, _| script.clone()
}

fn moved(location: &'static str) -> impl Fn(&str, &Request) -> Answer {
    answer(302, format!("location: {location}\r\n"), "")
}

/// Serves the good card with one member changed.
fn with(member: &'static str, value: Value) -> impl Fn(&str, &Request) -> Answer {
    move |rpc, _| {
        let mut card = V1.card("alpha", rpc);
        card[member] = value.clone();
        // What is no card cannot be signed.
        match Card::parse(card.to_string().as_bytes()) {
            Ok(_) => Answer::json(signed(&card)),
            Err(_) => Answer::json(card),
        }
    }
}

/// Serves a card that was changed after it was signed.
fn tampered(rpc: &str, _: &Request) -> Answer {
    let mut card = good_card(rpc);
    card["description"] = json!("does everything");
    Answer::json(card)
}

fn unsigned(rpc: &str, _: &Request) -> Answer {
    Answer::json(V1.card("alpha", rpc))
}

fn signed_by_a_stranger(rpc: &str, _: &Request) -> Answer {
    let key = new_key().with_key_id("stranger");
    Answer::json(signed_by(&key, &V1.card("alpha", rpc)))
}

/// Serves a card whose signature names the good key and is another's.
fn forged(rpc: &str, _: &Request) -> Answer {
    let key = new_key().with_key_id("good");
    Answer::json(signed_by(&key, &V1.card("alpha", rpc)))
}

/// Serves a good card with many signatures of strangers before the good one.
fn crowded(rpc: &str, _: &Request) -> Answer {
    let mut card = good_card(rpc);
    let signatures = card["signatures"].as_array_mut().unwrap();
    for _ in 0..40 {
        signatures.insert(0, json!({ "protected": "e30", "signature": "AA" }));
    }
    Answer::json(card)
}

fn good(rpc: &str, _: &Request) -> Answer {
    Answer::http(200, "etag: \"1\"\r\n", good_card(rpc).to_string())
}

fn unchanged(rpc: &str, request: &Request) -> Answer {
    match request.header("if-none-match") {
        Some(_) => Answer::http(304, "", ""),
        None => good(rpc, request),
    }
}

fn compressed(rpc: &str, _: &Request) -> Answer {
    let card = good_card(rpc).to_string();
    Answer::http(200, "content-encoding: gzip\r\n", gzip(card))
}

fn rows() -> Vec<Row> {
    let mut rows = answers();
    rows.extend(distrust());
    rows
}

/// Cards that are signed well or badly, and ports whose certificate is not to be trusted.
#[rustfmt::skip]
fn distrust() -> Vec<Row> {
    vec![
        row("tampered",       tampered,                                           FAILS, "what key `good` signed; find out who changed the card"),
        row("forged",         forged,                                             FAILS, "what key `good` signed; find out who changed the card"),
        row("stranger",       signed_by_a_stranger,                               FAILS, "a key that is not known (stranger)"),
        row("unsigned",       unsigned,                                           FAILS, "has no signature"),
        row("crowded",        crowded,                                            TAKEN, "200, card accepted"),
        tls("expired",        2020,                                               "certificate has expired"),
        tls("self-signed",    2099,                                               "self-signed or from an unknown authority"),
    ]
}

#[rustfmt::skip]
fn answers() -> Vec<Row> {
    let never = Gate::new();
    let begun = Answer::raw("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{");
    let html = "content-type: text/html\r\n";
    let zipped = "content-encoding: gzip\r\n";
    let interface = |url: &str, binding: &str| {
        with("supportedInterfaces", json!([{ "url": url, "protocolBinding": binding, "protocolVersion": "1.0" }]))
    };
    vec![
        // Statuses
        row("204",            answer(204, "", ""),                                FAILS, "answered 204"),
        row("304",            answer(304, "", ""),                                ("ready", "unavailable"), "304"),
        row("400",            answer(400, "", "who are you?"),                    FAILS, "answered 400"),
        row("401",            answer(401, "www-authenticate: Bearer\r\n", ""),    FAILS, "set or correct the agent's `auth`"),
        row("403",            answer(403, "", ""),                                FAILS, "let the agent's `auth` read the card"),
        row("404",            answer(404, "", ""),                                FAILS, "no card at any of 2 places (404)"),
        row("405",            answer(405, "", ""),                                FAILS, "answered 405"),
        row("410",            answer(410, "", ""),                                FAILS, "answered 410"),
        row("429",            answer(429, "", ""),                                FAILS, "raise the agent's rate limit"),
        row("429 and when",   answer(429, "retry-after: 120\r\n", ""),            FAILS, "asked again in 120 s"),
        row("500",            answer(500, "", "boom"),                            FAILS, "answered 500"),
        row("502",            answer(502, html, "<html>bad gateway</html>"),      FAILS, "answered 502"),
        row("503 and when",   answer(503, "retry-after: 90\r\n", ""),             FAILS, "asked again in 90 s"),
        row("400, wants TLS", answer(400, html, "The plain HTTP request was sent to HTTPS port"), FAILS, "use https in `url`"),
        // Contents
        row("HTML",           answer(200, html, "<html>login</html>"),            FAILS, "HTML, not JSON"),
        row("nothing",        says(""),                                           FAILS, "empty"),
        row("words",          says("it works!"),                                  FAILS, "not valid JSON"),
        row("cut JSON",       says(r#"{"name":"alpha","skil"#),                   FAILS, "not valid JSON"),
        row("a list",         says("[]"),                                         FAILS, "list"),
        row("other JSON",     says(r#"{"status":"UP"}"#),                         FAILS, "not an AgentCard"),
        row("name: 7",        with("name", json!(7)),                             FAILS, "/name"),
        row("skills: many",   with("skills", json!("many")),                      FAILS, "/skills"),
        row("huge",           with("description", json!("x".repeat(5000))),       FAILS, "`card.max_size`"),
        row("gzip bomb",      answer(200, zipped, gzip(vec![b' '; 8 << 20])),     FAILS, "`card.max_size`"),
        row("no gzip",        answer(200, zipped, "{}"),                          FAILS, "correct Content-Encoding"),
        row("brotli",         answer(200, "content-encoding: br\r\n", [0x0b, 2, 0x80]), FAILS, "compressed with `br`, which was not asked for"),
        // Connections
        row("reset",          plays(Answer::nothing().reset()),                   FAILS, "was reset"),
        row("closed",         plays(Answer::nothing().close()),                   FAILS, "closed before the answer was complete"),
        row("cut body",       plays(begun.clone().close()),                       FAILS, "shorter than its Content-Length"),
        row("silence",        plays(Answer::nothing().wait(&never)),              FAILS, "no card within 2 s"),
        row("drip",           plays(begun.wait(&never)),                          FAILS, "not complete within 2 s"),
        row("not HTTP",       plays(Answer::raw("SSH-2.0-OpenSSH_9.6\r\n").close()), FAILS, "not HTTP"),
        row("long headers",   answer(200, format!("x-pad: {}\r\n", "x".repeat(600_000)), ""), FAILS, "headers are too large"),
        // Redirects
        row("circle",         moved(CARD),                                        FAILS, "in a circle"),
        row("elsewhere",      moved("http://elsewhere.example/card.json"),        FAILS, "another origin"),
        row("inside",         moved("http://169.254.169.254/"),                   FAILS, "redirects to a link-local or metadata address"),
        row("metadata",       moved("http://[fd00:ec2::254]/latest/meta-data/"),   FAILS, "redirects to a link-local or metadata address"),
        row("nowhere",        answer(302, "", ""),                                FAILS, "without a usable Location"),
        row("within",         moved("/card"),                                     TAKEN, "200, card accepted"),
        // Cards
        row("compressed",     compressed,                                         TAKEN, "200, card accepted"),
        row("changed origin", interface("https://elsewhere.example/rpc", "JSONRPC"), TAKEN, "200, card accepted"),
        row("no interface",   interface("https://x.example/", "urn:pigeon"),      ("stale", "ready"), "no interface that the gateway can call"),
        row("unchanged",      unchanged,                                          TAKEN, "304, card unchanged"),
        row("good",           good,                                               TAKEN, "200, card accepted"),
    ]
}

/// Starts an agent that takes calls.
async fn agent(serves: Serves) -> Mock {
    let mock = Mock::bare().await;
    mock.answers(|call| V1.obliging(call));
    let card = good_card(&mock.rpc_url()).to_string();
    mock.at("/card", move |_| Answer::json(&card));
    becomes(&mock, serves);
    mock
}

fn becomes(mock: &Mock, serves: Serves) {
    let rpc = mock.rpc_url();
    mock.at(CARD, move |request| serves(&rpc, request));
}

/// Returns what the operator reads about a card that cannot be used, with its next step.
#[track_caller]
fn problem(agent: &Value, cause: &str) -> String {
    let problem = agent["problem"].as_str();
    let problem = problem.unwrap_or_else(|| panic!("{cause}: no problem in {agent}"));
    assert!(
        problem.contains("; "),
        "{cause}: no next step in: {problem}"
    );
    problem.to_owned()
}

#[tokio::test]
async fn c009_whatever_becomes_of_a_good_card_its_agent_is_routed_to() {
    let mock = agent(Arc::new(good)).await;
    let world = Setup::new()
        .agent_with("alpha", &mock, &settings())
        .start()
        .await;
    let refreshed = async || {
        let before = world.agent("alpha").await["checked_at"].take();
        world
            .refresh("alpha", "a refresh", |agent| agent["checked_at"] != before)
            .await
    };
    for Row {
        cause,
        serves,
        after_good,
        told,
        ..
    } in rows().into_iter().filter(|row| row.certificate.is_none())
    {
        becomes(&mock, serves);
        let agent = refreshed().await;
        assert_eq!(agent["state"], after_good, "{cause}: {agent}");
        if after_good == "ready" {
            assert_eq!(agent["problem"], Value::Null, "{cause}");
            let places = agent["tried"].as_array().unwrap();
            let outcome = places.last().unwrap()["outcome"].as_str().unwrap();
            assert!(outcome.contains(told), "{cause}: {outcome}");
        } else {
            let problem = problem(&agent, cause);
            assert!(problem.contains(told), "{cause}: {problem}");
        }
        assert!(agent["card"]["age_seconds"].is_number(), "{cause}: {agent}");
        assert!(agent["next_fetch_at"].is_string(), "{cause}: {agent}");
        for path in ["/agents/alpha", "/a2a"] {
            let reply = world.post(path, V1.send("ping")).await;
            assert_eq!(
                reply.task()["status"]["state"],
                "TASK_STATE_COMPLETED",
                "{cause}"
            );
        }

        becomes(&mock, Arc::new(good));
        let agent = refreshed().await;
        assert_eq!(agent["state"], "ready", "after {cause}: {agent}");
        assert_eq!(agent["problem"], Value::Null, "after {cause}");
    }
}

#[tokio::test]
async fn c125_an_agent_that_never_had_a_card_says_why_and_is_not_called() {
    let (mut setup, mut mocks) = (Setup::new(), Vec::new());
    for (number, row) in rows().into_iter().enumerate() {
        let mock = agent(Arc::clone(&row.serves)).await;
        let url = match row.certificate {
            Some(valid_until) => format!("https://{}", tls_port(valid_until).await),
            None => mock.url(),
        };
        setup = setup.agent_at(&format!("agent-{number}"), &url, &settings());
        mocks.push((mock, row));
    }
    let world = setup.start().await;
    let mut problems = BTreeMap::new();
    for (number, (mock, row)) in mocks.iter().enumerate() {
        let (cause, id) = (row.cause, format!("agent-{number}"));
        let agent = world.agent(&id).await;
        assert_eq!(agent["state"], row.at_start, "{cause}: {agent}");
        let reply = world.post(&format!("/agents/{id}"), V1.send("ping")).await;
        if row.at_start == "ready" {
            assert!(agent["card"].is_object(), "{cause}: {agent}");
            continue;
        }
        let problem = problem(&agent, cause);
        assert!(problem.contains(row.told), "{cause}: {problem}");
        assert!(reply.message().contains(&id), "{cause}: {}", reply.body);
        assert!(mock.calls().is_empty(), "{cause}");
        if let Some(other) = problems.insert(problem.clone(), row) {
            assert_eq!(
                other.told, row.told,
                "`{}` reads as `{cause}`: {problem}",
                other.cause
            );
        }
    }
}

#[tokio::test]
async fn c125_ports_that_speak_something_else_are_told_apart() {
    let plain = Mock::bare().await;
    let secure = tls_port(2099).await;
    let nobody = plain.address().replace("127.0.0.1", "127.0.0.3");
    let rows = [
        ("plain", format!("http://{secure}"), "use https in `url`"),
        (
            "secure",
            format!("https://{}", plain.address()),
            "use http in `url`",
        ),
        ("refused", format!("http://{nobody}"), "connection refused"),
    ];
    let setup = rows.iter().fold(Setup::new(), |setup, (id, url, _)| {
        setup.agent_at(id, url, "")
    });
    let world = setup.start().await;
    for (id, _, told) in rows {
        let agent = world.agent(id).await;
        assert_eq!(agent["state"], "unavailable", "{agent}");
        let problem = problem(&agent, id);
        assert!(problem.contains(told), "{id}: {problem}");
    }
}
