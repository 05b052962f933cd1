//! What relaying needs to know about a result or stream event.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::TaskState;
use crate::json::{Cursor, Kind, is_named};
use crate::shape::{ResultKind, Shape, shape_of};
use crate::translate::Dialect;

/// Shows a result of a send, get, cancel or subscribe operation, or one event of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResultView<'a> {
    /// Which object it is; absent for anything else.
    pub kind: Option<ResultKind>,
    /// The task it is, or is about.
    pub task_id: Option<Cow<'a, str>>,
    /// The context it is in.
    pub context_id: Option<Cow<'a, str>>,
    /// The state of the task, where the object tells one that is known.
    pub state: Option<TaskState>,
    /// Whether a 0.3 event says that its stream ends here (`final`).
    pub is_final: bool,
    /// Whether it holds an artifact.
    pub has_artifact: bool,
    /// The path to the object within the result, as [`crate::splice_metadata`] takes it.
    pub path: &'static [&'static str],
}

impl<'a> ResultView<'a> {
    /// Reads a result.
    pub fn read(dialect: Dialect, result: &'a RawValue) -> Self {
        let shape = shape_of(dialect, result.get());
        let (kind, path) = match shape {
            Shape::Bare(kind) => (Some(kind), &[] as &[_]),
            Shape::Wrapped(kind, path) => (Some(kind), path),
            Shape::Other => (None, &[] as &[_]),
        };
        let mut view = Self {
            kind,
            path,
            ..Self::default()
        };
        view.read_object(&mut object_at(path, result.get()));
        view
    }

    /// Tells whether nothing can follow: the task is in a terminal state, or the reply is a message.
    pub fn is_terminal(&self) -> bool {
        self.kind == Some(ResultKind::Message) || self.state.is_some_and(TaskState::is_terminal)
    }

    fn read_object(&mut self, cursor: &mut Cursor<'a>) {
        if !cursor.enter_object() {
            return;
        }
        while let Some(name) = cursor.next_member() {
            match &*name {
                "id" if self.kind == Some(ResultKind::Task) => self.task_id = id(cursor),
                "taskId" | "task_id" if self.kind != Some(ResultKind::Task) => {
                    self.task_id = id(cursor);
                }
                "contextId" | "context_id" => self.context_id = id(cursor),
                "status" => self.read_status(cursor),
                "final" => self.is_final = cursor.value().boolean() == Some(true),
                "artifact" => self.has_artifact |= cursor.value().kind() == Some(Kind::Object),
                "artifacts" if cursor.enter_array() => {
                    while cursor.next_element() {
                        self.has_artifact = true;
                        cursor.skip();
                    }
                }
                "artifacts" => {}
                _ => cursor.skip(),
            }
        }
    }

    fn read_status(&mut self, cursor: &mut Cursor<'a>) {
        if !cursor.enter_object() {
            return;
        }
        while let Some(name) = cursor.next_member() {
            let value = cursor.value();
            if name == "state" {
                self.state = match value.string() {
                    Some(state) => TaskState::from_wire(&state),
                    None => value.text.parse().ok().and_then(TaskState::from_number),
                };
            }
        }
    }
}

/// Returns the text parts of a result or event for showing: its message, status message and artifacts, in
/// the order of the document, joined by line feeds. History is left out.
pub fn result_text(dialect: Dialect, result: &RawValue) -> String {
    let path = match shape_of(dialect, result.get()) {
        Shape::Wrapped(_, path) => path,
        Shape::Bare(_) | Shape::Other => &[],
    };
    let mut texts = Vec::new();
    collect_text(
        &mut object_at(path, result.get()),
        MEMBERS_WITH_TEXT,
        &mut texts,
    );
    texts.join("\n")
}

/// Is a member that leads to text, and the members below it that go on.
struct TextMember(&'static str, &'static [Self]);

/// `content` and `update` are what the 0.3 protobuf calls parts and the message of a status.
const PARTS: &[TextMember] = &[
    TextMember("parts", &[TextMember("text", &[])]),
    TextMember("content", &[TextMember("text", &[])]),
];
const MEMBERS_WITH_TEXT: &[TextMember] = &[
    TextMember("parts", &[TextMember("text", &[])]),
    TextMember("content", &[TextMember("text", &[])]),
    TextMember(
        "status",
        &[TextMember("message", PARTS), TextMember("update", PARTS)],
    ),
    TextMember("artifact", PARTS),
    TextMember("artifacts", PARTS),
];

/// Follows the members through objects and arrays; the recursion is as deep as the table.
fn collect_text<'a>(
    cursor: &mut Cursor<'a>,
    members: &'static [TextMember],
    texts: &mut Vec<Cow<'a, str>>,
) {
    match cursor.peek() {
        Some(Kind::Array) if cursor.enter_array() => {
            while cursor.next_element() {
                collect_members(cursor, members, texts);
            }
        }
        _ if members.is_empty() => texts.extend(cursor.value().readable()),
        _ => collect_members(cursor, members, texts),
    }
}

fn collect_members<'a>(
    cursor: &mut Cursor<'a>,
    members: &'static [TextMember],
    texts: &mut Vec<Cow<'a, str>>,
) {
    if !cursor.enter_object() {
        return;
    }
    while let Some(name) = cursor.next_member() {
        match members.iter().find(|member| member.0 == name) {
            Some(member) => collect_text(cursor, member.1, texts),
            None => cursor.skip(),
        }
    }
}

fn object_at<'a>(path: &[&str], text: &'a str) -> Cursor<'a> {
    let mut cursor = Cursor::new(text);
    for wanted in path {
        let mut found = Cursor::new("");
        if cursor.enter_object() {
            while let Some(name) = cursor.next_member() {
                let value = cursor.value();
                if is_named(&name, wanted) && value.kind() == Some(Kind::Object) {
                    found = value.cursor();
                }
            }
        }
        cursor = found;
    }
    cursor
}

fn id<'a>(cursor: &mut Cursor<'a>) -> Option<Cow<'a, str>> {
    cursor.value().string().filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests;
