//! Which object a result or stream event is: 1.0 names it by a wrapper, 0.3 by `kind`, and some agents by neither.

use crate::Version;
use crate::json::{Cursor, Kind, Raw, is_named};

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
    /// An object whose member of the given name is the object.
    Wrapped(ResultKind),
    /// None of the four.
    Other,
}

impl ResultKind {
    /// The wrapper members of 1.0.
    const WRAPPERS: [(&'static str, Self); 4] = [
        ("task", Self::Task),
        ("message", Self::Message),
        ("statusUpdate", Self::StatusUpdate),
        ("artifactUpdate", Self::ArtifactUpdate),
    ];

    /// Returns the path to the object when it is wrapped.
    pub(crate) const fn path(self) -> &'static [&'static str] {
        match self {
            Self::Task => &["task"],
            Self::Message => &["message"],
            Self::StatusUpdate => &["statusUpdate"],
            Self::ArtifactUpdate => &["artifactUpdate"],
        }
    }

    fn of_kind(kind: &str) -> Option<Self> {
        match kind {
            "task" => Some(Self::Task),
            "message" => Some(Self::Message),
            "status-update" => Some(Self::StatusUpdate),
            "artifact-update" => Some(Self::ArtifactUpdate),
            _ => None,
        }
    }

    fn of_wrapper(name: &str) -> Option<Self> {
        Self::WRAPPERS
            .into_iter()
            .find_map(|(wrapper, form)| is_named(name, wrapper).then_some(form))
    }
}

/// Looks at the top-level members alone; the first thing that is sure decides, guesses come last.
pub(crate) fn shape_of(version: Version, result: &str) -> Shape {
    let mut cursor = Cursor::new(result);
    let mut seen = Seen::default();
    if !cursor.enter_object() {
        return Shape::Other;
    }
    while let Some(name) = cursor.next_member() {
        seen.note(&name, cursor.value());
        if version == Version::V03
            && let Some(form) = seen.kind
        {
            return Shape::Bare(form);
        }
    }
    let sure = if seen.has_id && seen.has_status {
        Some(Shape::Bare(ResultKind::Task))
    } else {
        seen.wrapped.map(Shape::Wrapped)
    };
    sure.or(seen.kind.map(Shape::Bare))
        .or_else(|| seen.guess().map(Shape::Bare))
        .unwrap_or(Shape::Other)
}

#[derive(Default)]
struct Seen {
    kind: Option<ResultKind>,
    wrapped: Option<ResultKind>,
    has_id: bool,
    has_status: bool,
    has_task_id: bool,
    has_final: bool,
    has_artifact: bool,
    has_message_id: bool,
}

impl Seen {
    fn note(&mut self, name: &str, value: Raw<'_>) {
        match name {
            "kind" => self.kind = value.string().and_then(|kind| ResultKind::of_kind(&kind)),
            "id" => self.has_id = true,
            "status" => self.has_status = true,
            "taskId" | "task_id" => self.has_task_id = true,
            "final" => self.has_final = true,
            "artifact" => self.has_artifact = true,
            "messageId" | "message_id" => self.has_message_id = true,
            _ if value.kind() == Some(Kind::Object) => {
                self.wrapped = self.wrapped.or(ResultKind::of_wrapper(name));
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
    fn wrappers_name_the_object_in_the_new_version() {
        for (result, form) in [
            (r#"{"task":{"id":"t"}}"#, ResultKind::Task),
            (r#"{"message":{"messageId":"m"}}"#, ResultKind::Message),
            (r#"{"statusUpdate":{}}"#, ResultKind::StatusUpdate),
            (r#"{"artifact_update":{}}"#, ResultKind::ArtifactUpdate),
            (r#"{"task":null,"message":{}}"#, ResultKind::Message),
        ] {
            assert_eq!(
                shape_of(Version::V1, result),
                Shape::Wrapped(form),
                "{result}"
            );
        }
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
                shape_of(Version::V03, result),
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
            for version in [Version::V03, Version::V1] {
                assert_eq!(shape_of(version, result), Shape::Bare(form), "{result}");
            }
        }
        for result in ["null", "[]", "{}", "\"task\"", r#"{"task":1}"#] {
            assert_eq!(shape_of(Version::V1, result), Shape::Other, "{result}");
        }
    }
}
