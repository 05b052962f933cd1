//! Routing rules, seen from clients of both versions and bindings and from the record.

use serde_json::{Value, json};

use crate::{
    dialect::{BOTH, Dialect, V1, V03},
    mock::Mock,
    world::{
        Reply, Setup, World,
        admin::{candidate, chosen},
    },
};

/// Starts `alpha`, which everything fits best, and `beta`, with rules in YAML flow style.
async fn world(dialect: Dialect, rules: &str) -> (World, Mock, Mock) {
    let (setup, alpha, beta) = setup(dialect, rules).await;
    (setup.start().await, alpha, beta)
}

async fn setup(dialect: Dialect, rules: &str) -> (Setup, Mock, Mock) {
    let (alpha, beta) = (
        Mock::start(dialect, "alpha").await,
        Mock::start(dialect, "beta").await,
    );
    alpha.serves_card(&dialect.card_about("alpha", &alpha.rpc_url(), "invoices and payments"));
    beta.serves_card(&dialect.card_about("beta", &beta.rpc_url(), "library opening hours"));
    let setup = Setup::new()
        .agent("alpha", &alpha)
        .agent("beta", &beta)
        .profile("")
        .routing(&format!("rules: [{rules}]"));
    (setup, alpha, beta)
}

/// Sends the same text over JSON-RPC and HTTP+JSON.
async fn sent(world: &World, dialect: Dialect, text: &str) -> [Reply; 2] {
    let rest = match dialect {
        V1 => {
            let message = json!({ "message": dialect.message(text) });
            let request = world.rpc("/a2a/message:send", message);
            let request = request.header("a2a-version", "1.0");
            crate::world::client::receive(request).await
        }
        V03 => {
            let message = json!({ "message": {
                "messageId": "m-1", "role": "ROLE_USER", "content": [{ "text": text }]
            }});
            world.post("/a2a/v1/message:send", message).await
        }
    };
    [world.call(dialect.send(text)).await, rest]
}

#[tokio::test]
async fn a_rule_names_the_agent_whatever_its_fit() {
    for dialect in BOTH {
        let rules = "{ name: books, when: 'request.text.folded().contains(\"libro\")', use: { agent: beta } }";
        let (world, alpha, beta) = world(dialect, rules).await;
        for reply in sent(&world, dialect, "quantum LIBRO").await {
            let decision = world.decision_of(&reply).await;
            assert_eq!(chosen(&decision), "beta", "{}", reply.body);
            assert_eq!(
                decision["rule"],
                json!({ "name": "books", "action": "pin", "agents": ["beta"] })
            );
            let left_out = candidate(&decision, "alpha");
            assert_eq!(left_out["reason"], "excluded_by_rule");
            assert_eq!(left_out["detail"], "the rule `books` leaves it out");
        }
        assert_eq!((alpha.calls().len(), beta.calls().len()), (0, 2));
        let other = world.call(dialect.send("pay invoices")).await;
        let decision = world.decision_of(&other).await;
        assert_eq!(chosen(&decision), "alpha");
        assert!(decision.get("rule").is_none(), "{decision}");
    }
}

#[tokio::test]
async fn requirements_hold_for_an_agent_that_a_rule_names() {
    let (world, ..) = world(V1, "{ when: 'true', use: { agent: beta } }").await;
    let mut call = V1.send("x");
    call["params"]["configuration"] = json!({ "acceptedOutputModes": ["image/png"] });
    let refused = world.call(call).await;
    assert_eq!(refused.code(), -32004, "{}", refused.body);
    let decision = world.decision_of(&refused).await;
    assert_eq!(candidate(&decision, "beta")["reason"], "output_mode");
    // The client's word counts as well: nobody is both.
    let refused = world.call(V1.send_to("alpha", "x")).await;
    let decision = world.decision_of(&refused).await;
    assert_eq!(decision["kind"], "no_fit");
    assert_eq!(candidate(&decision, "beta")["reason"], "not_requested");
}

#[tokio::test]
async fn an_agent_that_a_rule_names_and_that_is_not_there_is_unavailable() {
    let (setup, _alpha, beta) = setup(V1, "{ when: 'true', use: { agent: beta } }").await;
    beta.serves_card(&json!({ "name": "no card" }));
    let world = setup.start().await;
    let refused = world.call(V1.send("invoices")).await;
    assert!(
        refused.body.contains("AGENTS_UNAVAILABLE"),
        "{}",
        refused.body
    );
    let decision = world.decision_of(&refused).await;
    assert_eq!(candidate(&decision, "beta")["reason"], "card_unavailable");
}

#[tokio::test]
async fn a_message_is_turned_away_in_the_words_of_the_rule() {
    for dialect in BOTH {
        let rules = "{ name: no ids, when: 'request.text.matches(\"[0-9]{8}\")', reject: \"Do not send identity numbers.\" }";
        let (world, alpha, beta) = world(dialect, rules).await;
        let [rpc, rest] = sent(&world, dialect, "invoices of 12345678").await;
        assert_eq!(
            (rpc.code(), rpc.message().as_str()),
            (-32004, "Do not send identity numbers."),
            "{}",
            rpc.body
        );
        assert!(
            rpc.error()["data"].to_string().contains("REJECTED_BY_RULE"),
            "{}",
            rpc.body
        );
        assert!(
            !rpc.body.contains("no ids"),
            "names of rules are the operator's: {}",
            rpc.body
        );
        assert!(rest.status >= 400, "{}", rest.body);
        for part in ["Do not send identity numbers.", "REJECTED_BY_RULE"] {
            assert!(rest.body.contains(part), "{}", rest.body);
        }
        for reply in [&rpc, &rest] {
            let decision = world.decision_of(reply).await;
            assert_eq!(decision["kind"], "rejected");
            assert_eq!(decision["outcome"]["state"], "not_sent");
            assert_eq!(decision["candidates"], json!([]));
            assert_eq!(
                decision["rule"],
                json!({ "name": "no ids", "action": "reject", "detail": "Do not send identity numbers." })
            );
        }
        let streamed = world.call(dialect.stream("invoices of 12345678")).await;
        assert_eq!(streamed.code(), -32004, "{}", streamed.body);
        let pinned = world.post("/agents/alpha", dialect.send("12345678")).await;
        assert_eq!(pinned.message(), "Do not send identity numbers.");
        assert!(alpha.calls().is_empty() && beta.calls().is_empty());
        let metrics = world.admin_get("/metrics").await.body;
        let counted = "a2a_gateway_rule_matches_total{rule=\"no ids\",action=\"reject\"} 4";
        assert!(metrics.contains(counted), "{metrics}");
    }
}

#[tokio::test]
async fn a_rule_that_cannot_be_evaluated_turns_the_message_away() {
    let rules =
        "{ name: odd, when: 'request.data_keys[3] == \"secret-key\"', use: { agent: beta } }";
    let (world, alpha, beta) = world(V1, rules).await;
    for reply in sent(&world, V1, "invoices, my secret").await {
        assert!(reply.body.contains("RULE_FAILED"), "{}", reply.body);
        assert!(!reply.body.contains("secret"), "{}", reply.body);
        let decision = world.decision_of(&reply).await;
        assert_eq!(decision["kind"], "rejected");
        assert_eq!(
            decision["rule"]["detail"],
            "its condition reads beyond the end of a list"
        );
        assert!(!decision.to_string().contains("secret"), "{decision}");
    }
    assert!(alpha.calls().is_empty() && beta.calls().is_empty());
}

#[tokio::test]
async fn rules_narrow_the_candidates_and_choose_the_profile() {
    let rules =
        "{ when: '\"iban\" in request.data_keys', use: { agents: [beta], profile: loose } },
        { name: late, when: 'true', use: { max_effect: read } }";
    let (setup, ..) = setup(V1, rules).await;
    let world = setup.another_profile("loose", "min_fit: 0").start().await;
    let mut call = V1.send("invoices");
    call["params"]["message"]["parts"] =
        json!([{ "text": "invoices" }, { "data": { "iban": "ES00" } }]);
    let decision = world.decision_of(&world.call(call).await).await;
    // Mocks take text only, so that the record says both things about `beta`.
    assert_eq!(candidate(&decision, "alpha")["reason"], "excluded_by_rule");
    assert_eq!(candidate(&decision, "beta")["reason"], "input_mode");
    assert_eq!(
        decision["rule"],
        json!({ "name": "rule 1", "action": "use", "agents": ["beta"], "profile": "loose" })
    );
    let profile = decision["versions"]["profile"].as_str().unwrap();
    assert!(profile.starts_with("loose@"), "{profile}");
    // Agents may change things unless their configuration says otherwise.
    let refused = world.call(V1.send("invoices")).await;
    let decision = world.decision_of(&refused).await;
    assert_eq!(candidate(&decision, "alpha")["reason"], "effect_ceiling");
    assert_eq!(
        candidate(&decision, "alpha")["detail"],
        "its effect reversible_write is above the ceiling read set by the rule `late`"
    );
}

#[tokio::test]
async fn what_continues_a_task_is_asked_of_no_rule_and_a_context_is() {
    let rules = "{ when: 'request.text.contains(\"stop\")', reject: \"No.\" }";
    let (world, alpha, _beta) = world(V1, rules).await;
    let begun = world.call(V1.send("invoices")).await;
    let mut on_task = V1.send("stop");
    on_task["params"]["message"]["taskId"] = begun.task_id().into();
    let continued = world.call(on_task).await;
    assert_eq!(world.decision_of(&continued).await["kind"], "owner");
    let mut in_context = V1.send("stop");
    in_context["params"]["message"]["contextId"] = begun.context_id().into();
    assert_eq!(world.call(in_context).await.message(), "No.");
    assert_eq!(alpha.calls().len(), 2);
}

#[tokio::test]
async fn explaining_asks_the_rules_as_well() {
    let rules = "{ name: library, when: 'has(caller.tenant) && caller.tenant == \"lib\"', use: { agents: [beta] } },
        { name: rest only, when: 'request.binding != \"JSONRPC\"', reject: \"Use JSON-RPC.\" }";
    let (world, ..) = world(V1, rules).await;
    let explain = async |changes: Value| {
        let mut body = json!({ "text": "invoices" });
        body.as_object_mut()
            .unwrap()
            .extend(changes.as_object().unwrap().clone());
        world.admin_post("/v1/route:explain", &body).await.json()
    };
    assert_eq!(chosen(&explain(json!({})).await), "alpha");
    let of_tenant = explain(json!({ "caller": { "subject": "ana", "tenant": "lib" } })).await;
    assert_eq!(of_tenant["rule"]["name"], "library");
    assert_eq!(candidate(&of_tenant, "alpha")["reason"], "excluded_by_rule");
    let over_rest = explain(json!({ "binding": "HTTP+JSON" })).await;
    assert_eq!(
        (&over_rest["kind"], &over_rest["rule"]["action"]),
        (&json!("rejected"), &json!("reject"))
    );
    let long = explain(json!({ "text": "a".repeat(16 * 1024 + 1) })).await;
    assert_eq!(long["request"]["text_cut"], true);
    assert_eq!(
        world.decisions("limit=5").await.len(),
        0,
        "nothing is recorded"
    );
}

#[tokio::test]
async fn the_text_is_recorded_only_where_the_configuration_says_so() {
    let (plain, _alpha, _beta) = world(V1, "").await;
    let reply = plain.call(V1.send("invoices, please")).await;
    let request = plain.decision_of(&reply).await["request"].take();
    assert_eq!(
        (request.get("text"), &request["binding"]),
        (None, &json!("JSONRPC"))
    );
    let (setup, _alpha, _beta) = setup(V1, "").await;
    let world = setup.store("record_text: true").start().await;
    let mut call = V1.send(&"invoices ".repeat(3000));
    call["params"]["metadata"] =
        json!({ "urn:a2a-gateway:routing:1": { "max_effect": "external_effect" } });
    let request = world.decision_of(&world.call(call).await).await["request"].take();
    assert_eq!(request["text"].as_str().unwrap().len(), 16 * 1024);
    assert_eq!(request["text_cut"], true);
    assert_eq!(request["hints"], json!({ "max_effect": "external_effect" }));
}

#[tokio::test]
async fn a_megabyte_of_text_is_decided_by_what_routing_reads_of_it() {
    let rules = "{ name: long, when: 'request.text_cut', reject: \"Too long.\" },
        { when: 'request.text.matches(\"(a+)+$\")', use: { agent: beta } }";
    let (world, alpha, beta) = world(V1, rules).await;
    assert_eq!(
        world.call(V1.send(&"a".repeat(1 << 20))).await.message(),
        "Too long."
    );
    let reply = world.call(V1.send(&"a".repeat(16 * 1024))).await;
    assert_eq!(chosen(&world.decision_of(&reply).await), "beta");
    assert_eq!((alpha.calls().len(), beta.calls().len()), (0, 1));
}
