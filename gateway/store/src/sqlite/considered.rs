//! Who was considered for a decision, as it is written: agents by number.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gateway_core::decision::Verdict;
use serde::Serialize;
use sqlx::SqliteConnection;

use crate::row::DecisionRow;

/// How many decisions share a block of `considered_blocks`; the triggers and the migration say it as well.
pub(super) const BLOCK: i64 = 1024;

/// The numbers of agents, as far as they have been needed.
#[derive(Debug, Default)]
pub(super) struct AgentNumbers(HashMap<String, i64>);

impl AgentNumbers {
    /// Finds the numbers of agents that were not needed before, and numbers those that are new to the file.
    pub(super) async fn learn<'a>(
        &mut self,
        connection: &mut SqliteConnection,
        agents: impl Iterator<Item = &'a str>,
    ) -> sqlx::Result<()> {
        let unknown: BTreeSet<_> = agents
            .filter(|agent| !self.0.contains_key(*agent))
            .collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let unknown =
            serde_json::to_string(&unknown).map_err(|error| sqlx::Error::Encode(error.into()))?;
        sqlx::query("INSERT OR IGNORE INTO agents (id) SELECT value FROM json_each($1)")
            .bind(&unknown)
            .execute(&mut *connection)
            .await?;
        let numbered: Vec<(String, i64)> = sqlx::query_as(
            "SELECT id, number FROM agents WHERE id IN (SELECT value FROM json_each($1))",
        )
        .bind(&unknown)
        .fetch_all(connection)
        .await?;
        self.0.extend(numbered);
        Ok(())
    }
}

/// The candidates of a decision as the tables have them.
#[derive(Debug, Default, Serialize)]
pub(super) struct Considered {
    /// Numbers, each between commas; likewise below.
    chosen: String,
    outscored: String,
    discarded: String,
    /// The verdict of each.
    candidates: BTreeMap<i64, Verdict>,
}

impl Considered {
    /// Looks up the numbers that were learned.
    ///
    /// # Errors
    /// An agent has no number.
    pub(super) fn new(row: &DecisionRow, numbers: &AgentNumbers) -> sqlx::Result<Self> {
        let mut considered = Self::default();
        for (agent, verdict) in &row.candidates {
            let number = *numbers.0.get(agent).ok_or(sqlx::Error::RowNotFound)?;
            let list = match verdict {
                Verdict::Chosen => &mut considered.chosen,
                Verdict::Outscored => &mut considered.outscored,
                Verdict::Discarded => &mut considered.discarded,
            };
            if list.is_empty() {
                list.push(',');
            }
            list.push_str(&number.to_string());
            list.push(',');
            considered.candidates.insert(number, *verdict);
        }
        Ok(considered)
    }
}
