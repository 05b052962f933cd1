//! The queries. Each is one statement whose cost is bounded by an index, not by the size of the table.

use std::time::Duration;

use gateway_core::{
    agent::AgentId,
    decision::RouteDecision,
    ports::{DecisionFilter, StoreError},
};
use jiff::Timestamp;
use sqlx::{QueryBuilder, Sqlite, SqlitePool};

use crate::row::StoredDecision;

const COLUMNS: &str = "SELECT d.id, b.body, d.attempts, d.outcome, d.outcome_task, d.outcome_error, \
                       d.outcome_ms, d.finished_at FROM ";

/// How far the time of a decision and the time in its id may be apart.
const ID_SKEW: Duration = Duration::from_secs(60);

/// The outcome to ask for to get decisions without any.
const OPEN: &str = "open";

pub(super) async fn decision(
    readers: &SqlitePool,
    id: &str,
) -> Result<Option<RouteDecision>, StoreError> {
    let stored: Option<StoredDecision> = QueryBuilder::<Sqlite>::new(COLUMNS)
        .push("decisions d JOIN decision_bodies b ON b.decision_id = d.id WHERE d.id = ")
        .push_bind(id)
        .build_query_as()
        .fetch_optional(readers)
        .await
        .map_err(|error| StoreError(format!("cannot read decision `{id}`: {error}")))?;
    stored.map(StoredDecision::decode).transpose()
}

/// Leaves out what cannot be read, with an error in the log: one damaged row must not hide all others.
pub(super) async fn decisions(
    readers: &SqlitePool,
    filter: &DecisionFilter,
) -> Result<Vec<RouteDecision>, StoreError> {
    let stored: Vec<StoredDecision> = select(filter)
        .build_query_as()
        .fetch_all(readers)
        .await
        .map_err(|error| StoreError(format!("cannot read decisions: {error}")))?;
    let readable = |stored: StoredDecision| {
        stored
            .decode()
            .inspect_err(|error| tracing::error!(%error, "a decision is left out"))
            .ok()
    };
    Ok(stored.into_iter().filter_map(readable).collect())
}

pub(super) async fn context_agent(
    readers: &SqlitePool,
    caller: &str,
    context_id: &str,
) -> Result<Option<AgentId>, StoreError> {
    let failed = |error: &dyn std::fmt::Display| {
        StoreError(format!(
            "cannot read the agent of context `{context_id}`: {error}"
        ))
    };
    let agent: Option<String> =
        sqlx::query_scalar("SELECT agent FROM contexts WHERE caller = $1 AND context_id = $2")
            .bind(caller)
            .bind(context_id)
            .fetch_optional(readers)
            .await
            .map_err(|error| failed(&error))?;
    agent
        .map(|agent| AgentId::parse(&agent))
        .transpose()
        .map_err(|error| failed(&error))
}

/// Returns the statement for a filter. It walks one index from the newest entry down and stops at the
/// limit: the caller's or the outcome's if given, else the candidates', else the one of all decisions.
fn select(filter: &DecisionFilter) -> QueryBuilder<Sqlite> {
    let by_decision = filter.caller.is_some() || filter.outcome.is_some();
    let by_candidate = filter.agent.is_some() || filter.verdict.is_some();
    let mut query = QueryBuilder::new(COLUMNS);
    let id = if by_candidate && !by_decision {
        push_candidates(&mut query, filter);
        "c.decision_id"
    } else {
        query.push("decisions d CROSS JOIN decision_bodies b WHERE b.decision_id = d.id");
        if by_candidate {
            push_candidate_test(&mut query, filter);
        }
        "d.id"
    };
    if let Some(caller) = &filter.caller {
        query.push(" AND d.caller = ").push_bind(caller.clone());
    }
    match filter.outcome.as_deref() {
        Some(OPEN) => drop(query.push(" AND d.outcome IS NULL")),
        Some(state) => drop(query.push(" AND d.outcome = ").push_bind(state.to_owned())),
        None => {}
    }
    if let Some(since) = filter.since {
        push_since(&mut query, since, id);
    }
    if let Some(before) = &filter.before {
        query
            .push(format_args!(" AND {id} < "))
            .push_bind(before.clone());
    }
    let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
    query
        .push(format_args!(" ORDER BY {id} DESC LIMIT "))
        .push_bind(limit);
    query
}

/// Walks the candidates, each decision once. The cross joins hold SQLite to this order of the tables.
fn push_candidates(query: &mut QueryBuilder<Sqlite>, filter: &DecisionFilter) {
    query
        .push("candidates c CROSS JOIN decisions d CROSS JOIN decision_bodies b")
        .push(" WHERE d.id = c.decision_id AND b.decision_id = d.id");
    match (&filter.agent, &filter.verdict) {
        (Some(agent), verdict) => {
            query
                .push(" AND c.agent = ")
                .push_bind(agent.as_str().to_owned());
            if let Some(verdict) = verdict {
                // The plus keeps SQLite from the index of verdicts, where rare agents are hard to find.
                query.push(" AND +c.verdict = ").push_bind(verdict.clone());
            }
        }
        (None, verdict) => {
            query.push(" AND c.verdict = ").push_bind(verdict.clone()).push(
                " AND NOT EXISTS (SELECT 1 FROM candidates earlier WHERE earlier.verdict = c.verdict \
                 AND earlier.decision_id = c.decision_id AND earlier.agent < c.agent)",
            );
        }
    }
}

fn push_candidate_test(query: &mut QueryBuilder<Sqlite>, filter: &DecisionFilter) {
    query.push(" AND EXISTS (SELECT 1 FROM candidates c WHERE c.decision_id = d.id");
    if let Some(agent) = &filter.agent {
        query
            .push(" AND c.agent = ")
            .push_bind(agent.as_str().to_owned());
    }
    if let Some(verdict) = &filter.verdict {
        query.push(" AND c.verdict = ").push_bind(verdict.clone());
    }
    query.push(")");
}

/// Adds the exact condition, and one on the id that ends the walk: ids sort by time.
fn push_since(query: &mut QueryBuilder<Sqlite>, since: Timestamp, id: &str) {
    let earliest = since.checked_sub(ID_SKEW).unwrap_or(Timestamp::MIN);
    query
        .push(" AND d.at >= ")
        .push_bind(since.as_microsecond())
        .push(format_args!(
            " AND {id} >= (SELECT id FROM decisions WHERE at >= "
        ))
        .push_bind(earliest.as_microsecond())
        .push(" ORDER BY at, id LIMIT 1)");
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sqlx::{AssertSqlSafe, Row as _};

    use super::*;
    use crate::sqlite::open;

    /// Returns the steps SQLite takes for a filter.
    async fn plan(filter: &DecisionFilter) -> String {
        let mut opened = open::open(Path::new(":memory:")).await.unwrap();
        let explained = format!("EXPLAIN QUERY PLAN {}", select(filter).into_string());
        let steps = sqlx::query(AssertSqlSafe(explained))
            .fetch_all(&mut opened.connection)
            .await
            .unwrap();
        steps
            .iter()
            .map(|step| step.get::<String, _>("detail"))
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// Returns a filter with the named conditions.
    fn filter(names: &str) -> DecisionFilter {
        let given = |name: &str| names.contains(name).then(|| "text".to_owned());
        DecisionFilter {
            agent: given("agent").and_then(|id| AgentId::parse(&id).ok()),
            verdict: given("verdict"),
            since: given("bounds").map(|_| Timestamp::UNIX_EPOCH),
            caller: given("caller"),
            outcome: if names.contains("open") {
                Some(OPEN.to_owned())
            } else {
                given("outcome")
            },
            before: given("bounds"),
            limit: 10,
        }
    }

    #[tokio::test]
    async fn every_filter_walks_an_index_and_sorts_nothing() {
        let by_time = "d USING INDEX sqlite_autoindex_decisions_1";
        let by_agent = "SEARCH c USING PRIMARY KEY (agent=?";
        let by_verdict = "SEARCH c USING COVERING INDEX candidates_by_verdict (verdict=?";
        let by_caller = "SEARCH d USING INDEX decisions_by_caller (caller=?";
        let by_outcome = "SEARCH d USING INDEX decisions_by_outcome (outcome=?";
        let both = |walk: &str, id: &str| format!("{walk} AND {id}>? AND {id}<?)");
        for (names, walk) in [
            ("", format!("SCAN {by_time}")),
            ("bounds", format!("SEARCH {by_time} (id>? AND id<?)")),
            ("verdict", format!("{by_verdict})")),
            ("verdict bounds", both(by_verdict, "decision_id")),
            ("agent", format!("{by_agent})")),
            ("agent verdict", format!("{by_agent})")),
            ("agent verdict bounds", both(by_agent, "decision_id")),
            ("caller", format!("{by_caller})")),
            ("caller agent verdict", format!("{by_caller})")),
            ("caller bounds", both(by_caller, "id")),
            ("outcome", format!("{by_outcome})")),
            ("outcome verdict bounds", both(by_outcome, "id")),
            ("open bounds", both(by_outcome, "id")),
        ] {
            let plan = plan(&filter(names)).await;
            assert!(
                plan.starts_with(&walk) && !plan.contains("TEMP B-TREE"),
                "{names}: {plan}"
            );
        }
    }
}
