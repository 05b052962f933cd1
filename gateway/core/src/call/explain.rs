//! `route explain`: what would happen to a message, without sending anything.

use std::sync::Arc;

use gateway_protocol::{Binding, Version, translate::Dialect, view::ROUTING_TEXT_LIMIT};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::{Call, Gateway, Target, course::Course};
use crate::{
    agent::Effect,
    caller::Caller,
    decision::{Hints, RouteDecision},
    digest,
    losses::LossLedger,
    route::{Choice, Features, Question, choose_beside},
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
    /// The effect the client allows at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_effect: Option<Effect>,
    /// Top-level keys of the message's data.
    #[serde(default)]
    pub data_keys: Vec<String>,
    /// URIs of the extensions the client declares.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Whether the client asks for push notifications.
    #[serde(default)]
    pub push: bool,
    /// The binding the message comes by; `JSONRPC` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding: Option<String>,
    /// Who calls; the anonymous caller if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<Caller>,
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
    /// No binding is called that.
    #[error("`{0}` is no supported binding; use JSONRPC, HTTP+JSON or GRPC")]
    UnknownBinding(String),
}

impl Gateway {
    /// Decides about a message as if it had come in on the federated endpoint now, records nothing and
    /// sends nothing.
    ///
    /// # Errors
    /// [`CannotExplain`] when the request names an unknown profile, version or binding.
    pub async fn explain(
        self: &Arc<Self>,
        explain: &Explain,
    ) -> Result<RouteDecision, CannotExplain> {
        self.known_profile(explain.profile.as_deref())?;
        let version = match &explain.version {
            None => Version::V1,
            Some(text) => {
                Version::parse(text).ok_or_else(|| CannotExplain::UnknownVersion(text.clone()))?
            }
        };
        let binding = match &explain.binding {
            None => Binding::JsonRpc,
            Some(text) => {
                Binding::parse(text).ok_or_else(|| CannotExplain::UnknownBinding(text.clone()))?
            }
        };
        let call = explain.call((version, binding), self.loss_ledger());
        let features = explain.features(digest::sha256(call.params.get().as_bytes()));
        let verdict = self.ask_rules(&call, &features);
        let profile = self.profile_of(verdict.rule(), &features);
        let profile = profile.ok_or_else(|| self.unknown_profile(&self.default_profile))?;
        let course = Course { verdict, profile };
        let meaning = self.fit.read(&features).await;
        let catalog = self.registry.catalog();
        let now = Instant::now();
        let question = Question {
            catalog: &catalog,
            profile,
            rule: course.rule(),
            features: &features,
            meaning: meaning.direction.as_ref(),
            version,
            binding,
            now,
            at: jiff::Timestamp::now(),
        };
        let choice = if verdict.turns_away() {
            Choice::turned_away()
        } else {
            choose_beside(question, &self.shadows())
        };
        let mut decision = self.decision(&call, (&catalog, course), &features, &choice);
        decision.versions.fit = meaning.engine;
        Ok(decision)
    }

    fn known_profile(&self, name: Option<&str>) -> Result<(), CannotExplain> {
        match name.filter(|name| !self.profiles.contains_key(*name)) {
            Some(unknown) => Err(self.unknown_profile(unknown)),
            None => Ok(()),
        }
    }

    fn unknown_profile(&self, name: &str) -> CannotExplain {
        CannotExplain::UnknownProfile {
            name: name.to_owned(),
            known: self.profiles.keys().cloned().collect::<Vec<_>>().join(", "),
        }
    }
}

impl Explain {
    fn features(&self, digest: String) -> Features {
        let input_modes = if self.input_modes.is_empty() {
            vec!["text/plain".to_owned()]
        } else {
            self.input_modes.clone()
        };
        let cut = self.text.floor_char_boundary(ROUTING_TEXT_LIMIT);
        Features {
            digest,
            text: self.text.get(..cut).unwrap_or_default().to_owned(),
            text_cut: cut < self.text.len(),
            input_modes,
            accepted_output_modes: self.accepted_output_modes.clone(),
            streaming: self.streaming,
            push: self.push,
            data_keys: self.data_keys.clone(),
            extensions: self.extensions.clone(),
            hints: Hints {
                agent: self.agent.clone(),
                skill: self.skill.clone(),
                max_latency_ms: self.max_latency_ms,
                max_cost_eur: self.max_cost_eur,
                profile: self.profile.clone(),
                max_effect: self.max_effect,
            },
            ..Features::default()
        }
    }

    /// The call that a client would make; only its digest and how it is made enter the record.
    fn call(&self, (version, binding): (Version, Binding), losses: LossLedger) -> Call {
        let operation = if self.streaming {
            gateway_protocol::Operation::SendStreamingMessage
        } else {
            gateway_protocol::Operation::SendMessage
        };
        let params = serde_json::json!({ "message": { "parts": [{ "text": self.text }] } });
        Call {
            target: Target::Federated,
            version,
            binding,
            dialect: Dialect::V1,
            operation,
            rpc_id: None,
            params: RawValue::from_string(params.to_string()).unwrap_or_default(),
            extensions: self.extensions.clone(),
            caller: self.caller.clone().unwrap_or_else(Caller::anonymous),
            trace: TraceContext::continue_from(None, None),
            received: Instant::now(),
            losses,
        }
    }
}
