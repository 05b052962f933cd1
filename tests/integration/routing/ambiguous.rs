//! Messages that several agents fit alike.

use serde_json::json;

use crate::{
    dialect::{BOTH, Dialect},
    mock::Mock,
    world::{Setup, World, admin::chosen},
};

/// Starts two agents that do the same.
async fn replicas(dialect: Dialect, profile: &str) -> (World, [Mock; 2]) {
    let mocks = [
        Mock::start(dialect, "alpha").await,
        Mock::start(dialect, "beta").await,
    ];
    for (mock, name) in mocks.iter().zip(["alpha", "beta"]) {
        mock.serves_card(&dialect.card_about(name, &mock.rpc_url(), "parking permits"));
    }
    let setup = Setup::new()
        .agent_with("alpha", &mocks[0], "quality: 0.9")
        .agent("beta", &mocks[1])
        .profile(profile);
    (setup.start().await, mocks)
}

#[tokio::test]
async fn replicas_get_messages_and_the_record_names_the_rival() {
    for dialect in BOTH {
        let (world, _mocks) = replicas(dialect, "").await;
        let decision = world
            .decision_of(&world.call(dialect.send("parking permits")).await)
            .await;
        assert_eq!(chosen(&decision), "alpha");
        let rival = &decision["ambiguity"];
        assert_eq!(
            (&rival["agent"], &rival["guess"]),
            (&json!("beta"), &json!(true))
        );
    }
}

#[tokio::test]
async fn a_rejected_guess_names_the_alternatives_and_naming_one_helps() {
    for dialect in BOTH {
        let (world, mocks) = replicas(dialect, "on_ambiguous: reject").await;
        for call in [
            dialect.send("parking permits"),
            dialect.stream("parking permits"),
        ] {
            let refused = world.call(&call).await;
            assert_eq!(refused.code(), -32602, "{}", refused.body);
            for part in ["`alpha`", "`beta`", "metadata.agent", "metadata.skill"] {
                assert!(refused.message().contains(part), "{part}: {}", refused.body);
            }
            let data = refused.error()["data"].to_string();
            assert!(data.contains(r#""AMBIGUOUS""#), "{data}");
            assert!(data.contains(r#""agents":"alpha,beta""#), "{data}");
            let decision = world.decision_of(&refused).await;
            assert_eq!(
                (&decision["kind"], &decision["outcome"]["state"]),
                (&json!("ambiguous"), &json!("not_sent"))
            );
        }
        assert!(mocks.iter().all(|mock| mock.calls().is_empty()));
        for hint in [
            json!({ "agent": "beta" }),
            json!({ "skill": "beta.beta-skill" }),
        ] {
            let mut call = dialect.send("parking permits");
            call["params"]["message"]["metadata"] = hint;
            let decision = world.decision_of(&world.call(&call).await).await;
            assert_eq!(chosen(&decision), "beta");
        }
    }
}
