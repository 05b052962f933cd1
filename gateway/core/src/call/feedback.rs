//! Feedback about results: from operators by decision, from clients beside a later message.

use std::sync::Arc;

use gateway_protocol::view::MessageView;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Call, Gateway, Target, affinity};
use crate::{
    agent::AgentId,
    decision::RouteDecision,
    feedback::{Feedback, InvalidFeedback},
    learning::Forget,
    ports::{Note, StoreError, TaskFilter},
    route::features,
    task::seal::SEALED_PREFIX,
};

/// Feedback was not taken.
#[derive(Debug, thiserror::Error)]
pub enum FeedbackError {
    /// Nobody knows the decision.
    #[error("there is no decision `{0}`; it may be past its retention")]
    UnknownDecision(String),
    /// It is out of limits.
    #[error(transparent)]
    Invalid(#[from] InvalidFeedback),
    /// It could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Gateway {
    /// Takes feedback about a decision in place of what was said before. The same again changes nothing. It is on disk
    /// when this returns.
    ///
    /// # Errors
    /// [`FeedbackError`] says why it was not taken.
    pub async fn take_feedback(
        &self,
        id: &str,
        feedback: Feedback,
    ) -> Result<RouteDecision, FeedbackError> {
        feedback.check()?;
        let unknown = || FeedbackError::UnknownDecision(id.to_owned());
        let found = self.store.decision(id).await?;
        let mut decision = found.ok_or_else(unknown)?;
        if decision.feedback.as_ref() != Some(&feedback) {
            let note = Note::Feedback {
                decision: id.to_owned(),
                feedback: feedback.clone(),
            };
            self.store.settle(vec![note]).await?;
            decision.feedback = Some(feedback);
        }
        Ok(decision)
    }

    /// Takes in at once what decisions have taught so far.
    ///
    /// # Errors
    /// [`StoreError`] when that could not be read.
    pub async fn refresh_signals(&self) -> Result<(), StoreError> {
        let catalog = self.registry.catalog();
        self.learner
            .refresh(&*self.store, &catalog, Timestamp::now())
            .await
    }

    /// Forgets what was learned and measured of a skill, or of everything an agent does. That is on disk and in the
    /// signals when this returns.
    ///
    /// # Errors
    /// [`StoreError`] when it could not be written.
    pub async fn forget_signals(
        &self,
        agent: &AgentId,
        skill: Option<&str>,
    ) -> Result<(), StoreError> {
        let forget = Forget {
            agent: agent.clone(),
            skill: skill.map(str::to_owned),
            at: Timestamp::now(),
        };
        self.store.settle(vec![Note::Forget(forget)]).await?;
        if let Some(registered) = self.registry.catalog().agent(agent) {
            registered.stats.forget(skill);
        }
        self.refresh_signals().await
    }
}

/// Feedback beside a message, in the metadata of the routing extension.
#[derive(Debug, Deserialize)]
struct Beside {
    /// The decision; without it, the one that the task or context of the message began with.
    decision: Option<String>,
    accepted: Option<bool>,
    score: Option<f64>,
    cost: Option<f64>,
    note: Option<String>,
}

/// The earlier work that a message continues, as its agent knows it.
#[derive(Debug, Default)]
struct Earlier {
    task: Option<(AgentId, String)>,
    context: Option<(Option<AgentId>, String)>,
}

/// Takes feedback that stands beside a message, in the background: it is no part of the message, so that nothing
/// about it delays or fails that.
pub(super) fn from_message(gateway: &Arc<Gateway>, call: &Call, message: &MessageView<'_>) {
    let Some(raw) = features::feedback(message) else {
        return;
    };
    let Some(beside) = read(raw) else {
        tracing::debug!("feedback beside a message is malformed and ignored");
        return;
    };
    let earlier = Earlier::of(gateway, call, message);
    let (gateway, caller) = (Arc::clone(gateway), call.caller.binding());
    let work = gateway.work.clone();
    work.spawn(async move {
        if let Err(ignored) = beside.take(&gateway, &caller, earlier).await {
            tracing::debug!("feedback beside a message is ignored: {ignored}");
        }
    });
}

fn read(raw: &RawValue) -> Option<Beside> {
    let is_object = raw.get().starts_with('{');
    serde_json::from_str(raw.get()).ok().filter(|_| is_object)
}

impl Earlier {
    fn of(gateway: &Gateway, call: &Call, message: &MessageView<'_>) -> Self {
        let task = message
            .task_id
            .as_ref()
            .and_then(|id| affinity::task(gateway, call, id).ok());
        let context = message.context_id.as_ref().and_then(|id| {
            let sealed = id.starts_with(SEALED_PREFIX);
            match &call.target {
                Target::Agent(agent) => Some((Some(agent.clone()), id.to_string())),
                Target::Federated if !sealed => Some((None, id.to_string())),
                Target::Federated => {
                    let opened = gateway.seals.open(id, &call.caller.binding())?;
                    Some((Some(opened.agent), opened.upstream))
                }
            }
        });
        Self { task, context }
    }

    /// Returns the decision that the task began with, else the newest task of the context.
    async fn decision(self, gateway: &Gateway, caller: &str) -> Result<Option<String>, StoreError> {
        let task = match (self.task, self.context) {
            (Some(task), _) => Some(task),
            (None, Some((agent, context_id))) => {
                let filter = TaskFilter {
                    caller: caller.to_owned(),
                    agent,
                    context_id: Some(context_id),
                    limit: 1,
                    ..TaskFilter::default()
                };
                let newest = gateway.store.tasks(&filter).await?.tasks.pop();
                newest.map(|task| (task.place.agent, task.place.task_id))
            }
            (None, None) => None,
        };
        match task {
            Some((agent, task_id)) => gateway.store.task_decision(caller, &agent, &task_id).await,
            None => Ok(None),
        }
    }
}

impl Beside {
    /// Takes the feedback, if it is about a decision of the same caller.
    async fn take(self, gateway: &Gateway, caller: &str, earlier: Earlier) -> Result<(), String> {
        let failed = |error: StoreError| error.to_string();
        let id = match self.decision {
            Some(id) => id,
            None => earlier
                .decision(gateway, caller)
                .await
                .map_err(failed)?
                .ok_or("it names no decision, and its message continues none")?,
        };
        let decision = gateway.store.decision(&id).await.map_err(failed)?;
        // Whether somebody else made it or nobody is not told apart, not even in the log.
        decision
            .filter(|decision| decision.caller.binding() == caller)
            .ok_or("its caller has made no such decision")?;
        let feedback = Feedback {
            accepted: self.accepted,
            score: self.score,
            cost: self.cost,
            note: self.note,
        };
        let taken = gateway.take_feedback(&id, feedback).await;
        taken.map(drop).map_err(|error| error.to_string())
    }
}
