//! The operator's side: the admin API.

use reqwest::Method;
use serde_json::Value;

use super::{Events, Reply, World, client::receive, eventually};

const DECISION: &str = "x-a2a-gateway-decision";

impl World {
    /// Gets a path of the admin listener.
    pub(crate) async fn admin_get(&self, path: &str) -> Reply {
        receive(self.admin(Method::GET, path)).await
    }

    /// Posts to a path of the admin listener.
    pub(crate) async fn admin_post(&self, path: &str, body: &Value) -> Reply {
        let request = self
            .admin(Method::POST, path)
            .header("content-type", "application/json");
        receive(request.body(body.to_string())).await
    }

    /// Deletes what is at a path of the admin listener.
    pub(crate) async fn admin_delete(&self, path: &str) -> Reply {
        receive(self.admin(Method::DELETE, path)).await
    }

    /// Returns what was learned of a skill of an agent.
    pub(crate) async fn signals(&self, agent: &str, skill: &str) -> Value {
        let reply = self.admin_get(&format!("/v1/signals?agent={agent}")).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        let found = reply.json();
        let skills = found["agents"][0]["skills"].as_array().unwrap();
        let named = skills.iter().find(|named| named["skill"] == skill);
        named
            .unwrap_or_else(|| panic!("`{skill}` is missing in {found}"))
            .clone()
    }

    fn admin(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client
            .request(method, format!("http://{}{path}", self.running.admin))
    }

    /// Returns what the operator sees of an agent.
    pub(crate) async fn agent(&self, id: &str) -> Value {
        self.admin_get(&format!("/v1/agents/{id}")).await.json()
    }

    /// Asks for a new fetch of an agent's card and waits until something has become of it.
    pub(crate) async fn refresh(
        &self,
        id: &str,
        what: &str,
        done: impl Fn(&Value) -> bool,
    ) -> Value {
        let reply = self
            .admin_post(&format!("/v1/agents/{id}/refresh"), &Value::Null)
            .await;
        assert_eq!(reply.status, 202, "{}", reply.body);
        self.agent_becomes(id, what, done).await
    }

    /// Returns what the operator sees of an agent once it is as it should be.
    pub(crate) async fn agent_becomes(
        &self,
        id: &str,
        what: &str,
        done: impl Fn(&Value) -> bool,
    ) -> Value {
        eventually(what, async || {
            let agent = self.agent(id).await;
            if done(&agent) {
                Ok(agent)
            } else {
                Err(agent.to_string())
            }
        })
        .await
    }

    /// Returns the decisions that a query such as `agent=alpha&limit=2` selects, newest first.
    pub(crate) async fn decisions(&self, query: &str) -> Vec<Value> {
        let reply = self.admin_get(&format!("/v1/decisions?{query}")).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.json()["decisions"].as_array().unwrap().clone()
    }

    /// Returns the decision with an id.
    pub(crate) async fn decision(&self, id: &str) -> Value {
        let reply = self.admin_get(&format!("/v1/decisions/{id}")).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.json()
    }

    /// Returns the decision behind a reply.
    pub(crate) async fn decision_of(&self, reply: &Reply) -> Value {
        let id = reply.header(DECISION);
        self.decision(id.unwrap_or_else(|| panic!("no decision behind: {}", reply.body)))
            .await
    }

    /// Returns the decision behind a stream.
    pub(crate) async fn decision_of_stream(&self, events: &Events) -> Value {
        self.decision(
            events
                .header(DECISION)
                .expect("a decision behind the stream"),
        )
        .await
    }

    /// Returns a decision once its outcome is in a state.
    pub(crate) async fn outcome(&self, id: &Value, state: &str) -> Value {
        let id = id.as_str().expect("the id of a decision");
        eventually(&format!("the outcome `{state}`"), async || {
            let decision = self.decision(id).await;
            if decision["outcome"]["state"] == state {
                Ok(decision)
            } else {
                Err(decision.to_string())
            }
        })
        .await
    }
}

/// Returns the candidate of an agent in a decision.
#[track_caller]
pub(crate) fn candidate<'a>(decision: &'a Value, agent: &str) -> &'a Value {
    let candidates = decision["candidates"].as_array().unwrap();
    let found = candidates
        .iter()
        .find(|candidate| candidate["agent"] == agent);
    found.unwrap_or_else(|| panic!("`{agent}` is no candidate of {decision}"))
}

/// Returns the id of the agent that a decision chose.
#[track_caller]
pub(crate) fn chosen(decision: &Value) -> &str {
    let candidates = decision["candidates"].as_array().unwrap();
    let found = candidates
        .iter()
        .find(|candidate| candidate["verdict"] == "chosen");
    found.unwrap_or_else(|| panic!("nobody is chosen in {decision}"))["agent"]
        .as_str()
        .unwrap()
}
