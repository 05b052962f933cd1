//! `kill -9` at any moment: what a client was told is on disk, with its tasks, and running ones are still reachable.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers as well"
)]

mod agent;
mod client;
mod database;
mod gateway;

use std::{collections::BTreeSet, path::Path};

use futures_util::{StreamExt as _, stream};
use reqwest::Client;
use serde_json::Value;
use tempfile::TempDir;
use tokio::task::JoinSet;

use agent::{Agent, Wish};
use client::Answered;
use gateway::Gateway;

/// Messages that are sent at the same time.
const SENDS: usize = 200;
/// The number of answers after which the gateway is killed, round by round; at most 140 of the messages get one.
const MOMENTS: [usize; 4] = [1, 45, 90, 135];
/// Checks under way at the same time.
const CHECKS: usize = 16;

/// Starts two agents, and configures a gateway in a folder of its own.
async fn set_up() -> (TempDir, [Agent; 2]) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let agents = [
        Agent::start("alpha", "invoices").await,
        Agent::start("beta", "passports").await,
    ];
    Gateway::configure(folder.path(), &agents);
    (folder, agents)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_gateway_keeps_what_it_answered() {
    let (folder, agents) = set_up().await;
    let http = Client::new();
    let mut answered = Vec::new();
    for (round, moment) in MOMENTS.into_iter().enumerate() {
        let before = answered.len();
        let gateway = Gateway::start(folder.path(), &http).await;
        answered.extend(send_and_kill(gateway, &http, round, moment).await);
        let new = answered.len() - before;
        assert!(
            (moment..SENDS).contains(&new),
            "{new} answers although the kill came after {moment}"
        );
        check(folder.path(), &http, &agents, &mut answered).await;
    }
    for agent in &agents {
        let messages = agent.messages();
        let different: BTreeSet<_> = messages.iter().collect();
        assert_eq!(
            different.len(),
            messages.len(),
            "`{}` got a message twice",
            agent.id
        );
    }
}

/// Sends all messages of a round at once, kills the gateway after some answers, and returns all that arrived.
async fn send_and_kill(
    mut gateway: Gateway,
    http: &Client,
    round: usize,
    moment: usize,
) -> Vec<Answered> {
    let mut sends = JoinSet::new();
    for number in 0..SENDS {
        let message = format!("round {round} message {number}");
        let subject = if number % 2 == 0 {
            "invoices"
        } else {
            "passports"
        };
        let wish = match number % 10 {
            0..=3 => Wish::Done,
            4..=5 => Wish::Running,
            6 => Wish::Streamed,
            _ => Wish::Held,
        };
        sends.spawn(client::send(
            http.clone(),
            gateway.public.clone(),
            message,
            subject,
            wish,
        ));
    }
    let mut answered = Vec::new();
    while let Some(sent) = sends.join_next().await {
        answered.extend(sent.unwrap());
        if answered.len() == moment {
            gateway.kill();
        }
    }
    answered
}

/// Checks the disk, starts the gateway again on it, and checks what it says about every answer so far, before and
/// after the running tasks among them are polled.
async fn check(folder: &Path, http: &Client, agents: &[Agent], answered: &mut [Answered]) {
    let recorded = database::check(folder, answered).await;
    assert!(recorded >= i64::try_from(answered.len()).unwrap());
    let gateway = Gateway::start(folder, http).await;
    check_decisions(http, &gateway, answered).await;

    let running: Vec<_> = answered
        .iter()
        .filter(|answered| answered.is_running())
        .collect();
    let polls = running
        .iter()
        .map(|answered| check_poll(http, &gateway, answered));
    stream::iter(polls)
        .buffer_unordered(CHECKS)
        .collect::<()>()
        .await;
    for agent in agents {
        let own = running.iter().filter(|answered| answered.agent == agent.id);
        let mut expected: Vec<_> = own.map(|answered| answered.number.clone()).collect();
        expected.sort();
        assert_eq!(agent.take_polls(), expected, "polls of `{}`", agent.id);
    }
    for answered in &mut *answered {
        answered.state = client::COMPLETED;
    }
    check_decisions(http, &gateway, answered).await;
    assert!(!gateway.log().contains("\"ERROR\""), "{}", gateway.log());
}

async fn check_decisions(http: &Client, gateway: &Gateway, answered: &[Answered]) {
    let checks = answered
        .iter()
        .map(|answered| check_decision(http, gateway, answered));
    stream::iter(checks)
        .buffer_unordered(CHECKS)
        .collect::<()>()
        .await;
}

async fn check_decision(http: &Client, gateway: &Gateway, answered: &Answered) {
    let decision = client::decision(http, gateway, &answered.decision).await;
    assert_eq!(decision["request"]["message_id"], answered.message.as_str());
    let candidates = decision["candidates"].as_array().unwrap();
    let agents: BTreeSet<_> = candidates
        .iter()
        .filter_map(|candidate| candidate["agent"].as_str())
        .collect();
    assert_eq!(agents, BTreeSet::from(["alpha", "beta"]), "{decision}");
    let chosen: Vec<_> = candidates
        .iter()
        .filter(|candidate| candidate["verdict"] == "chosen")
        .collect();
    assert_eq!(chosen.len(), 1, "{decision}");
    assert_eq!(chosen[0]["agent"], answered.agent.as_str(), "{decision}");
    assert!(
        chosen[0]["signals"]["fit"]["value"].is_number(),
        "{decision}"
    );
    for other in candidates
        .iter()
        .filter(|candidate| candidate["verdict"] != "chosen")
    {
        assert_ne!(other["detail"], Value::Null, "{decision}");
    }
    let outcome = &decision["outcome"];
    assert_eq!(outcome["state"], answered.state, "{decision}");
    assert_eq!(outcome["task_id"], answered.number.as_str(), "{decision}");
    assert_eq!(
        outcome["finished_at"].is_string(),
        !answered.is_running(),
        "{decision}"
    );
    let attempts = decision["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 1, "{decision}");
    assert_eq!(attempts[0]["outcome"], "ok", "{decision}");
}

async fn check_poll(http: &Client, gateway: &Gateway, answered: &Answered) {
    let task = client::poll(http, gateway, &answered.task).await;
    assert_eq!(task["id"], answered.task.as_str());
    assert_eq!(task["metadata"]["agent"], answered.agent.as_str());
    assert_eq!(task["metadata"]["message"], answered.message.as_str());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_gateway_keeps_the_cards_of_agents_that_show_none() {
    let (folder, agents) = set_up().await;
    let http = Client::new();
    let mut gateway = Gateway::start(folder.path(), &http).await;
    let ask = |gateway: &Gateway, message: &str| {
        let (http, base) = (http.clone(), gateway.public.clone());
        client::send(http, base, message.to_owned(), "passports", Wish::Running)
    };
    let before = ask(&gateway, "before").await.unwrap();
    database::remembers_cards(folder.path(), 2).await;
    gateway.kill();

    agents.iter().for_each(Agent::hides_card);
    let gateway = Gateway::start(folder.path(), &http).await;
    let shown = client::agent(&http, &gateway, "beta").await;
    assert_eq!(shown["state"], "stale", "{shown}");
    assert_eq!(shown["card"]["from_before_start"], true, "{shown}");
    let after = ask(&gateway, "after").await.unwrap();
    assert_eq!((&*before.agent, &*after.agent), ("beta", "beta"));
    for answered in [&before, &after] {
        check_poll(&http, &gateway, answered).await;
    }
}
