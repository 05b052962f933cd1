//! What each agent is good for.

use serde_json::{Value, json};
use university::Agent;

use crate::client::{World, follow_up, message, old_message, text_of};

#[tokio::test]
async fn regulations_are_streamed_in_the_language_of_the_question() {
    let world = World::start(10).await;
    let question = message("¿Qué dice la normativa sobre la asistencia a clase?");
    let stream = world
        .stream(Agent::Regulations, "SendStreamingMessage", question)
        .await;
    let events = stream.rest().await;
    assert_eq!(events[0]["task"]["status"]["state"], "TASK_STATE_SUBMITTED");
    assert_eq!(
        events[1]["statusUpdate"]["status"]["state"],
        "TASK_STATE_WORKING"
    );
    let chunks: Vec<_> = events
        .iter()
        .filter_map(|event| event.get("artifactUpdate"))
        .collect();
    assert!(chunks.len() >= 4);
    assert_eq!(chunks[0]["append"], false);
    assert!(chunks[1..].iter().all(|chunk| chunk["append"] == true));
    assert!(
        chunks[0]["artifact"]["parts"][0]["text"]
            .as_str()
            .unwrap()
            .starts_with("Artículo 1.")
    );
    assert_eq!(chunks.last().unwrap()["lastChunk"], true);
    let last = events.last().unwrap();
    assert_eq!(
        last["statusUpdate"]["status"]["state"],
        "TASK_STATE_COMPLETED"
    );

    let id = &events[0]["task"]["id"];
    let task = world
        .result(Agent::Regulations, "GetTask", json!({"id": id}))
        .await;
    let streamed: String = chunks
        .iter()
        .map(|chunk| chunk["artifact"]["parts"][0]["text"].as_str().unwrap())
        .collect();
    assert_eq!(text_of(&task), streamed);
}

#[tokio::test]
async fn regulations_answer_without_a_stream_too() {
    let world = World::start(10).await;
    let task = world
        .send(Agent::Regulations, "How do I appeal a grade?")
        .await;
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED");
    assert!(text_of(&task).contains("Article 5. Appeals against grades."));
}

#[tokio::test]
async fn payments_compute_and_answer_with_data() {
    let world = World::start(10).await;
    let task = world
        .send(Agent::Payments, "Tuition for 60 credits in 3 instalments?")
        .await;
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED");
    let data = &task["artifacts"][0]["parts"][1]["data"];
    assert_eq!(data["total_cents"], 111_000);
    assert_eq!(data["instalments_cents"], json!([37_000, 37_000, 37_000]));
    assert!(text_of(&task).contains("1,110.00 €"));

    let task = world
        .send(Agent::Payments, "Quiero pagar 300 € de mi matrícula")
        .await;
    assert_eq!(task["artifacts"][0]["name"], "receipt");
    assert_eq!(
        task["artifacts"][0]["parts"][1]["data"]["paid_cents"],
        30_000
    );
    assert!(text_of(&task).contains("300,00 € pagados"));

    let task = world.send(Agent::Payments, "tuition for 500 credits").await;
    assert_eq!(task["status"]["state"], "TASK_STATE_REJECTED");
}

#[tokio::test]
async fn payments_do_not_stream() {
    let world = World::start(10).await;
    let params = message("an invoice, please");
    assert_eq!(
        world
            .error(Agent::Payments, "SendStreamingMessage", params)
            .await,
        -32004
    );
    let task = world.send(Agent::Payments, "an invoice, please").await;
    let params = json!({"id": task["id"]});
    assert_eq!(
        world
            .error(Agent::Payments, "SubscribeToTask", params)
            .await,
        -32004
    );
}

fn review_in_background() -> Value {
    let mut params = message("Review my scholarship, our family income is 18,000 euros");
    params["configuration"] = json!({"returnImmediately": true});
    params
}

#[tokio::test]
async fn scholarship_review_returns_before_its_first_step_is_done() {
    // A step takes so long that only an answer that waits for none can arrive.
    let world = World::start(3_600_000).await;
    let task = world
        .result(Agent::Scholarships, "SendMessage", review_in_background())
        .await["task"]
        .take();
    assert_eq!(task["status"]["state"], "TASK_STATE_WORKING");
}

#[tokio::test]
async fn scholarship_review_is_polled_to_its_end() {
    let world = World::start(10).await;
    let task = world
        .result(Agent::Scholarships, "SendMessage", review_in_background())
        .await["task"]
        .take();
    let task = world
        .poll(Agent::Scholarships, &task["id"], "TASK_STATE_COMPLETED")
        .await;
    assert_eq!(
        task["artifacts"][0]["parts"][1]["data"]["decision"],
        "full_grant"
    );
    assert!(
        task["history"].as_array().unwrap().len() >= 5,
        "progress is kept in the history"
    );
}

#[tokio::test]
async fn scholarship_review_asks_for_the_income_and_goes_on() {
    let world = World::start(10).await;
    let asked = world
        .send(Agent::Scholarships, "Am I entitled to a grant?")
        .await;
    assert_eq!(asked["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
    let question = &asked["status"]["message"]["parts"][0]["text"];
    assert_eq!(question, "What is your family income in euros?");

    let params = follow_up(&asked, "28.000");
    let mut result = world
        .result(Agent::Scholarships, "SendMessage", params)
        .await;
    let task = result["task"].take();
    assert_eq!(
        (&task["id"], &task["contextId"]),
        (&asked["id"], &asked["contextId"])
    );
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(
        task["artifacts"][0]["parts"][1]["data"]["decision"],
        "free_tuition"
    );
    let ids: Vec<_> = task["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| &m["messageId"])
        .collect();
    assert!(ids.contains(&&json!("m-1")) && ids.contains(&&json!("m-2")));
}

#[tokio::test]
async fn scholarship_case_without_an_income_is_closed_in_the_end() {
    let world = World::start(10).await;
    let task = world.send(Agent::Scholarships, "Quiero una beca").await;
    for state in ["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_REJECTED"] {
        let params = follow_up(&task, "No lo sé");
        let mut result = world
            .result(Agent::Scholarships, "SendMessage", params)
            .await;
        assert_eq!(result["task"]["status"]["state"].take(), state);
    }
}

#[tokio::test]
async fn scholarship_review_can_be_cancelled() {
    let world = World::start(1_000).await;
    let mut params = message("Review my scholarship, income 18,000 euros");
    params["configuration"] = json!({"returnImmediately": true});
    let task = world
        .result(Agent::Scholarships, "SendMessage", params)
        .await["task"]
        .take();
    let id = json!({"id": task["id"]});
    let canceled = world
        .result(Agent::Scholarships, "CancelTask", id.clone())
        .await;
    assert_eq!(canceled["status"]["state"], "TASK_STATE_CANCELED");
    assert_eq!(
        world
            .error(Agent::Scholarships, "CancelTask", id.clone())
            .await,
        -32002
    );
    let kept = world.result(Agent::Scholarships, "GetTask", id).await;
    assert_eq!(kept["status"]["state"], "TASK_STATE_CANCELED");
}

#[tokio::test]
async fn letters_are_drafted_over_0_3() {
    let world = World::start(10).await;
    let params = old_message("Redacta una carta al rector para solicitar un aula");
    let task = world
        .result(Agent::Letters, "message/send", params.clone())
        .await;
    assert_eq!(
        (&task["kind"], &task["status"]["state"]),
        (&json!("task"), &json!("completed"))
    );
    assert_eq!(task["artifacts"][0]["parts"][0]["kind"], "text");
    let letter = text_of(&task);
    assert!(
        letter.contains("Rector") && letter.contains("Atentamente"),
        "{letter}"
    );

    let stream = world.stream(Agent::Letters, "message/stream", params).await;
    let events = stream.rest().await;
    let kinds: Vec<_> = events
        .iter()
        .map(|event| event["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds[..2], ["task", "status-update"]);
    assert_eq!(
        kinds
            .iter()
            .filter(|kind| **kind == "artifact-update")
            .count(),
        3
    );
    let (last, before) = events.split_last().unwrap();
    assert_eq!(
        (&last["final"], &last["status"]["state"]),
        (&json!(true), &json!("completed"))
    );
    assert!(before.iter().all(|event| event["final"] != true));
}

#[tokio::test]
async fn helper_greets_with_a_message_and_helps_with_a_task() {
    let world = World::start(10).await;
    let reply = world
        .result(Agent::Helper, "SendMessage", message("Hello!"))
        .await;
    assert_eq!(reply["message"]["role"], "ROLE_AGENT");
    assert!(reply["message"]["contextId"].is_string() && reply["message"].get("taskId").is_none());
    let stream = world
        .stream(Agent::Helper, "SendStreamingMessage", message("Hola"))
        .await;
    let events = stream.rest().await;
    assert_eq!(events.len(), 1);
    assert!(
        events[0]["message"]["parts"][0]["text"]
            .as_str()
            .unwrap()
            .starts_with("¡Hola!")
    );

    let task = world
        .send(Agent::Helper, "¿Dónde está la biblioteca?")
        .await;
    assert!(text_of(&task).contains("torre de cristal"));
}
