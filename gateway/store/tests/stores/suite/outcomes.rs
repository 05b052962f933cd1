//! Outcomes follow what is seen of tasks, and an end is an end.

use gateway_core::{
    decision::{Outcome, OutcomeError},
    ports::{Note, Store},
};

use super::samples::{decision, millis, outcome, read, record, state, task, task_of};

fn running(state: &str, task_id: &str, ms: u64) -> Outcome {
    Outcome {
        state: state.to_owned(),
        task_id: Some(task_id.to_owned()),
        error: None,
        cost: None,
        ms,
        finished_at: None,
    }
}

fn finished(state: &str, task_id: &str, ms: u32) -> Outcome {
    Outcome {
        finished_at: Some(millis(ms.into())),
        ..running(state, task_id, ms.into())
    }
}

async fn end(store: &dyn Store, decision: &str, state: &'static str, at: i64) {
    let error = OutcomeError {
        code: -32603,
        message: "the agent broke the connection".to_owned(),
    };
    let error = (state != "message").then_some(error);
    let note = Note::Ended {
        decision: decision.to_owned(),
        state,
        error,
        cost: None,
        at: millis(at),
    };
    store.note(note).await.unwrap();
}

pub(crate) async fn c057_outcome_follows_the_task_to_its_end(store: &dyn Store) {
    let id = record(store, decision(0)).await;
    assert_eq!(read(store, &id).await.outcome, None);
    task(store, &id, "t-1", "submitted", millis(20)).await;
    assert_eq!(outcome(store, &id).await, running("submitted", "t-1", 20));
    state(store, "t-1", "working", millis(300)).await;
    assert_eq!(outcome(store, &id).await, running("working", "t-1", 300));
    state(store, "t-1", "input-required", millis(400)).await;
    assert_eq!(
        outcome(store, &id).await,
        running("input-required", "t-1", 400)
    );
    state(store, "t-1", "completed", millis(5120)).await;
    assert_eq!(
        outcome(store, &id).await,
        finished("completed", "t-1", 5120)
    );
}

pub(crate) async fn ended_task_never_changes_again(store: &dyn Store) {
    let id = record(store, decision(0)).await;
    task(store, &id, "t-1", "failed", millis(20)).await;
    for late in ["working", "completed", "failed"] {
        state(store, "t-1", late, millis(30)).await;
    }
    end(store, &id, "truncated", 40).await;
    end(store, &id, "error", 50).await;
    assert_eq!(outcome(store, &id).await, finished("failed", "t-1", 20));
}

pub(crate) async fn repeated_state_keeps_the_time_it_was_first_seen(store: &dyn Store) {
    let id = record(store, decision(0)).await;
    task(store, &id, "t-1", "working", millis(20)).await;
    state(store, "t-1", "working", millis(900)).await;
    assert_eq!(outcome(store, &id).await, running("working", "t-1", 20));
}

pub(crate) async fn all_decisions_of_a_task_follow_it(store: &dyn Store) {
    let first = record(store, decision(0)).await;
    let second = record(store, decision(1)).await;
    let other = record(store, decision(2)).await;
    task(store, &first, "t-1", "input-required", millis(20)).await;
    task(store, &second, "t-1", "working", millis(1200)).await;
    task(store, &other, "t-2", "working", millis(2200)).await;
    assert_eq!(
        outcome(store, &first).await,
        running("working", "t-1", 1200)
    );
    assert_eq!(
        outcome(store, &second).await,
        running("working", "t-1", 200)
    );
    state(store, "t-1", "completed", millis(3000)).await;
    assert_eq!(
        outcome(store, &first).await,
        finished("completed", "t-1", 3000)
    );
    let second = outcome(store, &second).await;
    assert_eq!((second.ms, second.finished_at), (2000, Some(millis(3000))));
    assert_eq!(outcome(store, &other).await, running("working", "t-2", 200));
}

pub(crate) async fn equal_task_ids_of_two_agents_never_mix(store: &dyn Store) {
    let becas = record(store, decision(0)).await;
    let pagos = record(store, decision(1)).await;
    task_of(store, "becas", (&becas, "1"), "working", millis(10)).await;
    task_of(store, "pagos", (&pagos, "1"), "working", millis(1010)).await;
    state(store, "1", "canceled", millis(50)).await;
    assert_eq!(outcome(store, &becas).await, finished("canceled", "1", 50));
    assert_eq!(outcome(store, &pagos).await, running("working", "1", 10));
}

pub(crate) async fn running_task_under_an_ended_id_is_another_task(store: &dyn Store) {
    let before = record(store, decision(0)).await;
    let after = record(store, decision(1)).await;
    task(store, &before, "1", "completed", millis(20)).await;
    task(store, &after, "1", "working", millis(1020)).await;
    assert_eq!(
        outcome(store, &before).await,
        finished("completed", "1", 20)
    );
    assert_eq!(outcome(store, &after).await, running("working", "1", 20));
    state(store, "1", "rejected", millis(1500)).await;
    assert_eq!(
        outcome(store, &before).await,
        finished("completed", "1", 20)
    );
    assert_eq!(outcome(store, &after).await.state, "rejected");
}

pub(crate) async fn state_of_an_unknown_task_changes_nothing(store: &dyn Store) {
    let id = record(store, decision(0)).await;
    task(store, &id, "t-1", "working", millis(20)).await;
    let before = read(store, &id).await;
    state(store, "t-2", "completed", millis(30)).await;
    assert_eq!(read(store, &id).await, before);
}

pub(crate) async fn decision_without_task_ends_for_good(store: &dyn Store) {
    let answered = record(store, decision(0)).await;
    end(store, &answered, "message", 812).await;
    end(store, &answered, "error", 900).await;
    let ended = outcome(store, &answered).await;
    assert_eq!(
        (ended.state.as_str(), ended.ms, ended.error),
        ("message", 812, None)
    );
    assert_eq!(
        (ended.task_id, ended.finished_at),
        (None, Some(millis(812)))
    );

    let refused = record(store, decision(1)).await;
    end(store, &refused, "error", 1005).await;
    let ended = outcome(store, &refused).await;
    assert_eq!(
        (ended.state.as_str(), ended.ms, ended.error.unwrap().code),
        ("error", 5, -32603)
    );
}

pub(crate) async fn broken_stream_is_recorded_until_the_task_is_seen_to_end(store: &dyn Store) {
    let id = record(store, decision(0)).await;
    task(store, &id, "t-1", "working", millis(20)).await;
    end(store, &id, "truncated", 90).await;
    let broken = outcome(store, &id).await;
    assert_eq!(
        (broken.state.as_str(), broken.finished_at),
        ("truncated", None)
    );
    assert_eq!(
        broken.error.unwrap().message,
        "the agent broke the connection"
    );
    assert_eq!(broken.task_id.as_deref(), Some("t-1"));
    state(store, "t-1", "completed", millis(4000)).await;
    assert_eq!(
        outcome(store, &id).await,
        finished("completed", "t-1", 4000)
    );
}
