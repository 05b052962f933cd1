//! Subscribing across versions, which differ in how a subscription begins and in what becomes of a task that has ended.

use serde_json::{Value, json};

use crate::{
    dialect::{Dialect, V1, V03, failure, success},
    mock::{Answer, Mock, Request},
    world::{World, client::receive},
};

/// Starts an agent whose task is in a state, and what it answers to those who subscribe.
async fn agent(
    dialect: Dialect,
    state: &'static str,
    subscribed: impl Fn(&Request) -> Answer + Send + Sync + 'static,
) -> (World, Mock) {
    let mock = Mock::start(dialect, "alpha").await;
    mock.answers(move |call| {
        if call.rpc_method() == dialect.method("SubscribeToTask") {
            return subscribed(call);
        }
        Answer::json(success(call, &dialect.task("t-1", "c-1", state)))
    });
    (World::of("alpha", &mock).await, mock)
}

fn events_of(events: Vec<Value>) -> impl Fn(&Request) -> Answer {
    move |call| {
        let answer = events.iter().fold(Answer::stream(), |answer, event| {
            answer.event(success(call, event))
        });
        answer.end()
    }
}

#[tokio::test]
async fn old_clients_see_an_ended_task_of_a_new_agent_once() {
    let refuses = |call: &Request| Answer::json(failure(call, -32004, "it has ended"));
    let (world, mock) = agent(V1, "completed", refuses).await;
    let subscribe = V03.about("SubscribeToTask", "t-1");
    let told = world
        .follow("/agents/alpha", subscribe)
        .await
        .results()
        .await;
    assert_eq!(told, [V03.sent_task("t-1", "c-1", "completed")]);
    assert_eq!(mock.methods(), ["SubscribeToTask", "GetTask"]);
}

#[tokio::test]
async fn new_clients_are_refused_an_ended_task_of_an_old_agent() {
    let shown = events_of(vec![V03.sent_task("t-1", "c-1", "completed")]);
    let (world, _mock) = agent(V03, "completed", shown).await;
    let subscribe = V1.about("SubscribeToTask", "t-1");
    let refused = receive(world.rpc("/agents/alpha", subscribe)).await;
    assert_eq!(refused.code(), -32004);
}

#[tokio::test]
async fn versions_that_agree_keep_their_own_way() {
    let shown = events_of(vec![V03.sent_task("t-1", "c-1", "completed")]);
    let (world, mock) = agent(V03, "completed", shown).await;
    let subscribe = V03.about("SubscribeToTask", "t-1");
    let told = world
        .follow("/agents/alpha", subscribe)
        .await
        .results()
        .await;
    assert_eq!(told, [V03.sent_task("t-1", "c-1", "completed")]);
    assert_eq!(mock.calls().len(), 1);

    let refuses = |call: &Request| Answer::json(failure(call, -32004, "it has ended"));
    let (world, mock) = agent(V1, "completed", refuses).await;
    let subscribe = V1.about("SubscribeToTask", "t-1");
    let refused = receive(world.rpc("/agents/alpha", subscribe)).await;
    assert_eq!((refused.code(), mock.calls().len()), (-32004, 1));
}

#[tokio::test]
async fn new_clients_of_old_agents_begin_with_the_task() {
    let rest = vec![
        V03.status("t-1", "c-1", "working"),
        V03.status("t-1", "c-1", "completed"),
    ];
    let (world, _mock) = agent(V03, "working", events_of(rest)).await;
    let subscribe = V1.about("SubscribeToTask", "t-1");
    let told = world
        .follow("/agents/alpha", subscribe)
        .await
        .results()
        .await;
    let expected = [
        V1.sent_task("t-1", "c-1", "working"),
        V1.status("t-1", "c-1", "working"),
        V1.status("t-1", "c-1", "completed"),
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_stream_of_an_old_agent_that_begins_with_an_update_gets_a_task_before_it() {
    let mock = Mock::start(V03, "alpha").await;
    let events = vec![
        V03.status("t-1", "c-1", "submitted"),
        V03.status("t-1", "c-1", "completed"),
    ];
    mock.answers(events_of(events));
    let world = World::of("alpha", &mock).await;
    let told = world
        .follow("/a2a", V1.stream("ping"))
        .await
        .results()
        .await;
    assert_eq!(told.len(), 3, "{told:?}");
    let task = &told[0]["task"];
    assert_eq!(task["status"], json!({ "state": "TASK_STATE_SUBMITTED" }));
    assert_eq!(told[1]["statusUpdate"]["taskId"], task["id"]);
    // A client of the same version gets what the agent sent.
    let same = world
        .follow("/a2a", V03.stream("ping"))
        .await
        .results()
        .await;
    assert_eq!((same.len(), &same[0]["kind"]), (2, &json!("status-update")));
}
