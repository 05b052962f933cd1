//! Listing tasks (A2A 1.0 §3.1.4): newest first, in pages.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::dialect::Dialect;
use crate::fault::Fault;
use crate::request::{flag, history_length, invalid, text, whole_number};
use crate::task::{State, Task};

const DEFAULT_PAGE: usize = 50;
const LARGEST_PAGE: usize = 100;

/// Returns the page of `tasks` that the params ask for.
///
/// # Errors
///
/// Refuses an unknown state, a page size outside 1 to 100, and a token that is not ours.
pub(crate) fn list(dialect: Dialect, mut tasks: Vec<Task>, params: &Value) -> Result<Value, Fault> {
    let size = whole_number(params, "pageSize")?.unwrap_or(DEFAULT_PAGE);
    if !(1..=LARGEST_PAGE).contains(&size) {
        return Err(invalid(&format!(
            "`pageSize` must be from 1 to {LARGEST_PAGE}, not {size}"
        )));
    }
    let history = history_length(params)?;
    let artifacts = flag(params, "includeArtifacts")?.unwrap_or(false);
    retain_wanted(dialect, &mut tasks, params)?;
    tasks.sort_by(|one, other| position(other).cmp(&position(one)));
    let total = tasks.len();
    if let Some(token) = text(params, "pageToken")? {
        let after = read_token(&token)?;
        tasks.retain(|task| position(task) < (after.0, after.1.as_str()));
    }
    let more = tasks.len() > size;
    tasks.truncate(size);
    let next = tasks
        .last()
        .filter(|_| more)
        .map(write_token)
        .unwrap_or_default();
    let shown: Vec<Value> = tasks
        .iter()
        .map(|task| show(dialect, task, history, artifacts))
        .collect();
    Ok(json!({
        "tasks": shown,
        "nextPageToken": next,
        "pageSize": size,
        "totalSize": total,
    }))
}

fn retain_wanted(dialect: Dialect, tasks: &mut Vec<Task>, params: &Value) -> Result<(), Fault> {
    if let Some(context) = text(params, "contextId")? {
        tasks.retain(|task| task.context_id == context);
    }
    if let Some(name) = text(params, "status")?.filter(|name| name != "TASK_STATE_UNSPECIFIED") {
        let state = State::ALL
            .into_iter()
            .find(|state| dialect.state(*state) == name);
        // Authorization is never required here, so that state is known and always empty.
        if state.is_none() && name != "TASK_STATE_AUTH_REQUIRED" {
            return Err(invalid(&format!("`status` `{name}` is not a task state")));
        }
        tasks.retain(|task| Some(task.status.state) == state);
    }
    if let Some(after) = text(params, "statusTimestampAfter")? {
        let after: Timestamp = after
            .parse()
            .map_err(|_| invalid("`statusTimestampAfter` is not an RFC 3339 time"))?;
        tasks.retain(|task| task.status.since >= after);
    }
    Ok(())
}

fn show(dialect: Dialect, task: &Task, history: Option<usize>, artifacts: bool) -> Value {
    let mut shown = dialect.task(task, history);
    if let Some(members) = shown.as_object_mut() {
        if artifacts {
            members.entry("artifacts").or_insert_with(|| json!([]));
        } else {
            members.remove("artifacts");
        }
    }
    shown
}

fn position(task: &Task) -> (Timestamp, &str) {
    (task.status.since, &task.id)
}

fn write_token(task: &Task) -> String {
    format!("{}_{}", task.status.since, task.id)
}

fn read_token(token: &str) -> Result<(Timestamp, String), Fault> {
    token
        .split_once('_')
        .and_then(|(since, id)| Some((since.parse().ok()?, id.to_owned())))
        .ok_or_else(|| invalid("`pageToken` is not one of this agent"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Artifact, Part, Status};

    fn task(id: &str, second: i64, state: State) -> Task {
        Task {
            id: id.to_owned(),
            context_id: "c".to_owned(),
            status: Status {
                state,
                message: None,
                since: Timestamp::from_second(second).unwrap(),
            },
            artifacts: vec![Artifact {
                id: "a".to_owned(),
                name: "answer",
                parts: vec![Part::Text("x".to_owned())],
            }],
            history: Vec::new(),
        }
    }

    fn tasks() -> Vec<Task> {
        vec![
            task("old", 1, State::Completed),
            task("tie-a", 2, State::Completed),
            task("tie-b", 2, State::Working),
        ]
    }

    fn ids(page: &Value) -> Vec<&str> {
        page["tasks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|task| task["id"].as_str().unwrap())
            .collect()
    }

    #[test]
    fn pages_follow_each_other_newest_first() {
        let first = list(Dialect::V10, tasks(), &json!({"pageSize": 2})).unwrap();
        assert_eq!(ids(&first), ["tie-b", "tie-a"]);
        assert_eq!(first["totalSize"], 3);
        let token = first["nextPageToken"].clone();
        let second = list(
            Dialect::V10,
            tasks(),
            &json!({"pageSize": 2, "pageToken": token}),
        )
        .unwrap();
        assert_eq!(ids(&second), ["old"]);
        assert_eq!(second["nextPageToken"], "");
    }

    #[test]
    fn filters_narrow_the_list() {
        let state = json!({"status": "TASK_STATE_WORKING", "includeArtifacts": true});
        let working = list(Dialect::V10, tasks(), &state).unwrap();
        assert_eq!(ids(&working), ["tie-b"]);
        assert!(working["tasks"][0]["artifacts"].is_array());
        let later = json!({"statusTimestampAfter": "1970-01-01T00:00:02Z"});
        let page = list(Dialect::V10, tasks(), &later).unwrap();
        assert_eq!(ids(&page), ["tie-b", "tie-a"]);
        assert!(page["tasks"][0].get("artifacts").is_none());
        let none = list(Dialect::V10, tasks(), &json!({"contextId": "other"})).unwrap();
        assert_eq!(
            none,
            json!({"tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0})
        );
    }

    #[test]
    fn bad_pages_are_refused() {
        for params in [
            json!({"pageSize": 0}),
            json!({"pageSize": 101}),
            json!({"pageToken": "x"}),
            json!({"status": "busy"}),
        ] {
            assert!(list(Dialect::V10, tasks(), &params).is_err(), "{params}");
        }
    }
}
