//! Which object a result or stream event is: protobuf names it by a wrapper, 0.3 over JSON-RPC by `kind`, and some
//! agents by neither.

use crate::json::{Cursor, Kind, Raw, is_named};
use crate::translate::Dialect;

/// Names one of the four objects an agent may answer with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResultKind {
    /// A task, whole.
    Task,
    /// A message in direct reply.
    Message,
    /// An event that changes the status of a task.
    StatusUpdate,
    /// An event that adds to an artifact of a task.
    ArtifactUpdate,
}

/// Says what a result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The object itself.
    Bare(ResultKind),
    /// An object whose member at the given path is the object.
    Wrapped(ResultKind, &'static [&'static str]),
    /// None of the four.
    Other,
}

impl ResultKind {
    /// The wrapper members; `msg` is what the 0.3 protobuf calls a message.
    const WRAPPERS: [(&'static [&'static str], Self); 5] = [
        (&["task"], Self::Task),
        (&["message"], Self::Message),
        (&["msg"], Self::Message),
        (&["statusUpdate"], Self::StatusUpdate),
        (&["artifactUpdate"], Self::ArtifactUpdate),
    ];

    fn of_kind(kind: &str) -> Option<Self> {
        match kind {
            "task" => Some(Self::Task),
            "message" => Some(Self::Message),
            "status-update" => Some(Self::StatusUpdate),
            "artifact-update" => Some(Self::ArtifactUpdate),
            _ => None,
        }
    }

    fn of_wrapper(name: &str, dialect: Dialect) -> Option<Shape> {
        Self::WRAPPERS
            .into_iter()
            .filter(|(path, _)| dialect == Dialect::V03Proto || *path != ["msg"])
            .find(|(path, _)| path.iter().all(|wrapper| is_named(name, wrapper)))
            .map(|(path, form)| Shape::Wrapped(form, path))
    }
}

/// Looks at the top-level members alone; the first thing that is sure decides, guesses come last.
pub(crate) fn shape_of(dialect: Dialect, result: &str) -> Shape {
    let mut cursor = Cursor::new(result);
    let mut seen = Seen::default();
    if !cursor.enter_object() {
        return Shape::Other;
    }
    while let Some(name) = cursor.next_member() {
        seen.note(&name, cursor.value(), dialect);
        if dialect == Dialect::V03
            && let Some(form) = seen.kind
        {
            return Shape::Bare(form);
        }
    }
    let sure = if seen.has_id && seen.has_status {
        Some(Shape::Bare(ResultKind::Task))
    } else {
        seen.wrapped
    };
    sure.or(seen.kind.map(Shape::Bare))
        .or_else(|| seen.guess().map(Shape::Bare))
        .unwrap_or(Shape::Other)
}

#[derive(Default)]
struct Seen {
    kind: Option<ResultKind>,
    wrapped: Option<Shape>,
    has_id: bool,
    has_status: bool,
    has_task_id: bool,
    has_final: bool,
    has_artifact: bool,
    has_message_id: bool,
}

impl Seen {
    fn note(&mut self, name: &str, value: Raw<'_>, dialect: Dialect) {
        match name {
            "kind" => self.kind = value.string().and_then(|kind| ResultKind::of_kind(&kind)),
            "id" => self.has_id = true,
            "status" => self.has_status = true,
            "taskId" | "task_id" => self.has_task_id = true,
            "final" => self.has_final = true,
            "artifact" => self.has_artifact = true,
            "messageId" | "message_id" => self.has_message_id = true,
            _ if value.kind() == Some(Kind::Object) => {
                self.wrapped = self
                    .wrapped
                    .or_else(|| ResultKind::of_wrapper(name, dialect));
            }
            _ => {}
        }
    }

    fn guess(&self) -> Option<ResultKind> {
        if self.has_task_id && (self.has_final || self.has_status) {
            Some(ResultKind::StatusUpdate)
        } else if self.has_artifact {
            Some(ResultKind::ArtifactUpdate)
        } else if self.has_message_id {
            Some(ResultKind::Message)
        } else {
            self.has_id.then_some(ResultKind::Task)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_name_the_object_in_protobuf_forms() {
        for (result, form) in [
            (r#"{"task":{"id":"t"}}"#, ResultKind::Task),
            (r#"{"message":{"messageId":"m"}}"#, ResultKind::Message),
            (r#"{"statusUpdate":{}}"#, ResultKind::StatusUpdate),
            (r#"{"artifact_update":{}}"#, ResultKind::ArtifactUpdate),
            (r#"{"task":null,"message":{}}"#, ResultKind::Message),
        ] {
            for dialect in [Dialect::V1, Dialect::V03Proto] {
                let shape = shape_of(dialect, result);
                let is_wrapped = matches!(shape, Shape::Wrapped(found, _) if found == form);
                assert!(is_wrapped, "{result}: {shape:?}");
            }
        }
        let old = shape_of(Dialect::V03Proto, r#"{"msg":{}}"#);
        assert_eq!(old, Shape::Wrapped(ResultKind::Message, &["msg"]));
        assert_eq!(shape_of(Dialect::V1, r#"{"msg":{}}"#), Shape::Other);
    }

    #[test]
    fn kind_names_the_object_in_the_old_version() {
        for (result, form) in [
            (r#"{"id":"t","task":{},"kind":"task"}"#, ResultKind::Task),
            (r#"{"kind":"message"}"#, ResultKind::Message),
            (
                r#"{"taskId":"t","kind":"status-update"}"#,
                ResultKind::StatusUpdate,
            ),
            (r#"{"kind":"artifact-update"}"#, ResultKind::ArtifactUpdate),
        ] {
            assert_eq!(
                shape_of(Dialect::V03, result),
                Shape::Bare(form),
                "{result}"
            );
        }
    }

    #[test]
    fn objects_that_name_nothing_are_guessed() {
        for (result, form) in [
            (r#"{"id":"t","status":{},"message":{}}"#, ResultKind::Task),
            (r#"{"id":"t"}"#, ResultKind::Task),
            (r#"{"taskId":"t","final":true}"#, ResultKind::StatusUpdate),
            (
                r#"{"task_id":"t","status":{},"kind":"novel"}"#,
                ResultKind::StatusUpdate,
            ),
            (
                r#"{"taskId":"t","artifact":{}}"#,
                ResultKind::ArtifactUpdate,
            ),
            (r#"{"taskId":"t","messageId":"m"}"#, ResultKind::Message),
        ] {
            for dialect in [Dialect::V03, Dialect::V03Proto, Dialect::V1] {
                assert_eq!(shape_of(dialect, result), Shape::Bare(form), "{result}");
            }
        }
        for result in ["null", "[]", "{}", "\"task\"", r#"{"task":1}"#] {
            assert_eq!(shape_of(Dialect::V1, result), Shape::Other, "{result}");
        }
    }
}
