//! The walk over the places of a card: on from "not here", stopped by any other trouble.

use std::time::Duration;

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
    /// Until when the card may be used without asking.
    pub(super) fresh_until: Instant,
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
) -> (CardFetch, Option<Known>) {
    let mut tried = Vec::new();
    let (result, learned) = match search(clients, agent, known, &mut tried).await {
        Ok((place, kept)) => {
            let (card, learned) = accept(agent, place, kept);
            (Ok(card), Some(learned))
        }
        Err(outcome) => (Err(summary(&outcome, tried.len())), None),
    };
    (CardFetch { result, tried }, learned)
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
        let looked = timeout_at(deadline, look_at(&client, agent, &place, known)).await;
        let looked = looked.unwrap_or(Err(Outcome::TimedOut(agent.card.timeout)));
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
) -> Result<(Kept, &'static str), Outcome> {
    let kept = known
        .filter(|known| known.place == *place)
        .and_then(|known| known.kept.as_ref());
    let conditions = kept.map(|kept| freshness::conditions(&kept.headers));
    match (visit(client, agent, place, conditions).await?, kept) {
        (Found::Card(card, headers), _) => Ok((Kept { card, headers }, "200, card accepted")),
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

fn accept(agent: &AgentSpec, place: Url, kept: Kept) -> (FetchedCard, Known) {
    let freshness = Freshness::of(&kept.headers, agent.card.ttl);
    let card = FetchedCard {
        card: kept.card.clone(),
        location: guard::shown(&place),
        fresh_for: freshness.lifetime,
    };
    let learned = Known {
        place,
        kept: freshness.storable.then_some(kept),
        fresh_until: Instant::now() + freshness.lifetime,
        keep_for: freshness.lifetime + agent.card.max_stale,
    };
    (card, learned)
}

fn summary(outcome: &Outcome, places: usize) -> String {
    let next_step = outcome.next_step();
    match outcome {
        Outcome::Status(404) if places == 1 => format!("no card at its place (404); {next_step}"),
        Outcome::Status(404) => format!("no card at any of {places} places (404); {next_step}"),
        Outcome::Status(status) => {
            format!("the agent answered {status} when asked for its card; {next_step}")
        }
        Outcome::NotACard(error) => format!("{error}; {next_step}"),
        other => format!("{other}; {next_step}"),
    }
}
