//! Reads the params of the operations, and refuses what the protocol does not allow.

use serde_json::Value;

use crate::dialect::{Dialect, text_of};
use crate::fault::Fault;

/// The params of a send, unary or streamed.
#[derive(Debug)]
pub(crate) struct SendParams {
    pub(crate) message: Value,
    pub(crate) task_id: Option<String>,
    pub(crate) context_id: Option<String>,
    /// Whether the caller wants to wait until the task comes to rest.
    pub(crate) wait: bool,
    pub(crate) history_length: Option<usize>,
}

impl SendParams {
    /// Reads and checks the params of a send.
    ///
    /// # Errors
    ///
    /// Refuses a malformed message, one without text, and a wish for push notifications.
    pub(crate) fn read(dialect: Dialect, params: &Value) -> Result<Self, Fault> {
        let message = &params["message"];
        check_message(dialect, message)?;
        if text_of(message).trim().is_empty() {
            return Err(Fault::ContentTypeNotSupported);
        }
        let configuration = &params["configuration"];
        let (push, wait) = match dialect {
            Dialect::V03 => (
                "pushNotificationConfig",
                flag(configuration, "blocking")?.unwrap_or(true),
            ),
            Dialect::V10 => (
                "taskPushNotificationConfig",
                !flag(configuration, "returnImmediately")?.unwrap_or(false),
            ),
        };
        if !configuration[push].is_null() {
            return Err(Fault::PushNotificationNotSupported);
        }
        Ok(Self {
            message: message.clone(),
            task_id: text(message, "taskId")?,
            context_id: text(message, "contextId")?,
            wait,
            history_length: history_length(configuration)?,
        })
    }
}

fn check_message(dialect: Dialect, message: &Value) -> Result<(), Fault> {
    if !message.is_object() {
        return Err(invalid("`message` is missing or not an object"));
    }
    if text(message, "messageId")?.is_none() {
        return Err(invalid("`message.messageId` is missing"));
    }
    let role = dialect.user_role();
    if message["role"] != role {
        return Err(invalid(&format!(
            "`message.role` must be `{role}`, not {}",
            message["role"]
        )));
    }
    match message["parts"].as_array() {
        Some(parts) if !parts.is_empty() => {
            if parts.iter().all(|part| is_part(dialect, part)) {
                return Ok(());
            }
            Err(invalid("`message.parts` has a part of no known kind"))
        }
        _ => Err(invalid("`message.parts` is missing or empty")),
    }
}

fn is_part(dialect: Dialect, part: &Value) -> bool {
    match dialect {
        Dialect::V03 => match part["kind"].as_str() {
            Some("text") => part["text"].is_string(),
            Some("file") => part["file"]["bytes"].is_string() || part["file"]["uri"].is_string(),
            Some("data") => part["data"].is_object(),
            _ => false,
        },
        Dialect::V10 => {
            let strings = ["text", "raw", "url"]
                .into_iter()
                .filter(|member| part[member].is_string());
            // `data: null` is a value, so presence counts and not content.
            strings.count() + usize::from(part.get("data").is_some()) == 1
        }
    }
}

/// Returns the task id of a get, cancel or subscribe.
///
/// # Errors
///
/// Refuses params without an `id`.
pub(crate) fn task_id(params: &Value) -> Result<String, Fault> {
    text(params, "id")?.ok_or_else(|| invalid("`id` is missing: it names the task"))
}

/// Returns how many messages of the history the caller wants; nothing means all.
///
/// # Errors
///
/// Refuses what is not a whole number from 0 up.
pub(crate) fn history_length(params: &Value) -> Result<Option<usize>, Fault> {
    whole_number(params, "historyLength")
}

/// Returns an optional whole number.
///
/// # Errors
///
/// Refuses what is not a whole number from 0 up.
pub(crate) fn whole_number(params: &Value, member: &str) -> Result<Option<usize>, Fault> {
    match &params[member] {
        Value::Null => Ok(None),
        value => match value
            .as_u64()
            .and_then(|number| usize::try_from(number).ok())
        {
            Some(number) => Ok(Some(number)),
            None => Err(invalid(&format!(
                "`{member}` must be a whole number, not {value}"
            ))),
        },
    }
}

/// Returns an optional string; an empty one counts as absent, as in protobuf.
///
/// # Errors
///
/// Refuses what is not a string.
pub(crate) fn text(object: &Value, member: &str) -> Result<Option<String>, Fault> {
    match &object[member] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone()).filter(|text| !text.is_empty())),
        other => Err(invalid(&format!(
            "`{member}` must be a string, not {other}"
        ))),
    }
}

/// Returns an optional flag.
///
/// # Errors
///
/// Refuses what is not a boolean.
pub(crate) fn flag(object: &Value, member: &str) -> Result<Option<bool>, Fault> {
    match &object[member] {
        Value::Null => Ok(None),
        Value::Bool(flag) => Ok(Some(*flag)),
        other => Err(invalid(&format!(
            "`{member}` must be true or false, not {other}"
        ))),
    }
}

/// Returns the fault of params that break the rule described.
pub(crate) fn invalid(why: &str) -> Fault {
    Fault::InvalidParams(why.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn params(part: &Value) -> Value {
        json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [part]}})
    }

    #[test]
    fn part_without_exactly_one_content_is_refused() {
        for part in [
            json!({}),
            json!({"text": "a", "data": 1}),
            json!({"text": 1}),
            json!("a"),
        ] {
            let read = SendParams::read(Dialect::V10, &params(&part));
            assert!(matches!(read, Err(Fault::InvalidParams(_))), "{part}");
        }
    }

    #[test]
    fn message_without_text_is_refused_by_kind() {
        let read = SendParams::read(Dialect::V10, &params(&json!({"data": null})));
        assert!(matches!(read, Err(Fault::ContentTypeNotSupported)));
    }

    #[test]
    fn waiting_is_the_default_in_both_versions() {
        let mut new = params(&json!({"text": "hello"}));
        assert!(SendParams::read(Dialect::V10, &new).unwrap().wait);
        new["configuration"] = json!({"returnImmediately": true, "historyLength": 3});
        let read = SendParams::read(Dialect::V10, &new).unwrap();
        assert_eq!((read.wait, read.history_length), (false, Some(3)));

        let part = json!({"kind": "text", "text": "hello"});
        let mut old = json!({"message": {"messageId": "m", "role": "user", "parts": [part]}});
        assert!(SendParams::read(Dialect::V03, &old).unwrap().wait);
        old["configuration"] = json!({"blocking": false});
        assert!(!SendParams::read(Dialect::V03, &old).unwrap().wait);
    }

    #[test]
    fn wish_for_push_notifications_is_refused() {
        let mut wish = params(&json!({"text": "hello"}));
        wish["configuration"] = json!({"taskPushNotificationConfig": {"url": "https://a.example"}});
        let read = SendParams::read(Dialect::V10, &wish);
        assert!(matches!(read, Err(Fault::PushNotificationNotSupported)));
    }

    #[test]
    fn negative_history_length_is_refused() {
        assert!(history_length(&json!({"historyLength": -1})).is_err());
        assert!(history_length(&json!({"historyLength": 1.5})).is_err());
        assert_eq!(
            history_length(&json!({"historyLength": 0})).unwrap(),
            Some(0)
        );
    }
}
