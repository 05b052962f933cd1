//! What every reader and writer of an object needs to know about the conversion it is part of.

use super::fields::Fault;
use super::{Dialect, Loss, Losses, Settings};
use crate::{Error, ErrorKind};

/// Is one conversion under way.
#[derive(Debug)]
pub(super) struct Conversion<'a> {
    pub(super) from: Dialect,
    pub(super) to: Dialect,
    pub(super) settings: Settings,
    pub(super) leg: Leg,
    pub(super) losses: &'a mut Losses,
}

/// Says who wrote the value: a client must be told what is wrong with it, an agent is read with more patience.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leg {
    Request,
    Answer,
}

impl Conversion<'_> {
    pub(super) fn is_request(&self) -> bool {
        self.leg == Leg::Request
    }

    pub(super) fn is_identity(&self) -> bool {
        self.from == self.to
    }

    pub(super) fn lose(&mut self, loss: Loss) {
        self.losses.add(loss);
    }

    /// Counts a loss if there was something to lose.
    pub(super) fn lose_if(&mut self, is_lost: bool, loss: Loss) {
        if is_lost {
            self.lose(loss);
        }
    }

    /// Turns a fault into the error of whoever wrote the value.
    pub(super) fn refuse(&self, fault: Fault) -> Error {
        let Fault { field, problem } = fault;
        let (kind, message) = match self.leg {
            Leg::Request => (ErrorKind::InvalidParams, format!("`{field}` {problem}")),
            Leg::Answer => (
                ErrorKind::InvalidAgentResponse,
                format!("the agent's answer is malformed: `{field}` {problem}"),
            ),
        };
        Error::new(kind, message).field_violation(&field, &problem)
    }
}
