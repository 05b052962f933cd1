//! The table of places where ids live, per operation and object (A2A §3 and §4, and their 0.3 forms).
//!
//! Names are camelCase; the `snake_case` form matches as well.

use std::ops::Range;

use super::IdKind;
use crate::Operation;
use crate::shape::ResultKind;
use crate::translate::{Dialect, resource};

/// Is a member of an object and what it holds.
pub(super) type Member = (&'static str, Place);

/// Says what a member holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// One id.
    Id(IdKind),
    /// The id of a task in a longer text.
    Task(TaskText),
    /// An array of ids.
    Ids(IdKind),
    /// An object.
    Object(&'static [Member]),
    /// An array of objects.
    Objects(&'static [Member]),
}

/// Says how a text names a task.
#[derive(Debug, Clone, Copy)]
pub(super) enum TaskText {
    /// By its id.
    Id,
    /// `tasks/` and its id.
    Name,
    /// The name of one of its push configurations.
    ConfigName,
}

impl TaskText {
    /// Returns where the id is; `None` where the text has another form or the id is empty.
    pub(super) fn id_within(self, text: &str) -> Option<Range<usize>> {
        match self {
            Self::Id => Some(0..text.len()).filter(|id| !id.is_empty()),
            Self::Name => resource::task_within(text),
            Self::ConfigName => resource::task_of_config_within(text),
        }
    }
}

/// Says where parameters name the task that they are about.
#[derive(Debug, Clone, Copy)]
pub(super) struct TaskOfParams {
    /// Paths to it, of which the first that leads somewhere counts.
    pub(super) paths: &'static [&'static [&'static str]],
    pub(super) form: TaskText,
}

const TASK_ID: Member = ("taskId", Place::Id(IdKind::Task));
const CONTEXT_ID: Member = ("contextId", Place::Id(IdKind::Context));
/// `update` is what the 0.3 protobuf calls the message of a status.
const STATUS: Member = (
    "status",
    Place::Object(&[
        ("message", Place::Object(MESSAGE)),
        ("update", Place::Object(MESSAGE)),
    ]),
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
    // What the 0.3 protobuf calls it.
    ("msg", Place::Object(MESSAGE)),
    ("statusUpdate", Place::Object(EVENT)),
    ("artifactUpdate", Place::Object(EVENT)),
];

pub(super) const TASK_LIST: &[Member] = &[("tasks", Place::Objects(TASK))];
const PUSH_CONFIG: &[Member] = &[TASK_ID];
const NAMED_PUSH_CONFIG: &[Member] = &[("name", Place::Task(TaskText::ConfigName))];
pub(super) const ERROR_INFO: &[Member] = &[("metadata", Place::Object(&[TASK_ID, CONTEXT_ID]))];

const SEND: &[Member] = &[
    ("message", Place::Object(MESSAGE)),
    (
        "configuration",
        Place::Object(&[("taskPushNotificationConfig", Place::Object(PUSH_CONFIG))]),
    ),
];
/// The message has either of two names: the protobuf's and its JSON one.
const SEND_PROTO: &[Member] = &[
    ("message", Place::Object(MESSAGE)),
    ("request", Place::Object(MESSAGE)),
];
const BY_ID: &[Member] = &[("id", Place::Id(IdKind::Task))];
const BY_NAME: &[Member] = &[("name", Place::Task(TaskText::Name))];
const BY_PARENT: &[Member] = &[("parent", Place::Task(TaskText::Name))];

/// Returns the places in the parameters of an operation.
pub(super) fn of_params(operation: Operation, dialect: Dialect) -> &'static [Member] {
    match (operation, dialect) {
        (Operation::SendMessage | Operation::SendStreamingMessage, Dialect::V03Proto) => SEND_PROTO,
        (Operation::SendMessage | Operation::SendStreamingMessage, _) => SEND,
        (
            Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask,
            Dialect::V03Proto,
        ) => BY_NAME,
        (Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask, _) => BY_ID,
        (Operation::ListTasks, _) => &[CONTEXT_ID],
        (Operation::CreateTaskPushNotificationConfig, Dialect::V03Proto) => &[
            ("parent", Place::Task(TaskText::Name)),
            ("config", Place::Object(NAMED_PUSH_CONFIG)),
        ],
        (Operation::CreateTaskPushNotificationConfig, _) => PUSH_CONFIG,
        (Operation::ListTaskPushNotificationConfigs, Dialect::V03Proto) => BY_PARENT,
        (
            Operation::GetTaskPushNotificationConfig
            | Operation::ListTaskPushNotificationConfigs
            | Operation::DeleteTaskPushNotificationConfig,
            dialect,
        ) => match dialect {
            Dialect::V03 => BY_ID,
            Dialect::V03Proto => NAMED_PUSH_CONFIG,
            Dialect::V1 => PUSH_CONFIG,
        },
        (Operation::GetExtendedAgentCard, _) => &[],
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

/// Returns the places in a push configuration with its task.
pub(super) const fn push_config(dialect: Dialect) -> &'static [Member] {
    match dialect {
        Dialect::V03 | Dialect::V1 => PUSH_CONFIG,
        Dialect::V03Proto => NAMED_PUSH_CONFIG,
    }
}

/// Returns the places in a page of push configurations.
pub(super) const fn push_config_list(dialect: Dialect) -> &'static [Member] {
    match dialect {
        Dialect::V03 | Dialect::V1 => &[("configs", Place::Objects(PUSH_CONFIG))],
        Dialect::V03Proto => &[("configs", Place::Objects(NAMED_PUSH_CONFIG))],
    }
}

/// Returns where the parameters of an operation name its task.
pub(super) const fn task_of_params(operation: Operation, dialect: Dialect) -> TaskOfParams {
    let is_proto = matches!(dialect, Dialect::V03Proto);
    let (paths, form): (&[&[&str]], _) = match operation {
        Operation::SendMessage | Operation::SendStreamingMessage if is_proto => (
            &[&["message", "taskId"], &["request", "taskId"]],
            TaskText::Id,
        ),
        Operation::SendMessage | Operation::SendStreamingMessage => {
            (&[&["message", "taskId"]], TaskText::Id)
        }
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask if is_proto => {
            (&[&["name"]], TaskText::Name)
        }
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => {
            (&[&["id"]], TaskText::Id)
        }
        Operation::CreateTaskPushNotificationConfig
        | Operation::ListTaskPushNotificationConfigs
            if is_proto =>
        {
            (&[&["parent"]], TaskText::Name)
        }
        Operation::CreateTaskPushNotificationConfig => (&[&["taskId"]], TaskText::Id),
        Operation::GetTaskPushNotificationConfig
        | Operation::ListTaskPushNotificationConfigs
        | Operation::DeleteTaskPushNotificationConfig => match dialect {
            Dialect::V03 => (&[&["id"]], TaskText::Id),
            Dialect::V03Proto => (&[&["name"]], TaskText::ConfigName),
            Dialect::V1 => (&[&["taskId"]], TaskText::Id),
        },
        Operation::ListTasks | Operation::GetExtendedAgentCard => (&[], TaskText::Id),
    };
    TaskOfParams { paths, form }
}
