//! What a client asks of a list, and the tokens that lead to its next page.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use gateway_protocol::{Error, ErrorKind, TaskState};
use jiff::Timestamp;
use serde_json::{Value, value::RawValue};

use crate::{failure::Failure, ports::TaskPlace};

const DEFAULT_SIZE: usize = 50;
const SIZES: std::ops::RangeInclusive<i64> = 1..=100;

/// What a client asks of a list.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    pub(super) context_id: Option<String>,
    pub(super) state: Option<TaskState>,
    pub(super) size: usize,
    pub(super) after: Option<TaskPlace>,
    pub(super) history_length: Option<i64>,
    pub(super) since: Option<Timestamp>,
    pub(super) include_artifacts: bool,
}

impl Asked {
    /// Reads the parameters of `ListTasks`, in either ProtoJSON spelling.
    pub(super) fn read(params: &RawValue) -> Result<Self, Failure> {
        let params: Value = serde_json::from_str(params.get()).unwrap_or_default();
        let member = |name: &str, other: &str| {
            let value = params.get(name).or_else(|| params.get(other));
            value.filter(|value| !value.is_null() && **value != "")
        };
        let text = |name, other| member(name, other).and_then(Value::as_str);
        let size = member("pageSize", "page_size").map(|size| number("pageSize", size));
        let history = member("historyLength", "history_length");
        let history_length = history
            .map(|value| number("historyLength", value))
            .transpose()?;
        if history_length.is_some_and(|length| length < 0) {
            return Err(refuse("historyLength", "must not be negative"));
        }
        Ok(Self {
            context_id: text("contextId", "context_id").map(str::to_owned),
            state: member("status", "status").map(state).transpose()?.flatten(),
            size: match size.transpose()? {
                None | Some(0) => DEFAULT_SIZE,
                Some(size) if SIZES.contains(&size) => {
                    usize::try_from(size).unwrap_or(DEFAULT_SIZE)
                }
                Some(size) => {
                    return Err(refuse(
                        "pageSize",
                        &format!("{size} is not within 1 to 100"),
                    ));
                }
            },
            after: text("pageToken", "page_token").map(place).transpose()?,
            history_length,
            since: text("statusTimestampAfter", "status_timestamp_after")
                .map(|text| {
                    text.parse()
                        .map_err(|_| refuse("statusTimestampAfter", "is no RFC 3339 time"))
                })
                .transpose()?,
            include_artifacts: member("includeArtifacts", "include_artifacts")
                == Some(&Value::Bool(true)),
        })
    }

    /// Tells whether the client wants more of each task than its state.
    pub(super) fn wants_content(&self) -> bool {
        self.include_artifacts || self.history_length.is_some_and(|length| length > 0)
    }
}

/// Makes the token of the page after a task.
pub(super) fn token(last: &TaskPlace) -> String {
    URL_SAFE_NO_PAD.encode(serde_json::json!(last).to_string())
}

/// Returns the 1.0 name of a state.
pub(super) fn wire_name(state: TaskState) -> String {
    match state {
        TaskState::Unknown => "TASK_STATE_UNSPECIFIED".to_owned(),
        known => format!(
            "TASK_STATE_{}",
            known.as_str().to_ascii_uppercase().replace('-', "_")
        ),
    }
}

fn place(token: &str) -> Result<TaskPlace, Failure> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok();
    bytes
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .ok_or_else(|| refuse("pageToken", "is none that this gateway gave out"))
}

fn number(field: &str, value: &Value) -> Result<i64, Failure> {
    let quoted = || value.as_str().and_then(|text| text.parse().ok());
    value
        .as_i64()
        .or_else(quoted)
        .ok_or_else(|| refuse(field, "is no whole number"))
}

fn state(value: &Value) -> Result<Option<TaskState>, Failure> {
    let named = value.as_str().and_then(TaskState::from_wire);
    let numbered = || {
        usize::try_from(value.as_u64()?)
            .ok()
            .and_then(TaskState::from_number)
    };
    match named.or_else(numbered) {
        Some(TaskState::Unknown) => Ok(None),
        Some(state) => Ok(Some(state)),
        None => Err(refuse("status", "is no task state")),
    }
}

fn refuse(field: &str, problem: &str) -> Failure {
    Failure::bad_request(
        Error::new(ErrorKind::InvalidParams, format!("`{field}` {problem}"))
            .field_violation(field, problem),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::id;

    fn read(params: &str) -> Result<Asked, String> {
        let params = RawValue::from_string(params.to_owned()).unwrap();
        Asked::read(&params).map_err(|failure| failure.error.message)
    }

    #[test]
    fn defaults_and_both_spellings_are_read() {
        let plain = read("{}").unwrap();
        assert_eq!(
            (plain.size, plain.state, plain.wants_content()),
            (50, None, false)
        );
        let full = read(
            r#"{"page_size":"7","status":"TASK_STATE_WORKING","historyLength":2,"contextId":"c","pageToken":"",
                "statusTimestampAfter":"2026-11-30T10:00:00Z","includeArtifacts":true}"#,
        )
        .unwrap();
        assert_eq!((full.size, full.state), (7, Some(TaskState::Working)));
        assert!(full.wants_content() && full.since.is_some() && full.after.is_none());
        assert_eq!(
            read(r#"{"status":"TASK_STATE_UNSPECIFIED"}"#)
                .unwrap()
                .state,
            None
        );
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        for (params, field) in [
            (r#"{"pageSize":101}"#, "pageSize"),
            (r#"{"pageSize":-1}"#, "pageSize"),
            (r#"{"pageSize":1.5}"#, "pageSize"),
            (r#"{"pageToken":"x"}"#, "pageToken"),
            (r#"{"status":"working hard"}"#, "status"),
            (r#"{"historyLength":-1}"#, "historyLength"),
            (
                r#"{"statusTimestampAfter":"yesterday"}"#,
                "statusTimestampAfter",
            ),
        ] {
            assert!(read(params).unwrap_err().contains(field), "{params}");
        }
    }

    #[test]
    fn tokens_lead_back_to_their_place() {
        let last = TaskPlace {
            changed_at: 7,
            agent: id("a"),
            task_id: "1".to_owned(),
        };
        assert_eq!(place(&token(&last)).ok(), Some(last));
    }

    #[test]
    fn states_are_written_by_their_names() {
        assert_eq!(
            wire_name(TaskState::InputRequired),
            "TASK_STATE_INPUT_REQUIRED"
        );
        assert_eq!(wire_name(TaskState::Unknown), "TASK_STATE_UNSPECIFIED");
    }
}
