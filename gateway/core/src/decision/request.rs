//! What a record says of the message itself.

use gateway_protocol::Binding;
use serde::{Deserialize, Serialize};

use crate::agent::Effect;

/// What was asked: digest and features; the text itself only where the configuration says so.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RequestSummary {
    /// The client's message id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// `sha256:` over the operation's parameters as received.
    pub digest: String,
    /// Length of the message text, in characters.
    pub text_chars: usize,
    /// The message text as far as routing reads it; only where `store.record_text` is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether the message has more text than routing reads.
    #[serde(default, skip_serializing_if = "is_false")]
    pub text_cut: bool,
    /// Media types of the message parts.
    pub input_modes: Vec<String>,
    /// Media types the client accepts; empty means any.
    pub accepted_output_modes: Vec<String>,
    /// Whether the client asked for a stream.
    pub streaming: bool,
    /// Whether the client asked for push notifications.
    #[serde(default, skip_serializing_if = "is_false")]
    pub push: bool,
    /// The top-level keys of data parts.
    pub data_keys: Vec<String>,
    /// URIs of the extensions the client declared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// The binding the message came by; records of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding: Option<Binding>,
    /// The hints that were honoured.
    pub hints: Hints,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands in a reference"
)]
fn is_false(value: &bool) -> bool {
    !value
}

/// What a client may say about where a message should go, in `metadata` of message or request.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Hints {
    /// `metadata.agent`: only this agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// `metadata.skill`: only agents with this skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// `metadata.budget.max_latency_ms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_latency_ms: Option<f64>,
    /// `metadata.budget.max_cost_eur`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_eur: Option<f64>,
    /// `profile` of the routing extension: the profile to choose by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// `max_effect` of the routing extension: the effect allowed at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_effect: Option<Effect>,
}
