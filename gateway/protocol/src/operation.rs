//! The eleven operations and their JSON-RPC method names in both versions.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Version;

/// Names an operation; the variants carry the 1.0 names, which records and metrics use for both versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Operation {
    /// Sends a message and waits for one answer.
    SendMessage,
    /// Sends a message and follows the events.
    SendStreamingMessage,
    /// Reads one task.
    GetTask,
    /// Lists tasks; unknown to 0.3.
    ListTasks,
    /// Asks for a task to be canceled.
    CancelTask,
    /// Follows the events of an existing task.
    SubscribeToTask,
    /// Registers a webhook for a task.
    CreateTaskPushNotificationConfig,
    /// Reads one webhook registration.
    GetTaskPushNotificationConfig,
    /// Lists the webhook registrations of a task.
    ListTaskPushNotificationConfigs,
    /// Removes a webhook registration.
    DeleteTaskPushNotificationConfig,
    /// Reads the card that an authenticated caller may see.
    GetExtendedAgentCard,
}

impl Operation {
    /// Lists every operation.
    pub const ALL: [Self; 11] = [
        Self::SendMessage,
        Self::SendStreamingMessage,
        Self::GetTask,
        Self::ListTasks,
        Self::CancelTask,
        Self::SubscribeToTask,
        Self::CreateTaskPushNotificationConfig,
        Self::GetTaskPushNotificationConfig,
        Self::ListTaskPushNotificationConfigs,
        Self::DeleteTaskPushNotificationConfig,
        Self::GetExtendedAgentCard,
    ];

    /// Finds the operation of a JSON-RPC method; the spelling also tells the version, since no name is in both.
    pub fn from_method(method: &str) -> Option<(Version, Self)> {
        let version = if method.contains('/') {
            Version::V03
        } else {
            Version::V1
        };
        Self::ALL
            .into_iter()
            .find(|operation| operation.method(version) == Some(method))
            .map(|operation| (version, operation))
    }

    /// Returns the JSON-RPC method in a version, or `None` where that version lacks the operation.
    pub const fn method(self, version: Version) -> Option<&'static str> {
        match version {
            Version::V1 => Some(self.name()),
            Version::V03 => self.legacy_method(),
        }
    }

    /// Returns the 1.0 name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SendMessage => "SendMessage",
            Self::SendStreamingMessage => "SendStreamingMessage",
            Self::GetTask => "GetTask",
            Self::ListTasks => "ListTasks",
            Self::CancelTask => "CancelTask",
            Self::SubscribeToTask => "SubscribeToTask",
            Self::CreateTaskPushNotificationConfig => "CreateTaskPushNotificationConfig",
            Self::GetTaskPushNotificationConfig => "GetTaskPushNotificationConfig",
            Self::ListTaskPushNotificationConfigs => "ListTaskPushNotificationConfigs",
            Self::DeleteTaskPushNotificationConfig => "DeleteTaskPushNotificationConfig",
            Self::GetExtendedAgentCard => "GetExtendedAgentCard",
        }
    }

    /// Tells whether the answer is a stream of events.
    pub const fn is_streaming(self) -> bool {
        matches!(self, Self::SendStreamingMessage | Self::SubscribeToTask)
    }

    /// Tells whether the parameters carry a message.
    pub const fn sends_message(self) -> bool {
        matches!(self, Self::SendMessage | Self::SendStreamingMessage)
    }

    const fn legacy_method(self) -> Option<&'static str> {
        Some(match self {
            Self::SendMessage => "message/send",
            Self::SendStreamingMessage => "message/stream",
            Self::GetTask => "tasks/get",
            Self::ListTasks => return None,
            Self::CancelTask => "tasks/cancel",
            Self::SubscribeToTask => "tasks/resubscribe",
            Self::CreateTaskPushNotificationConfig => "tasks/pushNotificationConfig/set",
            Self::GetTaskPushNotificationConfig => "tasks/pushNotificationConfig/get",
            Self::ListTaskPushNotificationConfigs => "tasks/pushNotificationConfig/list",
            Self::DeleteTaskPushNotificationConfig => "tasks/pushNotificationConfig/delete",
            Self::GetExtendedAgentCard => "agent/getAuthenticatedExtendedCard",
        })
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_leads_back_to_its_operation_and_version() {
        for operation in Operation::ALL {
            for version in [Version::V03, Version::V1] {
                if let Some(method) = operation.method(version) {
                    assert_eq!(Operation::from_method(method), Some((version, operation)));
                }
            }
        }
    }

    #[test]
    fn only_listing_is_unknown_to_the_old_version() {
        let missing: Vec<_> = Operation::ALL
            .into_iter()
            .filter(|operation| operation.method(Version::V03).is_none())
            .collect();
        assert_eq!(missing, [Operation::ListTasks]);
    }

    #[test]
    fn c067_names_are_matched_exactly() {
        for method in [
            "sendmessage",
            "SendMessage ",
            " message/send",
            "Message/Send",
            "",
            "tasks/list",
        ] {
            assert_eq!(Operation::from_method(method), None, "{method}");
        }
    }

    #[test]
    fn records_use_the_new_name() {
        let json = serde_json::to_string(&Operation::SubscribeToTask).unwrap();
        assert_eq!(json, r#""SubscribeToTask""#);
    }
}
