//! Decisions are kept whole, all of them, and notes follow them.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use futures_util::future::{join, join_all, join3};
use gateway_core::{
    decision::{Attempt, Outcome, OutcomeError, RouteDecision, Verdict},
    ports::{Note, Store},
};
use gateway_protocol::translate::{Loss, Losses};

use super::samples::{
    agent, attempt, candidate, decision, everything, matching, read, record, second, task,
    task_note,
};

pub(crate) async fn recorded_decision_comes_back_unchanged(store: &dyn Store) {
    let plain = decision(1);
    let mut full = decision(2);
    full.attempts = vec![attempt(1), attempt(2)];
    full.outcome = Some(Outcome {
        state: "error".to_owned(),
        task_id: Some("t-1".to_owned()),
        error: Some(OutcomeError {
            code: -32004,
            message: "not \"supported\"".to_owned(),
        }),
        cost: Some(0.25),
        ms: 812,
        finished_at: Some(second(3)),
    });
    record(store, plain.clone()).await;
    record(store, full.clone()).await;
    assert_eq!(read(store, &plain.id).await, plain);
    assert_eq!(read(store, &full.id).await, full);
    assert_eq!(store.decisions(&everything()).await.unwrap(), [full, plain]);
}

pub(crate) async fn unknown_decision_is_absent(store: &dyn Store) {
    assert_eq!(store.decision("no such id").await.unwrap(), None);
}

pub(crate) async fn concurrent_records_are_all_kept(store: &dyn Store) {
    let decisions: Vec<_> = (0..500).map(decision).collect();
    let handed_in = decisions
        .iter()
        .cloned()
        .map(|decision| store.record(Arc::new(decision)));
    for written in join_all(handed_in).await {
        written.unwrap();
    }
    let kept: HashSet<_> = matching(store, everything()).await.into_iter().collect();
    assert_eq!(
        kept,
        decisions.into_iter().map(|decision| decision.id).collect()
    );
}

pub(crate) async fn bad_record_fails_alone(store: &dyn Store) {
    let mut decisions: Vec<RouteDecision> = (0..40).map(decision).collect();
    decisions[20].id = decisions[3].id.clone();
    let handed_in = decisions
        .iter()
        .cloned()
        .map(|decision| store.record(Arc::new(decision)));
    let written = join_all(handed_in).await;
    let failed: Vec<_> = (0..40).filter(|&n| written[n].is_err()).collect();
    assert_eq!(failed, [20]);
    let error = written[20].as_ref().unwrap_err().to_string();
    assert!(error.contains(&decisions[20].id), "{error}");
    assert_eq!(matching(store, everything()).await.len(), 39);
    assert_eq!(read(store, &decisions[3].id).await, decisions[3]);
}

pub(crate) async fn bad_note_fails_alone(store: &dyn Store) {
    let good = decision(1);
    let id = good.id.clone();
    join(
        task(store, "no such decision", "t-1", "working", second(2)),
        record(store, good),
    )
    .await;
    task(store, &id, "t-2", "working", second(2)).await;
    assert_eq!(
        read(store, &id).await.outcome.unwrap().task_id.unwrap(),
        "t-2"
    );
}

pub(crate) async fn settle_takes_what_came_before_along(store: &dyn Store) {
    let decision = decision(1);
    let id = decision.id.clone();
    let notes = async {
        store
            .note(Note::Attempt {
                decision: id.clone(),
                attempt: attempt(1),
            })
            .await
            .unwrap();
        let second = Note::Attempt {
            decision: id.clone(),
            attempt: attempt(2),
        };
        store
            .settle(vec![second, task_note(&id, "t-1", "completed")])
            .await
    };
    let (recorded, settled) = join(store.record(Arc::new(decision)), notes).await;
    recorded.and(settled).unwrap();
    let decision = read(store, &id).await;
    assert_eq!(decision.attempts, [attempt(1), attempt(2)]);
    assert_eq!(decision.outcome.unwrap().task_id.as_deref(), Some("t-1"));
}

pub(crate) async fn settle_says_what_could_not_be_written(store: &dyn Store) {
    let good = decision(1);
    let id = good.id.clone();
    let bad = task_note("no such decision", "t-1", "working");
    let (recorded, refused, settled) = join3(
        store.record(Arc::new(good)),
        store.settle(vec![bad]),
        store.settle(vec![task_note(&id, "t-2", "working")]),
    )
    .await;
    recorded.and(settled).unwrap();
    let error = refused.unwrap_err().to_string();
    assert!(error.contains("decision `no such decision`"), "{error}");
    assert_eq!(read(store, &id).await.outcome.unwrap().state, "working");
}

pub(crate) async fn record_nobody_is_in_a_hurry_for_is_written(store: &dyn Store) {
    store.record(Arc::new(decision(1))).await.unwrap();
}

pub(crate) async fn notes_are_applied_in_order_after_their_record(store: &dyn Store) {
    let decision = decision(1);
    let id = decision.id.clone();
    let notes = async {
        for ms in 0..100 {
            store
                .note(Note::Attempt {
                    decision: id.clone(),
                    attempt: attempt(ms),
                })
                .await
                .unwrap();
        }
    };
    // The record is handed in first and not yet acknowledged.
    join(record(store, decision), notes).await;
    let attempts = read(store, &id).await.attempts;
    assert_eq!(attempts, (0..100).map(attempt).collect::<Vec<_>>());
}

pub(crate) async fn an_attempt_told_again_keeps_what_it_lost(store: &dyn Store) {
    let id = record(store, decision(1)).await;
    let attempted = |attempt| Note::Attempt {
        decision: id.clone(),
        attempt,
    };
    let lost = |times| {
        let mut losses = Losses::default();
        losses.add_times(Loss::PartFilename, times);
        Note::Losses {
            decision: id.clone(),
            losses,
        }
    };
    let broken = Attempt {
        outcome: "truncated".to_owned(),
        ..attempt(1)
    };
    let notes = vec![
        attempted(attempt(1)),
        lost(1),
        lost(3),
        attempted(broken.clone()),
        attempted(attempt(2)),
    ];
    store.settle(notes).await.unwrap();
    let first = Attempt {
        losses: BTreeMap::from([("part_filename".to_owned(), 3)]),
        ..broken
    };
    assert_eq!(read(store, &id).await.attempts, [first, attempt(2)]);
}

pub(crate) async fn decision_with_a_thousand_candidates_is_kept(store: &dyn Store) {
    let mut crowded = decision(1);
    let discarded = (0..1500).map(|n| candidate(&format!("agent-{n}"), Verdict::Discarded));
    crowded.candidates.extend(discarded);
    record(store, crowded.clone()).await;
    let mut filter = everything();
    filter.agent = Some(agent("agent-1499"));
    assert_eq!(store.decisions(&filter).await.unwrap(), [crowded]);
}

pub(crate) async fn closed_store_refuses_and_closes_again(store: &dyn Store) {
    let id = record(store, decision(1)).await;
    join(store.close(), store.close()).await;
    store.close().await;
    let note = Note::Attempt {
        decision: id.clone(),
        attempt: attempt(1),
    };
    for refused in [
        store.record(Arc::new(decision(2))).await,
        store.note(note.clone()).await,
        store.settle(vec![note]).await,
        store.settle(Vec::new()).await,
        store.decision(&id).await.map(drop),
        store.decisions(&everything()).await.map(drop),
        store.context_agent("ana", "c-1").await.map(drop),
    ] {
        assert_eq!(refused.unwrap_err().to_string(), "the store is closed");
    }
}
