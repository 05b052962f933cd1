//! The cards that agents were last accepted with.

use agent_cards::Card;
use gateway_core::{
    agent::AgentId,
    ports::{CardPin, CardPins, StoreError},
};
use jiff::Timestamp;
use sqlx::SqliteConnection;
use tokio::sync::oneshot;

use super::{SqliteStore, closed, writer::Command};

/// A row of the table.
#[derive(Debug, sqlx::FromRow)]
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
    fn decode(self) -> Result<CardPin, String> {
        let unreadable = |error: String| format!("card of agent `{}`: {error}", self.agent);
        Ok(CardPin {
            agent: AgentId::parse(&self.agent).map_err(|error| unreadable(error.to_string()))?,
            card: Card::parse(&self.card).map_err(|error| unreadable(error.to_string()))?,
            accepted_at: Timestamp::from_microsecond(self.accepted_at)
                .map_err(|error| unreadable(error.to_string()))?,
        })
    }

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
    async fn pins(&self) -> Result<Vec<CardPin>, StoreError> {
        let rows: Vec<PinRow> = sqlx::query_as("SELECT agent, card, accepted_at FROM card_pins")
            .fetch_all(&self.readers)
            .await
            .map_err(|error| StoreError(format!("cannot read the accepted cards: {error}")))?;
        // One that cannot be read is as good as none: its agent is accepted anew.
        let readable = |row: PinRow| {
            row.decode()
                .inspect_err(|error| tracing::error!(%error, "an accepted card is left out"))
                .ok()
        };
        Ok(rows.into_iter().filter_map(readable).collect())
    }

    async fn pin(&self, pin: CardPin) -> Result<(), StoreError> {
        let (done, written) = oneshot::channel();
        let row = pin.into();
        self.send(Command::Pin { row, done }).await?;
        written.await.map_err(|_| closed())?
    }
}
