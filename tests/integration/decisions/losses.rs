//! What conversions lose, in the record of the message.

use serde_json::{Value, json};

use crate::{
    dialect::{BOTH, V1, V03, success},
    mock::{Answer, Gate, Mock},
    world::{World, eventually},
};

/// A message of 1.0 with two things that 0.3 has no place for.
fn labelled() -> Value {
    json!({ "messageId": "m-1", "role": "ROLE_USER",
        "parts": [{ "text": "ping", "filename": "f.txt", "mediaType": "text/plain" }] })
}

/// Waits until the attempt of a decision has lost this much.
async fn lost(world: &World, decision: &Value, losses: &Value) {
    let id = decision["id"].as_str().unwrap();
    eventually(&format!("the losses {losses}"), async || {
        let decision = world.decision(id).await;
        if decision["attempts"][0]["losses"] == *losses {
            Ok(())
        } else {
            Err(decision["attempts"].to_string())
        }
    })
    .await;
}

#[tokio::test]
async fn losses_of_a_call_are_recorded_before_it_is_answered() {
    let mock = Mock::start(V03, "alpha").await;
    let mut task = V03.task("t-1", "c-1", "completed");
    task["status"]["state"] = "novel".into();
    task["x-new"] = json!([1]);
    mock.answers(move |call| Answer::json(success(call, &task)));
    let world = World::of("alpha", &mock).await;
    for path in ["/a2a", "/agents/alpha"] {
        let call = V1.call("SendMessage", &json!({ "message": labelled() }));
        let reply = world.post(path, call).await;
        let decision = world.decision_of(&reply).await;
        let expected = json!({
            "part_filename": 1, "part_media_type": 1, "unknown_member": 1, "unknown_state": 1,
        });
        assert_eq!(decision["attempts"][0]["losses"], expected, "{path}");
        assert_eq!(decision["attempts"][0]["outcome"], "ok");
    }
}

#[tokio::test]
async fn calls_that_lose_nothing_record_no_losses() {
    for dialect in BOTH {
        let mock = Mock::start(dialect, "alpha").await;
        let world = World::of("alpha", &mock).await;
        for client in BOTH {
            let reply = world.call(client.send("ping")).await;
            let attempt = world.decision_of(&reply).await["attempts"][0].take();
            assert_eq!(attempt["outcome"], "ok");
            assert_eq!(attempt.get("losses"), None, "{attempt}");
        }
    }
}

#[tokio::test]
async fn losses_of_a_stream_are_recorded_up_to_its_last_event() {
    let mock = Mock::start(V03, "alpha").await;
    let gate = Gate::new();
    let odd = |mut event: Value| {
        event["x-new"] = json!(1);
        json!({ "result": event })
    };
    let [first, second, third] = V03.events("t-1", "c-1").map(odd);
    let answer = Answer::stream().event(first).wait(&gate);
    mock.always(answer.event(second).event(third).end());
    let world = World::of("alpha", &mock).await;
    let call = V1.call("SendStreamingMessage", &json!({ "message": labelled() }));
    let mut stream = world.follow("/a2a", call).await;
    stream.expect().await;
    let decision = world.decision_of_stream(&stream).await;
    let losses =
        |unknown| json!({ "part_filename": 1, "part_media_type": 1, "unknown_member": unknown });
    assert_eq!(decision["attempts"][0]["losses"], losses(1));
    gate.open();
    stream.rest().await;
    lost(&world, &decision, &losses(3)).await;
}

#[tokio::test]
async fn losses_of_a_message_that_failed_are_recorded() {
    let mock = Mock::start(V03, "alpha").await;
    mock.always(Answer::http(500, "", "oops"));
    let world = World::of("alpha", &mock).await;
    let call = V1.call("SendMessage", &json!({ "message": labelled() }));
    let decision = world.decision_of(&world.call(call).await).await;
    let attempt = &decision["attempts"][0];
    assert_eq!(attempt["outcome"], "malformed");
    let expected = json!({ "part_filename": 1, "part_media_type": 1 });
    assert_eq!(attempt["losses"], expected);
}
