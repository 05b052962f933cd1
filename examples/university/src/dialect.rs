//! The two protocol versions on the wire: how tasks, messages and events look in A2A 0.3 and 1.0.
//!
//! 0.3 tags each object with `kind` and answers with the bare object; 1.0 has no tags and wraps the
//! object in a member that names it.

use serde_json::{Value, json};

use crate::task::{Artifact, Event, Part, State, Status, Task};

/// A version of the protocol, of which each agent here speaks exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    V03,
    V10,
}

impl Dialect {
    pub(crate) const fn state(self, state: State) -> &'static str {
        match self {
            Self::V03 => match state {
                State::Submitted => "submitted",
                State::Working => "working",
                State::InputRequired => "input-required",
                State::Completed => "completed",
                State::Failed => "failed",
                State::Canceled => "canceled",
                State::Rejected => "rejected",
            },
            Self::V10 => match state {
                State::Submitted => "TASK_STATE_SUBMITTED",
                State::Working => "TASK_STATE_WORKING",
                State::InputRequired => "TASK_STATE_INPUT_REQUIRED",
                State::Completed => "TASK_STATE_COMPLETED",
                State::Failed => "TASK_STATE_FAILED",
                State::Canceled => "TASK_STATE_CANCELED",
                State::Rejected => "TASK_STATE_REJECTED",
            },
        }
    }

    pub(crate) const fn user_role(self) -> &'static str {
        match self {
            Self::V03 => "user",
            Self::V10 => "ROLE_USER",
        }
    }

    const fn agent_role(self) -> &'static str {
        match self {
            Self::V03 => "agent",
            Self::V10 => "ROLE_AGENT",
        }
    }

    /// Adds the `kind` that 0.3 wants.
    fn tagged(self, kind: &str, mut object: Value) -> Value {
        if self == Self::V03 {
            object["kind"] = json!(kind);
        }
        object
    }

    /// Wraps the result of a send or a stream in the member that 1.0 wants.
    fn wrapped(self, member: &str, object: Value) -> Value {
        match self {
            Self::V03 => object,
            Self::V10 => json!({ member: object }),
        }
    }

    /// Returns a message of the agent, within a task if one is named.
    pub(crate) fn agent_message(
        self,
        text: &str,
        context_id: &str,
        task_id: Option<&str>,
    ) -> Value {
        let mut message = json!({
            "messageId": crate::turn::new_id(),
            "contextId": context_id,
            "role": self.agent_role(),
            "parts": [self.part(&Part::Text(text.to_owned()))],
        });
        if let Some(task_id) = task_id {
            message["taskId"] = json!(task_id);
        }
        self.tagged("message", message)
    }

    fn part(self, part: &Part) -> Value {
        match part {
            Part::Text(text) => self.tagged("text", json!({ "text": text })),
            Part::Data(data) => self.tagged("data", json!({ "data": data })),
        }
    }

    fn artifact(self, artifact: &Artifact) -> Value {
        let parts: Vec<Value> = artifact.parts.iter().map(|part| self.part(part)).collect();
        json!({"artifactId": artifact.id, "name": artifact.name, "parts": parts})
    }

    fn status(self, status: &Status) -> Value {
        let mut shown = json!({
            "state": self.state(status.state),
            "timestamp": format!("{:.3}", status.since),
        });
        if let Some(message) = &status.message {
            shown["message"] = message.clone();
        }
        shown
    }

    /// Returns a task with the last `history_length` messages, or with all of them.
    pub(crate) fn task(self, task: &Task, history_length: Option<usize>) -> Value {
        let skipped = history_length.map_or(0, |length| task.history.len().saturating_sub(length));
        let mut shown = json!({
            "id": task.id,
            "contextId": task.context_id,
            "status": self.status(&task.status),
        });
        if !task.artifacts.is_empty() {
            shown["artifacts"] = task
                .artifacts
                .iter()
                .map(|one| self.artifact(one))
                .collect();
        }
        if skipped < task.history.len() {
            shown["history"] = task.history.iter().skip(skipped).cloned().collect();
        }
        self.tagged("task", shown)
    }

    /// Returns a task as the result of a send or as the first event of a stream.
    pub(crate) fn task_reply(self, task: &Task, history_length: Option<usize>) -> Value {
        self.wrapped("task", self.task(task, history_length))
    }

    /// Returns a message as the result of a send or as the only event of a stream.
    pub(crate) fn message_reply(self, message: Value) -> Value {
        self.wrapped("message", message)
    }

    /// Returns an event of the task with these ids.
    pub(crate) fn event(self, task_id: &str, context_id: &str, event: &Event) -> Value {
        let mut update = json!({"taskId": task_id, "contextId": context_id});
        match event {
            Event::Status(status) => {
                update["status"] = self.status(status);
                if self == Self::V03 {
                    update["final"] = json!(status.state.is_at_rest());
                }
                self.wrapped("statusUpdate", self.tagged("status-update", update))
            }
            Event::Artifact {
                chunk,
                append,
                last_chunk,
            } => {
                update["artifact"] = self.artifact(chunk);
                update["append"] = json!(append);
                update["lastChunk"] = json!(last_chunk);
                self.wrapped("artifactUpdate", self.tagged("artifact-update", update))
            }
        }
    }
}

/// Returns the text of a message in either version, one line per text part.
pub(crate) fn text_of(message: &Value) -> String {
    let parts = message["parts"].as_array().map_or(&[][..], Vec::as_slice);
    let texts: Vec<&str> = parts
        .iter()
        .filter_map(|part| part["text"].as_str())
        .collect();
    texts.join("\n")
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn task() -> Task {
        Task {
            id: "t".to_owned(),
            context_id: "c".to_owned(),
            status: Status {
                state: State::InputRequired,
                message: None,
                since: Timestamp::UNIX_EPOCH,
            },
            artifacts: vec![Artifact {
                id: "a".to_owned(),
                name: "answer",
                parts: vec![Part::Text("x".to_owned()), Part::Data(json!({"n": 1}))],
            }],
            history: vec![json!({"messageId": "1"}), json!({"messageId": "2"})],
        }
    }

    #[test]
    fn task_is_bare_and_tagged_in_0_3() {
        let shown = Dialect::V03.task_reply(&task(), None);
        let expected = json!({
            "kind": "task", "id": "t", "contextId": "c",
            "status": {"state": "input-required", "timestamp": "1970-01-01T00:00:00.000Z"},
            "artifacts": [{"artifactId": "a", "name": "answer", "parts": [
                {"kind": "text", "text": "x"}, {"kind": "data", "data": {"n": 1}},
            ]}],
            "history": [{"messageId": "1"}, {"messageId": "2"}],
        });
        assert_eq!(shown, expected);
    }

    #[test]
    fn task_is_wrapped_and_untagged_in_1_0() {
        let shown = Dialect::V10.task_reply(&task(), Some(1));
        let expected = json!({"task": {
            "id": "t", "contextId": "c",
            "status": {"state": "TASK_STATE_INPUT_REQUIRED", "timestamp": "1970-01-01T00:00:00.000Z"},
            "artifacts": [{"artifactId": "a", "name": "answer", "parts": [
                {"text": "x"}, {"data": {"n": 1}},
            ]}],
            "history": [{"messageId": "2"}],
        }});
        assert_eq!(shown, expected);
    }

    #[test]
    fn history_length_zero_leaves_the_history_out() {
        assert!(Dialect::V10.task(&task(), Some(0)).get("history").is_none());
        assert_eq!(
            Dialect::V10.task(&task(), Some(9))["history"]
                .as_array()
                .unwrap()
                .len(),
            2
        );
    }

    #[test]
    fn only_0_3_says_final() {
        let event = Event::Status(task().status);
        let old = Dialect::V03.event("t", "c", &event);
        assert_eq!(
            (&old["kind"], &old["final"]),
            (&json!("status-update"), &json!(true))
        );
        let new = Dialect::V10.event("t", "c", &event);
        assert!(new["statusUpdate"].get("final").is_none());
    }
}
