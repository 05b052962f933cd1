//! The catalog: an immutable snapshot of all agents and their cards, swapped as a whole.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use agent_cards::{Card, Change, Finding, InterfaceBinding, Verification};
use gateway_protocol::{Binding, Version, translate::Dialect};
use jiff::Timestamp;
use serde::Serialize;
use url::Url;

use crate::{
    agent::{AgentId, AgentSpec},
    digest,
    fit::{AgentText, FitIndex, SkillText},
    meaning::{CardMeaning, Meanings},
    ports::{CardTry, FetchedCard},
    stats::AgentStats,
};

/// All agents with their cards, as of one moment. A call keeps the snapshot it started with.
#[derive(Debug)]
pub struct Catalog {
    digest: String,
    agents: Vec<Arc<CatalogAgent>>,
    positions: Arc<HashMap<AgentId, usize>>,
    roster: Arc<Roster>,
    fit: Arc<FitIndex>,
    meanings: Arc<Meanings>,
}

/// The positions of the agents, each list in the order of their ids.
#[derive(Debug, Default)]
pub(crate) struct Roster {
    /// Those with a card in use.
    pub(crate) known: Vec<usize>,
    /// The others.
    pub(crate) unknown: Vec<usize>,
}

/// One agent of the catalog.
#[derive(Debug)]
pub struct CatalogAgent {
    /// What the operator says about it.
    pub spec: Arc<AgentSpec>,
    /// What was measured.
    pub stats: Arc<AgentStats>,
    /// The state of its card.
    pub status: CardStatus,
}

/// Whether an agent can be routed to, as far as its card says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    /// The card has not been fetched yet.
    Pending,
    /// The card is as fresh as its agent allows.
    Ready,
    /// The card could not be refreshed; the last good one is in use.
    Stale,
    /// There is no usable card.
    Unavailable,
    /// The card changed and waits to be accepted; running tasks go on with the one before, new ones go elsewhere.
    Quarantined,
}

impl AgentState {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Pending,
        Self::Ready,
        Self::Stale,
        Self::Unavailable,
        Self::Quarantined,
    ];

    /// Returns the name used in the status API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Ready => "ready",
            Self::Stale => "stale",
            Self::Unavailable => "unavailable",
            Self::Quarantined => "quarantined",
        }
    }
}

/// The state of an agent's card.
#[derive(Debug, Clone)]
pub struct CardStatus {
    /// Whether the agent can be routed to.
    pub state: AgentState,
    /// The card in use.
    pub accepted: Option<Arc<AcceptedCard>>,
    /// The card that was accepted last, in this run or one before; drift is measured from it.
    pub pinned: Option<Card>,
    /// How the card in use drifted from the one before, when it last did.
    pub drift: Option<Arc<Drift>>,
    /// The card that waits to be accepted.
    pub held: Option<Arc<HeldCard>>,
    /// Why the last fetch brought no usable card, with one next step.
    pub problem: Option<String>,
    /// The places looked at by the last fetch.
    pub tried: Vec<CardTry>,
    /// When the last fetch ended.
    pub checked_at: Option<Timestamp>,
    /// When the next one begins, unless somebody asks for it before.
    pub next_fetch_at: Option<Timestamp>,
}

impl CardStatus {
    /// Returns the status of an agent nobody has looked at yet.
    #[must_use]
    pub fn pending() -> Self {
        Self {
            state: AgentState::Pending,
            accepted: None,
            pinned: None,
            drift: None,
            held: None,
            problem: None,
            tried: Vec::new(),
            checked_at: None,
            next_fetch_at: None,
        }
    }
}

/// How a card drifted from the one before it.
#[derive(Debug, Clone, Serialize)]
pub struct Drift {
    /// What changed, the most severe first.
    pub changes: Vec<Change>,
    /// When that was seen.
    pub seen_at: Timestamp,
}

/// A card that waits to be accepted.
#[derive(Debug, Clone)]
pub struct HeldCard {
    /// The card, as received.
    pub card: Card,
    /// How it drifted from the accepted one, the most severe first.
    pub changes: Vec<Change>,
    /// Since when it waits.
    pub since: Timestamp,
}

/// A card in use, with what was derived from it.
#[derive(Debug)]
pub struct AcceptedCard {
    /// The card, as far as it is trusted: where a signature is demanded, what it covers.
    pub card: Card,
    /// The card as received.
    pub received: Card,
    /// What its signatures say.
    pub verification: Verification,
    /// Where it was found.
    pub location: Url,
    /// When it was last confirmed by its agent.
    pub confirmed_at: Timestamp,
    /// How long it is fresh from then.
    pub fresh_for: Duration,
    /// How long after that it may be used while its agent cannot be asked: the shorter of the operator's
    /// `max_stale` and the agent's own `stale-if-error`.
    pub stale_for: Duration,
    /// What is wrong with it.
    pub findings: Vec<Finding>,
    /// Where the agent can be reached, in the card's order.
    pub endpoints: Vec<Endpoint>,
}

/// One interface of an agent that the gateway can call. Address, binding, version and tenant always come
/// from the same entry of the card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Protocol binding.
    pub binding: Binding,
    /// Protocol version.
    pub version: Version,
    /// The address that is called: the registered origin with the path the card gives; for gRPC the
    /// registered host with the port the card gives.
    pub url: Url,
    /// The address the card gives.
    pub declared: String,
    /// Tenant to name in calls.
    pub tenant: Option<String>,
}

impl Endpoint {
    /// Returns the JSON dialect that is spoken with this interface.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.binding.dialect(self.version)
    }

    /// Ranks what a call from a client loses on this interface: nothing where both speak the same; what the two JSON
    /// forms of 0.3 do not share; what protobuf has no place for; or what the versions do not share.
    fn loss(&self, version: Version, binding: Binding) -> u8 {
        match (self.version == version, self.binding) {
            (true, own) if own == binding => 0,
            (true, Binding::JsonRpc | Binding::HttpJson) => {
                1 + u8::from(self.dialect() != binding.dialect(version))
            }
            (true, Binding::Grpc) => 3,
            (false, Binding::JsonRpc) => 4,
            (false, Binding::HttpJson) => 5,
            (false, Binding::Grpc) => 6,
        }
    }
}

impl AcceptedCard {
    /// Accepts a fetched card for an agent, of which `card` is used.
    #[must_use]
    pub fn new(spec: &AgentSpec, (fetched, card): (&FetchedCard, Card), now: Timestamp) -> Self {
        Self {
            received: fetched.card.clone(),
            verification: fetched.verification.clone(),
            location: fetched.location.clone(),
            confirmed_at: now,
            fresh_for: fetched.fresh_for,
            stale_for: stale_for(spec, fetched),
            findings: agent_cards::check_registered(&card, &spec.url),
            endpoints: endpoints(spec, &card),
            card,
        }
    }

    /// Returns the same card, confirmed by its agent once more.
    pub(crate) fn confirmed(
        &self,
        spec: &AgentSpec,
        fetched: &FetchedCard,
        now: Timestamp,
    ) -> Self {
        Self {
            card: self.card.clone(),
            received: fetched.card.clone(),
            verification: fetched.verification.clone(),
            location: fetched.location.clone(),
            confirmed_at: now,
            fresh_for: fetched.fresh_for,
            stale_for: stale_for(spec, fetched),
            findings: self.findings.clone(),
            endpoints: self.endpoints.clone(),
        }
    }

    /// Returns until when the card may be used if its agent never confirms it again.
    #[must_use]
    pub fn usable_until(&self) -> Timestamp {
        let time = self.fresh_for.saturating_add(self.stale_for);
        self.confirmed_at
            .checked_add(time)
            .unwrap_or(Timestamp::MAX)
    }

    /// Returns the interface that a client of this version and binding loses least on; among equals the first of
    /// the card.
    #[must_use]
    pub fn endpoint(&self, version: Version, binding: Binding) -> Option<&Endpoint> {
        self.endpoints
            .iter()
            .min_by_key(|endpoint| endpoint.loss(version, binding))
    }

    /// Returns the protocol versions the agent can be called with, each once.
    #[must_use]
    pub fn versions(&self) -> Vec<Version> {
        let mut versions: Vec<_> = self
            .endpoints
            .iter()
            .map(|endpoint| endpoint.version)
            .collect();
        versions.sort_unstable();
        versions.dedup();
        versions
    }
}

fn stale_for(spec: &AgentSpec, fetched: &FetchedCard) -> Duration {
    let allowed = fetched.stale_if_error.unwrap_or(Duration::MAX);
    allowed.min(spec.card.max_stale)
}

fn endpoints(spec: &AgentSpec, card: &Card) -> Vec<Endpoint> {
    card.interfaces()
        .iter()
        .filter_map(|interface| {
            let binding = match interface.binding {
                InterfaceBinding::JsonRpc => Binding::JsonRpc,
                InterfaceBinding::HttpJson => Binding::HttpJson,
                InterfaceBinding::Grpc => Binding::Grpc,
                _ => return None,
            };
            let url = match binding {
                Binding::Grpc => grpc_address(&spec.url, &interface.url)?,
                Binding::JsonRpc | Binding::HttpJson => reachable(&spec.url, &interface.url)?,
            };
            Some(Endpoint {
                binding,
                version: Version::parse(&interface.version.to_string())?,
                url,
                declared: interface.url.clone(),
                tenant: interface.tenant.clone(),
            })
        })
        .collect()
}

/// The registered origin wins over the host a card gives: containers announce `0.0.0.0` or inner names,
/// and a card must not lead the gateway to another host.
fn reachable(registered: &Url, declared: &str) -> Option<Url> {
    let declared = Url::parse(declared)
        .or_else(|_| registered.join(declared))
        .ok()?;
    let mut url = registered.clone();
    url.set_path(declared.path());
    url.set_query(declared.query());
    url.set_fragment(None);
    Some(url)
}

/// gRPC has a port of its own, so the registered host is joined with the port the card gives. Addresses come
/// with and without scheme (`host:port`, `dns:///host:port`, `https://host:port`); without one the registered
/// address says whether TLS is used.
fn grpc_address(registered: &Url, declared: &str) -> Option<Url> {
    let (scheme, rest) = match declared.split_once("://") {
        Some((scheme, rest)) => (Some(scheme), rest.trim_start_matches('/')),
        None => (None, declared),
    };
    let secure = match scheme {
        Some("https" | "grpcs") => true,
        Some("http" | "grpc") => false,
        _ => registered.scheme() == "https",
    };
    let authority = rest.split(['/', '?']).next()?;
    let scheme = if secure { "https" } else { "http" };
    let declared = Url::parse(&format!("{scheme}://{authority}")).ok()?;
    let mut url = Url::parse(&format!("{scheme}://{}", registered.host_str()?)).ok()?;
    url.set_port(declared.port()).ok()?;
    Some(url)
}

impl Catalog {
    /// Builds a catalog. What `previous` has read of cards is kept.
    #[must_use]
    pub fn new(agents: Vec<Arc<CatalogAgent>>, previous: Option<&Self>) -> Self {
        let digest = digest_of(&agents);
        if let Some(previous) = previous.filter(|previous| previous.digest == digest) {
            return Self {
                digest,
                agents,
                positions: Arc::clone(&previous.positions),
                roster: Arc::clone(&previous.roster),
                fit: Arc::clone(&previous.fit),
                meanings: Arc::clone(&previous.meanings),
            };
        }
        let known = previous.map(|previous| (&*previous.fit, &*previous.meanings));
        let (fit, meanings) = known.unzip();
        let fit = fit.map_or_else(
            || index(&FitIndex::default(), &agents),
            |fit| index(fit, &agents),
        );
        let meanings =
            meanings.map(|known| known.of(agents.iter().map(fingerprint), &HashMap::new()));
        Self {
            digest,
            positions: Arc::new(positions_of(&agents)),
            roster: Arc::new(Roster::of(&agents)),
            fit: Arc::new(fit),
            meanings: Arc::new(meanings.unwrap_or_default()),
            agents,
        }
    }

    /// Returns the same catalog with what more cards mean, by their fingerprints.
    #[must_use]
    pub fn understanding(&self, new: &HashMap<Box<str>, Arc<CardMeaning>>) -> Self {
        let fingerprints = self.agents.iter().map(fingerprint);
        Self {
            digest: self.digest.clone(),
            agents: self.agents.clone(),
            positions: Arc::clone(&self.positions),
            roster: Arc::clone(&self.roster),
            fit: Arc::clone(&self.fit),
            meanings: Arc::new(self.meanings.of(fingerprints, new)),
        }
    }

    /// Returns the cards whose meaning has not been read, each once, by fingerprint.
    pub fn not_understood(&self) -> impl Iterator<Item = (&str, AgentText<'_>)> {
        let mut seen = HashSet::new();
        let agents = self.agents.iter().enumerate();
        agents.filter_map(move |(position, agent)| {
            let fingerprint = fingerprint(agent)?;
            let is_new = !self.meanings.knows(fingerprint) && seen.insert(fingerprint);
            Some((fingerprint, text_of(position, agent)?)).filter(|_| is_new)
        })
    }

    /// Returns the digest over all agents and cards.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns the start of the digest, to be shown; it is too short to tell catalogs apart by.
    #[must_use]
    pub fn version(&self) -> &str {
        digest::shown(&self.digest)
    }

    /// Returns all agents, in the order of the configuration.
    #[must_use]
    pub fn agents(&self) -> &[Arc<CatalogAgent>] {
        &self.agents
    }

    /// Returns an agent by its id.
    #[must_use]
    pub fn agent(&self, id: &AgentId) -> Option<&Arc<CatalogAgent>> {
        self.positions
            .get(id)
            .and_then(|&position| self.agents.get(position))
    }

    /// Returns which agents have a card in use and which have not.
    pub(crate) fn roster(&self) -> &Roster {
        &self.roster
    }

    /// Returns the text index over all cards; its positions are those of [`Catalog::agents`].
    #[must_use]
    pub fn fit(&self) -> &FitIndex {
        &self.fit
    }

    /// Returns what the cards mean, as far as they have been read.
    #[must_use]
    pub fn meanings(&self) -> &Meanings {
        &self.meanings
    }
}

impl Roster {
    fn of(agents: &[Arc<CatalogAgent>]) -> Self {
        let mut by_id: Vec<_> = agents.iter().enumerate().collect();
        by_id.sort_unstable_by_key(|(_, agent)| &agent.spec.id);
        let is_known = |(_, agent): &(usize, &Arc<CatalogAgent>)| agent.status.accepted.is_some();
        let (known, unknown): (Vec<_>, Vec<_>) = by_id.into_iter().partition(is_known);
        let positions = |agents: Vec<(usize, _)>| agents.into_iter().map(|(at, _)| at).collect();
        Self {
            known: positions(known),
            unknown: positions(unknown),
        }
    }
}

/// Hashes ids and card fingerprints in order, since positions depend on the order.
fn digest_of(agents: &[Arc<CatalogAgent>]) -> String {
    let mut text = String::new();
    for agent in agents {
        text.push_str(agent.spec.id.as_str());
        text.push('=');
        if let Some(accepted) = &agent.status.accepted {
            text.push_str(accepted.card.fingerprint());
        }
        // Its skills are not offered meanwhile, so what is served differs.
        if agent.status.state == AgentState::Quarantined {
            text.push_str(" quarantined");
        }
        text.push('\n');
    }
    digest::sha256(text.as_bytes())
}

fn positions_of(agents: &[Arc<CatalogAgent>]) -> HashMap<AgentId, usize> {
    agents
        .iter()
        .enumerate()
        .map(|(position, agent)| (agent.spec.id.clone(), position))
        .collect()
}

fn index(known: &FitIndex, agents: &[Arc<CatalogAgent>]) -> FitIndex {
    let cards = agents.iter().enumerate();
    known.rebuild(
        cards
            .filter_map(|(position, agent)| Some((fingerprint(agent)?, text_of(position, agent)?))),
    )
}

fn fingerprint(agent: &Arc<CatalogAgent>) -> Option<&str> {
    Some(agent.status.accepted.as_ref()?.card.fingerprint())
}

fn text_of(position: usize, agent: &CatalogAgent) -> Option<AgentText<'_>> {
    let card = &agent.status.accepted.as_ref()?.card;
    let skills = card.skills().iter().map(|skill| SkillText {
        id: &skill.id,
        name: &skill.name,
        description: &skill.description,
        tags: &skill.tags,
        examples: &skill.examples,
    });
    Some(AgentText {
        agent: position,
        name: card.name(),
        description: card.description(),
        skills: skills.collect(),
    })
}

#[cfg(test)]
mod tests {
    use gateway_protocol::{
        Binding::{self, Grpc, HttpJson, JsonRpc},
        Version::{self, V1, V03},
    };
    use url::Url;

    use super::{Endpoint, grpc_address, reachable};

    fn endpoint(binding: Binding, version: Version) -> Endpoint {
        Endpoint {
            binding,
            version,
            url: Url::parse("http://m").unwrap(),
            declared: String::new(),
            tenant: None,
        }
    }

    #[test]
    fn c018_interfaces_are_ranked_by_what_they_lose_for_a_client() {
        let v03 = |binding| endpoint(binding, V03);
        let v1 = |binding| endpoint(binding, V1);
        for (client, version, ranks) in [
            (JsonRpc, V1, [0, 1, 3, 4, 5, 6]),
            (HttpJson, V1, [1, 0, 3, 4, 5, 6]),
            (Grpc, V1, [1, 1, 0, 4, 5, 6]),
            (JsonRpc, V03, [4, 5, 6, 0, 2, 3]),
            (HttpJson, V03, [4, 5, 6, 2, 0, 3]),
            (Grpc, V03, [4, 5, 6, 2, 1, 0]),
        ] {
            let all = [
                v1(JsonRpc),
                v1(HttpJson),
                v1(Grpc),
                v03(JsonRpc),
                v03(HttpJson),
                v03(Grpc),
            ];
            let ranked = all.map(|endpoint| endpoint.loss(version, client));
            assert_eq!(ranked, ranks, "{client} {version}");
        }
    }

    #[test]
    fn grpc_addresses_are_read_with_and_without_scheme() {
        for (registered, declared, called) in [
            ("http://m:9001", "0.0.0.0:10001", "http://m:10001/"),
            ("http://m:9001", "http://inner:10001", "http://m:10001/"),
            ("https://m", "m:443", "https://m/"),
            ("https://m", "dns:///m:8443", "https://m:8443/"),
            ("http://m:9001", "grpcs://m:8443/x", "https://m:8443/"),
            ("http://[::1]:1", "[::]:2", "http://[::1]:2/"),
        ] {
            let url = grpc_address(&Url::parse(registered).unwrap(), declared).unwrap();
            assert_eq!(url.as_str(), called, "{registered} {declared}");
        }
    }

    #[test]
    fn c004_registered_origin_wins_and_the_path_of_the_card_is_kept() {
        for (registered, declared, called) in [
            ("http://m:9001", "http://0.0.0.0:8000/", "http://m:9001/"),
            (
                "http://m:9001",
                "http://[::]:8000/rpc?k=1",
                "http://m:9001/rpc?k=1",
            ),
            (
                "http://m:9001/a2a",
                "http://m:9001/other",
                "http://m:9001/other",
            ),
            (
                "http://m:9001/rpc/",
                "http://m:9001/rpc/",
                "http://m:9001/rpc/",
            ),
            ("https://m", "http://169.254.169.254/rpc", "https://m/rpc"),
            ("http://m:9001/base/", "rpc", "http://m:9001/base/rpc"),
        ] {
            let url = reachable(&Url::parse(registered).unwrap(), declared).unwrap();
            assert_eq!(url.as_str(), called, "{registered} {declared}");
        }
    }
}
