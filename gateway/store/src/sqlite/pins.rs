//! The cards that agents were last accepted with.

mod sighting;

use agent_cards::Card;
use gateway_core::{
    agent::AgentId,
    ports::{CardPin, CardPins, Sighting, StoreError, StoredPin},
};
use sqlx::{Row as _, SqliteConnection, sqlite::SqliteRow};
use tokio::{sync::oneshot, task::spawn_blocking};

use self::sighting::SightingRow;
use super::{SqliteStore, closed, writer::Command};

/// A row to write.
#[derive(Debug)]
pub(super) enum PinRow {
    Card {
        agent: String,
        card: Vec<u8>,
        accepted_at: i64,
        sighting: Option<SightingRow>,
    },
    Sighting(SightingRow),
}

impl PinRow {
    pub(super) async fn write(&self, connection: &mut SqliteConnection) -> sqlx::Result<()> {
        match self {
            Self::Card {
                agent,
                card,
                accepted_at,
                sighting,
            } => {
                sqlx::query(
                    "INSERT OR REPLACE INTO card_pins (agent, card, accepted_at) VALUES ($1, $2, $3)",
                )
                .bind(agent)
                .bind(card)
                .bind(accepted_at)
                .execute(&mut *connection)
                .await?;
                match sighting {
                    Some(row) => row.write(connection).await,
                    None => Ok(()),
                }
            }
            Self::Sighting(row) => row.write(connection).await,
        }
    }
}

#[async_trait::async_trait]
impl CardPins for SqliteStore {
    async fn pins(&self) -> Result<Vec<StoredPin>, StoreError> {
        let failed = |error: String| StoreError(format!("cannot read the accepted cards: {error}"));
        let rows = sqlx::query(
            "SELECT pin.agent, pin.card, seen.agent AS seen, seen.card AS fingerprint, source, location, seen_at, \
                    fresh_for, stale_if_error, waits \
             FROM card_pins AS pin LEFT JOIN card_sightings AS seen ON seen.agent = pin.agent",
        )
        .fetch_all(&self.readers)
        .await
        .map_err(|error| failed(error.to_string()))?;
        // Cards may be large and many, and requests are served by now.
        spawn_blocking(move || rows.iter().map(stored).collect())
            .await
            .map_err(|error| failed(error.to_string()))
    }

    async fn pin(&self, pin: CardPin) -> Result<(), StoreError> {
        let sighting = pin.sighting.as_ref();
        let row = PinRow::Card {
            sighting: sighting.map(|sighting| SightingRow::of(&pin.agent, sighting)),
            agent: pin.agent.as_str().to_owned(),
            card: pin.card.raw().to_vec(),
            accepted_at: pin.accepted_at.as_microsecond(),
        };
        self.write_pin(row).await
    }

    async fn sight(&self, agent: AgentId, sighting: Sighting) -> Result<(), StoreError> {
        let row = SightingRow::of(&agent, &sighting);
        self.write_pin(PinRow::Sighting(row)).await
    }
}

impl SqliteStore {
    async fn write_pin(&self, row: PinRow) -> Result<(), StoreError> {
        let (done, written) = oneshot::channel();
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
        sighting: sighting::read(row),
    }
}

fn card(row: &SqliteRow) -> Result<Card, String> {
    let bytes: Vec<u8> = row.try_get("card").map_err(|error| error.to_string())?;
    Card::parse(&bytes).map_err(|error| error.to_string())
}
