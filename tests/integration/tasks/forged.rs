//! Ids that were not given out here, or not for this, are no ids, and nobody learns why.

use serde_json::{Value, json};

use super::Pair;
use crate::{
    dialect::{BOTH, Dialect, TASK_OPERATIONS},
    mock::Mock,
    world::{Reply, World},
};

/// Returns every call that takes a task id, with this one.
fn with_task(dialect: Dialect, id: &str) -> Vec<Value> {
    let mut calls: Vec<_> = TASK_OPERATIONS
        .iter()
        .map(|operation| dialect.about(operation, id))
        .collect();
    for send in [dialect.send("ping"), dialect.stream("ping")] {
        let (mut follow_up, mut reference) = (send.clone(), send);
        follow_up["params"]["message"]["taskId"] = id.into();
        reference["params"]["message"]["referenceTaskIds"] = json!([id]);
        calls.extend([follow_up, reference]);
    }
    calls
}

/// Returns every call that takes a context id, with this one.
fn with_context(dialect: Dialect, id: &str) -> Vec<Value> {
    let mut calls = vec![dialect.send("ping"), dialect.stream("ping")];
    for call in &mut calls {
        call["params"]["message"]["contextId"] = id.into();
    }
    calls
}

/// Returns what a client can see of a reply, apart from the time.
fn visible(reply: &Reply) -> (u16, String, Vec<(String, String)>) {
    let headers = reply.headers.iter().filter(|(name, _)| *name != "date");
    let headers =
        headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
    (reply.status, reply.body.clone(), headers.collect())
}

/// Returns ids made from a true one by somebody without the key.
fn forgeries(id: &str) -> Vec<String> {
    let (half, _) = id.split_at(id.len() / 2);
    let swap = |at: usize| {
        let mut bytes = id.as_bytes().to_vec();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        String::from_utf8(bytes).unwrap()
    };
    let mut all: Vec<_> = (4..id.len())
        .map(swap)
        .filter(|forged| forged != id)
        .collect();
    let last = id.len() - 1;
    all.extend([
        id.split_at(last).0.to_owned(),
        half.to_owned(),
        "gw1-".to_owned(),
        format!("{id}A"),
        format!("{id}="),
        format!("{id}{id}"),
    ]);
    all.extend([
        format!("gw1-{}", "A".repeat(60)),
        format!("gw1-{}", "x".repeat(5000)),
        format!("{id}\u{0}"),
    ]);
    all
}

async fn foreign(dialect: Dialect) -> (String, String) {
    let mock = Mock::start(dialect, "alpha").await;
    let world = World::of("alpha", &mock).await;
    let sent = world.call(dialect.send("ping")).await;
    (sent.task_id(), sent.context_id())
}

#[tokio::test]
async fn forged_task_ids_are_not_found_in_the_same_bytes_as_random_ones() {
    for dialect in BOTH {
        let pair = Pair::start(dialect).await;
        let sent = pair.world.call(dialect.send_to("alpha", "ping")).await;
        let (foreign_task, _) = foreign(dialect).await;
        let mut ids = forgeries(&sent.task_id());
        ids.extend([
            foreign_task,
            sent.context_id(),
            "1".to_owned(),
            "t-1".to_owned(),
            "é".to_owned(),
        ]);
        ids.extend([
            sent.task_id().to_ascii_uppercase(),
            format!(" {}", sent.task_id()),
            sent.task_id().replacen("gw1-", "gw2-", 1),
        ]);
        let random = with_task(dialect, "0b2c9a1e-7c55-4f6e-9d0f-0a6b3f3a1c11");
        let mut expected = Vec::new();
        for call in &random {
            let reply = pair.world.call(call).await;
            assert_eq!(reply.code(), -32001, "{call}: {}", reply.body);
            expected.push(visible(&reply));
        }
        let before = pair.world.decisions("").await.len();
        for id in &ids {
            for (call, expected) in with_task(dialect, id).iter().zip(&expected) {
                assert_eq!(visible(&pair.world.call(call).await), *expected, "{call}");
            }
        }
        assert_eq!(
            pair.alpha.calls().len() + pair.beta.calls().len(),
            1,
            "only the first message"
        );
        assert_eq!(pair.world.decisions("").await.len(), before);
    }
}

#[tokio::test]
async fn forged_context_ids_are_not_found_in_the_same_bytes() {
    for dialect in BOTH {
        let pair = Pair::start(dialect).await;
        let sent = pair.world.call(dialect.send_to("alpha", "ping")).await;
        let (foreign_task, foreign_context) = foreign(dialect).await;
        let mut ids = forgeries(&sent.context_id());
        ids.extend([foreign_context, foreign_task, sent.task_id()]);
        let mut expected: Vec<Option<_>> = vec![None, None];
        for id in &ids {
            for (call, expected) in with_context(dialect, id).iter().zip(&mut expected) {
                let reply = pair.world.call(call).await;
                assert_eq!(reply.code(), -32001, "{call}: {}", reply.body);
                let seen = visible(&reply);
                assert_eq!(
                    *expected.get_or_insert_with(|| seen.clone()),
                    seen,
                    "{call}"
                );
            }
        }
        assert_eq!(
            pair.alpha.calls().len() + pair.beta.calls().len(),
            1,
            "only the first message"
        );
    }
}

#[tokio::test]
async fn an_agent_that_has_been_removed_owns_nothing_any_more() {
    for dialect in BOTH {
        let mut pair = Pair::start(dialect).await;
        let sent = pair.world.call(dialect.send_to("alpha", "ping")).await;
        let beta = pair.beta.clone();
        pair.world
            .change(|_| crate::world::Setup::new().agent("beta", &beta));
        pair.world.restart().await;
        for call in with_task(dialect, &sent.task_id()) {
            assert_eq!(pair.world.call(&call).await.code(), -32001, "{call}");
        }
        assert!(beta.calls().is_empty());
    }
}
