//! The queries. The cost of each is bounded by an index, not by the size of the table.

mod select;

use gateway_core::{
    agent::AgentId,
    decision::RouteDecision,
    ports::{DecisionFilter, KnownTask, StoreError, TaskFilter, TaskPage, TaskPlace},
};
use sqlx::{QueryBuilder, Sqlite, SqlitePool};

use self::select::{COLUMNS, Candidates, select};
use crate::row::StoredDecision;

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
    let failed = |error| StoreError(format!("cannot read decisions: {error}"));
    let mut stored: Vec<StoredDecision> = select(filter, Candidates::Lists)
        .build_query_as()
        .fetch_all(readers)
        .await
        .map_err(failed)?;
    let missing = filter.limit.saturating_sub(stored.len());
    if select::walks_candidates(filter) && missing > 0 {
        let older = DecisionFilter {
            limit: missing,
            ..filter.clone()
        };
        let older: Vec<StoredDecision> = select(&older, Candidates::Rows)
            .build_query_as()
            .fetch_all(readers)
            .await
            .map_err(failed)?;
        stored.extend(older);
    }
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
