//! What agents send to callbacks: a task, a message or an event, in the form of either version.

use gateway_protocol::{
    Version,
    translate::{Dialect, Losses, StreamState, Translator},
    view::ResultView,
};
use serde_json::{Value, value::RawValue};

/// What a notification says.
#[derive(Debug)]
pub(super) struct Payload<'a> {
    pub(super) view: ResultView<'a>,
    /// The form of its objects, as they show it: agents do not all keep to the version of the registration.
    pub(super) dialect: Dialect,
}

impl<'a> Payload<'a> {
    /// Reads a body; `None` for anything but the four objects.
    pub(super) fn read(body: &'a RawValue) -> Option<Self> {
        let view = ResultView::read(Dialect::V1, body);
        view.kind?;
        // Only 1.0 wraps its objects.
        let dialect = if view.path.is_empty() {
            Dialect::V03
        } else {
            Dialect::V1
        };
        Some(Self { view, dialect })
    }
}

/// Converts a notification for its client; the same version passes as it is.
///
/// # Errors
/// In words, when it has no form in the client's version.
pub(super) fn convert(
    body: Vec<u8>,
    from: Dialect,
    to: Version,
    losses: &mut Losses,
) -> Result<Vec<u8>, String> {
    let to = match to {
        Version::V03 => Dialect::V03,
        Version::V1 => Dialect::V1,
    };
    if from == to {
        return Ok(body);
    }
    let value: Value = serde_json::from_slice(&body).map_err(|error| error.to_string())?;
    Translator::new(from, to)
        .event(value, &mut StreamState::default(), losses)
        .map(|event| event.value.to_string().into_bytes())
        .map_err(|error| error.message)
}

/// Returns the media type of a notification (A2A 1.0 §4.3.3; 0.3 has plain JSON).
pub(super) fn content_type(version: Version) -> &'static str {
    match version {
        Version::V03 => "application/json",
        Version::V1 => "application/a2a+json",
    }
}

#[cfg(test)]
mod tests {
    use gateway_protocol::TaskState;
    use serde_json::json;

    use super::*;

    fn raw(value: &Value) -> Box<RawValue> {
        RawValue::from_string(value.to_string()).unwrap()
    }

    #[test]
    fn the_form_is_told_by_the_objects() {
        for (body, dialect, state) in [
            (
                json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": { "state": "TASK_STATE_WORKING" } } }),
                Dialect::V1,
                Some(TaskState::Working),
            ),
            (
                json!({ "task": { "id": "t", "status": { "state": "TASK_STATE_COMPLETED" } } }),
                Dialect::V1,
                Some(TaskState::Completed),
            ),
            (
                json!({ "kind": "task", "id": "t", "status": { "state": "failed" } }),
                Dialect::V03,
                Some(TaskState::Failed),
            ),
            (
                json!({ "kind": "artifact-update", "taskId": "t", "artifact": { "artifactId": "a", "parts": [] } }),
                Dialect::V03,
                None,
            ),
        ] {
            let body = raw(&body);
            let payload = Payload::read(&body).unwrap();
            assert_eq!(payload.dialect, dialect);
            assert_eq!(payload.view.task_id.as_deref(), Some("t"));
            assert_eq!(payload.view.state, state);
        }
        for other in [json!({}), json!([]), json!("task"), json!({ "event": "x" })] {
            assert!(Payload::read(&raw(&other)).is_none(), "{other}");
        }
    }

    #[test]
    fn c059_each_client_gets_its_own_version() {
        let mut losses = Losses::default();
        let old = json!({ "kind": "task", "id": "t", "contextId": "c", "status": { "state": "completed" } });
        let new = convert(
            old.to_string().into(),
            Dialect::V03,
            Version::V1,
            &mut losses,
        )
        .unwrap();
        let new: Value = serde_json::from_slice(&new).unwrap();
        assert_eq!(new["task"]["status"]["state"], "TASK_STATE_COMPLETED");
        let back = convert(
            new.to_string().into(),
            Dialect::V1,
            Version::V03,
            &mut losses,
        )
        .unwrap();
        let back: Value = serde_json::from_slice(&back).unwrap();
        assert_eq!(back, old);
    }

    #[test]
    fn the_same_version_passes_byte_for_byte() {
        let body = b"{ \"task\": {\"id\":\"t\", \"n\": 1.0e2 } }".to_vec();
        let same = convert(
            body.clone(),
            Dialect::V1,
            Version::V1,
            &mut Losses::default(),
        );
        assert_eq!(same, Ok(body));
    }
}
