//! Makes valid values of 0.3 and 1.0, with members that are absent as often as present.

mod calls;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Map;

use super::{Dialect, V03, Value, read};
pub(super) use calls::sample;

type Values = BoxedStrategy<Value>;
type Members = Vec<(&'static str, BoxedStrategy<Option<Value>>)>;

fn object(members: Members) -> Values {
    let (names, values): (Vec<_>, Vec<_>) = members.into_iter().unzip();
    let build = move |values: Vec<Option<Value>>| {
        let members = names.iter().zip(values);
        members
            .filter_map(|(name, value)| Some(((*name).to_owned(), value?)))
            .collect()
    };
    values.prop_map(build).prop_map(Value::Object).boxed()
}

fn must(name: &'static str, value: Values) -> (&'static str, BoxedStrategy<Option<Value>>) {
    (name, value.prop_map(Some).boxed())
}

fn may(name: &'static str, value: Values) -> (&'static str, BoxedStrategy<Option<Value>>) {
    (name, option::of(value).boxed())
}

fn one_of(values: &[&'static str]) -> Values {
    select(values.to_vec()).prop_map(Value::from).boxed()
}

fn id() -> Values {
    "[a-z0-9-]{1,4}".prop_map(Value::from).boxed()
}

fn ids() -> Values {
    vec(id(), 1..3).prop_map(Value::from).boxed()
}

fn text() -> Values {
    prop_oneof![
        "\\PC{0,4}",
        select(vec!["", "\"\\", "null"]).prop_map(str::to_owned)
    ]
    .prop_map(Value::from)
    .boxed()
}

fn flag() -> Values {
    any::<bool>().prop_map(Value::from).boxed()
}

fn count() -> Values {
    (0..4_i32).prop_map(Value::from).boxed()
}

/// Makes any JSON, with numbers in spellings that a float would change and names that the protocol uses itself.
pub(super) fn json() -> Values {
    let numbers = [
        "0",
        "-1",
        "1.50",
        "9007199254740993",
        "123456789012345678901",
        "1e2",
        "-0.0",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        flag(),
        text(),
        select(numbers.to_vec()).prop_map(read),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((name(), inner), 0..3).prop_map(|members| Map::from_iter(members).into()),
        ]
    })
    .boxed()
}

fn name() -> impl Strategy<Value = String> {
    let names = [
        "data",
        "value",
        "kind",
        "text",
        "file",
        "id",
        "status",
        "task",
        "message",
        "parts",
        "x",
        "message_id",
        "role",
        "configuration",
        "final",
        "artifact",
        "taskId",
        "name",
        "",
    ];
    select(names.to_vec()).prop_map(str::to_owned)
}

fn data_object() -> Values {
    vec((name(), json()), 0..3)
        .prop_map(|members| Map::from_iter(members).into())
        .boxed()
}

fn metadata() -> Values {
    vec((name(), json()), 1..3)
        .prop_map(|members| Map::from_iter(members).into())
        .boxed()
}

fn base64() -> Values {
    one_of(&["", "AA==", "AAEC", "+/8=", "QUFFQw=="])
}

fn part(dialect: Dialect) -> Values {
    let metadata = || may("metadata", metadata());
    if dialect == V03 {
        let kind = |kind| must("kind", Just(Value::from(kind)).boxed());
        let file = |content| {
            let labels = [may("mimeType", id()), may("name", id())];
            object([vec![must(content, base64())], labels.to_vec()].concat())
        };
        return prop_oneof![
            object(vec![kind("text"), must("text", text()), metadata()]),
            object(vec![kind("file"), must("file", file("bytes")), metadata()]),
            object(vec![kind("file"), must("file", file("uri")), metadata()]),
            object(vec![kind("data"), must("data", data_object()), metadata()]),
        ]
        .boxed();
    }
    let labelled = |content| {
        object(vec![
            content,
            may("filename", id()),
            may("mediaType", id()),
            metadata(),
        ])
    };
    prop_oneof![
        labelled(must("text", text())),
        labelled(must("raw", base64())),
        labelled(must("url", text())),
        labelled(must("data", json())),
    ]
    .boxed()
}

fn parts(dialect: Dialect) -> Values {
    vec(part(dialect), 1..3).prop_map(Value::from).boxed()
}

/// Adds the `kind` that objects of 0.3 have.
fn with_kind(dialect: Dialect, kind: &'static str, mut members: Members) -> Values {
    if dialect == V03 {
        members.push(must("kind", Just(Value::from(kind)).boxed()));
    }
    object(members)
}

fn context(dialect: Dialect) -> (&'static str, BoxedStrategy<Option<Value>>) {
    let name = "contextId";
    if dialect == V03 {
        must(name, id())
    } else {
        may(name, id())
    }
}

fn message(dialect: Dialect) -> Values {
    let roles = if dialect == V03 {
        ["user", "agent"]
    } else {
        ["ROLE_USER", "ROLE_AGENT"]
    };
    let members = vec![
        must("messageId", id()),
        must("role", one_of(&roles)),
        must("parts", parts(dialect)),
        may("contextId", id()),
        may("taskId", id()),
        may("referenceTaskIds", ids()),
        may("extensions", ids()),
        may("metadata", metadata()),
    ];
    with_kind(dialect, "message", members)
}

fn status(dialect: Dialect) -> Values {
    let states: &[&str] = if dialect == V03 {
        &[
            "unknown",
            "submitted",
            "working",
            "completed",
            "failed",
            "canceled",
            "input-required",
            "rejected",
            "auth-required",
        ]
    } else {
        &[
            "TASK_STATE_UNSPECIFIED",
            "TASK_STATE_SUBMITTED",
            "TASK_STATE_WORKING",
            "TASK_STATE_COMPLETED",
            "TASK_STATE_FAILED",
            "TASK_STATE_CANCELED",
            "TASK_STATE_INPUT_REQUIRED",
            "TASK_STATE_REJECTED",
            "TASK_STATE_AUTH_REQUIRED",
        ]
    };
    object(vec![
        must("state", one_of(states)),
        may("message", message(dialect)),
        may(
            "timestamp",
            one_of(&["2026-11-30T10:00:00Z", "2026-11-30T10:00:00.120Z"]),
        ),
    ])
}

fn artifact(dialect: Dialect) -> Values {
    object(vec![
        must("artifactId", id()),
        must("parts", parts(dialect)),
        may("name", text()),
        may("description", text()),
        may("extensions", ids()),
        may("metadata", metadata()),
    ])
}

fn task(dialect: Dialect) -> Values {
    let list = |values: Values| vec(values, 0..2).prop_map(Value::from).boxed();
    let members = vec![
        must("id", id()),
        context(dialect),
        must("status", status(dialect)),
        may("artifacts", list(artifact(dialect))),
        may("history", list(message(dialect))),
        may("metadata", metadata()),
    ];
    with_kind(dialect, "task", members)
}

fn status_update(dialect: Dialect) -> Values {
    let mut members = vec![
        must("taskId", id()),
        context(dialect),
        must("status", status(dialect)),
        may("metadata", metadata()),
    ];
    if dialect == V03 {
        members.push(must("final", flag()));
    }
    with_kind(dialect, "status-update", members)
}

fn artifact_update(dialect: Dialect) -> Values {
    let members = vec![
        must("taskId", id()),
        context(dialect),
        must("artifact", artifact(dialect)),
        may("append", flag()),
        may("lastChunk", flag()),
        may("metadata", metadata()),
    ];
    with_kind(dialect, "artifact-update", members)
}
