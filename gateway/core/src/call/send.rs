//! Sending a message: decide who gets it, record the decision beside the call, pass the answer on.

use std::{borrow::Cow, sync::Arc, time::Duration};

use futures_util::future::join;
use gateway_protocol::view::MessageView;
use jiff::Timestamp;
use tokio::time::Instant;

use super::{
    Call, Gateway, Reply, ReplyBody, SETTLE_LIMIT, Target, Trail,
    affinity::{self, Continuation, Ids},
    course::Course,
    exchange::{Broken, Content, Exchanged, exchange, mode},
    feedback,
    push::{Registration, Unbound},
    record::{attempted, ended, not_sent, outcome_error},
    relay::Relay,
};
use crate::{
    agent::AgentId,
    catalog::Catalog,
    decision::{DecisionKind, RouteDecision},
    digest,
    failure::Failure,
    route::{Choice, Chosen, Features, Question, ROUTING_EXTENSION, choose_beside, follow, wishes},
};

/// What is to happen to a message.
struct Plan<'a> {
    decision: &'a Arc<RouteDecision>,
    chosen: &'a Chosen,
    continuation: &'a Continuation,
    registration: Option<Registration>,
}

/// A message that has been routed.
struct Routed {
    catalog: Arc<Catalog>,
    choice: Choice,
    /// The engine that said what fits, as records name it.
    fit: String,
}

/// One message on its way.
pub(super) struct Send<'a> {
    pub(super) gateway: &'a Arc<Gateway>,
    pub(super) call: &'a Call,
}

impl Send<'_> {
    pub(super) async fn run(&self, trail: &mut Trail) -> Result<Reply, Failure> {
        let (gateway, call) = (self.gateway, self.call);
        let message = MessageView::from_params(call.dialect, &call.params);
        let registration = Registration::read(gateway, call).await?;
        let digest = digest::sha256(call.params.get().as_bytes());
        let streaming = call.operation.is_streaming();
        let mut features = Features::of(&message, digest, streaming, &call.extensions);
        wishes::read(&message, &mut features.hints)?;
        let continuation = self.continuation(&message).await?;
        feedback::from_message(gateway, call, &message);
        let course = gateway.course(call, &features, continuation.continues_task())?;
        let routed = self.settle(course, &features, &continuation).await?;
        let Routed {
            catalog,
            choice,
            fit,
        } = routed;
        let mut decision = gateway.decision(call, (&catalog, course), &features, &choice);
        decision.versions.fit = fit;
        if choice.chosen.is_none() {
            decision.outcome = Some(not_sent(decision.at));
        }
        let decision = Arc::new(decision);
        self.count(&decision);
        let answering = async {
            match &choice.chosen {
                Some(chosen) => {
                    let plan = Plan {
                        decision: &decision,
                        chosen,
                        continuation: &continuation,
                        registration,
                    };
                    self.deliver(plan, trail).await
                }
                None => {
                    gateway.settle(Vec::new()).await;
                    Err(undeliverable(&decision, &choice, &catalog, call))
                }
            }
        };
        // The record is handed in first and written beside the call to the agent.
        let recording = gateway.store.record(Arc::clone(&decision));
        let (recorded, answer) = join(recording, answering).await;
        recorded.map_err(|error| Failure::not_recorded(&error))?;
        answer
    }

    /// Sends the message to its agent. What is known by then is on disk when this returns.
    async fn deliver(&self, plan: Plan<'_>, trail: &mut Trail) -> Result<Reply, Failure> {
        let (gateway, call) = (self.gateway, self.call);
        let Plan {
            decision,
            chosen,
            continuation,
            registration,
        } = plan;
        let agent = &chosen.agent.spec.id;
        let outgoing = match &registration {
            Some(registration) => Cow::Owned(registration.register(gateway, call, agent).await?),
            None => Cow::Borrowed(call),
        };
        let push = registration.map(|registration| registration.unbound());
        let to = (&chosen.agent, &chosen.endpoint);
        let exchanged = exchange(gateway, &outgoing, to, trail).await;
        let arrived = exchanged
            .as_ref()
            .map_or_else(|broken| broken.may_have_arrived(), |_| true);
        self.remember(continuation, chosen, arrived).await;
        match exchanged {
            Err(broken) => Err(self.broken(decision, push, *broken).await),
            Ok(exchanged) => {
                let with = (self.ids(continuation, chosen), push);
                self.reply(decision, chosen, with, exchanged).await
            }
        }
    }

    async fn continuation(&self, message: &MessageView<'_>) -> Result<Continuation, Failure> {
        match &self.call.target {
            Target::Federated => affinity::continuation(self.gateway, self.call, message).await,
            Target::Agent(id) => Ok(Continuation {
                agent: Some((id.clone(), pinned(message))),
                own_context: None,
            }),
        }
    }

    /// Routes the message. The first message of a context of the client's own making claims it; when another one
    /// was faster, this one follows it.
    async fn settle(
        &self,
        course: Course<'_>,
        features: &Features,
        continuation: &Continuation,
    ) -> Result<Routed, Failure> {
        if course.verdict.turns_away() {
            return Ok(Routed {
                catalog: self.gateway.registry.catalog(),
                choice: Choice::turned_away(),
                fit: self.gateway.fit.version(),
            });
        }
        let to = continuation.agent.as_ref();
        let routed = self.route(course, features, to).await?;
        let chosen = &routed.choice.chosen;
        let (Some(context), None, Some(chosen)) = (&continuation.own_context, to, chosen) else {
            return Ok(routed);
        };
        let agent = &chosen.agent.spec.id;
        let caller = self.call.caller.binding();
        let holder = self.gateway.contexts.claim(&caller, context, agent);
        if holder == *agent {
            return Ok(routed);
        }
        let faster = (holder, DecisionKind::Context);
        self.route(course, features, Some(&faster)).await
    }

    async fn route(
        &self,
        course: Course<'_>,
        features: &Features,
        to: Option<&(AgentId, DecisionKind)>,
    ) -> Result<Routed, Failure> {
        if let Some((agent, _)) = to {
            self.gateway.registry.settled(agent, SETTLE_LIMIT).await;
        }
        let meaning = match to {
            None => Some(self.gateway.fit.read(features).await),
            Some(_) => None,
        };
        if meaning.as_ref().is_some_and(|meaning| meaning.is_unread) {
            self.gateway.observer.unread();
        }
        let catalog = self.gateway.registry.catalog();
        let question = Question {
            catalog: &catalog,
            profile: course.profile,
            rule: course.rule(),
            features,
            meaning: meaning
                .as_ref()
                .and_then(|meaning| meaning.direction.as_ref()),
            version: self.call.version,
            binding: self.call.binding,
            now: Instant::now(),
            at: Timestamp::now(),
        };
        let choice = match to {
            None => choose_beside(question, &self.gateway.shadows()),
            Some((id, kind)) => {
                let missing = || match kind {
                    DecisionKind::Pinned => Failure::unknown_agent(id.as_str()),
                    _ => Failure::task_not_found(),
                };
                follow(question, catalog.agent(id).ok_or_else(missing)?, *kind)
            }
        };
        let fit = meaning.map_or_else(|| self.gateway.fit.version(), |meaning| meaning.engine);
        Ok(Routed {
            catalog,
            choice,
            fit,
        })
    }

    fn count(&self, decision: &RouteDecision) {
        for (reason, count) in decision.discards() {
            self.gateway.observer.discarded(reason, count);
        }
        if let Some(margin) = decision.margin {
            self.gateway.observer.margin(margin);
        }
        if let Some(chance) = &decision.exploration {
            let method = chance.method.as_str();
            self.gateway.observer.explored(method, chance.explored);
        }
        for (profile, shadow) in &decision.shadow {
            let agrees = shadow.agent.as_ref() == decision.best();
            self.gateway.observer.shadowed(profile, agrees);
        }
    }

    fn ids(&self, continuation: &Continuation, chosen: &Chosen) -> Ids {
        let mut ids = Ids::of(self.gateway, self.call, &chosen.agent.spec.id);
        if let Some(context) = &continuation.own_context {
            ids.keep_context(context);
        }
        ids
    }

    /// Binds a context of the client's own making to the agent that got its message, or sets it free.
    async fn remember(&self, continuation: &Continuation, chosen: &Chosen, arrived: bool) {
        let Some(context) = &continuation.own_context else {
            return;
        };
        if arrived {
            let agent = &chosen.agent.spec.id;
            affinity::remember_context(self.gateway, self.call, context, agent).await;
        } else if continuation.agent.is_none() {
            let caller = self.call.caller.binding();
            self.gateway.contexts.release(&caller, context);
        }
    }

    async fn broken(
        &self,
        decision: &RouteDecision,
        push: Option<Unbound>,
        broken: Broken,
    ) -> Failure {
        // An agent that may have got the message may still notify.
        if let Some(push) = push.filter(|_| !broken.may_have_arrived()) {
            push.forget(self.gateway).await;
        }
        let failure = broken.failure.of_decision(&decision.id);
        let mut notes = vec![attempted(decision, broken.attempt)];
        notes.extend(self.call.losses.note(&decision.id));
        notes.push(ended(decision, "error", Some(outcome_error(&failure))));
        self.gateway.settle(notes).await;
        failure
    }

    async fn reply(
        &self,
        decision: &Arc<RouteDecision>,
        chosen: &Chosen,
        with: (Ids, Option<Unbound>),
        exchanged: Exchanged,
    ) -> Result<Reply, Failure> {
        let (gateway, call) = (self.gateway, self.call);
        let (ids, push) = with;
        let from = (&chosen.endpoint, exchanged.bridge);
        let mut relay = Relay::new(gateway, call, &chosen.agent, ids, from)
            .for_decision(decision, call)
            .with_push(push);
        let begun = exchanged.begun;
        let body = match exchanged.content {
            Content::Events(events) => {
                gateway.settle(Vec::new()).await;
                ReplyBody::Events(relay.stream(events, begun))
            }
            Content::One(said) => {
                let attempt = begun.attempt(&chosen.agent, "response", None);
                if let Some(skill) = &chosen.skill {
                    let took = Duration::from_millis(attempt.ms);
                    chosen.agent.stats.answered_by(skill, mode(call), took);
                }
                relay.due.push(attempted(decision, attempt));
                match relay.one(&said).await {
                    Ok(body) => body,
                    Err(failure) => {
                        let attempt = begun.attempt(&chosen.agent, "response", Some(&failure));
                        let broken = Broken { failure, attempt };
                        return Err(self.broken(decision, None, broken).await);
                    }
                }
            }
        };
        Ok(Reply {
            decision: Some(decision.id.clone()),
            extensions: activated(call, exchanged.extensions),
            body,
        })
    }
}

/// Tells the first message to an agent from one that goes on with a task.
fn pinned(message: &MessageView<'_>) -> DecisionKind {
    match message.task_id {
        Some(_) => DecisionKind::Owner,
        None => DecisionKind::Pinned,
    }
}

/// Returns the extensions the client is told are active: the agent's, and the gateway's own if declared.
fn activated(call: &Call, mut by_agent: Vec<String>) -> Vec<String> {
    if call.extensions.iter().any(|uri| uri == ROUTING_EXTENSION) {
        by_agent.push(ROUTING_EXTENSION.to_owned());
    }
    by_agent
}

fn undeliverable(
    decision: &RouteDecision,
    choice: &Choice,
    catalog: &Catalog,
    call: &Call,
) -> Failure {
    match (choice.kind, choice.candidates.first()) {
        (DecisionKind::Rejected, _) => Failure::turned_away(decision),
        (DecisionKind::Owner | DecisionKind::Context | DecisionKind::Pinned, Some(candidate)) => {
            Failure::ruled_out(
                candidate,
                call.version,
                &supported_versions(catalog, &candidate.agent),
            )
            .of_decision(&decision.id)
        }
        (DecisionKind::Ambiguous, _) => Failure::ambiguous(decision, &choice.alternatives),
        _ => Failure::nothing_fits(decision),
    }
}

/// Lists the versions an agent can be called with, as `ErrorInfo` metadata holds them.
pub(super) fn supported_versions(catalog: &Catalog, agent: &AgentId) -> String {
    let accepted = catalog
        .agent(agent)
        .and_then(|agent| agent.status.accepted.as_ref());
    let versions = accepted
        .map(|accepted| accepted.versions())
        .unwrap_or_default();
    versions
        .iter()
        .map(|version| version.as_str())
        .collect::<Vec<_>>()
        .join(",")
}
