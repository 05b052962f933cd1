//! When agents were last seen with the cards they were accepted with.

use std::time::Duration;

use gateway_core::{agent::AgentId, ports::Sighting};
use jiff::Timestamp;
use sqlx::{Row as _, SqliteConnection, sqlite::SqliteRow};
use url::Url;

/// A row of the table.
#[derive(Debug)]
pub(in crate::sqlite) struct SightingRow {
    agent: String,
    card: String,
    source: String,
    location: String,
    seen_at: i64,
    fresh_for: i64,
    stale_if_error: Option<i64>,
    waits: bool,
}

impl SightingRow {
    pub(super) fn of(agent: &AgentId, sighting: &Sighting) -> Self {
        Self {
            agent: agent.as_str().to_owned(),
            card: sighting.card.clone(),
            source: sighting.source.clone(),
            location: sighting.location.to_string(),
            seen_at: sighting.seen_at.as_microsecond(),
            fresh_for: milliseconds(sighting.fresh_for),
            stale_if_error: sighting.stale_if_error.map(milliseconds),
            waits: sighting.waits,
        }
    }

    pub(super) async fn write(&self, connection: &mut SqliteConnection) -> sqlx::Result<()> {
        sqlx::query(
            "INSERT OR REPLACE INTO card_sightings \
             (agent, card, source, location, seen_at, fresh_for, stale_if_error, waits) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind(&self.agent)
        .bind(&self.card)
        .bind(&self.source)
        .bind(&self.location)
        .bind(self.seen_at)
        .bind(self.fresh_for)
        .bind(self.stale_if_error)
        .bind(self.waits)
        .execute(connection)
        .await?;
        Ok(())
    }
}

/// Reads the sighting beside a pin.
pub(super) fn read(row: &SqliteRow) -> Result<Option<Sighting>, String> {
    let is_there = row
        .try_get::<Option<String>, _>("seen")
        .map_or(true, |seen| seen.is_some());
    if is_there {
        sighting(row).map(Some)
    } else {
        Ok(None)
    }
}

fn sighting(row: &SqliteRow) -> Result<Sighting, String> {
    let text = |column| {
        row.try_get::<String, _>(column)
            .map_err(|error| error.to_string())
    };
    let number = |column| {
        row.try_get::<i64, _>(column)
            .map_err(|error| error.to_string())
    };
    let waits = match number("waits")? {
        0 => false,
        1 => true,
        other => return Err(format!("`waits` is {other}")),
    };
    let stale_if_error = row.try_get::<Option<i64>, _>("stale_if_error");
    let location = text("location")?;
    let seen_at = Timestamp::from_microsecond(number("seen_at")?);
    let stale_if_error = stale_if_error.map_err(|error| error.to_string())?;
    Ok(Sighting {
        card: text("fingerprint")?,
        source: text("source")?,
        location: Url::parse(&location).map_err(|error| error.to_string())?,
        seen_at: seen_at.map_err(|error| error.to_string())?,
        fresh_for: duration(number("fresh_for")?)?,
        stale_if_error: stale_if_error.map(duration).transpose()?,
        waits,
    })
}

fn duration(milliseconds: i64) -> Result<Duration, String> {
    let milliseconds = u64::try_from(milliseconds).map_err(|error| error.to_string())?;
    Ok(Duration::from_millis(milliseconds))
}

fn milliseconds(duration: Duration) -> i64 {
    duration.as_millis().try_into().unwrap_or(i64::MAX)
}
