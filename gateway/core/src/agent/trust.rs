//! What the operator demands of an agent's card before it is used.

use std::sync::Arc;

use agent_cards::TrustedKeys;
use serde::{Deserialize, Serialize};
use url::Url;

/// What a card must show to be used, and what happens when it changes.
#[derive(Debug, Clone, Default)]
pub struct CardTrust {
    /// Whether a card without a valid signature is refused.
    pub require_signature: bool,
    /// The keys that signatures are verified with.
    pub keys: Arc<TrustedKeys>,
    /// The origin that every interface of the card must have; without it, any.
    pub origin: Option<Url>,
    /// What happens when a card drifts from the accepted one.
    pub on_drift: OnDrift,
}

/// What happens when a card changes in a skill, its security, the origin of an interface, its signature or who it says
/// it is of.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum OnDrift {
    /// The new card is used.
    Ignore,
    /// The new card is used, and the change is logged and shown.
    #[default]
    Warn,
    /// The new card waits until the operator accepts it. Running tasks go on, new ones go elsewhere.
    Quarantine,
}

/// Which card callers get for an agent.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ServeCard {
    /// The card with the gateway's addresses and without the agent's signature.
    #[default]
    Rewritten,
    /// The same, and the agent's own card at another place, which the rewritten one names. It tells callers the inner
    /// addresses of the agent.
    WithOriginal,
    /// The agent's own card, byte for byte. Its signature stays valid, and its addresses lead past the gateway.
    Verbatim,
}
