//! One message of a task in an agent's hands: what was said, and the means to answer.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::dialect::{Dialect, text_of};
use crate::task::{Artifact, LiveTask, Part, State};
use crate::text::Language;

/// How an agent's work on a message ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The task is done; its results are in its artifacts.
    Completed,
    /// The agent needs an answer to this question before it can go on.
    Asked(String),
    /// The agent will not do this, for the reason given.
    Rejected(String),
    /// The agent could not do this, for the reason given.
    Failed(String),
}

/// What an agent gets to work on one message, and to show progress and results with.
#[derive(Debug)]
pub(crate) struct Turn {
    /// What the user has just said.
    pub(crate) text: String,
    /// What the user said before within the same task, oldest first.
    pub(crate) earlier: Vec<String>,
    /// The language to answer in: that of the first message of the task.
    pub(crate) language: Language,
    dialect: Dialect,
    pace: Duration,
    task: Arc<LiveTask>,
}

impl Turn {
    /// Prepares the work on the newest message of a task.
    pub(crate) fn new(dialect: Dialect, pace: Duration, task: Arc<LiveTask>) -> Self {
        let is_from_user = |message: &&Value| message["role"] == dialect.user_role();
        let history = task.snapshot().history;
        let mut said: Vec<String> = history.iter().filter(is_from_user).map(text_of).collect();
        let language = Language::of(said.first().map_or("", String::as_str));
        let text = said.pop().unwrap_or_default();
        Self {
            text,
            earlier: said,
            language,
            dialect,
            pace,
            task,
        }
    }

    /// Returns the text of the two that is in the user's language.
    pub(crate) fn say<T>(&self, english: T, spanish: T) -> T {
        match self.language {
            Language::English => english,
            Language::Spanish => spanish,
        }
    }

    /// Waits for one step of a long task.
    pub(crate) async fn step(&self) {
        tokio::time::sleep(self.pace).await;
    }

    /// Waits for the short while that a sentence of an answer takes.
    pub(crate) async fn breath(&self) {
        tokio::time::sleep(self.pace / 10).await;
    }

    /// Tells watchers what the agent is doing.
    pub(crate) fn progress(&self, text: &str) {
        self.set_status(State::Working, text);
    }

    /// Puts the task in the state in which the agent leaves it.
    pub(crate) fn end(&self, outcome: &Outcome) {
        match outcome {
            Outcome::Completed => self.task.set_status(State::Completed, None),
            Outcome::Asked(question) => self.set_status(State::InputRequired, question),
            Outcome::Rejected(reason) => self.set_status(State::Rejected, reason),
            Outcome::Failed(reason) => self.set_status(State::Failed, reason),
        }
    }

    fn set_status(&self, state: State, text: &str) {
        let task = self.task.snapshot();
        let message = self
            .dialect
            .agent_message(text, &task.context_id, Some(&task.id));
        self.task.set_status(state, Some(message));
    }

    /// Starts a result that is handed over piece by piece.
    pub(crate) fn artifact(&self, name: &'static str) -> ArtifactWriter<'_> {
        ArtifactWriter {
            task: &self.task,
            id: new_id(),
            name,
        }
    }

    /// Returns a short number for papers that this task issues.
    pub(crate) fn reference(&self) -> String {
        let id = self.task.snapshot().id;
        let tail = id.rsplit('-').next().unwrap_or_default();
        tail.to_uppercase()
    }
}

/// A result in the making.
#[derive(Debug)]
pub(crate) struct ArtifactWriter<'a> {
    task: &'a LiveTask,
    id: String,
    name: &'static str,
}

impl ArtifactWriter<'_> {
    /// Hands over the next piece of text.
    pub(crate) fn text(&self, text: impl Into<String>) {
        self.add(vec![Part::Text(text.into())], false);
    }

    /// Hands over the last pieces.
    pub(crate) fn finish(self, parts: Vec<Part>) {
        self.add(parts, true);
    }

    fn add(&self, parts: Vec<Part>, last_chunk: bool) {
        let chunk = Artifact {
            id: self.id.clone(),
            name: self.name,
            parts,
        };
        self.task.add_chunk(chunk, last_chunk);
    }
}

/// Returns an id that no one else has.
pub(crate) fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}
