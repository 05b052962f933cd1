//! What is asked of whom: the targets of a run and the bodies of their requests.

use std::{
    net::SocketAddr,
    sync::atomic::{AtomicU64, Ordering},
};

use bytes::{BufMut as _, Bytes, BytesMut};
use serde_json::json;

use crate::{Outcome, federation};

/// Events of a measured stream.
pub(crate) const EVENTS: usize = 100;
/// Stands for the message id in a body that is not finished yet.
const PLACE: &str = "{message id}";

/// What kind of request is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `SendMessage`, answered by a completed task.
    Unary,
    /// `SendStreamingMessage`, answered by [`EVENTS`] events.
    Stream,
}

impl Kind {
    fn method(self) -> &'static str {
        match self {
            Self::Unary => "SendMessage",
            Self::Stream => "SendStreamingMessage",
        }
    }
}

/// Somewhere requests are sent to.
#[derive(Debug)]
pub(crate) struct Target {
    /// How the report calls it.
    pub(crate) name: String,
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// The path of the endpoint.
    pub(crate) path: String,
    /// Which of the gateways it is; none for the agent itself.
    pub(crate) gateway: Option<usize>,
    unary: Vec<Template>,
    stream: Vec<Template>,
}

impl Target {
    /// Describes a target whose messages mean the first `agents` agents in turn.
    pub(crate) fn new(
        name: String,
        address: SocketAddr,
        path: String,
        agents: usize,
    ) -> Outcome<Self> {
        let templates = |kind| {
            (0..agents)
                .map(|agent| Template::new(kind, agent))
                .collect::<Outcome<_>>()
        };
        Ok(Self {
            name,
            address,
            path,
            gateway: None,
            unary: templates(Kind::Unary)?,
            stream: templates(Kind::Stream)?,
        })
    }

    /// Says that the target is a gateway.
    pub(crate) fn of_gateway(self, gateway: usize) -> Self {
        Self {
            gateway: Some(gateway),
            ..self
        }
    }

    /// Returns the body of the next request; no two bodies of a run have the same message id.
    pub(crate) fn body(&self, kind: Kind) -> Bytes {
        static SERIAL: AtomicU64 = AtomicU64::new(1);
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let templates = match kind {
            Kind::Unary => &self.unary,
            Kind::Stream => &self.stream,
        };
        let count = u64::try_from(templates.len()).unwrap_or(u64::MAX).max(1);
        let turn = usize::try_from(serial % count).unwrap_or(0);
        templates
            .get(turn)
            .map(|template| template.fill(serial))
            .unwrap_or_default()
    }
}

/// A request body without its message id, so that a request costs the client as little as possible.
#[derive(Debug)]
struct Template {
    before: Bytes,
    after: Bytes,
}

impl Template {
    fn new(kind: Kind, agent: usize) -> Outcome<Self> {
        let events = if kind == Kind::Stream { EVENTS } else { 0 };
        let params = federation::params(agent, PLACE, events);
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": kind.method(), "params": params })
            .to_string();
        let (before, after) = body
            .split_once(PLACE)
            .ok_or("a body without a message id")?;
        Ok(Self {
            before: Bytes::copy_from_slice(before.as_bytes()),
            after: Bytes::copy_from_slice(after.as_bytes()),
        })
    }

    fn fill(&self, serial: u64) -> Bytes {
        let mut body = BytesMut::with_capacity(self.before.len() + self.after.len() + 20);
        body.put_slice(&self.before);
        body.put_slice(format!("m-{serial}").as_bytes());
        body.put_slice(&self.after);
        body.freeze()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn bodies_are_json_and_never_the_same() {
        let target =
            Target::new(String::new(), ([127, 0, 0, 1], 1).into(), String::new(), 3).unwrap();
        let bodies: BTreeSet<_> = (0..9).map(|_| target.body(Kind::Unary)).collect();
        assert_eq!(bodies.len(), 9);
        for body in bodies {
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(body["method"], "SendMessage");
        }
    }
}
