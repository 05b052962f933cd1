//! What the writer is asked to do, and who is told how it went.

use std::fmt::Write as _;

use gateway_core::ports::StoreError;
use tokio::sync::oneshot;

use super::super::{pins::PinRow, push::PushWrite};
use crate::row::{DecisionRow, NoteRow};

/// Tells the caller that what it handed in is on disk, or why not.
type Done = oneshot::Sender<Result<(), StoreError>>;

/// Something to write.
#[derive(Debug)]
pub(in crate::sqlite) enum Command {
    /// A decision.
    Record { row: Box<DecisionRow>, done: Done },
    /// What became of something. Whoever waits for it is in a hurry, and so for all that came before.
    Notes {
        rows: Vec<NoteRow>,
        done: Option<Done>,
    },
    /// A change about push notifications.
    Push { write: PushWrite, done: Done },
    /// The card an agent was accepted with.
    Pin { row: PinRow, done: Done },
}

impl Command {
    /// Tells whether this must not wait for company.
    pub(super) fn is_urgent(&self) -> bool {
        matches!(self, Self::Notes { done: Some(_), .. } | Self::Push { .. })
    }

    /// Returns the agents that were considered.
    pub(in crate::sqlite) fn candidates(&self) -> impl Iterator<Item = &str> {
        let candidates = match self {
            Self::Record { row, .. } => row.candidates.as_slice(),
            Self::Notes { .. } | Self::Push { .. } | Self::Pin { .. } => &[],
        };
        candidates.iter().map(|(agent, _)| agent.as_str())
    }

    /// Returns the change that is written on its own.
    pub(super) fn push(&self) -> Option<&PushWrite> {
        match self {
            Self::Push { write, .. } => Some(write),
            Self::Record { .. } | Self::Notes { .. } | Self::Pin { .. } => None,
        }
    }

    /// Returns the accepted card that is written with others of its kind.
    pub(super) fn pin(&self) -> Option<&PinRow> {
        match self {
            Self::Pin { row, .. } => Some(row),
            Self::Record { .. } | Self::Notes { .. } | Self::Push { .. } => None,
        }
    }

    /// Answers whoever waits. A caller that is gone needs no answer.
    pub(super) fn succeeded(self) {
        match self {
            Self::Record { done, .. }
            | Self::Push { done, .. }
            | Self::Pin { done, .. }
            | Self::Notes {
                done: Some(done), ..
            } => drop(done.send(Ok(()))),
            Self::Notes { done: None, .. } => {}
        }
    }

    pub(super) fn failed(self, error: &sqlx::Error) {
        match self {
            Self::Record { row, done } => {
                let error = StoreError(format!("cannot record decision `{}`: {error}", row.id));
                drop(done.send(Err(error)));
            }
            Self::Push { write, done } => {
                let error = StoreError(format!("cannot {}: {error}", write.name()));
                drop(done.send(Err(error)));
            }
            Self::Pin { done, .. } => {
                let error = StoreError(format!("cannot remember an accepted card: {error}"));
                drop(done.send(Err(error)));
            }
            Self::Notes {
                rows,
                done: Some(done),
            } if rows.is_empty() => drop(done.send(Ok(()))),
            Self::Notes {
                rows,
                done: Some(done),
            } => {
                let error = StoreError(format!("cannot write {}: {error}", subjects(&rows)));
                drop(done.send(Err(error)));
            }
            Self::Notes { rows, done: None } => {
                tracing::error!(%error, "cannot write {}", subjects(&rows));
            }
        }
    }
}

fn subjects(rows: &[NoteRow]) -> String {
    let mut text = String::new();
    for row in rows {
        let separator = if text.is_empty() { "" } else { "; " };
        // Writing to a string never fails.
        let _written = write!(text, "{separator}{row}");
    }
    text
}
