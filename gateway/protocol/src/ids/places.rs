//! The table of places where ids live, per operation and object (A2A §3 and §4, and their 0.3 forms).
//!
//! Names are camelCase; the `snake_case` form matches as well.

use super::IdKind;
use crate::shape::ResultKind;
use crate::{Operation, Version};

/// Is a member of an object and what it holds.
pub(super) type Member = (&'static str, Place);

/// Says what a member holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// One id.
    Id(IdKind),
    /// An array of ids.
    Ids(IdKind),
    /// An object.
    Object(&'static [Member]),
    /// An array of objects.
    Objects(&'static [Member]),
}

const TASK_ID: Member = ("taskId", Place::Id(IdKind::Task));
const CONTEXT_ID: Member = ("contextId", Place::Id(IdKind::Context));
const STATUS: Member = (
    "status",
    Place::Object(&[("message", Place::Object(MESSAGE))]),
);

const MESSAGE: &[Member] = &[
    TASK_ID,
    CONTEXT_ID,
    ("referenceTaskIds", Place::Ids(IdKind::Task)),
];

const TASK: &[Member] = &[
    ("id", Place::Id(IdKind::Task)),
    CONTEXT_ID,
    STATUS,
    ("history", Place::Objects(MESSAGE)),
];

/// Both events, and objects that cannot be told: these names mean the same wherever they occur.
pub(super) const EVENT: &[Member] = &[TASK_ID, CONTEXT_ID, STATUS];

pub(super) const WRAPPER: &[Member] = &[
    ("task", Place::Object(TASK)),
    ("message", Place::Object(MESSAGE)),
    ("statusUpdate", Place::Object(EVENT)),
    ("artifactUpdate", Place::Object(EVENT)),
];

pub(super) const TASK_LIST: &[Member] = &[("tasks", Place::Objects(TASK))];
pub(super) const PUSH_CONFIG: &[Member] = &[TASK_ID];
pub(super) const PUSH_CONFIG_LIST: &[Member] = &[("configs", Place::Objects(PUSH_CONFIG))];
pub(super) const ERROR_INFO: &[Member] = &[("metadata", Place::Object(&[TASK_ID, CONTEXT_ID]))];

const SEND: &[Member] = &[
    ("message", Place::Object(MESSAGE)),
    (
        "configuration",
        Place::Object(&[("taskPushNotificationConfig", Place::Object(PUSH_CONFIG))]),
    ),
];
const BY_ID: &[Member] = &[("id", Place::Id(IdKind::Task))];

/// Returns the places in the parameters of an operation.
pub(super) fn of_params(operation: Operation, version: Version) -> &'static [Member] {
    match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => SEND,
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => BY_ID,
        Operation::ListTasks => &[CONTEXT_ID],
        Operation::CreateTaskPushNotificationConfig => PUSH_CONFIG,
        Operation::GetTaskPushNotificationConfig
        | Operation::ListTaskPushNotificationConfigs
        | Operation::DeleteTaskPushNotificationConfig => match version {
            Version::V03 => BY_ID,
            Version::V1 => PUSH_CONFIG,
        },
        Operation::GetExtendedAgentCard => &[],
    }
}

/// Returns the places in one of the answer objects.
pub(super) fn of_form(form: ResultKind) -> &'static [Member] {
    match form {
        ResultKind::Task => TASK,
        ResultKind::Message => MESSAGE,
        ResultKind::StatusUpdate | ResultKind::ArtifactUpdate => EVENT,
    }
}

/// Returns the members that lead to the task an operation is about.
pub(super) fn task_id_path(operation: Operation, version: Version) -> &'static [&'static str] {
    match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => &["message", "taskId"],
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => &["id"],
        Operation::CreateTaskPushNotificationConfig => &["taskId"],
        Operation::GetTaskPushNotificationConfig
        | Operation::ListTaskPushNotificationConfigs
        | Operation::DeleteTaskPushNotificationConfig => match version {
            Version::V03 => &["id"],
            Version::V1 => &["taskId"],
        },
        Operation::ListTasks | Operation::GetExtendedAgentCard => &[],
    }
}
