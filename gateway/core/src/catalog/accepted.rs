//! A card in use, with what was derived from it.

use std::time::Duration;

use agent_cards::{
    Card, Finding, Verification,
    publish::{Concealed, Withheld, conceal},
};
use gateway_protocol::{Binding, Version};
use jiff::Timestamp;
use url::Url;

use super::endpoint::{self, Endpoint};
use crate::{agent::AgentSpec, ports::FetchedCard};

/// A card in use, with what was derived from it.
#[derive(Debug)]
pub struct AcceptedCard {
    /// The card, as far as it is trusted: where a signature is demanded, what it covers.
    pub card: Card,
    /// The card as received.
    pub received: Card,
    /// The card as callers may see it: without values that name the agent's host.
    pub shown: Card,
    /// What callers are not shown.
    pub withheld: Withheld,
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
    /// The agent's own `stale-if-error`, if it says any.
    pub stale_if_error: Option<Duration>,
    /// Whether that was before this run of the gateway, in which its agent has not been seen.
    pub is_from_before: bool,
    /// What is wrong with it.
    pub findings: Vec<Finding>,
    /// Where the agent can be reached, in the card's order.
    pub endpoints: Vec<Endpoint>,
}

impl AcceptedCard {
    /// Accepts a fetched card for an agent, of which `card` is used.
    #[must_use]
    pub fn new(spec: &AgentSpec, (fetched, card): (&FetchedCard, Card), now: Timestamp) -> Self {
        let Concealed {
            card: shown,
            withheld,
        } = conceal(&card, &spec.inner_hosts());
        let endpoints = endpoint::all(spec, &card);
        let mut findings = agent_cards::check_registered(&card, &spec.url);
        let own = endpoint::to_itself(spec, &card).into_iter();
        for finding in own.chain(endpoint::without_credential(&card, &endpoints)) {
            let place = |known: &Finding| {
                (known.severity, &known.pointer) <= (finding.severity, &finding.pointer)
            };
            findings.insert(findings.partition_point(place), finding);
        }
        let derived = Derived {
            shown,
            withheld,
            findings,
            endpoints,
            card,
        };
        derived.arrived(spec, fetched, now)
    }

    /// Returns the same card, confirmed by its agent once more.
    pub(crate) fn confirmed(
        &self,
        spec: &AgentSpec,
        fetched: &FetchedCard,
        now: Timestamp,
    ) -> Self {
        let derived = Derived {
            card: self.card.clone(),
            shown: self.shown.clone(),
            withheld: self.withheld.clone(),
            findings: self.findings.clone(),
            endpoints: self.endpoints.clone(),
        };
        derived.arrived(spec, fetched, now)
    }

    /// Returns until when the card may be used if its agent never confirms it again.
    #[must_use]
    pub fn usable_until(&self) -> Timestamp {
        let time = self.fresh_for.saturating_add(self.stale_for);
        self.confirmed_at
            .checked_add(time)
            .unwrap_or(Timestamp::MAX)
    }

    /// Returns the interface that a client of this version and binding loses least on, one that is shown the agent's
    /// credential before others; among equals the first of the card.
    #[must_use]
    pub fn endpoint(&self, version: Version, binding: Binding) -> Option<&Endpoint> {
        self.endpoints
            .iter()
            .min_by_key(|endpoint| endpoint.rank(version, binding))
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

/// What follows from a card alone, however often it arrives.
struct Derived {
    card: Card,
    shown: Card,
    withheld: Withheld,
    findings: Vec<Finding>,
    endpoints: Vec<Endpoint>,
}

impl Derived {
    fn arrived(self, spec: &AgentSpec, fetched: &FetchedCard, now: Timestamp) -> AcceptedCard {
        AcceptedCard {
            card: self.card,
            received: fetched.card.clone(),
            shown: self.shown,
            withheld: self.withheld,
            verification: fetched.verification.clone(),
            location: fetched.location.clone(),
            confirmed_at: now,
            fresh_for: fetched.fresh_for,
            stale_for: stale_for(spec, fetched),
            stale_if_error: fetched.stale_if_error,
            is_from_before: false,
            findings: self.findings,
            endpoints: self.endpoints,
        }
    }
}

#[cfg(test)]
mod tests;
