//! The statement that finds decisions by a filter.

use std::time::Duration;

use gateway_core::{agent::AgentId, ports::DecisionFilter};
use jiff::Timestamp;
use sqlx::{QueryBuilder, Sqlite};

use crate::sqlite::considered::BLOCK;

/// What a decision is read from, before the names of tables.
pub(super) const COLUMNS: &str = "SELECT d.id, b.body, d.attempts, d.outcome, d.outcome_task, d.outcome_error, \
                                  d.outcome_ms, d.finished_at, d.cost, d.feedback FROM ";

/// How far the time of a decision and the time in its id may be apart.
const ID_SKEW: Duration = Duration::from_secs(60);

/// The outcome to ask for to get decisions without any.
const OPEN: &str = "open";

/// What is walked first where blocks are; its bounds are rounded outwards.
const BLOCK_NUMBER: &str = "c.block";

/// Where it stands who was considered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Candidates {
    /// In lists, and in blocks that lead to them.
    Lists,
    /// In rows, as up to schema 6. Decisions with rows are older than all with lists.
    Rows,
}

/// Tells whether the decisions of an agent are walked, so that each kind of [`Candidates`] needs a statement.
pub(super) fn walks_candidates(filter: &DecisionFilter) -> bool {
    filter.agent.is_some() && !walks_decisions(filter)
}

fn walks_decisions(filter: &DecisionFilter) -> bool {
    filter.caller.is_some() || filter.outcome.is_some()
}

/// Returns the statement for a filter. It walks one index from the newest entry down and stops at the limit:
/// the caller's or else the outcome's if given, else the agent's or else the verdict's, else the table itself.
pub(super) fn select(filter: &DecisionFilter, candidates: Candidates) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new(COLUMNS);
    let (number, order) = match &filter.agent {
        Some(agent) if !walks_decisions(filter) => match candidates {
            Candidates::Lists => push_blocks(&mut query, agent, filter),
            Candidates::Rows => push_rows(&mut query, agent, filter),
        },
        _ => push_decisions(&mut query, filter),
    };
    push_caller_and_outcome(&mut query, filter);
    if let Some(since) = filter.since {
        query
            .push(" AND d.at >= ")
            .push_bind(since.as_microsecond());
    }
    push_bounds(&mut query, filter, number);
    let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
    query
        .push(format_args!(" ORDER BY {order} LIMIT "))
        .push_bind(limit);
    query
}

/// Walks the blocks that an agent is in, and in each the lists of decisions. The cross joins, here and below, hold
/// SQLite to this order of the tables. Returns the number of a decision and the order.
fn push_blocks(
    query: &mut QueryBuilder<Sqlite>,
    agent: &AgentId,
    filter: &DecisionFilter,
) -> (&'static str, &'static str) {
    query
        .push("considered_blocks c CROSS JOIN considered k CROSS JOIN decisions d")
        .push(" CROSS JOIN decision_bodies b WHERE d.number = k.decision AND b.decision = d.number")
        .push(" AND c.agent = (SELECT number FROM agents WHERE id = ")
        .push_bind(agent.as_str().to_owned())
        .push(format_args!(
            ") AND k.decision >= c.block * {BLOCK} AND k.decision < (c.block + 1) * {BLOCK}"
        ));
    if let Some(verdict) = &filter.verdict {
        query.push(format_args!(" AND {} = 1", column("c", verdict)));
    }
    push_bounds(query, filter, BLOCK_NUMBER);
    push_listed(query, agent, filter);
    ("k.decision", "c.block DESC, k.decision DESC")
}

/// Walks the rows of an agent.
fn push_rows(
    query: &mut QueryBuilder<Sqlite>,
    agent: &AgentId,
    filter: &DecisionFilter,
) -> (&'static str, &'static str) {
    query
        .push("candidates c CROSS JOIN decisions d CROSS JOIN decision_bodies b")
        .push(" WHERE d.number = c.decision AND b.decision = d.number");
    push_row(query, agent, filter);
    ("c.decision", "c.decision DESC")
}

/// Walks decisions. The plus keeps SQLite from the index of verdicts where there is a better one.
fn push_decisions(
    query: &mut QueryBuilder<Sqlite>,
    filter: &DecisionFilter,
) -> (&'static str, &'static str) {
    query.push("decisions d CROSS JOIN decision_bodies b WHERE b.decision = d.number");
    if let Some(agent) = &filter.agent {
        query.push(" AND (EXISTS (SELECT 1 FROM considered k WHERE k.decision = d.number");
        push_listed(query, agent, filter);
        query.push(") OR EXISTS (SELECT 1 FROM candidates c WHERE c.decision = d.number");
        push_row(query, agent, filter);
        query.push("))");
    } else if let Some(verdict) = &filter.verdict {
        let plus = if walks_decisions(filter) { "+" } else { "" };
        query.push(format_args!(" AND {plus}{} = 1", column("d", verdict)));
    }
    ("d.number", "d.number DESC")
}

/// Adds the condition that a list has an agent.
fn push_listed(query: &mut QueryBuilder<Sqlite>, agent: &AgentId, filter: &DecisionFilter) {
    let list = match &filter.verdict {
        Some(verdict) => column("k", verdict),
        None => "k.chosen || k.outscored || k.discarded".to_owned(),
    };
    query
        .push(format_args!(
            " AND instr({list}, (SELECT ',' || number || ',' FROM agents WHERE id = "
        ))
        .push_bind(agent.as_str().to_owned())
        .push("))");
}

/// Adds the condition that a row is of an agent, and left by none that had its number before.
fn push_row(query: &mut QueryBuilder<Sqlite>, agent: &AgentId, filter: &DecisionFilter) {
    query
        .push(" AND typeof(b.body) = 'text' AND c.agent = ")
        .push_bind(agent.as_str().to_owned());
    if let Some(verdict) = &filter.verdict {
        query.push(" AND c.verdict = ").push_bind(verdict.clone());
    }
}

/// Returns the column of a verdict; nothing has one that does not exist.
fn column(table: &str, verdict: &str) -> String {
    match verdict {
        "chosen" | "outscored" | "discarded" => format!("{table}.{verdict}"),
        _ => "0".to_owned(),
    }
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

/// Adds the bounds of a walk: one for the time, because ids begin with theirs and decisions are recorded soon after they
/// are made, and one for the page. Its decision may be removed already; then those before it count.
fn push_bounds(query: &mut QueryBuilder<Sqlite>, filter: &DecisionFilter, walked: &str) {
    let (at_most, scale) = match walked {
        BLOCK_NUMBER => ("<=", format!(" / {BLOCK}")),
        _ => ("<", String::new()),
    };
    if let Some(since) = filter.since {
        let since = since.checked_sub(ID_SKEW).unwrap_or(Timestamp::MIN);
        query
            .push(format_args!(
                " AND {walked} >= (SELECT number FROM decisions WHERE id >= "
            ))
            .push_bind(first_id(since))
            .push(format_args!(" ORDER BY id LIMIT 1){scale}"));
    }
    if let Some(before) = &filter.before {
        query
            .push(format_args!(
                " AND {walked} {at_most} coalesce((SELECT number FROM decisions WHERE id = "
            ))
            .push_bind(before.clone())
            .push("), (SELECT number + 1 FROM decisions WHERE id < ")
            .push_bind(before.clone())
            .push(format_args!(" ORDER BY id DESC LIMIT 1)){scale}"));
    }
}

/// Returns the text that all ids made from then on are greater than (RFC 9562 §5.7).
fn first_id(time: Timestamp) -> String {
    let milliseconds = u64::try_from(time.as_millisecond()).unwrap_or_default();
    format!("{:08x}-{:04x}", milliseconds >> 16, milliseconds & 0xffff)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sqlx::{AssertSqlSafe, Row as _};

    use super::*;
    use crate::sqlite::open;

    /// Returns the steps SQLite takes for a filter.
    async fn plan(filter: &DecisionFilter, candidates: Candidates) -> String {
        let mut opened = open::open(Path::new(":memory:")).await.unwrap();
        let explained = format!(
            "EXPLAIN QUERY PLAN {}",
            select(filter, candidates).into_string()
        );
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
        let by_block = "SEARCH c USING PRIMARY KEY (agent=?";
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
            ("agent", format!("{by_block})")),
            ("agent verdict", format!("{by_block})")),
            ("agent verdict bounds", both(by_block, "block")),
            ("caller", format!("{by_caller})")),
            ("caller agent verdict", format!("{by_caller})")),
            ("caller outcome", format!("{by_caller})")),
            ("caller bounds", both(by_caller, "rowid")),
            ("outcome", format!("{by_outcome})")),
            ("outcome verdict", format!("{by_outcome})")),
            ("outcome verdict bounds", both(by_outcome, "rowid")),
            ("open bounds", both(by_outcome, "rowid")),
        ] {
            let plan = plan(&filter(names), Candidates::Lists).await;
            assert!(
                plan.starts_with(&walk) && !plan.contains("TEMP B-TREE"),
                "{names}: {plan}"
            );
            assert!(
                !plan.contains("SCAN k") && !plan.contains("SCAN c"),
                "{names}: {plan}"
            );
        }
    }

    #[tokio::test]
    async fn rows_of_an_agent_are_walked_by_their_index() {
        for (names, walk) in [
            ("agent", "(agent=?)"),
            (
                "agent verdict bounds",
                "(agent=? AND decision>? AND decision<?)",
            ),
        ] {
            let plan = plan(&filter(names), Candidates::Rows).await;
            let walk = format!("SEARCH c USING PRIMARY KEY {walk}");
            assert!(
                plan.starts_with(&walk) && !plan.contains("TEMP B-TREE"),
                "{names}: {plan}"
            );
        }
    }
}
