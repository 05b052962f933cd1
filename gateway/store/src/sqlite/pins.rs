//! The cards that agents were last accepted with.

use agent_cards::Card;
use gateway_core::{
    agent::AgentId,
    ports::{CardPin, CardPins, StoreError, StoredPin},
};
use sqlx::{Row as _, SqliteConnection, sqlite::SqliteRow};
use tokio::{sync::oneshot, task::spawn_blocking};

use super::{SqliteStore, closed, writer::Command};

/// A row of the table.
#[derive(Debug)]
pub(super) struct PinRow {
    agent: String,
    card: Vec<u8>,
    accepted_at: i64,
}

impl From<CardPin> for PinRow {
    fn from(pin: CardPin) -> Self {
        Self {
            agent: pin.agent.as_str().to_owned(),
            card: pin.card.raw().to_vec(),
            accepted_at: pin.accepted_at.as_microsecond(),
        }
    }
}

impl PinRow {
    pub(super) async fn write(&self, connection: &mut SqliteConnection) -> sqlx::Result<()> {
        sqlx::query(
            "INSERT OR REPLACE INTO card_pins (agent, card, accepted_at) VALUES ($1, $2, $3)",
        )
        .bind(&self.agent)
        .bind(&self.card)
        .bind(self.accepted_at)
        .execute(connection)
        .await?;
        Ok(())
    }
}

#[async_trait::async_trait]
impl CardPins for SqliteStore {
    async fn pins(&self) -> Result<Vec<StoredPin>, StoreError> {
        let failed = |error: String| StoreError(format!("cannot read the accepted cards: {error}"));
        let rows = sqlx::query("SELECT agent, card FROM card_pins")
            .fetch_all(&self.readers)
            .await
            .map_err(|error| failed(error.to_string()))?;
        // Cards may be large and many, and requests are served by now.
        spawn_blocking(move || rows.iter().map(stored).collect())
            .await
            .map_err(|error| failed(error.to_string()))
    }

    async fn pin(&self, pin: CardPin) -> Result<(), StoreError> {
        let (done, written) = oneshot::channel();
        let row = pin.into();
        self.send(Command::Pin { row, done }).await?;
        written.await.map_err(|_| closed())?
    }
}

/// Reads one row apart from all others, so that a damaged one spoils none beside it.
fn stored(row: &SqliteRow) -> StoredPin {
    let agent = row.try_get::<String, _>("agent").ok();
    StoredPin {
        agent: agent.and_then(|agent| AgentId::parse(&agent).ok()),
        card: card(row),
    }
}

fn card(row: &SqliteRow) -> Result<Card, String> {
    let bytes: Vec<u8> = row.try_get("card").map_err(|error| error.to_string())?;
    Card::parse(&bytes).map_err(|error| error.to_string())
}
