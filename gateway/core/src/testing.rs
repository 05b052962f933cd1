//! What unit tests of several modules need: agents and cards without a network.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use agent_cards::{Card, TrustedKeys};
use jiff::Timestamp;
use serde_json::{Value, json};
use url::Url;

use crate::{
    agent::{
        AgentAuth, AgentId, AgentSpec, CardPolicy, CardTrust, Cost, Effect, Limits, ServeCard,
    },
    catalog::{AcceptedCard, AgentState, CardStatus, Catalog, CatalogAgent},
    meaning::Semantics,
    ports::{
        CardPin, CardPins, EncodingError, FetchedCard, MeaningStore, SentenceEncoder, Sighting,
        StoreError, StoredPin,
    },
    profile::Profile,
    stats::AgentStats,
};

pub(crate) fn id(text: &str) -> AgentId {
    AgentId::parse(text).unwrap()
}

pub(crate) fn spec(name: &str) -> AgentSpec {
    AgentSpec {
        id: id(name),
        url: Url::parse(&format!("http://{name}.test/")).unwrap(),
        card: CardPolicy {
            url: None,
            auth: AgentAuth::None,
            ttl: Duration::from_secs(300),
            max_stale: Duration::from_secs(3600),
            timeout: Duration::from_secs(10),
            max_bytes: 1 << 20,
            trust: CardTrust::default(),
            serve: ServeCard::default(),
        },
        auth: AgentAuth::None,
        limits: Limits {
            connect: Duration::from_secs(5),
            timeout: Duration::from_secs(60),
            stream_idle: Duration::from_secs(300),
            max_in_flight: 4,
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
    }
}

/// A 1.0 card with one skill; `changes` replace its members.
pub(crate) fn card(name: &str, about: &str, changes: &Value) -> Card {
    let mut card = json!({
        "name": name, "description": about, "version": "1",
        "capabilities": { "streaming": true },
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "main", "name": about, "description": about, "tags": [] }],
        "supportedInterfaces": [
            { "url": "http://x.test/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }
        ],
    });
    for (member, value) in changes.as_object().unwrap() {
        card[member] = value.clone();
    }
    Card::parse(card.to_string().as_bytes()).unwrap()
}

pub(crate) fn fetched(card: Card) -> FetchedCard {
    FetchedCard {
        verification: agent_cards::verify(&card, &TrustedKeys::new()),
        missing_keys: Vec::new(),
        card,
        location: Url::parse("http://x.test/.well-known/agent-card.json").unwrap(),
        fresh_for: Duration::from_secs(60),
        stale_while_revalidate: Duration::ZERO,
        stale_if_error: None,
    }
}

/// Remembers pins as long as it lives.
#[derive(Debug, Default)]
pub(crate) struct Pins {
    kept: Mutex<Vec<StoredPin>>,
    written: AtomicUsize,
    sighted: AtomicUsize,
    is_broken: AtomicBool,
}

impl Pins {
    /// Begins with pins, readable or not.
    pub(crate) fn holding(pins: Vec<StoredPin>) -> Self {
        Self {
            kept: pins.into(),
            ..Self::default()
        }
    }

    /// Fails from now on, or no longer.
    pub(crate) fn break_down(&self, is_broken: bool) {
        self.is_broken.store(is_broken, Ordering::Relaxed);
    }

    /// Returns how many were written.
    pub(crate) fn written(&self) -> usize {
        self.written.load(Ordering::Relaxed)
    }

    /// Returns how often it was written that an agent was seen.
    pub(crate) fn sighted(&self) -> usize {
        self.sighted.load(Ordering::Relaxed)
    }

    /// Changes what is kept.
    pub(crate) fn change(&self, change: impl Fn(&mut StoredPin)) {
        self.kept.lock().unwrap().iter_mut().for_each(change);
    }

    fn works(&self) -> Result<(), StoreError> {
        match self.is_broken.load(Ordering::Relaxed) {
            true => Err(StoreError("the disk is gone".to_owned())),
            false => Ok(()),
        }
    }
}

#[async_trait::async_trait]
impl CardPins for Pins {
    async fn pins(&self) -> Result<Vec<StoredPin>, StoreError> {
        self.works()?;
        Ok(self.kept.lock().unwrap().clone())
    }

    async fn pin(&self, pin: CardPin) -> Result<(), StoreError> {
        self.works()?;
        self.written.fetch_add(1, Ordering::Relaxed);
        let agent = Some(pin.agent);
        let mut pins = self.kept.lock().unwrap();
        pins.retain(|known| known.agent != agent);
        pins.push(StoredPin {
            agent,
            card: Ok(pin.card),
            sighting: Ok(pin.sighting),
        });
        Ok(())
    }

    async fn sight(&self, agent: AgentId, sighting: Sighting) -> Result<(), StoreError> {
        self.works()?;
        self.sighted.fetch_add(1, Ordering::Relaxed);
        let agent = Some(agent);
        let mut pins = self.kept.lock().unwrap();
        let known = pins.iter_mut().find(|known| known.agent == agent);
        known.expect("a pin").sighting = Ok(Some(sighting));
        Ok(())
    }
}

pub(crate) fn ready(spec: AgentSpec, card: Card) -> Arc<CatalogAgent> {
    let fetched = fetched(card);
    let accepted = AcceptedCard::new(
        &spec,
        (&fetched, fetched.card.clone()),
        Timestamp::UNIX_EPOCH,
    );
    let status = CardStatus {
        state: AgentState::Ready,
        accepted: Some(Arc::new(accepted)),
        ..CardStatus::pending()
    };
    Arc::new(CatalogAgent {
        spec: Arc::new(spec),
        stats: Arc::new(AgentStats::default()),
        status,
    })
}

pub(crate) fn catalog(agents: Vec<Arc<CatalogAgent>>) -> Catalog {
    Catalog::new(agents, None)
}

pub(crate) fn profile() -> Profile {
    Profile::balanced()
}

/// The subjects that [`Subjects`] tells apart, each by its words in some language.
const SUBJECTS: [&[&str]; 4] = [
    &["weather", "storm", "lluvia", "погода"],
    &["money", "invoice", "factura"],
    &["music", "song", "canción"],
    &["please", "por favor", "bitte"],
];

/// A sentence encoder that points along one axis for each subject of a text.
#[derive(Debug, Default)]
pub(crate) struct Subjects {
    /// What was read so far.
    pub(crate) read: Mutex<Vec<String>>,
    /// Whether it reads nothing at present.
    pub(crate) is_down: AtomicBool,
}

impl Subjects {
    /// Returns what it makes of a text.
    pub(crate) fn direction(text: &str) -> Vec<f32> {
        let text = text.to_lowercase();
        let is_about = |words: &[&str]| words.iter().any(|word| text.contains(word));
        let axes = SUBJECTS.map(|words| f32::from(u8::from(is_about(words))));
        let length = axes.iter().sum::<f32>().sqrt().max(1.0);
        axes.iter().map(|axis| axis / length).collect()
    }
}

#[async_trait::async_trait]
impl SentenceEncoder for Subjects {
    fn name(&self) -> &str {
        "subjects 1"
    }

    async fn request(&self, text: &str) -> Result<Vec<f32>, EncodingError> {
        let mut vectors = self.texts(&[text]).await?;
        Ok(vectors.remove(0))
    }

    async fn texts(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodingError> {
        if self.is_down.load(Ordering::Relaxed) {
            return Err(EncodingError::Unavailable("it is down".to_owned()));
        }
        if texts.iter().any(|text| text.contains("boom")) {
            return Err(EncodingError::Refused("a boom".to_owned()));
        }
        let mut read = self.read.lock().unwrap();
        read.extend(texts.iter().map(|text| (*text).to_owned()));
        Ok(texts.iter().map(|text| Self::direction(text)).collect())
    }
}

/// Returns a catalog whose cards have been read.
pub(crate) async fn understood(catalog: &Catalog, semantics: &Semantics) -> Catalog {
    let unread: Vec<_> = catalog.not_understood().collect();
    let read = semantics.cards(&unread).await.unwrap();
    let fingerprints = unread
        .iter()
        .map(|(fingerprint, _)| Box::from(*fingerprint));
    catalog.understanding(&fingerprints.zip(read.into_iter().map(Arc::new)).collect())
}

/// Keeps meanings as long as it lives.
#[derive(Debug, Default)]
pub(crate) struct Kept(pub(crate) Mutex<BTreeMap<String, Vec<u8>>>);

#[async_trait::async_trait]
impl MeaningStore for Kept {
    async fn recall(&self, name: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap().get(name).cloned()
    }

    async fn keep(&self, name: &str, content: &[u8]) {
        self.0
            .lock()
            .unwrap()
            .insert(name.to_owned(), content.to_vec());
    }
}
