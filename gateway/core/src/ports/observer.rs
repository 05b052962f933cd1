//! Whoever counts what happens.

use std::{fmt, time::Duration};

use gateway_protocol::{Operation, translate::Loss};

use crate::{
    agent::AgentId,
    decision::{Discard, RuleAction},
};

/// Whoever counts what happens. Labels are bounded: agents and rules come from configuration.
pub trait Observer: Send + Sync + fmt::Debug {
    /// An operation was answered. `agent` is absent where none was reached.
    fn answered(&self, seen: &Answered<'_>);
    /// So many candidates were discarded for this reason.
    fn discarded(&self, reason: Discard, count: usize);
    /// A routing rule matched a message, and this is what it did.
    fn rule_matched(&self, rule: &str, action: RuleAction);
    /// An event of a stream was relayed.
    fn stream_event(&self, agent: &AgentId);
    /// A conversion between protocol versions lost something, so many times.
    fn lost(&self, loss: Loss, count: u32);
    /// A delivery to a webhook was tried; what became of it is `delivered`, `retried`, `gave_up`, `refused` or
    /// `unreadable`.
    fn pushed(&self, outcome: &'static str);
    /// The best score was this much above the next one.
    fn margin(&self, margin: f64);
    /// Chance had a part in a choice; `explored` says whether another than the best was taken.
    fn explored(&self, method: &'static str, explored: bool);
    /// A shadow profile would have taken the same agent as the best by the profile in use, or another.
    fn shadowed(&self, profile: &str, agrees: bool);
    /// A message was routed by words alone, because its meaning could not be read.
    fn unread(&self);
}

/// An answered operation.
#[derive(Debug)]
pub struct Answered<'a> {
    /// The agent that was called.
    pub agent: Option<&'a AgentId>,
    /// The operation.
    pub operation: Operation,
    /// `ok`, `agent_error`, or the kind of the gateway's own failure.
    pub outcome: &'a str,
    /// From accepting the call to the answer, or to the first event of a stream.
    pub took: Duration,
    /// The part of it that was spent waiting for the agent.
    pub upstream: Duration,
}
