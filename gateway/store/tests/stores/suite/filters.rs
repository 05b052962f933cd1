//! Each filter selects exactly what it names, newest first.

use std::sync::Arc;

use futures_util::future::join_all;
use gateway_core::{
    caller::Caller,
    decision::{Outcome, RouteDecision, Verdict},
    ports::{DecisionFilter, Store},
};

use super::samples::{agent, candidate, decision, everything, matching, record, second};

/// Records decisions 0 to 9, changed by `change`, and returns their ids.
async fn ten(store: &dyn Store, change: impl Fn(usize, &mut RouteDecision)) -> Vec<String> {
    let mut ids = Vec::new();
    for n in 0..10 {
        let mut decision = decision(n);
        change(ids.len(), &mut decision);
        ids.push(record(store, decision).await);
    }
    ids
}

/// Asserts that a filter gives the decisions with these numbers, in this order.
async fn assert_matches(
    store: &dyn Store,
    filter: DecisionFilter,
    ids: &[String],
    numbers: &[usize],
) {
    let described = format!("{filter:?}");
    let found = matching(store, filter).await;
    let found: Vec<_> = found
        .iter()
        .map(|id| ids.iter().position(|known| known == id).unwrap())
        .collect();
    assert_eq!(found, numbers, "{described}");
}

pub(crate) async fn agent_matches_whatever_became_of_it(store: &dyn Store) {
    let ids = ten(store, |n, decision| match n {
        2 => decision
            .candidates
            .push(candidate("avisos", Verdict::Discarded)),
        5 => decision
            .candidates
            .insert(0, candidate("avisos", Verdict::Outscored)),
        7 => decision.candidates = vec![candidate("avisos", Verdict::Chosen)],
        _ => {}
    })
    .await;
    let by = |id| DecisionFilter {
        agent: Some(agent(id)),
        ..everything()
    };
    assert_matches(store, by("avisos"), &ids, &[7, 5, 2]).await;
    assert_matches(store, by("pagos"), &ids, &[9, 8, 6, 5, 4, 3, 2, 1, 0]).await;
    assert_matches(store, by("nobody"), &ids, &[]).await;
}

pub(crate) async fn verdict_is_the_one_of_the_agent(store: &dyn Store) {
    let ids = ten(store, |n, decision| {
        if n == 4 {
            decision.candidates = vec![
                candidate("becas", Verdict::Discarded),
                candidate("pagos", Verdict::Chosen),
            ];
        }
    })
    .await;
    let by = |id, verdict: &str| DecisionFilter {
        agent: Some(agent(id)),
        verdict: Some(verdict.to_owned()),
        ..everything()
    };
    assert_matches(store, by("becas", "discarded"), &ids, &[4]).await;
    assert_matches(store, by("pagos", "chosen"), &ids, &[4]).await;
    assert_matches(store, by("pagos", "discarded"), &ids, &[]).await;
    assert_matches(
        store,
        by("becas", "chosen"),
        &ids,
        &[9, 8, 7, 6, 5, 3, 2, 1, 0],
    )
    .await;
}

pub(crate) async fn verdict_alone_matches_any_candidate(store: &dyn Store) {
    let ids = ten(store, |n, decision| match n {
        3 | 6 => drop(decision.candidates.remove(1)),
        5 => decision
            .candidates
            .push(candidate("avisos", Verdict::Outscored)),
        8 => decision.candidates.clear(),
        _ => {}
    })
    .await;
    let by = |verdict: &str| DecisionFilter {
        verdict: Some(verdict.to_owned()),
        ..everything()
    };
    assert_matches(store, by("outscored"), &ids, &[9, 7, 5, 4, 2, 1, 0]).await;
    assert_matches(store, by("chosen"), &ids, &[9, 7, 6, 5, 4, 3, 2, 1, 0]).await;
    assert_matches(store, by("no such verdict"), &ids, &[]).await;
}

pub(crate) async fn since_includes_its_own_instant(store: &dyn Store) {
    let ids = ten(store, |_, _| {}).await;
    let by = |n| DecisionFilter {
        since: Some(second(n)),
        ..everything()
    };
    assert_matches(store, by(7), &ids, &[9, 8, 7]).await;
    assert_matches(store, by(100), &ids, &[]).await;
    // Far enough that no decision is near.
    assert_matches(store, by(1000), &ids, &[]).await;
    assert_matches(store, by(0), &ids, &[9, 8, 7, 6, 5, 4, 3, 2, 1, 0]).await;
}

pub(crate) async fn caller_matches_the_subject(store: &dyn Store) {
    let ids = ten(store, |n, decision| {
        if n % 4 == 1 {
            decision.caller = Caller {
                subject: "ben".to_owned(),
                tenant: None,
            };
        }
    })
    .await;
    let by = |subject: &str| DecisionFilter {
        caller: Some(subject.to_owned()),
        ..everything()
    };
    assert_matches(store, by("ben"), &ids, &[9, 5, 1]).await;
    assert_matches(store, by("be"), &ids, &[]).await;
}

fn ended(state: &str) -> Outcome {
    Outcome {
        state: state.to_owned(),
        task_id: None,
        error: None,
        cost: None,
        ms: 1,
        finished_at: Some(second(60)),
    }
}

pub(crate) async fn outcome_matches_the_state_and_open_the_absence_of_one(store: &dyn Store) {
    let ids = ten(store, |n, decision| match n {
        0..=2 => decision.outcome = Some(ended("completed")),
        3 => decision.outcome = Some(ended("error")),
        _ => {}
    })
    .await;
    let by = |state: &str| DecisionFilter {
        outcome: Some(state.to_owned()),
        ..everything()
    };
    assert_matches(store, by("completed"), &ids, &[2, 1, 0]).await;
    assert_matches(store, by("error"), &ids, &[3]).await;
    assert_matches(store, by("open"), &ids, &[9, 8, 7, 6, 5, 4]).await;
    assert_matches(store, by("failed"), &ids, &[]).await;
}

pub(crate) async fn pages_are_newest_first_and_without_gaps(store: &dyn Store) {
    let ids = ten(store, |_, _| {}).await;
    let mut filter = DecisionFilter {
        limit: 4,
        ..DecisionFilter::default()
    };
    for page in [&[9, 8, 7, 6][..], &[5, 4, 3, 2], &[1, 0]] {
        assert_matches(store, filter.clone(), &ids, page).await;
        filter.before = Some(ids[*page.last().unwrap()].clone());
    }
    assert_matches(store, filter, &ids, &[]).await;
    assert_matches(store, DecisionFilter::default(), &ids, &[]).await;
}

pub(crate) async fn filters_combine(store: &dyn Store) {
    let ids = ten(store, |n, decision| {
        if n % 2 == 0 {
            decision.caller.subject = "ben".to_owned();
        }
        if n % 3 == 0 {
            decision.outcome = Some(ended("completed"));
        }
    })
    .await;
    let mut filter = everything();
    filter.agent = Some(agent("cartas"));
    filter.verdict = Some("discarded".to_owned());
    filter.since = Some(second(1));
    filter.before = Some(ids[8].clone());
    assert_matches(store, filter.clone(), &ids, &[7, 6, 5, 4, 3, 2, 1]).await;
    filter.caller = Some("ben".to_owned());
    assert_matches(store, filter.clone(), &ids, &[6, 4, 2]).await;
    filter.outcome = Some("completed".to_owned());
    assert_matches(store, filter.clone(), &ids, &[6]).await;
    filter.agent = None;
    assert_matches(store, filter.clone(), &ids, &[6]).await;
    filter.verdict = None;
    filter.caller = None;
    assert_matches(store, filter.clone(), &ids, &[6, 3]).await;
    filter.limit = 1;
    assert_matches(store, filter.clone(), &ids, &[6]).await;
    filter.verdict = Some("chosen".to_owned());
    filter.agent = Some(agent("cartas"));
    assert_matches(store, filter, &ids, &[]).await;
}

pub(crate) async fn an_agent_is_found_however_far_apart_its_decisions_are(store: &dyn Store) {
    let rare = [3, 1022, 1023, 1024, 2400];
    let decisions = (0..2500).map(|n| {
        let mut decision = decision(n);
        if rare.contains(&n) {
            let verdict = if n == 1023 {
                Verdict::Outscored
            } else {
                Verdict::Discarded
            };
            decision.candidates.push(candidate("avisos", verdict));
        }
        Arc::new(decision)
    });
    let decisions: Vec<_> = decisions.collect();
    let ids: Vec<_> = decisions.iter().map(|made| made.id.clone()).collect();
    let recorded = decisions.into_iter().map(|made| store.record(made));
    assert!(join_all(recorded).await.iter().all(Result::is_ok));
    let all = DecisionFilter {
        agent: Some(agent("avisos")),
        ..everything()
    };
    assert_matches(store, all.clone(), &ids, &[2400, 1024, 1023, 1022, 3]).await;
    let mut filter = DecisionFilter {
        limit: 2,
        ..all.clone()
    };
    for page in [&[2400, 1024][..], &[1023, 1022], &[3], &[]] {
        assert_matches(store, filter.clone(), &ids, page).await;
        filter.before = page.last().map(|&last| ids[last].clone());
    }
    let mut filter = all;
    filter.since = Some(second(1023));
    assert_matches(store, filter.clone(), &ids, &[2400, 1024, 1023]).await;
    filter.before = Some(ids[2000].clone());
    filter.verdict = Some("discarded".to_owned());
    assert_matches(store, filter.clone(), &ids, &[1024]).await;
    filter.verdict = Some("outscored".to_owned());
    filter.caller = Some("ana".to_owned());
    assert_matches(store, filter.clone(), &ids, &[1023]).await;
}
