//! What decisions teach is counted once for each, whatever becomes known and in whatever order.

use gateway_core::{
    Feedback,
    decision::DecisionKind,
    learning::{Counts, Forget, Lesson},
    ports::{Note, Store},
};

use super::samples::{agent, decision, millis, read, record, second, state, task};

/// Returns what was counted of the skill that sample decisions are chosen for.
async fn counts(store: &dyn Store) -> Counts {
    let lessons = lessons(store).await;
    let lesson = lessons
        .into_iter()
        .find(|lesson| lesson.agent == agent("becas") && lesson.skill.as_deref() == Some("review"));
    lesson.map(|lesson| lesson.counts).unwrap_or_default()
}

async fn lessons(store: &dyn Store) -> Vec<Lesson> {
    store.lessons(0).await.unwrap()
}

async fn judge(store: &dyn Store, decision: &str, json: &str) {
    let feedback: Feedback = serde_json::from_str(json).unwrap();
    let decision = decision.to_owned();
    let note = Note::Feedback { decision, feedback };
    store.settle(vec![note]).await.unwrap();
}

async fn priced(store: &dyn Store, task_id: &str, state: &str, cost: f64) {
    let note = Note::State {
        agent: agent("becas"),
        task_id: task_id.to_owned(),
        state: state.to_owned(),
        terminal: state == "completed",
        cost: Some(cost),
        at: second(9),
    };
    store.note(note).await.unwrap();
}

async fn forget(store: &dyn Store, skill: Option<&str>) {
    let forget = Forget {
        agent: agent("becas"),
        skill: skill.map(str::to_owned),
        at: second(50),
    };
    store.settle(vec![Note::Forget(forget)]).await.unwrap();
}

/// Records decision `n`, whose task of the same name ends in a state.
async fn ended(store: &dyn Store, n: u32, end: &str) -> String {
    let id = record(store, decision(n)).await;
    let name = format!("t-{n}");
    task(store, &id, &name, "working", millis(20)).await;
    state(store, &name, end, millis(500)).await;
    id
}

pub(crate) async fn the_end_of_a_task_is_counted_once_for_the_skill_it_was_chosen_for(
    store: &dyn Store,
) {
    ended(store, 0, "completed").await;
    for seen in ["completed", "working", "failed"] {
        state(store, "t-0", seen, millis(900)).await;
    }
    let lessons = lessons(store).await;
    assert_eq!(lessons.len(), 1, "{lessons:?}");
    assert_eq!(lessons[0].agent, agent("becas"));
    assert_eq!(lessons[0].skill.as_deref(), Some("review"));
    assert_eq!(lessons[0].day, second(0).as_second() / 86_400);
    let completed = Counts {
        completed: 1.0,
        ..Counts::default()
    };
    assert_eq!(lessons[0].counts, completed);
}

pub(crate) async fn kinds_of_ends_are_counted_apart(store: &dyn Store) {
    for (n, end) in ["completed", "failed", "rejected", "canceled"]
        .into_iter()
        .enumerate()
    {
        ended(store, u32::try_from(n).unwrap(), end).await;
    }
    for (n, state) in [(10, "message"), (11, "error")] {
        let note = Note::Ended {
            decision: record(store, decision(n)).await,
            state,
            error: None,
            cost: None,
            at: millis(900),
        };
        store.note(note).await.unwrap();
    }
    let expected = Counts {
        completed: 1.0,
        failed: 3.0,
        messages: 1.0,
        ..Counts::default()
    };
    assert_eq!(counts(store).await, expected);
}

pub(crate) async fn a_cancellation_that_was_asked_for_teaches_nothing(store: &dyn Store) {
    let id = record(store, decision(0)).await;
    task(store, &id, "t-0", "working", millis(20)).await;
    let note = Note::CancelAsked {
        agent: agent("becas"),
        task_id: "t-0".to_owned(),
    };
    store.note(note).await.unwrap();
    state(store, "t-0", "canceled", millis(500)).await;
    assert_eq!(read(store, &id).await.outcome.unwrap().state, "canceled");
    assert_eq!(counts(store).await, Counts::default());
}

pub(crate) async fn feedback_takes_the_place_of_what_the_task_said(store: &dyn Store) {
    let id = ended(store, 0, "completed").await;
    let judged = |accepted: f64| Counts {
        accepted,
        refused: 1.0 - accepted,
        ..Counts::default()
    };
    for (json, accepted) in [
        (r#"{"accepted":false}"#, 0.0),
        (r#"{"accepted":true}"#, 1.0),
        (r#"{"accepted":true,"score":0.25}"#, 0.25),
        (r#"{"accepted":true,"score":0.25}"#, 0.25),
    ] {
        judge(store, &id, json).await;
        assert_eq!(counts(store).await, judged(accepted), "{json}");
        let feedback = read(store, &id).await.feedback;
        assert_eq!(feedback, serde_json::from_str(json).unwrap());
    }
    // A note alone judges nothing.
    judge(store, &id, r#"{"note":"thanks"}"#).await;
    let completed = Counts {
        completed: 1.0,
        ..Counts::default()
    };
    assert_eq!(counts(store).await, completed);
    // Feedback about a task that still runs stays the last word when it ends.
    let early = record(store, decision(1)).await;
    judge(store, &early, r#"{"accepted":true}"#).await;
    task(store, &early, "t-1", "failed", millis(20)).await;
    let both = Counts {
        completed: 1.0,
        accepted: 1.0,
        ..Counts::default()
    };
    assert_eq!(counts(store).await, both);
}

pub(crate) async fn what_continues_a_task_is_counted_with_its_beginning(store: &dyn Store) {
    let first = record(store, decision(0)).await;
    task(store, &first, "t-0", "input-required", millis(20)).await;
    let mut more = decision(1);
    more.kind = DecisionKind::Owner;
    let more = record(store, more).await;
    task(store, &more, "t-0", "working", millis(40)).await;
    state(store, "t-0", "completed", millis(500)).await;
    assert_eq!(read(store, &more).await.outcome.unwrap().state, "completed");
    assert!((counts(store).await.completed - 1.0).abs() < 1e-12);
}

pub(crate) async fn known_costs_are_summed(store: &dyn Store) {
    let first = ended(store, 0, "working").await;
    priced(store, "t-0", "completed", 0.5).await;
    let second = ended(store, 1, "completed").await;
    assert_eq!(read(store, &first).await.outcome.unwrap().cost, Some(0.5));
    assert_eq!(read(store, &second).await.outcome.unwrap().cost, None);
    judge(store, &second, r#"{"cost":2}"#).await;
    let priced = Counts {
        completed: 2.0,
        costs: 2.0,
        cost: 2.5,
        ..Counts::default()
    };
    assert_eq!(counts(store).await, priced);
}

pub(crate) async fn a_running_task_can_become_dearer(store: &dyn Store) {
    let id = ended(store, 0, "working").await;
    for cost in [0.5, 0.75, 0.75] {
        priced(store, "t-0", "working", cost).await;
    }
    assert_eq!(read(store, &id).await.outcome.unwrap().cost, Some(0.75));
    let counts = counts(store).await;
    assert_eq!((counts.costs, counts.cost), (1.0, 0.75));
}

pub(crate) async fn lessons_are_read_by_revision(store: &dyn Store) {
    ended(store, 0, "completed").await;
    let known = lessons(store).await[0].revision;
    assert_eq!(store.lessons(known).await.unwrap(), []);
    ended(store, 1, "failed").await;
    let new = store.lessons(known).await.unwrap();
    assert_eq!(new.len(), 1, "{new:?}");
    assert!(new[0].revision > known);
}

pub(crate) async fn what_was_forgotten_teaches_no_more_and_new_decisions_do(store: &dyn Store) {
    let old = ended(store, 0, "completed").await;
    let known = lessons(store).await[0].revision;
    forget(store, None).await;
    let emptied = store.lessons(known).await.unwrap();
    assert_eq!(emptied[0].counts, Counts::default());
    judge(store, &old, r#"{"accepted":false}"#).await;
    assert_eq!(counts(store).await, Counts::default());
    ended(store, 1, "failed").await;
    let failed = Counts {
        failed: 1.0,
        ..Counts::default()
    };
    assert_eq!(counts(store).await, failed);
    let forgotten = store.forgotten().await.unwrap();
    assert_eq!((forgotten.len(), forgotten[0].at), (1, second(50)));
}

pub(crate) async fn one_skill_is_forgotten_alone(store: &dyn Store) {
    ended(store, 0, "completed").await;
    forget(store, Some("other")).await;
    assert!((counts(store).await.completed - 1.0).abs() < 1e-12);
    forget(store, Some("review")).await;
    assert_eq!(counts(store).await, Counts::default());
}

pub(crate) async fn the_decision_that_a_task_began_with_is_found(store: &dyn Store) {
    let first = ended(store, 0, "working").await;
    let more = record(store, decision(1)).await;
    task(store, &more, "t-0", "working", millis(40)).await;
    let of = async |caller: &str, owner: &str| {
        let found = store.task_decision(caller, &agent(owner), "t-0").await;
        found.unwrap()
    };
    assert_eq!(of("3:uniana", "becas").await, Some(first));
    assert_eq!(of("3:uniben", "becas").await, None);
    assert_eq!(of("3:uniana", "pagos").await, None);
}
