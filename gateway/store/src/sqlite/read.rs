//! The queries. Each is one statement whose cost is bounded by an index, not by the size of the table.

use std::time::Duration;

use gateway_core::{
    agent::AgentId,
    decision::RouteDecision,
    ports::{DecisionFilter, KnownTask, StoreError, TaskFilter, TaskPage, TaskPlace},
};
use jiff::Timestamp;
use sqlx::{QueryBuilder, Sqlite, SqlitePool};

use crate::row::StoredDecision;

const COLUMNS: &str = "SELECT d.id, b.body, d.attempts, d.outcome, d.outcome_task, d.outcome_error, \
                       d.outcome_ms, d.finished_at, d.cost, d.feedback FROM ";

/// How far the time of a decision and the time in its id may be apart.
const ID_SKEW: Duration = Duration::from_secs(60);

/// The outcome to ask for to get decisions without any.
const OPEN: &str = "open";

pub(super) async fn decision(
    readers: &SqlitePool,
    id: &str,
) -> Result<Option<RouteDecision>, StoreError> {
    let stored: Option<StoredDecision> = QueryBuilder::<Sqlite>::new(COLUMNS)
        .push("decisions d JOIN decision_bodies b ON b.decision = d.number WHERE d.id = ")
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

pub(super) async fn task_decision(
    readers: &SqlitePool,
    caller: &str,
    agent: &AgentId,
    task_id: &str,
) -> Result<Option<String>, StoreError> {
    sqlx::query_scalar(
        "SELECT d.id FROM tasks t JOIN decisions d ON d.number = t.first_decision
         WHERE t.agent = $1 AND t.task_id = $2 AND t.caller = $3",
    )
    .bind(agent.as_str())
    .bind(task_id)
    .bind(caller)
    .fetch_optional(readers)
    .await
    .map_err(|error| {
        StoreError(format!(
            "cannot read the decision of task `{task_id}`: {error}"
        ))
    })
}

pub(super) async fn tasks(
    readers: &SqlitePool,
    filter: &TaskFilter,
) -> Result<TaskPage, StoreError> {
    let failed = |error: &dyn std::fmt::Display| StoreError(format!("cannot read tasks: {error}"));
    let mut count = QueryBuilder::<Sqlite>::new("SELECT count(*)");
    matching(&mut count, filter);
    let total: i64 = count
        .build_query_scalar()
        .fetch_one(readers)
        .await
        .map_err(|error| failed(&error))?;
    let mut page =
        QueryBuilder::<Sqlite>::new("SELECT agent, task_id, context_id, state, updated_at");
    matching(&mut page, filter);
    if let Some(after) = &filter.after {
        page.push(" AND (updated_at, agent, task_id) < (")
            .push_bind(after.changed_at)
            .push(", ")
            .push_bind(after.agent.as_str())
            .push(", ")
            .push_bind(&after.task_id)
            .push(")");
    }
    page.push(" ORDER BY updated_at DESC, agent DESC, task_id DESC LIMIT ")
        .push_bind(i64::try_from(filter.limit).unwrap_or(i64::MAX));
    let rows: Vec<TaskRow> = page
        .build_query_as()
        .fetch_all(readers)
        .await
        .map_err(|error| failed(&error))?;
    Ok(TaskPage {
        tasks: rows.into_iter().filter_map(known_task).collect(),
        total: u64::try_from(total).unwrap_or_default(),
    })
}

type TaskRow = (String, String, Option<String>, String, i64);

fn matching(query: &mut QueryBuilder<Sqlite>, filter: &TaskFilter) {
    query
        .push(" FROM tasks WHERE caller = ")
        .push_bind(filter.caller.clone());
    let equal = [
        (
            " AND agent = ",
            filter.agent.as_ref().map(AgentId::to_string),
        ),
        (" AND context_id = ", filter.context_id.clone()),
        (" AND state = ", filter.state.clone()),
    ];
    for (condition, value) in equal {
        if let Some(value) = value {
            query.push(condition).push_bind(value);
        }
    }
    if let Some(since) = filter.since {
        query
            .push(" AND updated_at >= ")
            .push_bind(since.as_microsecond());
    }
}

fn known_task((agent, task_id, context_id, state, changed_at): TaskRow) -> Option<KnownTask> {
    let agent = AgentId::parse(&agent)
        .inspect_err(|error| tracing::error!(%error, "a task is left out"))
        .ok()?;
    Some(KnownTask {
        place: TaskPlace {
            changed_at,
            agent,
            task_id,
        },
        context_id,
        state,
    })
}

/// Returns the statement for a filter. It walks one index from the newest entry down and stops at the limit:
/// the caller's or else the outcome's if given, else the agent's or else the verdict's, else the table itself.
fn select(filter: &DecisionFilter) -> QueryBuilder<Sqlite> {
    let by_decision = filter.caller.is_some() || filter.outcome.is_some();
    let mut query = QueryBuilder::new(COLUMNS);
    let number = match &filter.agent {
        // The cross joins hold SQLite to this order of the tables.
        Some(agent) if !by_decision => {
            query
                .push("candidates c CROSS JOIN decisions d CROSS JOIN decision_bodies b")
                .push(" WHERE d.number = c.decision AND b.decision = d.number");
            push_candidate(&mut query, agent, filter);
            "c.decision"
        }
        agent => {
            query.push("decisions d CROSS JOIN decision_bodies b WHERE b.decision = d.number");
            if let Some(agent) = agent {
                query.push(" AND EXISTS (SELECT 1 FROM candidates c WHERE c.decision = d.number");
                push_candidate(&mut query, agent, filter);
                query.push(")");
            } else if let Some(verdict) = &filter.verdict {
                push_verdict(&mut query, verdict, by_decision);
            }
            "d.number"
        }
    };
    push_caller_and_outcome(&mut query, filter);
    if let Some(since) = filter.since {
        push_since(&mut query, since, number);
    }
    if let Some(before) = &filter.before {
        push_before(&mut query, before, number);
    }
    let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
    query
        .push(format_args!(" ORDER BY {number} DESC LIMIT "))
        .push_bind(limit);
    query
}

fn push_candidate(query: &mut QueryBuilder<Sqlite>, agent: &AgentId, filter: &DecisionFilter) {
    query
        .push(" AND c.agent = ")
        .push_bind(agent.as_str().to_owned());
    if let Some(verdict) = &filter.verdict {
        query.push(" AND c.verdict = ").push_bind(verdict.clone());
    }
}

/// Adds the condition that any candidate has a verdict. The plus keeps SQLite from its index.
fn push_verdict(query: &mut QueryBuilder<Sqlite>, verdict: &str, walks_another: bool) {
    let column = match verdict {
        "chosen" => "d.chosen",
        "outscored" => "d.outscored",
        "discarded" => "d.discarded",
        _ => "0",
    };
    let plus = if walks_another { "+" } else { "" };
    query.push(format_args!(" AND {plus}{column} = 1"));
}

/// The plus keeps SQLite from the index of outcomes, where rare callers are hard to find.
fn push_caller_and_outcome(query: &mut QueryBuilder<Sqlite>, filter: &DecisionFilter) {
    let mut outcome = "d.outcome";
    if let Some(caller) = &filter.caller {
        query.push(" AND d.caller = ").push_bind(caller.clone());
        outcome = "+d.outcome";
    }
    match filter.outcome.as_deref() {
        Some(OPEN) => drop(query.push(format_args!(" AND {outcome} IS NULL"))),
        Some(state) => drop(
            query
                .push(format_args!(" AND {outcome} = "))
                .push_bind(state.to_owned()),
        ),
        None => {}
    }
}

/// Adds the exact condition, and one on the number that ends the walk: ids begin with their time, and
/// decisions are recorded soon after they are made.
fn push_since(query: &mut QueryBuilder<Sqlite>, since: Timestamp, number: &str) {
    query
        .push(" AND d.at >= ")
        .push_bind(since.as_microsecond())
        .push(format_args!(
            " AND {number} >= (SELECT number FROM decisions WHERE id >= "
        ))
        .push_bind(first_id(
            since.checked_sub(ID_SKEW).unwrap_or(Timestamp::MIN),
        ))
        .push(" ORDER BY id LIMIT 1)");
}

/// Returns the text that all ids made from then on are greater than (RFC 9562 §5.7).
fn first_id(time: Timestamp) -> String {
    let milliseconds = u64::try_from(time.as_millisecond()).unwrap_or_default();
    format!("{:08x}-{:04x}", milliseconds >> 16, milliseconds & 0xffff)
}

/// Adds the condition of a page. Its decision may be removed already; then those before it count.
fn push_before(query: &mut QueryBuilder<Sqlite>, before: &str, number: &str) {
    query
        .push(format_args!(
            " AND {number} < coalesce((SELECT number FROM decisions WHERE id = "
        ))
        .push_bind(before.to_owned())
        .push("), (SELECT number + 1 FROM decisions WHERE id < ")
        .push_bind(before.to_owned())
        .push(" ORDER BY id DESC LIMIT 1))");
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
            verdict: given("verdict").map(|_| "outscored".to_owned()),
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
        let by_agent = "SEARCH c USING PRIMARY KEY (agent=?";
        let by_verdict = "SEARCH d USING INDEX decisions_with_outscored (outscored=?";
        let by_caller = "SEARCH d USING INDEX decisions_by_caller (caller=?";
        let by_outcome = "SEARCH d USING INDEX decisions_by_outcome (outcome=?";
        let both = |walk: &str, number: &str| format!("{walk} AND {number}>? AND {number}<?)");
        for (names, walk) in [
            ("", "SCAN d".to_owned()),
            (
                "bounds",
                "SEARCH d USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)".to_owned(),
            ),
            ("verdict", format!("{by_verdict})")),
            ("verdict bounds", both(by_verdict, "rowid")),
            ("agent", format!("{by_agent})")),
            ("agent verdict", format!("{by_agent})")),
            ("agent verdict bounds", both(by_agent, "decision")),
            ("caller", format!("{by_caller})")),
            ("caller agent verdict", format!("{by_caller})")),
            ("caller outcome", format!("{by_caller})")),
            ("caller bounds", both(by_caller, "rowid")),
            ("outcome", format!("{by_outcome})")),
            ("outcome verdict", format!("{by_outcome})")),
            ("outcome verdict bounds", both(by_outcome, "rowid")),
            ("open bounds", both(by_outcome, "rowid")),
        ] {
            let plan = plan(&filter(names)).await;
            assert!(
                plan.starts_with(&walk) && !plan.contains("TEMP B-TREE"),
                "{names}: {plan}"
            );
        }
    }
}
