//! Cards become agents of a catalog the way the product makes them, but for the fetching.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc, time::Duration};

use agent_cards::{Card, TrustedKeys};
use gateway_core::{
    AgentAuth, AgentId, AgentSpec, AgentState, CardPolicy, CardTrust, Catalog, Cost, Effect,
    Limits, ServeCard,
    catalog::{AcceptedCard, CardStatus, CatalogAgent},
    ports::FetchedCard,
    stats::AgentStats,
};
use jiff::Timestamp;
use url::Url;

use crate::Outcome;

/// A card with the id its agent is registered under.
#[derive(Debug, Clone)]
pub struct NamedCard {
    /// The agent.
    pub id: String,
    /// The card.
    pub card: Card,
}

impl NamedCard {
    /// Parses a card.
    ///
    /// # Errors
    /// When the text is no card.
    pub fn parse(id: &str, text: &str) -> Outcome<Self> {
        let card = Card::parse(text.as_bytes()).map_err(|error| format!("{id}: {error}"))?;
        Ok(Self {
            id: id.to_owned(),
            card,
        })
    }
}

/// Reads every card of a folder, by id; the id is the name of the file.
///
/// # Errors
/// When a file cannot be read or is no card.
pub fn read(folder: &Path) -> Outcome<Vec<NamedCard>> {
    let mut cards = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let id = path.file_stem().unwrap_or_default().to_string_lossy();
        cards.push(NamedCard::parse(&id, &fs::read_to_string(&path)?)?);
    }
    cards.sort_by(|left, right| left.id.cmp(&right.id));
    Ok(cards)
}

/// Makes a catalog in which the cards are all that tells agents apart.
///
/// # Errors
/// When an id is none.
pub fn catalog(cards: &[NamedCard]) -> Outcome<Catalog> {
    let agents = cards.iter().map(agent).collect::<Outcome<_>>()?;
    Ok(Catalog::new(agents, None))
}

fn agent(named: &NamedCard) -> Outcome<Arc<CatalogAgent>> {
    let spec = spec(&named.id)?;
    let fetched = FetchedCard {
        verification: agent_cards::verify(&named.card, &TrustedKeys::new()),
        missing_keys: Vec::new(),
        card: named.card.clone(),
        location: spec.url.clone(),
        fresh_for: Duration::from_secs(300),
        stale_while_revalidate: Duration::ZERO,
        stale_if_error: None,
    };
    let accepted = AcceptedCard::new(&spec, (&fetched, named.card.clone()), Timestamp::UNIX_EPOCH);
    let status = CardStatus {
        state: AgentState::Ready,
        accepted: Some(Arc::new(accepted)),
        ..CardStatus::pending()
    };
    Ok(Arc::new(CatalogAgent {
        spec: Arc::new(spec),
        stats: Arc::new(AgentStats::default()),
        status,
    }))
}

fn spec(id: &str) -> Outcome<AgentSpec> {
    let seconds = Duration::from_secs;
    Ok(AgentSpec {
        id: AgentId::parse(id)?,
        url: Url::parse("https://agents.example/")?,
        card: CardPolicy {
            url: None,
            auth: AgentAuth::None,
            ttl: seconds(300),
            max_stale: seconds(3600),
            timeout: seconds(10),
            max_bytes: 1 << 20,
            trust: CardTrust::default(),
            serve: ServeCard::default(),
        },
        auth: AgentAuth::None,
        limits: Limits {
            connect: seconds(5),
            timeout: seconds(60),
            stream_idle: seconds(300),
            max_in_flight: 64,
            max_response_bytes: 1 << 24,
            max_event_bytes: 1 << 22,
        },
        quality: 0.8,
        latency: None,
        cost: Cost {
            per_request: 0.0,
            usage_pointer: None,
            per_unit: 1.0,
            currency: "EUR".to_owned(),
        },
        effect: Effect::Read,
        preference: 0,
        skills: BTreeMap::new(),
        own: [].into(),
    })
}
