//! Feedback about results, by operators and by clients.

use serde_json::{Value, json};

use crate::{
    dialect::{BOTH, Dialect, SKILL},
    mock::Mock,
    world::{World, eventually},
};

const EXTENSION: &str = "urn:a2a-gateway:routing:1";

async fn decided(dialect: Dialect) -> (World, Mock, String, crate::world::Reply) {
    let mock = Mock::start(dialect, "alpha").await;
    let world = World::of("alpha", &mock).await;
    let sent = world.call(dialect.send("echo")).await;
    let id = world.decision_of(&sent).await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    (world, mock, id, sent)
}

async fn judge(world: &World, id: &str, body: &Value) -> (u16, Value) {
    let reply = world
        .admin_post(&format!("/v1/decisions/{id}/feedback"), body)
        .await;
    (reply.status, reply.json())
}

async fn quality(world: &World) -> f64 {
    world.signals("alpha", SKILL).await["quality"]["value"]
        .as_f64()
        .unwrap()
}

#[tokio::test]
async fn feedback_is_kept_with_the_decision_and_counts_once() {
    for dialect in BOTH {
        let (world, _mock, id, _) = decided(dialect).await;
        let completed = quality(&world).await;
        let accepted = json!({ "accepted": true, "note": "just right" });
        for _ in 0..2 {
            let (status, decision) = judge(&world, &id, &accepted).await;
            assert_eq!((status, &decision["feedback"]), (200, &accepted));
            assert_eq!(world.decision(&id).await["feedback"], accepted);
            let signals = world.signals("alpha", SKILL).await;
            assert_eq!(signals["quality"]["decisions"], 1, "{signals}");
        }
        assert!(quality(&world).await > completed);
        let (status, _) = judge(&world, &id, &json!({ "score": 0.1, "cost": 0.02 })).await;
        assert_eq!(status, 200);
        assert!(quality(&world).await < completed);
        assert_eq!(world.signals("alpha", SKILL).await["cost"]["known"], 1);
    }
}

#[tokio::test]
async fn feedback_out_of_limits_or_about_nothing_is_refused() {
    let (world, _mock, id, _) = decided(Dialect::V1).await;
    for (body, words) in [
        (json!({}), "is empty"),
        (json!({ "score": 1.5 }), "score 1.5"),
        (json!({ "cost": -1 }), "cost -1"),
        (json!({ "note": "x".repeat(2001) }), "2001 characters"),
        (json!({ "accepted": "yes" }), "accepted"),
        (json!({ "stars": 5 }), "stars"),
    ] {
        let (status, problem) = judge(&world, &id, &body).await;
        assert_eq!(status, 400, "{body}");
        let message = problem["error"]["message"].as_str().unwrap();
        assert!(message.contains(words), "{message}");
    }
    let (status, _) = judge(&world, "no-such-decision", &json!({ "accepted": true })).await;
    assert_eq!(status, 404);
    assert_eq!(world.decision(&id).await["feedback"], Value::Null);
}

#[tokio::test]
async fn clients_give_feedback_beside_a_later_message() {
    for dialect in BOTH {
        for names_it in [false, true] {
            let (world, _mock, id, sent) = decided(dialect).await;
            let mut feedback = json!({ "accepted": false });
            let mut more = dialect.send("echo once more");
            if names_it {
                feedback["decision"] = json!(id);
            } else {
                more["params"]["message"]["contextId"] = json!(sent.context_id());
            }
            more["params"]["message"]["metadata"] = json!({ EXTENSION: { "feedback": feedback } });
            let answered = world.call(more).await;
            assert!(answered.body.contains("result"), "{}", answered.body);
            eventually("the feedback", async || {
                let decision = world.decision(&id).await;
                if decision["feedback"] == json!({ "accepted": false }) {
                    Ok(())
                } else {
                    Err(decision["feedback"].to_string())
                }
            })
            .await;
        }
    }
}

#[tokio::test]
async fn feedback_that_makes_no_sense_never_harms_its_message() {
    for dialect in BOTH {
        let (world, _mock, id, _) = decided(dialect).await;
        for odd in [
            json!("good"),
            json!({ "score": 7, "decision": id }),
            json!({ "accepted": "yes", "decision": id }),
            json!({ "accepted": true, "decision": "no-such-decision" }),
            json!({ "accepted": true }),
            json!([true]),
        ] {
            let mut call = dialect.send("echo");
            call["params"]["message"]["metadata"] = json!({ EXTENSION: { "feedback": odd } });
            let answered = world.call(call).await;
            assert!(answered.body.contains("result"), "{odd}: {}", answered.body);
        }
        // What comes last is written last, and nothing of the above was.
        let (status, _) = judge(&world, &id, &json!({ "note": "end" })).await;
        assert_eq!(status, 200);
        assert_eq!(
            world.decision(&id).await["feedback"],
            json!({ "note": "end" })
        );
        let judged = world.decisions("limit=50").await;
        let judged = judged
            .iter()
            .filter(|decision| !decision["feedback"].is_null());
        assert_eq!(judged.count(), 1);
    }
}
