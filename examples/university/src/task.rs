//! A task, its life, and those who watch it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use crate::fault::Fault;

/// Where a task stands in its life (A2A §4.1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Submitted,
    Working,
    InputRequired,
    Completed,
    Failed,
    Canceled,
    Rejected,
}

impl State {
    pub(crate) const ALL: [Self; 7] = [
        Self::Submitted,
        Self::Working,
        Self::InputRequired,
        Self::Completed,
        Self::Failed,
        Self::Canceled,
        Self::Rejected,
    ];

    /// Tells whether nothing can happen to the task any more.
    pub(crate) const fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Canceled | Self::Rejected
        )
    }

    /// Tells whether the agent is done with the task, for good or until the next message.
    pub(crate) const fn is_at_rest(self) -> bool {
        self.is_terminal() || matches!(self, Self::InputRequired)
    }
}

/// A state, since when, and what the agent had to say about it.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    pub(crate) state: State,
    pub(crate) message: Option<Value>,
    pub(crate) since: Timestamp,
}

/// A piece of content that an agent produces.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Text(String),
    Data(Value),
}

/// A result of a task; in an event, only the part of it that is new.
#[derive(Clone, Debug)]
pub(crate) struct Artifact {
    pub(crate) id: String,
    pub(crate) name: &'static str,
    pub(crate) parts: Vec<Part>,
}

/// A task as it stands at one moment; messages are kept in the shape of the agent's protocol version.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) id: String,
    pub(crate) context_id: String,
    pub(crate) status: Status,
    pub(crate) artifacts: Vec<Artifact>,
    pub(crate) history: Vec<Value>,
}

/// Something that happened to a task.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Status(Status),
    Artifact {
        chunk: Artifact,
        append: bool,
        last_chunk: bool,
    },
}

/// A task that is kept up to date, shared by its worker and everyone who asks for it.
#[derive(Debug)]
pub(crate) struct LiveTask {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    task: Task,
    // One channel per watcher, not a shared ring: a slow reader must never lose an event, and what
    // can pile up is bounded by what one task produces. Dropping the senders ends the streams.
    watchers: Vec<UnboundedSender<Event>>,
    canceled: CancellationToken,
}

impl LiveTask {
    /// Creates a submitted task from its first message.
    pub(crate) fn new(id: String, context_id: String, message: Value) -> Self {
        let status = Status {
            state: State::Submitted,
            message: None,
            since: Timestamp::now(),
        };
        let task = Task {
            id,
            context_id,
            status,
            artifacts: Vec::new(),
            history: vec![message],
        };
        Self {
            inner: Mutex::new(Inner {
                task,
                watchers: Vec::new(),
                canceled: CancellationToken::new(),
            }),
        }
    }

    fn locked(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn snapshot(&self) -> Task {
        self.locked().task.clone()
    }

    pub(crate) fn state(&self) -> State {
        self.locked().task.status.state
    }

    /// Returns the token that is cancelled when the task is.
    pub(crate) fn canceled(&self) -> CancellationToken {
        self.locked().canceled.clone()
    }

    /// Returns the task as it is and everything that happens to it from then on.
    ///
    /// The channel closes when the task comes to rest, and at once if it has ended already.
    pub(crate) fn watch(&self) -> (Task, UnboundedReceiver<Event>) {
        let (sender, receiver) = unbounded_channel();
        let mut inner = self.locked();
        if !inner.task.status.state.is_terminal() {
            inner.watchers.retain(|watcher| !watcher.is_closed());
            inner.watchers.push(sender);
        }
        (inner.task.clone(), receiver)
    }

    /// Takes a further message, which puts a task that asked for input back to work.
    ///
    /// # Errors
    ///
    /// Refuses when the task has ended or is still working on the message before.
    pub(crate) fn accept(&self, message: Value) -> Result<(), Fault> {
        let mut inner = self.locked();
        let Task { id, status, .. } = &inner.task;
        if status.state.is_terminal() {
            let why = format!("task `{id}` has ended: send the message without a task id");
            return Err(Fault::UnsupportedOperation(why));
        }
        if !status.state.is_at_rest() {
            let why = format!("task `{id}` is still working: send the message when it asks");
            return Err(Fault::UnsupportedOperation(why));
        }
        inner.set_status(State::Working, None);
        inner.task.history.push(message);
        Ok(())
    }

    /// Moves the task to a state; without effect once the task has ended.
    pub(crate) fn set_status(&self, state: State, message: Option<Value>) {
        let mut inner = self.locked();
        if !inner.task.status.state.is_terminal() {
            inner.set_status(state, message);
        }
    }

    /// Adds a chunk to the artifact of that id, or starts it; without effect once the task has ended.
    pub(crate) fn add_chunk(&self, chunk: Artifact, last_chunk: bool) {
        let mut inner = self.locked();
        if inner.task.status.state.is_terminal() {
            return;
        }
        let known = inner
            .task
            .artifacts
            .iter_mut()
            .find(|known| known.id == chunk.id);
        let append = known.is_some();
        match known {
            Some(known) => known.parts.extend(chunk.parts.iter().cloned()),
            None => inner.task.artifacts.push(chunk.clone()),
        }
        inner.publish(&Event::Artifact {
            chunk,
            append,
            last_chunk,
        });
    }

    /// Cancels the task and stops its worker.
    ///
    /// # Errors
    ///
    /// Refuses when the task has ended.
    pub(crate) fn cancel(&self) -> Result<Task, Fault> {
        let mut inner = self.locked();
        if inner.task.status.state.is_terminal() {
            return Err(Fault::TaskNotCancelable(inner.task.id.clone()));
        }
        inner.set_status(State::Canceled, None);
        inner.canceled.cancel();
        Ok(inner.task.clone())
    }
}

impl Inner {
    fn set_status(&mut self, state: State, message: Option<Value>) {
        let status = Status {
            state,
            message,
            since: Timestamp::now(),
        };
        let before = std::mem::replace(&mut self.task.status, status.clone());
        self.task.history.extend(before.message);
        self.publish(&Event::Status(status));
        if state.is_at_rest() {
            self.watchers.clear();
        }
    }

    fn publish(&mut self, event: &Event) {
        self.watchers
            .retain(|watcher| watcher.send(event.clone()).is_ok());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn task() -> LiveTask {
        LiveTask::new("t".to_owned(), "c".to_owned(), json!({"messageId": "m1"}))
    }

    fn chunk(text: &str) -> Artifact {
        Artifact {
            id: "a".to_owned(),
            name: "answer",
            parts: vec![Part::Text(text.to_owned())],
        }
    }

    #[tokio::test]
    async fn watchers_see_the_same_events_in_order_until_the_task_rests() {
        let task = task();
        let (snapshot, mut first) = task.watch();
        let (_, mut second) = task.watch();
        assert_eq!(snapshot.status.state, State::Submitted);
        task.add_chunk(chunk("one"), false);
        task.add_chunk(chunk("two"), true);
        task.set_status(State::Completed, None);
        for watcher in [&mut first, &mut second] {
            assert!(matches!(
                watcher.recv().await,
                Some(Event::Artifact {
                    append: false,
                    last_chunk: false,
                    ..
                })
            ));
            assert!(matches!(
                watcher.recv().await,
                Some(Event::Artifact {
                    append: true,
                    last_chunk: true,
                    ..
                })
            ));
            assert!(matches!(watcher.recv().await, Some(Event::Status(_))));
            assert!(watcher.recv().await.is_none());
        }
        assert_eq!(task.snapshot().artifacts[0].parts.len(), 2);
    }

    #[tokio::test]
    async fn ended_task_never_changes() {
        let task = task();
        task.cancel().unwrap();
        task.add_chunk(chunk("late"), true);
        task.set_status(State::Completed, None);
        assert_eq!(task.state(), State::Canceled);
        assert!(task.snapshot().artifacts.is_empty());
        assert!(matches!(task.cancel(), Err(Fault::TaskNotCancelable(_))));
        assert!(task.accept(json!({})).is_err());
        assert!(task.watch().1.recv().await.is_none());
    }

    #[test]
    fn question_and_answer_both_enter_the_history() {
        let task = task();
        assert!(task.accept(json!({"messageId": "early"})).is_err());
        task.set_status(State::InputRequired, Some(json!({"messageId": "question"})));
        task.accept(json!({"messageId": "m2"})).unwrap();
        let ids: Vec<_> = task
            .snapshot()
            .history
            .iter()
            .map(|message| message["messageId"].clone())
            .collect();
        assert_eq!(ids, ["m1", "question", "m2"]);
        assert_eq!(task.state(), State::Working);
    }
}
