//! Streams that end in order and leave the last state of their task out: it is asked for once.

use serde_json::{Value, json};

use crate::{
    dialect::{BOTH, Dialect, V1, V03, failure, success},
    mock::{Answer, Mock, Request},
    world::{Setup, World},
};

/// Starts an agent whose streams end after these events, and whose task is in a state by then.
async fn leaving_open(dialect: Dialect, events: Vec<Value>, state: &'static str) -> Mock {
    let mock = Mock::start(dialect, "alpha").await;
    mock.answers(move |call| {
        if call.rpc_method() == dialect.method("GetTask") {
            return Answer::json(success(call, &dialect.task("t-1", "c-1", state)));
        }
        stream_of(call, &events)
    });
    mock
}

fn stream_of(call: &Request, events: &[Value]) -> Answer {
    let answer = events.iter().fold(Answer::stream(), |answer, event| {
        answer.event(success(call, event))
    });
    answer.end()
}

/// Returns the first two events of an ordinary stream.
fn begun(dialect: Dialect) -> Vec<Value> {
    dialect.events("t-1", "c-1")[..2].to_vec()
}

/// Returns the status update that a client of a version is told last.
fn closing(client: Dialect, state: &str, ids: &Value) -> Value {
    let [task, context] = ["id", "contextId"].map(|name| ids[name].as_str().unwrap());
    let mut event = client.status(task, context, state);
    if client == V03 {
        event["final"] = true.into();
    }
    event
}

fn task_in(event: &Value) -> &Value {
    event.get("task").unwrap_or(event)
}

#[tokio::test]
async fn c039_the_last_state_is_asked_for_and_told_in_each_version() {
    for (client, agent) in [(V03, V03), (V1, V1), (V1, V03), (V03, V1)] {
        for state in ["completed", "failed", "input-required", "auth-required"] {
            let mock = leaving_open(agent, begun(agent), state).await;
            // The stream holds the only place, which the question must get.
            let setup = Setup::new().agent_with("alpha", &mock, "limits: { max_in_flight: 1 }");
            let world = setup.start().await;
            for path in ["/a2a", "/agents/alpha"] {
                let stream = world.follow(path, client.stream("ping")).await;
                let decision = world.decision_of_stream(&stream).await;
                let told = stream.results().await;
                let what = format!("{client:?} {agent:?} {state} {path}: {told:?}");
                assert_eq!(told.len(), 3, "{what}");
                assert_eq!(told[2], closing(client, state, task_in(&told[0])), "{what}");
                let ended = world.outcome(&decision["id"], state).await;
                assert_eq!(ended["attempts"].as_array().unwrap().len(), 1, "{what}");
                assert_eq!(ended["attempts"][0]["outcome"], "ok", "{what}");
                assert_eq!(ended["attempts"][0].get("losses"), None, "{what}");
            }
            let asked = mock.methods();
            let expected = ["SendStreamingMessage", "GetTask"].map(|name| agent.method(name));
            assert_eq!(asked, [expected, expected].concat());
        }
    }
}

fn refuses(_: Dialect, call: &Request) -> Answer {
    Answer::json(failure(call, -32001, "no such task"))
}

fn works(dialect: Dialect, call: &Request) -> Answer {
    Answer::json(success(call, &dialect.task("t-1", "c-1", "working")))
}

fn breaks(_: Dialect, _: &Request) -> Answer {
    Answer::http(500, "", "oops")
}

fn streams(dialect: Dialect, call: &Request) -> Answer {
    stream_of(call, &begun(dialect))
}

#[tokio::test]
async fn c039_a_task_that_goes_on_or_cannot_be_got_leaves_its_stream_truncated() {
    for dialect in BOTH {
        for answer in [refuses, works, breaks, streams] {
            let mock = Mock::start(dialect, "alpha").await;
            mock.answers(move |call| {
                if call.rpc_method() == dialect.method("GetTask") {
                    return answer(dialect, call);
                }
                stream_of(call, &begun(dialect))
            });
            let world = World::of("alpha", &mock).await;
            let stream = world.follow("/a2a", dialect.stream("ping")).await;
            let decision = world.decision_of_stream(&stream).await;
            let told = stream.rest().await;
            assert_eq!(told.len(), 3, "{told:?}");
            assert_eq!(told[2].error()["code"], -32603);
            let ended = world.outcome(&decision["id"], "truncated").await;
            let attempts = ended["attempts"].as_array().unwrap();
            assert_eq!(attempts.len(), 1, "{ended}");
            assert_eq!(attempts[0]["outcome"], "truncated");
            assert_eq!(attempts[0]["phase"], "stream");
            assert!(attempts[0]["detail"].is_string());
            assert_eq!(mock.calls().len(), 2);
        }
    }
}

#[tokio::test]
async fn c039_a_broken_connection_is_no_end_and_asks_nothing() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        mock.answers(move |call| {
            let [first, _, _] = dialect.events("t-1", "c-1");
            Answer::stream().event(success(call, &first)).close()
        });
        let world = World::of("alpha", &mock).await;
        let stream = world.follow("/a2a", dialect.stream("ping")).await;
        let told = stream.rest().await;
        assert_eq!(told[1].error()["code"], -32603);
        assert_eq!(mock.methods(), [dialect.method("SendStreamingMessage")]);
    }
}

#[tokio::test]
async fn a_subscription_without_an_event_shows_the_task_itself() {
    for (client, agent) in [(V03, V03), (V1, V1), (V03, V1)] {
        let mock = leaving_open(agent, Vec::new(), "completed").await;
        let world = World::of("alpha", &mock).await;
        let subscribe = client.about("SubscribeToTask", "t-1");
        let told = world
            .follow("/agents/alpha", subscribe)
            .await
            .results()
            .await;
        assert_eq!(told, [client.sent_task("t-1", "c-1", "completed")]);
    }
}

#[tokio::test]
async fn the_task_of_a_subscription_is_known_before_its_first_event_and_stays_sealed() {
    for dialect in BOTH {
        let mock = leaving_open(dialect, Vec::new(), "completed").await;
        let world = World::of("alpha", &mock).await;
        let events = begun(dialect);
        mock.answers(move |call| {
            if call.rpc_method() == dialect.method("SendMessage") {
                return Answer::json(success(call, &events[0]));
            }
            if call.rpc_method() == dialect.method("GetTask") {
                return Answer::json(success(call, &dialect.task("t-1", "c-1", "completed")));
            }
            stream_of(call, &[dialect.artifact("t-1", "c-1", "po")])
        });
        let sent = world.call(dialect.send("ping")).await;
        let subscribe = dialect.about("SubscribeToTask", &sent.task_id());
        let told = world.follow("/a2a", subscribe).await.results().await;
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!(told[1], closing(dialect, "completed", &sent.task()));
    }
}

#[tokio::test]
async fn old_agents_over_rest_are_asked_in_their_own_form() {
    let mock = Mock::start(V03, "alpha").await;
    let mut card = V03.card("alpha", &mock.rpc_url());
    card["preferredTransport"] = "HTTP+JSON".into();
    mock.serves_card(&card);
    let task = |state: &str| json!({ "id": "t-1", "contextId": "c-1", "status": { "state": state, "n": 1 } });
    mock.always(
        Answer::stream()
            .event(json!({ "task": task("TASK_STATE_WORKING") }))
            .end(),
    );
    let done = Answer::json(task("TASK_STATE_CANCELLED"));
    mock.at("/rpc/v1/tasks/t-1?historyLength=1", move |_| done.clone());
    let world = World::of("alpha", &mock).await;
    let message = json!({ "messageId": "m", "role": "ROLE_USER", "content": [{ "text": "ping" }] });
    let path = "/agents/alpha/v1/message:stream";
    let stream = world.follow(path, json!({ "message": message })).await;
    let told: Vec<_> = stream
        .rest()
        .await
        .iter()
        .map(crate::world::Event::json)
        .collect();
    let last = json!({ "taskId": "t-1", "contextId": "c-1",
        "status": { "state": "TASK_STATE_CANCELLED", "n": 1 }, "final": true });
    assert_eq!(told[1], json!({ "statusUpdate": last }));
}
