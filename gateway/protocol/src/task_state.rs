//! The life states of a task, read from either version's spelling.

use std::fmt;

use serde::{Serialize, Serializer};

/// Names the state of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskState {
    /// The agent does not say.
    Unknown,
    /// Accepted, not begun.
    Submitted,
    /// Under way.
    Working,
    /// Done.
    Completed,
    /// Ended by an error.
    Failed,
    /// Ended on request.
    Canceled,
    /// Waiting for more input from the client.
    InputRequired,
    /// Refused by the agent.
    Rejected,
    /// Waiting for credentials.
    AuthRequired,
}

impl TaskState {
    /// The states in the order of their protobuf numbers.
    const BY_NUMBER: [Self; 9] = [
        Self::Unknown,
        Self::Submitted,
        Self::Working,
        Self::Completed,
        Self::Failed,
        Self::Canceled,
        Self::InputRequired,
        Self::Rejected,
        Self::AuthRequired,
    ];

    /// Reads the 0.3 or the 1.0 spelling, with one or two L in "cancelled".
    pub fn from_wire(text: &str) -> Option<Self> {
        Some(match text {
            "unknown" | "TASK_STATE_UNSPECIFIED" => Self::Unknown,
            "submitted" | "TASK_STATE_SUBMITTED" => Self::Submitted,
            "working" | "TASK_STATE_WORKING" => Self::Working,
            "completed" | "TASK_STATE_COMPLETED" => Self::Completed,
            "failed" | "TASK_STATE_FAILED" => Self::Failed,
            "canceled" | "cancelled" | "TASK_STATE_CANCELED" | "TASK_STATE_CANCELLED" => {
                Self::Canceled
            }
            "input-required" | "TASK_STATE_INPUT_REQUIRED" => Self::InputRequired,
            "rejected" | "TASK_STATE_REJECTED" => Self::Rejected,
            "auth-required" | "TASK_STATE_AUTH_REQUIRED" => Self::AuthRequired,
            _ => return None,
        })
    }

    /// Reads the protobuf number, which ProtoJSON writers may put in place of the name.
    pub fn from_number(number: usize) -> Option<Self> {
        Self::BY_NUMBER.get(number).copied()
    }

    /// Tells whether the task can change no more.
    pub const fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Canceled | Self::Rejected
        )
    }

    /// Tells whether the task waits for its client.
    pub const fn is_interrupted(self) -> bool {
        matches!(self, Self::InputRequired | Self::AuthRequired)
    }

    /// Returns the lower-case spelling, which is also the 0.3 wire form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Submitted => "submitted",
            Self::Working => "working",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
            Self::InputRequired => "input-required",
            Self::Rejected => "rejected",
            Self::AuthRequired => "auth-required",
        }
    }
}

impl fmt::Display for TaskState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for TaskState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_name_the_same_state() {
        for state in TaskState::BY_NUMBER {
            assert_eq!(TaskState::from_wire(state.as_str()), Some(state));
            if state != TaskState::Unknown {
                let upper = state.as_str().to_uppercase().replace('-', "_");
                assert_eq!(
                    TaskState::from_wire(&format!("TASK_STATE_{upper}")),
                    Some(state)
                );
            }
        }
        assert_eq!(
            TaskState::from_wire("TASK_STATE_UNSPECIFIED"),
            Some(TaskState::Unknown)
        );
        assert_eq!(TaskState::from_wire("cancelled"), Some(TaskState::Canceled));
        assert_eq!(
            TaskState::from_wire("TASK_STATE_CANCELLED"),
            Some(TaskState::Canceled)
        );
        assert_eq!(TaskState::from_wire("Completed"), None);
    }

    #[test]
    fn numbers_follow_the_protobuf_enum() {
        assert_eq!(TaskState::from_number(3), Some(TaskState::Completed));
        assert_eq!(TaskState::from_number(8), Some(TaskState::AuthRequired));
        assert_eq!(TaskState::from_number(9), None);
    }

    #[test]
    fn four_states_end_and_two_wait() {
        let names = |wanted: fn(TaskState) -> bool| -> Vec<_> {
            TaskState::BY_NUMBER
                .into_iter()
                .filter(|state| wanted(*state))
                .map(TaskState::as_str)
                .collect()
        };
        assert_eq!(
            names(TaskState::is_terminal),
            ["completed", "failed", "canceled", "rejected"]
        );
        assert_eq!(
            names(TaskState::is_interrupted),
            ["input-required", "auth-required"]
        );
    }
}
