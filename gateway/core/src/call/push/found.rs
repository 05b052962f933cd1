//! Finds the webhook in the parameters of a message, wherever a client may have put it: what is overlooked here would
//! reach the agent.

use std::{fmt, ops::Range};

use gateway_protocol::{
    Error, ErrorKind, Operation,
    translate::{Dialect, Losses, Translator},
};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::{Value, json, value::RawValue};

/// What the member is called in any version and spelling.
const NAMES: [&str; 6] = [
    "taskPushNotificationConfig",
    "task_push_notification_config",
    "pushNotificationConfig",
    "push_notification_config",
    "pushNotification",
    "push_notification",
];

/// The member of the parameters that holds the webhook.
#[derive(Debug)]
pub(super) struct Found<'a> {
    config: &'a RawValue,
    /// Where it stands in the parameters.
    pub(super) place: Range<usize>,
    dialect: Dialect,
}

impl<'a> Found<'a> {
    /// Looks for a webhook; `None` where there is none.
    ///
    /// # Errors
    /// -32602 when there are several, or one under a name that the client's version does not have: the agent would
    /// not read it, or another one than the gateway.
    pub(super) fn within(params: &'a RawValue, dialect: Dialect) -> Result<Option<Self>, Error> {
        let configurations = members(params, |name| name == "configuration");
        let Some((_, configuration)) = configurations.first() else {
            return Ok(None);
        };
        let in_any = configurations
            .iter()
            .flat_map(|(_, configuration)| members(configuration, |name| NAMES.contains(&name)));
        if in_any.count() == 0 {
            return Ok(None);
        }
        if configurations.len() > 1 {
            return Err(wrong("configuration", "occurs more than once"));
        }
        let found = members(configuration, |name| NAMES.contains(&name));
        let expected = name(dialect);
        let field = format!("configuration.{expected}");
        match found.as_slice() {
            [(name, config)] if is_spelling_of(name, expected) => {
                let start = config.get().as_ptr() as usize - params.get().as_ptr() as usize;
                let place = start..start + config.get().len();
                Ok(Some(Self {
                    config,
                    place,
                    dialect,
                }))
            }
            [(name, _)] => {
                let problem = format!("is not known in this version, use `{expected}`");
                Err(wrong(&format!("configuration.{name}"), &problem))
            }
            _ => Err(wrong(&field, "occurs more than once")),
        }
    }

    /// Returns what stands before the names of its members in errors.
    pub(super) fn prefix(&self) -> &'static str {
        match self.dialect {
            Dialect::V03 => "configuration.pushNotificationConfig.",
            Dialect::V03Proto => "configuration.pushNotification.",
            Dialect::V1 => "configuration.taskPushNotificationConfig.",
        }
    }

    /// Returns the webhook in the flat form of 1.0.
    ///
    /// # Errors
    /// -32602 with the field that cannot be read.
    pub(super) fn as_v1(&self) -> Result<Value, Error> {
        let config: Value = serde_json::from_str(self.config.get()).unwrap_or_default();
        if config.get("url").is_none() {
            return Ok(config);
        }
        // Alone it is converted as the registration that it is.
        let registration = match self.dialect {
            Dialect::V03 => json!({ "taskId": "-", "pushNotificationConfig": config }),
            Dialect::V03Proto => {
                json!({ "parent": "tasks/-", "config": { "pushNotificationConfig": config } })
            }
            Dialect::V1 => return Ok(config),
        };
        let operation = Operation::CreateTaskPushNotificationConfig;
        Translator::new(self.dialect, Dialect::V1).params(
            operation,
            registration,
            &mut Losses::default(),
        )
    }
}

fn name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::V03 => "pushNotificationConfig",
        Dialect::V03Proto => "pushNotification",
        Dialect::V1 => "taskPushNotificationConfig",
    }
}

fn is_spelling_of(given: &str, name: &str) -> bool {
    given.replace('_', "").eq_ignore_ascii_case(name)
}

fn wrong(field: &str, problem: &str) -> Error {
    Error::new(ErrorKind::InvalidParams, format!("`{field}` {problem}"))
        .field_violation(field, problem)
}

/// Returns the members of an object that have certain names, also those that occur more than once, `null` counting
/// as absent. What is no object has none.
fn members(object: &RawValue, wanted: impl Fn(&str) -> bool) -> Vec<(String, &RawValue)> {
    let Members(members) = serde_json::from_str(object.get()).unwrap_or(Members(Vec::new()));
    members
        .into_iter()
        .filter(|(name, value)| wanted(name) && value.get() != "null")
        .collect()
}

struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;

        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Collect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn the_place_is_that_of_the_value_byte_for_byte() {
        for (dialect, name) in [
            (Dialect::V03, "pushNotificationConfig"),
            (Dialect::V03Proto, "pushNotification"),
            (Dialect::V03Proto, "push_notification"),
            (Dialect::V1, "taskPushNotificationConfig"),
            (Dialect::V1, "task_push_notification_config"),
            (Dialect::V1, "task\\u0050ushNotificationConfig"),
        ] {
            let params =
                format!(r#"{{"é": 1, "configuration" : {{ "{name}" : {{"url":"u"}} , "x": 1}} }}"#);
            let params = raw(&params);
            let found = Found::within(&params, dialect).unwrap().unwrap();
            assert_eq!(params.get().get(found.place), Some(r#"{"url":"u"}"#));
        }
    }

    #[test]
    fn messages_without_a_webhook_have_none() {
        for params in [
            "{}",
            r#"{"configuration":null}"#,
            r#"{"configuration":"x"}"#,
            r#"{"configuration":{},"configuration":{}}"#,
            r#"{"configuration":{"taskPushNotificationConfig":null}}"#,
            r#"{"metadata":{"taskPushNotificationConfig":{}}}"#,
        ] {
            assert!(
                Found::within(&raw(params), Dialect::V1).unwrap().is_none(),
                "{params}"
            );
        }
    }

    #[test]
    fn webhooks_that_could_reach_an_agent_unseen_are_refused() {
        for (params, field) in [
            (
                r#"{"configuration":{"pushNotification":{}}}"#,
                "configuration.pushNotification",
            ),
            (
                r#"{"configuration":{"push_notification_config":{}}}"#,
                "configuration.push_notification_config",
            ),
            (
                r#"{"configuration":{"taskPushNotificationConfig":{},"pushNotification":{}}}"#,
                "configuration.taskPushNotificationConfig",
            ),
            (
                r#"{"configuration":{"taskPushNotificationConfig":{},"taskPushNotificationConfig":{}}}"#,
                "configuration.taskPushNotificationConfig",
            ),
            (
                r#"{"configuration":{},"configuration":{"taskPushNotificationConfig":{}}}"#,
                "configuration",
            ),
        ] {
            let refused = Found::within(&raw(params), Dialect::V1).unwrap_err();
            assert_eq!(
                refused.data()[0]["fieldViolations"][0]["field"],
                field,
                "{params}"
            );
        }
    }
}
