//! Decisions and notes to test with. Decision `n` is made `n` seconds after a fixed instant.

use std::{collections::BTreeMap, sync::Arc};

use futures_util::future::join;
use gateway_core::{
    agent::{AgentId, Effect},
    caller::Caller,
    decision::{
        Attempt, Candidate, Contributions, DecisionKind, Discard, Explored, Hints, InterfaceChoice,
        MatchedRule, Outcome, RequestSummary, RouteDecision, RuleAction, Signal, Signals, Unlisted,
        Verdict, Versions,
    },
    ports::{DecisionFilter, Note, Store},
    profile::{Method, Weights},
};
use gateway_protocol::{Binding, Version};
use jiff::{SignedDuration, Timestamp};
use uuid::{NoContext, Uuid};

const START: i64 = 1_790_000_000;

pub(crate) fn agent(id: &str) -> AgentId {
    AgentId::parse(id).unwrap()
}

pub(crate) fn second(n: u32) -> Timestamp {
    Timestamp::from_second(START + i64::from(n)).unwrap()
}

/// Returns the instant so many milliseconds after decision 0.
pub(crate) fn millis(ms: i64) -> Timestamp {
    second(0) + SignedDuration::from_millis(ms)
}

fn rule() -> MatchedRule {
    MatchedRule {
        name: "becas first".to_owned(),
        action: RuleAction::Use,
        agents: vec![AgentId::parse("becas").unwrap()],
        profile: Some("critical".to_owned()),
        max_effect: Some(Effect::Prepare),
        detail: None,
    }
}

/// Returns decision `n`, where `becas` is chosen, `pagos` is outscored and `cartas` is discarded.
pub(crate) fn decision(n: u32) -> RouteDecision {
    let at = second(n);
    let seconds = u64::try_from(at.as_second()).unwrap();
    RouteDecision {
        id: Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, seconds, 0)).to_string(),
        at,
        kind: DecisionKind::Scored,
        caller: Caller {
            subject: "ana".to_owned(),
            tenant: Some("uni".to_owned()),
        },
        operation: "SendMessage".to_owned(),
        client_version: Version::V1,
        request: request(),
        rule: Some(rule()),
        versions: Versions {
            profile: "balanced@1f3a9c02".to_owned(),
            ..Versions::default()
        },
        weights: Weights::BALANCED,
        trace_id: Some("0af7651916cd43dd8448eb211c80319c".to_owned()),
        candidates: vec![
            candidate("becas", Verdict::Chosen),
            candidate("pagos", Verdict::Outscored),
            candidate("cartas", Verdict::Discarded),
        ],
        unlisted: Unlisted {
            outscored: 1,
            discarded: BTreeMap::from([(Discard::BelowMinFit, 3)]),
        },
        margin: Some(0.1 + 0.2),
        propensity: 0.96,
        exploration: Some(Explored {
            method: Method::Epsilon,
            among: 5,
            explored: false,
            best: None,
        }),
        ambiguity: None,
        shadow: BTreeMap::new(),
        attempts: Vec::new(),
        outcome: None,
        feedback: None,
    }
}

fn request() -> RequestSummary {
    RequestSummary {
        message_id: Some("m-1".to_owned()),
        digest: "sha256:00".to_owned(),
        text_chars: 12,
        input_modes: vec!["text/plain".to_owned()],
        accepted_output_modes: vec!["text/plain".to_owned()],
        streaming: true,
        data_keys: vec!["año".to_owned()],
        hints: Hints {
            max_latency_ms: Some(1500.5),
            profile: Some("critical".to_owned()),
            max_effect: Some(Effect::Prepare),
            ..Hints::default()
        },
        text: Some("¿Cuánto?".to_owned()),
        text_cut: true,
        push: true,
        extensions: vec!["urn:x".to_owned()],
        binding: Some(Binding::HttpJson),
    }
}

pub(crate) fn candidate(id: &str, verdict: Verdict) -> Candidate {
    let signal = Signal {
        raw: 7.1,
        value: 0.8,
        why: vec!["beca".to_owned()],
        terms: BTreeMap::from([("effect".to_owned(), 0.3)]),
    };
    let scored = verdict != Verdict::Discarded;
    Candidate {
        agent: agent(id),
        skill: scored.then(|| "review".to_owned()),
        interface: scored.then_some(InterfaceChoice {
            binding: Binding::JsonRpc,
            version: Version::V1,
        }),
        card: Some("sha256:01".to_owned()),
        signals: scored.then(|| Signals {
            fit: signal.clone(),
            quality: signal.clone(),
            availability: signal.clone(),
            latency: signal.clone(),
            cost: signal.clone(),
            risk: signal.clone(),
        }),
        contributions: scored.then_some(Contributions {
            fit: 0.24,
            quality: 0.2,
            availability: 0.1,
            latency: -0.05,
            cost: -0.0,
            risk: -0.045,
        }),
        score: scored.then_some(0.445),
        propensity: scored.then_some(0.25),
        verdict,
        reason: (!scored).then_some(Discard::Streaming),
        detail: (!scored).then(|| "card says streaming=false".to_owned()),
    }
}

/// Returns an attempt that began so many milliseconds after decision 0 and took as many.
pub(crate) fn attempt(ms: u64) -> Attempt {
    Attempt {
        agent: agent("becas"),
        started_at: millis(i64::try_from(ms).unwrap()),
        phase: "response".to_owned(),
        outcome: "ok".to_owned(),
        detail: Some("two\nlines".to_owned()),
        ms,
        losses: BTreeMap::new(),
    }
}

pub(crate) async fn record(store: &dyn Store, decision: RouteDecision) -> String {
    let id = decision.id.clone();
    let (recorded, settled) =
        join(store.record(Arc::new(decision)), store.settle(Vec::new())).await;
    recorded.and(settled).unwrap();
    id
}

/// Notes that `becas` answered a decision with a task.
pub(crate) async fn task(
    store: &dyn Store,
    decision: &str,
    task_id: &str,
    state: &str,
    at: Timestamp,
) {
    task_of(store, "becas", (decision, task_id), state, at).await;
}

pub(crate) async fn task_of(
    store: &dyn Store,
    owner: &str,
    (decision, task_id): (&str, &str),
    state: &str,
    at: Timestamp,
) {
    store
        .note(task_note_of(owner, (decision, task_id), state, at))
        .await
        .unwrap();
}

/// Returns the note that `becas` answered a decision with a task at second 2.
pub(crate) fn task_note(decision: &str, task_id: &str, state: &str) -> Note {
    task_note_of("becas", (decision, task_id), state, second(2))
}

fn task_note_of(
    owner: &str,
    (decision, task_id): (&str, &str),
    state: &str,
    at: Timestamp,
) -> Note {
    Note::Task {
        decision: decision.to_owned(),
        agent: agent(owner),
        task_id: task_id.to_owned(),
        context_id: Some("c-1".to_owned()),
        caller: "3:uniana".to_owned(),
        version: Version::V1,
        state: state.to_owned(),
        cost: None,
        at,
    }
}

/// Notes that a task of `becas` was seen in a state.
pub(crate) async fn state(store: &dyn Store, task_id: &str, state: &str, at: Timestamp) {
    let terminal = matches!(state, "completed" | "failed" | "canceled" | "rejected");
    let (agent, task_id, state) = (agent("becas"), task_id.to_owned(), state.to_owned());
    store
        .note(Note::State {
            agent,
            task_id,
            state,
            terminal,
            cost: None,
            at,
        })
        .await
        .unwrap();
}

pub(crate) async fn read(store: &dyn Store, id: &str) -> RouteDecision {
    store.decision(id).await.unwrap().unwrap()
}

pub(crate) async fn outcome(store: &dyn Store, id: &str) -> Outcome {
    read(store, id).await.outcome.unwrap()
}

/// Returns a filter that matches everything.
pub(crate) fn everything() -> DecisionFilter {
    DecisionFilter {
        limit: 10_000,
        ..DecisionFilter::default()
    }
}

pub(crate) async fn matching(store: &dyn Store, filter: DecisionFilter) -> Vec<String> {
    store
        .decisions(&filter)
        .await
        .unwrap()
        .into_iter()
        .map(|decision| decision.id)
        .collect()
}
