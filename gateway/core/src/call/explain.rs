//! `route explain`: what would happen to a message, without sending anything.

use std::sync::Arc;

use gateway_protocol::{Binding, Version, translate::Dialect};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::{Call, Gateway, Target};
use crate::{
    caller::Caller,
    decision::{Hints, RouteDecision},
    losses::LossLedger,
    route::{Features, Question, choose},
    trace::TraceContext,
};

/// What to explain.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explain {
    /// The text of the message.
    pub text: String,
    /// Only agents with this skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// Only this agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The routing profile; the default one if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The protocol version of the client; 1.0 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Whether the client asks for a stream.
    #[serde(default)]
    pub streaming: bool,
    /// Media types of the message; plain text if empty.
    #[serde(default)]
    pub input_modes: Vec<String>,
    /// Media types the client accepts; any if empty.
    #[serde(default)]
    pub accepted_output_modes: Vec<String>,
    /// The client's latency budget, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_latency_ms: Option<f64>,
    /// The client's cost budget, in euros.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_eur: Option<f64>,
}

/// A request to explain names something that does not exist.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CannotExplain {
    /// No profile has this name.
    #[error("there is no routing profile `{name}`; known: {known}")]
    UnknownProfile {
        /// The name given.
        name: String,
        /// All names.
        known: String,
    },
    /// No protocol version is called that.
    #[error("`{0}` is no supported A2A version; use 0.3 or 1.0")]
    UnknownVersion(String),
}

impl Gateway {
    /// Decides about a message as if it had come in on the federated endpoint now, records nothing and
    /// sends nothing.
    ///
    /// # Errors
    /// [`CannotExplain`] when the request names an unknown profile or version.
    pub async fn explain(
        self: &Arc<Self>,
        explain: &Explain,
    ) -> Result<RouteDecision, CannotExplain> {
        let name = explain.profile.as_ref().unwrap_or(&self.default_profile);
        let profile = self
            .profiles
            .get(name)
            .ok_or_else(|| CannotExplain::UnknownProfile {
                name: name.clone(),
                known: self.profiles.keys().cloned().collect::<Vec<_>>().join(", "),
            })?;
        let version = match &explain.version {
            None => Version::V1,
            Some(text) => {
                Version::parse(text).ok_or_else(|| CannotExplain::UnknownVersion(text.clone()))?
            }
        };
        let features = explain.features();
        let meaning = self.fit.read(&features).await;
        let catalog = self.registry.catalog();
        let now = Instant::now();
        let question = Question {
            catalog: &catalog,
            profile,
            features: &features,
            meaning: meaning.direction.as_ref(),
            version,
            binding: Binding::JsonRpc,
            now,
            at: jiff::Timestamp::now(),
        };
        let choice = choose(question);
        let call = explain.call(version, self.loss_ledger());
        let mut decision = self.decision(&call, (&catalog, profile), &features, &choice);
        decision.versions.fit = meaning.engine;
        Ok(decision)
    }
}

impl Explain {
    fn features(&self) -> Features {
        let input_modes = if self.input_modes.is_empty() {
            vec!["text/plain".to_owned()]
        } else {
            self.input_modes.clone()
        };
        Features {
            text: self.text.clone(),
            input_modes,
            accepted_output_modes: self.accepted_output_modes.clone(),
            streaming: self.streaming,
            hints: Hints {
                agent: self.agent.clone(),
                skill: self.skill.clone(),
                max_latency_ms: self.max_latency_ms,
                max_cost_eur: self.max_cost_eur,
            },
            ..Features::default()
        }
    }

    /// The call that a client would make; only its digest and version enter the record.
    fn call(&self, version: Version, losses: LossLedger) -> Call {
        let operation = if self.streaming {
            gateway_protocol::Operation::SendStreamingMessage
        } else {
            gateway_protocol::Operation::SendMessage
        };
        let params = serde_json::json!({ "message": { "parts": [{ "text": self.text }] } });
        Call {
            target: Target::Federated,
            version,
            binding: Binding::JsonRpc,
            dialect: Dialect::V1,
            operation,
            rpc_id: None,
            params: RawValue::from_string(params.to_string()).unwrap_or_default(),
            extensions: Vec::new(),
            caller: Caller::anonymous(),
            trace: TraceContext::continue_from(None, None),
            received: Instant::now(),
            losses,
        }
    }
}
