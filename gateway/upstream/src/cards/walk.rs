//! The walk over the places of a card: on from "not here", stopped by any other trouble.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use agent_cards::Card;
use gateway_core::{
    agent::AgentSpec,
    ports::{CardFetch, CardTry, FetchedCard},
};
use http::HeaderMap;
use reqwest::Client;
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::{
    advice::Reader,
    aside::verified,
    freshness::{self, Freshness},
    outcome::Outcome,
    places,
    visit::{Found, visit},
};
use crate::guard::{self, Clients};

/// What is known of an agent's card from earlier walks.
#[derive(Debug)]
pub(super) struct Known {
    /// The place that worked.
    pub(super) place: Url,
    /// The card found there, if it may be kept.
    pub(super) kept: Option<Kept>,
    /// How long it may be used.
    pub(super) freshness: Freshness,
    /// When it arrived or was confirmed.
    pub(super) fetched_at: Instant,
    /// How long all of this is worth keeping.
    pub(super) keep_for: Duration,
}

/// A card and the headers it came with.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) card: Card,
    headers: HeaderMap,
}

/// Looks for the card of an agent; returns what was learned if it was found.
pub(super) async fn walk(
    clients: &Clients,
    agent: &AgentSpec,
    known: Option<&Known>,
    reader: Reader,
) -> (CardFetch, Option<Known>) {
    let mut tried = Vec::new();
    let mut retry_after = None;
    let found = match search(clients, agent, known, &mut tried).await {
        Ok((place, kept)) => accept(agent, place, kept).await,
        Err(outcome) => Err(outcome),
    };
    let (result, learned) = match found {
        Ok((card, learned)) => (Ok(card), Some(learned)),
        Err(outcome) => {
            retry_after = outcome.retry_after();
            (Err(summary(&outcome, tried.len(), reader)), None)
        }
    };
    let fetch = CardFetch {
        result,
        tried,
        retry_after,
    };
    (fetch, learned)
}

/// Looks at one place after the other and notes what happened at each; returns the card and where it was,
/// or the outcome that tells most about what is wrong.
async fn search(
    clients: &Clients,
    agent: &AgentSpec,
    known: Option<&Known>,
    tried: &mut Vec<CardTry>,
) -> Result<(Url, Kept), Outcome> {
    let client = clients.client(agent.limits.connect).map_err(|error| {
        tracing::error!(?error, "cannot set up an HTTP client");
        Outcome::NoClient
    })?;
    let deadline = Instant::now() + agent.card.timeout;
    let mut telling = Outcome::Status(404);
    for place in in_order(agent, known) {
        let begun = AtomicBool::new(false);
        let looking = look_at(&client, agent, &place, known, &begun);
        let looked = timeout_at(deadline, looking).await.unwrap_or_else(|_| {
            let limit = agent.card.timeout;
            Err(if begun.load(Ordering::Relaxed) {
                Outcome::TooSlow(limit)
            } else {
                Outcome::TimedOut(limit)
            })
        });
        let outcome = looked
            .as_ref()
            .map_or_else(ToString::to_string, |(_, how)| (*how).to_owned());
        tried.push(CardTry {
            url: guard::shown(&place).into(),
            outcome,
        });
        match looked {
            Ok((kept, _)) => return Ok((place, kept)),
            Err(outcome) if !outcome.lets_walk_go_on() => return Err(outcome),
            Err(outcome) if outcome.weight() > telling.weight() => telling = outcome,
            Err(_) => {}
        }
    }
    Err(telling)
}

/// Returns the places in the order of a walk: the one that worked before comes first.
fn in_order(agent: &AgentSpec, known: Option<&Known>) -> Vec<Url> {
    let mut places = places::of(agent);
    if let Some(known) = known
        && let Some(at) = places.iter().position(|place| *place == known.place)
    {
        places.get_mut(..=at).unwrap_or_default().rotate_right(1);
    }
    places
}

async fn look_at(
    client: &Client,
    agent: &AgentSpec,
    place: &Url,
    known: Option<&Known>,
    begun: &AtomicBool,
) -> Result<(Kept, &'static str), Outcome> {
    let kept = known
        .filter(|known| known.place == *place)
        .and_then(|known| known.kept.as_ref());
    let conditions = kept.map(|kept| freshness::conditions(&kept.headers));
    match (visit(client, agent, place, conditions, begun).await?, kept) {
        (Found::Card(card, headers), kept) => {
            // The same card again shares its memory with the one that is in use.
            let same = kept.filter(|kept| kept.card.fingerprint() == card.fingerprint());
            let card = same.map_or(card, |kept| kept.card.clone());
            Ok((Kept { card, headers }, "200, card accepted"))
        }
        (Found::Unchanged(headers), Some(kept)) => {
            let headers = freshness::renew(&kept.headers, &headers);
            Ok((
                Kept {
                    card: kept.card.clone(),
                    headers,
                },
                "304, card unchanged",
            ))
        }
        (Found::Unchanged(_), None) => Err(Outcome::Status(304)),
    }
}

async fn accept(
    agent: &AgentSpec,
    place: Url,
    kept: Kept,
) -> Result<(FetchedCard, Known), Outcome> {
    let freshness = Freshness::of(&kept.headers, agent.card.ttl);
    let card = FetchedCard {
        card: kept.card.clone(),
        verification: verified(&kept.card, &agent.card.trust.keys).await?,
        missing_keys: Vec::new(),
        location: guard::shown(&place),
        fresh_for: freshness.lifetime,
        stale_while_revalidate: freshness.while_revalidating,
        stale_if_error: freshness.if_error,
    };
    let learned = Known {
        place,
        kept: freshness.storable.then_some(kept),
        freshness,
        fetched_at: Instant::now(),
        keep_for: freshness.lifetime + agent.card.max_stale,
    };
    Ok((card, learned))
}

fn summary(outcome: &Outcome, places: usize, reader: Reader) -> String {
    let next_step = reader.next_step(outcome);
    match outcome {
        Outcome::Status(404) if places == 1 => format!("no card at its place (404); {next_step}"),
        Outcome::Status(404) => format!("no card at any of {places} places (404); {next_step}"),
        Outcome::AsksForPause(status, pause) => format!(
            "the agent answered {status} when asked for its card and wants to be asked again in {} s; {next_step}",
            pause.as_secs()
        ),
        Outcome::Status(status) => {
            format!("the agent answered {status} when asked for its card; {next_step}")
        }
        Outcome::NotACard(error) => format!("{error}; {next_step}"),
        other => format!("{other}; {next_step}"),
    }
}
