//! What became of a message: each try to deliver it, and how it ended.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::agent::AgentId;

/// One try to deliver a message to an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// To whom.
    pub agent: AgentId,
    /// When it began.
    pub started_at: Timestamp,
    /// How far it got: `connect`, `request`, `response`, `stream`.
    pub phase: String,
    /// `ok`, or the kind of failure such as `refused`, `timeout`, `malformed`.
    pub outcome: String,
    /// The failure in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Milliseconds to the answer, or to the first event of a stream.
    pub ms: u64,
    /// What conversions between client and agent have lost, by name, and how often.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub losses: BTreeMap<String, u32>,
}

/// How a decision ended, as far as the gateway has seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// A task state such as `completed` or `input-required`; `message` for a direct reply; `error`; `truncated`;
    /// `not_sent` where no agent got the message.
    pub state: String,
    /// The agent's own id of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The error, for the states `error` and `truncated`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<OutcomeError>,
    /// What it cost, in the agent's currency, where the agent says what it used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Milliseconds from the choice to this state.
    pub ms: u64,
    /// When the task was seen to end; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
}

/// The error a decision ended with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutcomeError {
    /// JSON-RPC error code.
    pub code: i64,
    /// Its message.
    pub message: String,
}
