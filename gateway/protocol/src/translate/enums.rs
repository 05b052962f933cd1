//! Task states and roles, whose values are spelled differently in each dialect.

use serde_json::Value;

use super::conversion::Conversion;
use super::fields::{Fault, Read};
use super::number;
use super::{Dialect, Loss};
use crate::TaskState;

/// Says who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Unspecified,
    User,
    Agent,
}

impl Role {
    /// Reads a role; in a request it must be one that the target can be told.
    pub(super) fn read(value: Option<&Value>, conversion: &mut Conversion<'_>) -> Read<Self> {
        let role = match value {
            None => Some(Self::Unspecified),
            Some(Value::String(name)) => Self::from_name(name),
            Some(other) => number::integer(other).and_then(Self::from_number),
        };
        if conversion.is_request() && !matches!(role, Some(Self::User | Self::Agent)) {
            return Err(match value {
                None => Fault::missing("role"),
                Some(_) => Fault::new("role", "must be the user or the agent"),
            });
        }
        // On the way to 0.3 JSON the loss is counted where the role is written.
        conversion.lose_if(
            role.is_none() && conversion.to != Dialect::V03,
            Loss::UnknownRole,
        );
        Ok(role.unwrap_or(Self::Unspecified))
    }

    /// Writes a role; 0.3 JSON has no word for an unknown one, and the SDKs say `agent`.
    pub(super) fn write(self, conversion: &mut Conversion<'_>) -> &'static str {
        match (self, conversion.to) {
            (Self::User, Dialect::V03) => "user",
            (Self::Agent, Dialect::V03) => "agent",
            (Self::Unspecified, Dialect::V03) => {
                conversion.lose(Loss::UnknownRole);
                "agent"
            }
            (Self::User, _) => "ROLE_USER",
            (Self::Agent, _) => "ROLE_AGENT",
            (Self::Unspecified, _) => "ROLE_UNSPECIFIED",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        match name {
            "user" | "ROLE_USER" => Some(Self::User),
            "agent" | "ROLE_AGENT" => Some(Self::Agent),
            "" | "ROLE_UNSPECIFIED" => Some(Self::Unspecified),
            _ => None,
        }
    }

    fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::Unspecified),
            1 => Some(Self::User),
            2 => Some(Self::Agent),
            _ => None,
        }
    }
}

/// Reads a state; one that a later version may have added becomes unknown.
pub(super) fn read_state(value: Option<&Value>, conversion: &mut Conversion<'_>) -> TaskState {
    let state = match value {
        None => Some(TaskState::Unknown),
        Some(Value::String(name)) => TaskState::from_wire(name),
        Some(other) => number::integer(other)
            .and_then(|number| usize::try_from(number).ok())
            .and_then(TaskState::from_number),
    };
    conversion.lose_if(state.is_none(), Loss::UnknownState);
    state.unwrap_or(TaskState::Unknown)
}

/// Writes a state.
pub(super) fn write_state(state: TaskState, dialect: Dialect) -> &'static str {
    if dialect == Dialect::V03 {
        return state.as_str();
    }
    match state {
        TaskState::Unknown => "TASK_STATE_UNSPECIFIED",
        TaskState::Submitted => "TASK_STATE_SUBMITTED",
        TaskState::Working => "TASK_STATE_WORKING",
        TaskState::Completed => "TASK_STATE_COMPLETED",
        TaskState::Failed => "TASK_STATE_FAILED",
        TaskState::Canceled if dialect == Dialect::V03Proto => "TASK_STATE_CANCELLED",
        TaskState::Canceled => "TASK_STATE_CANCELED",
        TaskState::InputRequired => "TASK_STATE_INPUT_REQUIRED",
        TaskState::Rejected => "TASK_STATE_REJECTED",
        TaskState::AuthRequired => "TASK_STATE_AUTH_REQUIRED",
    }
}
