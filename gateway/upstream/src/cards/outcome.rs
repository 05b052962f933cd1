//! What happened at a place, and what the operator can do about it. No two causes share their words.

use std::{fmt, time::Duration};

use agent_cards::CardError;

use crate::{agents::UnusableCredential, failure::Failure};

/// Why there was no card at a place.
#[derive(Debug, Clone)]
pub(super) enum Outcome {
    /// An HTTP status other than 200.
    Status(u16),
    /// 429 or 503 with the wish to be left alone for a while.
    AsksForPause(u16, Duration),
    /// Plain HTTP to a port that expects TLS.
    ExpectsTls,
    /// 200, but the body is no card.
    NotACard(CardError),
    /// The card is one that the gateway stumbles over.
    Unreadable,
    /// The body is compressed in a way that was not asked for.
    Encoded(String),
    /// A redirect to where a machine's credentials are served.
    RedirectLinkLocal,
    /// A redirect to another origin.
    RedirectElsewhere,
    /// A redirect without a usable target.
    RedirectNowhere,
    /// Redirects that come back to where they were.
    RedirectLoop,
    /// More redirects than are followed.
    TooManyRedirects,
    /// The connection was closed in the middle of the card.
    CutOff,
    /// The card is larger than this many bytes.
    TooLarge(usize),
    /// The limit of the whole walk passed before an answer began.
    TimedOut(Duration),
    /// The limit of the whole walk passed while the card was arriving.
    TooSlow(Duration),
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
        matches!(self, Self::Status(204 | 404 | 405) | Self::NotACard(_))
    }

    /// Returns how long the agent wants to be left alone, if it says so.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::AsksForPause(_, pause) => Some(*pause),
            _ => None,
        }
    }

    /// Returns how much it tells about what is wrong, compared to other places the walk went on from.
    pub(super) fn weight(&self) -> u8 {
        match self {
            Self::Status(404) => 0,
            Self::Status(405) => 1,
            Self::Status(204) | Self::NotACard(CardError::NotJson { .. }) => 2,
            _ => 3,
        }
    }

    /// Returns what the operator can do next.
    pub(super) fn next_step(&self) -> &'static str {
        match self {
            Self::Status(204) => "make it answer 200 with the card",
            Self::Status(304) => "correct its conditional requests: the gateway had no card yet",
            Self::Status(401) => {
                "set or correct the agent's `auth`, or `card.auth` for a card elsewhere"
            }
            Self::Status(403) => "let the agent's `auth` read the card",
            Self::Status(404) => "check `url`, or set `card.url`",
            Self::Status(405) => "check that `url` is the agent's base address, or set `card.url`",
            Self::Status(429) => "raise the agent's rate limit for the gateway",
            Self::Status(500..) => "look in the agent's log",
            Self::AsksForPause(429, _) => "wait, or raise the agent's rate limit for the gateway",
            Self::AsksForPause(..) => "wait, or see why the agent is busy",
            Self::ExpectsTls => "use https in `url`",
            Self::Status(_) => "see what the agent expects there, or set `card.url`",
            Self::NotACard(CardError::NotJson { .. }) => {
                "check that `url` is an agent, or set `card.url`"
            }
            Self::NotACard(_) => "correct the card, or set `card.url`",
            Self::Unreadable => "report the card and the gateway's log",
            Self::Encoded(_) => "make it answer as it is asked to: plain, or compressed with gzip",
            Self::RedirectLinkLocal => {
                "find out who makes the agent send its readers there: machines keep their credentials at such addresses"
            }
            Self::RedirectElsewhere => "register the address it redirects to",
            Self::RedirectNowhere => "correct the Location header of the redirect",
            Self::RedirectLoop => "correct the redirects of the agent or its proxy",
            Self::TooManyRedirects => "register the last address of the redirects",
            Self::CutOff => {
                "correct Content-Length, or the limits of the proxy in front of the agent"
            }
            Self::TooLarge(_) => "shorten the card, or raise `card.max_size`",
            Self::TimedOut(_) => "see why the agent is slow, or raise `card.timeout`",
            Self::TooSlow(_) => "see what slows its answers down, or raise `card.timeout`",
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
            Self::AsksForPause(status, pause) => write!(
                formatter,
                "{status}, asks for a pause of {} s",
                pause.as_secs()
            ),
            Self::ExpectsTls => formatter.write_str("its port expects TLS, and was asked without"),
            Self::NotACard(error) => write!(formatter, "200, but {error}"),
            Self::Unreadable => {
                formatter.write_str("200, but reading the card failed inside the gateway")
            }
            Self::Encoded(encoding) => write!(
                formatter,
                "200, but the body is compressed with `{encoding}`, which was not asked for"
            ),
            Self::RedirectLinkLocal => formatter
                .write_str("redirects to a link-local or metadata address, which is never called"),
            Self::RedirectElsewhere => {
                formatter.write_str("redirects to another origin, which is not followed")
            }
            Self::RedirectNowhere => formatter.write_str("redirects without a usable Location"),
            Self::RedirectLoop => formatter.write_str("redirects in a circle"),
            Self::TooManyRedirects => formatter.write_str("redirects more than 3 times"),
            Self::CutOff => formatter
                .write_str("the body was cut off, shorter than its Content-Length or chunks say"),
            Self::TooLarge(limit) => {
                write!(formatter, "the body is over the limit of {limit} bytes")
            }
            Self::TimedOut(limit) => write!(formatter, "no card within {} s", limit.as_secs_f64()),
            Self::TooSlow(limit) => write!(
                formatter,
                "the card was not complete within {} s",
                limit.as_secs_f64()
            ),
            Self::Credential(error) => error.fmt(formatter),
            Self::NoClient => formatter.write_str("the gateway cannot set up TLS on this system"),
            Self::Failed(failure) => formatter.write_str(failure.words()),
        }
    }
}
