//! What each operation of the protocol does, whatever the version that names it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::agents::Agent;
use crate::dialect::{Dialect, text_of};
use crate::fault::Fault;
use crate::listing;
use crate::request::{SendParams, history_length, invalid, task_id};
use crate::store::TaskStore;
use crate::task::{Event, LiveTask, State, Task};
use crate::turn::{Outcome, Turn, new_id};

/// How many tasks an agent remembers.
const REMEMBERED_TASKS: usize = 10_000;

/// An operation of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Send,
    Stream,
    Get,
    List,
    Cancel,
    Subscribe,
    PushNotification,
    ExtendedCard,
}

impl Operation {
    fn named(dialect: Dialect, method: &str) -> Option<Self> {
        Some(match (dialect, method) {
            (Dialect::V03, "message/send") | (Dialect::V10, "SendMessage") => Self::Send,
            (Dialect::V03, "message/stream") | (Dialect::V10, "SendStreamingMessage") => {
                Self::Stream
            }
            (Dialect::V03, "tasks/get") | (Dialect::V10, "GetTask") => Self::Get,
            (Dialect::V10, "ListTasks") => Self::List,
            (Dialect::V03, "tasks/cancel") | (Dialect::V10, "CancelTask") => Self::Cancel,
            (Dialect::V03, "tasks/resubscribe") | (Dialect::V10, "SubscribeToTask") => {
                Self::Subscribe
            }
            (
                Dialect::V03,
                "tasks/pushNotificationConfig/set"
                | "tasks/pushNotificationConfig/get"
                | "tasks/pushNotificationConfig/list"
                | "tasks/pushNotificationConfig/delete",
            )
            | (
                Dialect::V10,
                "CreateTaskPushNotificationConfig"
                | "GetTaskPushNotificationConfig"
                | "ListTaskPushNotificationConfigs"
                | "DeleteTaskPushNotificationConfig",
            ) => Self::PushNotification,
            (Dialect::V03, "agent/getAuthenticatedExtendedCard")
            | (Dialect::V10, "GetExtendedAgentCard") => Self::ExtendedCard,
            _ => return None,
        })
    }
}

/// What an operation answers with.
#[derive(Debug)]
pub(crate) enum Answer {
    /// One result.
    Single(Value),
    /// A stream of a single message.
    Message(Value),
    /// A stream that opens with the task and goes on with its events.
    Events {
        task: Task,
        history_length: Option<usize>,
        events: UnboundedReceiver<Event>,
    },
}

/// One agent at work: its tasks and those who work on them.
#[derive(Debug)]
pub(crate) struct Desk {
    agent: Agent,
    dialect: Dialect,
    pace: Duration,
    tasks: Arc<TaskStore>,
    workers: TaskTracker,
    stop: CancellationToken,
    closed: CancellationToken,
}

impl Desk {
    /// Opens an agent that closes, failing what it is working on, when `stop` is cancelled.
    pub(crate) fn new(agent: Agent, pace: Duration, stop: CancellationToken) -> Self {
        Self {
            agent,
            dialect: agent.profile().dialect,
            pace,
            tasks: Arc::new(TaskStore::new(REMEMBERED_TASKS)),
            workers: TaskTracker::new(),
            stop,
            closed: CancellationToken::new(),
        }
    }

    /// Waits for the order to stop, and then until nobody works on a task any more.
    pub(crate) async fn stopped(&self) {
        self.stop.cancelled().await;
        self.workers.close();
        self.workers.wait().await;
        self.closed.cancel();
    }

    /// Returns the token that is cancelled when no task can change any more.
    pub(crate) fn closed(&self) -> CancellationToken {
        self.closed.clone()
    }

    /// Carries out the operation that `method` names.
    ///
    /// # Errors
    ///
    /// Refuses what the protocol or the agent's card does not allow.
    pub(crate) async fn answer(&self, method: &str, params: &Value) -> Result<Answer, Fault> {
        let operation = Operation::named(self.dialect, method)
            .ok_or_else(|| Fault::MethodNotFound(method.to_owned()))?;
        let streams = matches!(operation, Operation::Stream | Operation::Subscribe);
        if streams && !self.agent.profile().streaming {
            return Err(Fault::UnsupportedOperation(
                "this agent does not stream".to_owned(),
            ));
        }
        if !params.is_object() && operation != Operation::ExtendedCard {
            return Err(invalid("`params` is missing or not an object"));
        }
        match operation {
            Operation::Send | Operation::Stream => {
                let params = SendParams::read(self.dialect, params)?;
                self.send(params, operation == Operation::Stream).await
            }
            Operation::Get => {
                let task = self.tasks.get(&task_id(params)?)?.snapshot();
                Ok(Answer::Single(
                    self.dialect.task(&task, history_length(params)?),
                ))
            }
            Operation::List => {
                listing::list(self.dialect, self.tasks.snapshots(), params).map(Answer::Single)
            }
            Operation::Cancel => {
                let task = self.tasks.get(&task_id(params)?)?.cancel()?;
                Ok(Answer::Single(self.dialect.task(&task, None)))
            }
            Operation::Subscribe => self.subscribe(&task_id(params)?),
            Operation::PushNotification => Err(Fault::PushNotificationNotSupported),
            Operation::ExtendedCard => Err(match self.dialect {
                Dialect::V03 => Fault::ExtendedCardNotConfigured,
                Dialect::V10 => {
                    Fault::UnsupportedOperation("this agent has no extended card".to_owned())
                }
            }),
        }
    }

    async fn send(&self, params: SendParams, stream: bool) -> Result<Answer, Fault> {
        let history_length = params.history_length;
        let wait = params.wait;
        if params.task_id.is_none()
            && let Some(reply) = self.agent.small_talk(&text_of(&params.message))
        {
            let context_id = params.context_id.unwrap_or_else(new_id);
            let message = self.dialect.agent_message(reply, &context_id, None);
            let reply = self.dialect.message_reply(message);
            return Ok(if stream {
                Answer::Message(reply)
            } else {
                Answer::Single(reply)
            });
        }
        let live = self.take_in(params)?;
        // Watching starts before the work does, so that no event can be missed.
        let (task, mut events) = live.watch();
        self.start_work(&live);
        if stream {
            return Ok(Answer::Events {
                task,
                history_length,
                events,
            });
        }
        if wait {
            while events.recv().await.is_some() {}
        }
        Ok(Answer::Single(
            self.dialect.task_reply(&live.snapshot(), history_length),
        ))
    }

    /// Files a message under the task it names, or under a new one.
    fn take_in(&self, params: SendParams) -> Result<Arc<LiveTask>, Fault> {
        let SendParams {
            mut message,
            task_id,
            context_id,
            ..
        } = params;
        let Some(task_id) = task_id else {
            let (task_id, context_id) = (new_id(), context_id.unwrap_or_else(new_id));
            message["taskId"] = task_id.clone().into();
            message["contextId"] = context_id.clone().into();
            return Ok(self.tasks.create(task_id, context_id, message));
        };
        let live = self.tasks.get(&task_id)?;
        let known = live.snapshot().context_id;
        if context_id.is_some_and(|given| given != known) {
            return Err(invalid("`message.contextId` is not that of the task"));
        }
        message["contextId"] = known.into();
        live.accept(message)?;
        Ok(live)
    }

    /// Lets the agent work on the newest message, independently of who waits for the answer.
    fn start_work(&self, live: &Arc<LiveTask>) {
        if live.state() == State::Submitted {
            live.set_status(State::Working, None);
        }
        let turn = Turn::new(self.dialect, self.pace, Arc::clone(live));
        let (agent, tasks) = (self.agent, Arc::clone(&self.tasks));
        let (canceled, stop) = (live.canceled(), self.stop.clone());
        let id = live.snapshot().id;
        self.workers.spawn(async move {
            let work = AssertUnwindSafe(agent.run(&turn)).catch_unwind();
            let outcome = tokio::select! {
                biased;
                () = canceled.cancelled() => None,
                () = stop.cancelled() => Some(Outcome::Failed("the agent is closing".to_owned())),
                done = work => Some(done.unwrap_or_else(|_| {
                    Outcome::Failed("the agent stumbled over this message".to_owned())
                })),
            };
            if let Some(outcome) = outcome {
                turn.end(&outcome);
            }
            tasks.rest(id);
        });
    }

    fn subscribe(&self, id: &str) -> Result<Answer, Fault> {
        let (task, events) = self.tasks.get(id)?.watch();
        if task.status.state.is_terminal() {
            let why = format!("task `{id}` has ended: get it instead");
            return Err(Fault::UnsupportedOperation(why));
        }
        Ok(Answer::Events {
            task,
            history_length: None,
            events,
        })
    }
}
