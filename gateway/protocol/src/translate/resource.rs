//! The resource names of the 0.3 protobuf form, which stand where the other dialects have ids.

use std::ops::Range;

use super::fields::{Fault, Read};

const TASKS: &str = "tasks/";
const CONFIGS: &str = "/pushNotificationConfigs/";

/// Writes the name of a task.
pub(super) fn task(id: &str) -> String {
    format!("{TASKS}{id}")
}

/// Writes the name of a push configuration.
pub(super) fn push_config(task_id: &str, id: &str) -> String {
    format!("{TASKS}{task_id}{CONFIGS}{id}")
}

/// Finds the id in the name of a task.
pub(crate) fn task_within(name: &str) -> Option<Range<usize>> {
    let id = TASKS.len()..name.len();
    (name.starts_with(TASKS) && !id.is_empty()).then_some(id)
}

/// Finds the id of the task in the name of one of its push configurations.
pub(crate) fn task_of_config_within(name: &str) -> Option<Range<usize>> {
    config_within(name).map(|(task, _)| task)
}

fn config_within(name: &str) -> Option<(Range<usize>, Range<usize>)> {
    let end = name.rfind(CONFIGS)?;
    let task = task_within(name.get(..end)?)?;
    let config = end + CONFIGS.len()..name.len();
    (!config.is_empty()).then_some((task, config))
}

/// Reads the name of a task.
pub(super) fn read_task(name: &str) -> Read<String> {
    task_within(name)
        .and_then(|id| name.get(id))
        .map(str::to_owned)
        .ok_or_else(|| Fault::of_value("must be `tasks/` and an id"))
}

/// Reads the name of a push configuration into the ids of the task and of the configuration.
pub(super) fn read_push_config(name: &str) -> Read<(String, String)> {
    let text = |span| name.get(span).map(str::to_owned);
    config_within(name)
        .and_then(|(task, config)| text(task).zip(text(config)))
        .ok_or_else(|| {
            Fault::of_value("must be `tasks/`, an id, `/pushNotificationConfigs/` and an id")
        })
}

/// Refuses ids whose name would be read as that of a push configuration of another task.
pub(super) fn check_push_config(task_id: &str, id: &str) -> Read<()> {
    let read = read_push_config(&push_config(task_id, id));
    if read.is_ok_and(|(task, config)| (&*task, &*config) == (task_id, id)) {
        return Ok(());
    }
    let problem = "must not hold `pushNotificationConfigs/` for A2A 0.3";
    Err(Fault::new("id", problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_ids() {
        for id in ["t-1", "a/b", "ä"] {
            assert_eq!(read_task(&task(id)).unwrap(), id);
            let ids = (id.to_owned(), "p 1".to_owned());
            assert_eq!(read_push_config(&push_config(id, "p 1")).unwrap(), ids);
        }
    }

    #[test]
    fn ids_that_do_not_lead_back_are_refused() {
        for (task, id) in [
            ("t", "p"),
            ("a/b", "p/q"),
            ("t/pushNotificationConfigs/x", "p"),
        ] {
            check_push_config(task, id).unwrap();
        }
        for id in ["x/pushNotificationConfigs/y", "pushNotificationConfigs/y"] {
            assert!(check_push_config("t", id).is_err(), "{id}");
        }
    }

    #[test]
    fn other_names_are_refused() {
        for name in ["", "t-1", "tasks/", "task/t-1", "/tasks/t-1"] {
            assert!(read_task(name).is_err(), "{name}");
        }
        for name in [
            "tasks/t-1",
            "tasks/t-1/pushNotificationConfigs/",
            "tasks//pushNotificationConfigs/p",
        ] {
            assert!(read_push_config(name).is_err(), "{name}");
        }
    }
}
