//! The tasks an agent remembers: all that are running, and the newest of those at rest.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::fault::Fault;
use crate::task::{LiveTask, Task};

/// Tasks in memory, by id.
#[derive(Debug)]
pub(crate) struct TaskStore {
    capacity: usize,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    tasks: HashMap<String, Arc<LiveTask>>,
    /// Ids in the order in which their tasks came to rest.
    rested: VecDeque<String>,
}

impl TaskStore {
    /// Creates a store that forgets the oldest tasks at rest beyond `capacity` tasks.
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            inner: Mutex::default(),
        }
    }

    fn locked(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates a task under an id that was made for it.
    pub(crate) fn create(&self, id: String, context_id: String, message: Value) -> Arc<LiveTask> {
        let task = Arc::new(LiveTask::new(id.clone(), context_id, message));
        let mut inner = self.locked();
        inner.tasks.insert(id, Arc::clone(&task));
        inner.forget_beyond(self.capacity);
        task
    }

    /// Returns the task with that id.
    ///
    /// # Errors
    ///
    /// Refuses an id that was never given out or whose task has been forgotten.
    pub(crate) fn get(&self, id: &str) -> Result<Arc<LiveTask>, Fault> {
        let task = self.locked().tasks.get(id).cloned();
        task.ok_or_else(|| Fault::TaskNotFound(id.to_owned()))
    }

    /// Notes that a task has come to rest, so that it may be forgotten when its turn comes.
    pub(crate) fn rest(&self, id: String) {
        let mut inner = self.locked();
        inner.rested.push_back(id);
        inner.forget_beyond(self.capacity);
    }

    /// Returns every task as it stands.
    pub(crate) fn snapshots(&self) -> Vec<Task> {
        self.locked()
            .tasks
            .values()
            .map(|task| task.snapshot())
            .collect()
    }
}

impl Inner {
    fn forget_beyond(&mut self, capacity: usize) {
        while self.tasks.len() > capacity {
            let Some(id) = self.rested.pop_front() else {
                return;
            };
            // A task that was put back to work since will be noted again.
            if self
                .tasks
                .get(&id)
                .is_some_and(|task| task.state().is_at_rest())
            {
                self.tasks.remove(&id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::task::State;

    #[test]
    fn oldest_task_at_rest_is_forgotten_and_running_ones_are_kept() {
        let store = TaskStore::new(2);
        let create = |id: &str| store.create(id.to_owned(), "c".to_owned(), json!({}));
        let rest = |id: &str| {
            store.get(id).unwrap().set_status(State::Completed, None);
            store.rest(id.to_owned());
        };
        create("running");
        create("old");
        rest("old");
        create("new");
        rest("new");
        assert!(store.get("running").is_ok());
        assert!(matches!(store.get("old"), Err(Fault::TaskNotFound(_))));
        assert!(store.get("new").is_ok());
    }

    #[test]
    fn task_back_at_work_is_not_forgotten() {
        let store = TaskStore::new(1);
        let asked = store.create("asked".to_owned(), "c".to_owned(), json!({}));
        asked.set_status(State::InputRequired, None);
        store.rest("asked".to_owned());
        asked.accept(json!({})).unwrap();
        store.create("next".to_owned(), "c".to_owned(), json!({}));
        assert!(store.get("asked").is_ok());
    }
}
