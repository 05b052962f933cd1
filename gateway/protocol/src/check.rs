//! Checks parameters before routing, so that no agent sees a request that cannot mean anything.
//!
//! It is no stricter than needed: unknown members pass, `snake_case` names and `null` for absent are read as
//! ProtoJSON reads them, and what only the agent can judge is left to it. Members that are checked may occur
//! once, under one of their spellings.

mod parts;

use serde_json::value::RawValue;

use crate::json::{Kind, Raw, is_named};
use crate::translate::{Dialect, resource};
use crate::{Error, ErrorKind, Operation};

/// Checks the parameters of an operation; the error is -32602 and names the field.
pub fn check_params(
    operation: Operation,
    dialect: Dialect,
    params: Option<&RawValue>,
) -> Result<(), Error> {
    check(operation, dialect, params).map_err(Violation::into_error)
}

fn check(operation: Operation, dialect: Dialect, params: Option<&RawValue>) -> Checked<()> {
    let params = params.map_or("null", RawValue::get);
    let params = Raw {
        text: params,
        start: 0,
    };
    let params = match params.kind() {
        Some(Kind::Object) => params,
        Some(Kind::Null) if is_optional(operation) => return Ok(()),
        Some(Kind::Null) => return Err(Violation::new("params", "is missing")),
        _ => return Err(Violation::new("params", "must be an object")),
    };
    match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => check_send(dialect, params),
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => match dialect {
            Dialect::V03Proto => required_task(params),
            Dialect::V03 | Dialect::V1 => required_id(params, "id"),
        },
        Operation::ListTasks => {
            let [context] = members(params, ["contextId"])?;
            optional_string(context, "contextId")
        }
        Operation::CreateTaskPushNotificationConfig
        | Operation::GetTaskPushNotificationConfig
        | Operation::ListTaskPushNotificationConfigs
        | Operation::DeleteTaskPushNotificationConfig => check_push(operation, dialect, params),
        Operation::GetExtendedAgentCard => Ok(()),
    }
}

fn check_push(operation: Operation, dialect: Dialect, params: Raw<'_>) -> Checked<()> {
    match (dialect, operation) {
        // The task may stand in either of two names, which are read where the configuration is.
        (Dialect::V03Proto, Operation::CreateTaskPushNotificationConfig) => Ok(()),
        (Dialect::V03Proto, Operation::ListTaskPushNotificationConfigs) => {
            required_id(params, "parent")
        }
        (Dialect::V03Proto, _) => required_id(params, "name"),
        (Dialect::V03, Operation::CreateTaskPushNotificationConfig) | (Dialect::V1, _) => {
            required_id(params, "taskId")
        }
        (Dialect::V03, _) => required_id(params, "id"),
    }
}

fn is_optional(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::ListTasks | Operation::GetExtendedAgentCard
    )
}

fn required_id(params: Raw<'_>, name: &'static str) -> Checked<()> {
    let [id] = members(params, [name])?;
    required_string(id, name)
}

fn required_task(params: Raw<'_>) -> Checked<()> {
    required_id(params, "name")?;
    let [name] = members(params, ["name"])?;
    let name = name.and_then(Raw::string);
    if name.is_some_and(|name| resource::task_within(&name).is_some()) {
        return Ok(());
    }
    Err(Violation::new("name", "must be `tasks/` and an id"))
}

fn check_send(dialect: Dialect, params: Raw<'_>) -> Checked<()> {
    let [mut message] = members(params, ["message"])?;
    if dialect == Dialect::V03Proto {
        // What the protobuf calls it.
        let [request] = members(params, ["request"])?;
        if message.is_some() && request.is_some() {
            return Err(Violation::new("message", "occurs more than once"));
        }
        message = message.or(request);
    }
    let message = required(message, "message", Kind::Object)?;
    check_message(dialect, message).map_err(|violation| violation.within("message"))
}

fn check_message(dialect: Dialect, message: Raw<'_>) -> Checked<()> {
    let parts = match dialect {
        Dialect::V03Proto => "content",
        Dialect::V03 | Dialect::V1 => "parts",
    };
    let names = [
        "messageId",
        "role",
        parts,
        "taskId",
        "contextId",
        "referenceTaskIds",
    ];
    let [message_id, role, message_parts, task, context, references] = members(message, names)?;
    required_string(message_id, "messageId")?;
    check_role(dialect, role)?;
    optional_string(task, "taskId")?;
    optional_string(context, "contextId")?;
    check_references(references)?;
    parts::check(
        dialect,
        (parts, required(message_parts, parts, Kind::Array)?),
    )
}

fn check_role(dialect: Dialect, role: Option<Raw<'_>>) -> Checked<()> {
    let role = role.ok_or_else(|| Violation::new("role", "is missing"))?;
    let (names, expected): (&[&str], _) = match dialect {
        Dialect::V03 => (&["\"user\"", "\"agent\""], "must be \"user\" or \"agent\""),
        // Numbers are the ProtoJSON alternative to the names of an enum.
        Dialect::V03Proto | Dialect::V1 => (
            &["\"ROLE_USER\"", "\"ROLE_AGENT\"", "1", "2"],
            "must be \"ROLE_USER\" or \"ROLE_AGENT\"",
        ),
    };
    if names.contains(&role.text) {
        return Ok(());
    }
    Err(Violation::new("role", expected))
}

fn check_references(references: Option<Raw<'_>>) -> Checked<()> {
    let Some(references) = references else {
        return Ok(());
    };
    let mut cursor = references.cursor();
    if references.kind() != Some(Kind::Array) || !cursor.enter_array() {
        return Err(Violation::new(
            "referenceTaskIds",
            "must be an array of strings",
        ));
    }
    let mut index = 0_usize;
    while cursor.next_element() {
        if cursor.value().string().is_none() {
            return Err(Violation::new(
                format!("referenceTaskIds[{index}]"),
                "must be a string",
            ));
        }
        index += 1;
    }
    Ok(())
}

/// Finds the named members of an object, `null` counting as absent.
fn members<'a, const N: usize>(
    object: Raw<'a>,
    names: [&'static str; N],
) -> Checked<[Option<Raw<'a>>; N]> {
    let raw = raw_members(object, names)?;
    Ok(raw.map(|member| member.and_then(Raw::present)))
}

/// Finds the named members of an object, refusing repetition.
fn raw_members<'a, const N: usize>(
    object: Raw<'a>,
    names: [&'static str; N],
) -> Checked<[Option<Raw<'a>>; N]> {
    let mut found = [None; N];
    let mut cursor = object.cursor();
    if cursor.enter_object() {
        while let Some(name) = cursor.next_member() {
            let value = cursor.value();
            let wanted = names
                .iter()
                .zip(&mut found)
                .find(|(wanted, _)| is_named(&name, wanted));
            let Some((wanted, place)) = wanted else {
                continue;
            };
            if place.replace(value).is_some() {
                return Err(Violation::new(*wanted, "occurs more than once"));
            }
        }
    }
    Ok(found)
}

fn required<'a>(member: Option<Raw<'a>>, name: &'static str, kind: Kind) -> Checked<Raw<'a>> {
    let member = member.ok_or_else(|| Violation::new(name, "is missing"))?;
    if member.kind() == Some(kind) {
        return Ok(member);
    }
    Err(Violation::new(name, format!("must be {}", kind.noun())))
}

/// Checks a string that must say something: ProtoJSON cannot tell an empty one from a missing one.
fn required_string(member: Option<Raw<'_>>, name: &'static str) -> Checked<()> {
    optional_string(member, name)?;
    if member.is_none_or(|member| member.text == "\"\"") {
        return Err(Violation::new(name, "is missing"));
    }
    Ok(())
}

fn optional_string(member: Option<Raw<'_>>, name: &'static str) -> Checked<()> {
    if member.is_some_and(|member| member.string().is_none()) {
        return Err(Violation::new(name, "must be a string"));
    }
    Ok(())
}

type Checked<T> = Result<T, Violation>;

/// Is a field and what is wrong with it.
#[derive(Debug)]
struct Violation {
    field: String,
    problem: String,
}

impl Violation {
    fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            problem: problem.into(),
        }
    }

    fn within(mut self, owner: &str) -> Self {
        self.field = format!("{owner}.{}", self.field);
        self
    }

    fn into_error(self) -> Error {
        let Self { field, problem } = self;
        Error::new(ErrorKind::InvalidParams, format!("`{field}` {problem}"))
            .field_violation(&field, &problem)
    }
}

#[cfg(test)]
mod tests;
