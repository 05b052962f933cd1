//! What happened at a place, and what the operator can do about it. No two causes share their words.

use std::{fmt, time::Duration};

use agent_cards::CardError;

use crate::{agents::UnusableCredential, failure::Failure};

/// Why there was no card at a place.
#[derive(Debug, Clone)]
pub(super) enum Outcome {
    /// An HTTP status other than 200.
    Status(u16),
    /// 200, but the body is no card.
    NotACard(CardError),
    /// A redirect to another origin.
    RedirectElsewhere,
    /// A redirect without a usable target.
    RedirectNowhere,
    /// More redirects than are followed.
    TooManyRedirects,
    /// The card is larger than this many bytes.
    TooLarge(usize),
    /// The limit of the whole walk passed here.
    TimedOut(Duration),
    /// The credential cannot be sent.
    Credential(UnusableCredential),
    /// The gateway's own TLS set-up failed.
    NoClient,
    /// It failed below HTTP.
    Failed(Failure),
}

impl Outcome {
    /// Tells whether the card may yet be elsewhere.
    pub(super) fn lets_walk_go_on(&self) -> bool {
        matches!(self, Self::Status(404 | 405) | Self::NotACard(_))
    }

    /// Returns how much it tells about what is wrong, compared to other places the walk went on from.
    pub(super) fn weight(&self) -> u8 {
        match self {
            Self::Status(404) => 0,
            Self::Status(405) => 1,
            Self::NotACard(CardError::NotJson { .. }) => 2,
            _ => 3,
        }
    }

    /// Returns what the operator can do next.
    pub(super) fn next_step(&self) -> &'static str {
        match self {
            Self::Status(401) => "set or correct the agent's `auth`",
            Self::Status(403) => "let the agent's `auth` read the card",
            Self::Status(404) => "check `url`, or set `card.url`",
            Self::Status(405) => "check that `url` is the agent's base address, or set `card.url`",
            Self::Status(429) => "raise the agent's rate limit for the gateway",
            Self::Status(500..) => "look in the agent's log",
            Self::Status(_) => "see what the agent expects there, or set `card.url`",
            Self::NotACard(CardError::NotJson { .. }) => {
                "check that `url` is an agent, or set `card.url`"
            }
            Self::NotACard(_) => "correct the card, or set `card.url`",
            Self::RedirectElsewhere => "register the address it redirects to",
            Self::RedirectNowhere => "correct the Location header of the redirect",
            Self::TooManyRedirects => "register the last address of the redirects",
            Self::TooLarge(_) => "shorten the card, or raise `card.max_bytes`",
            Self::TimedOut(_) => "see why the agent is slow, or raise `card.timeout`",
            Self::Credential(_) => "then restart the gateway",
            Self::NoClient => "install the package of certificate authorities (ca-certificates)",
            Self::Failed(failure) => failure.next_step(),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(formatter, "{status}"),
            Self::NotACard(error) => write!(formatter, "200, but {error}"),
            Self::RedirectElsewhere => {
                formatter.write_str("redirects to another origin, which is not followed")
            }
            Self::RedirectNowhere => formatter.write_str("redirects without a usable Location"),
            Self::TooManyRedirects => formatter.write_str("redirects more than 3 times"),
            Self::TooLarge(limit) => {
                write!(formatter, "the body is over the limit of {limit} bytes")
            }
            Self::TimedOut(limit) => write!(formatter, "no card within {} s", limit.as_secs_f64()),
            Self::Credential(error) => error.fmt(formatter),
            Self::NoClient => formatter.write_str("the gateway cannot set up TLS on this system"),
            Self::Failed(failure) => formatter.write_str(failure.words()),
        }
    }
}
