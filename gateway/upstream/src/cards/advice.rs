//! Next steps for somebody at a terminal, who has options of a command where an operator has settings.

use agent_cards::CardError;

use super::outcome::Outcome;
use crate::failure::{Failure, TlsFailure};

/// Who reads what to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// Somebody who can change the configuration.
    Operator,
    /// Somebody who looks at a card by hand.
    Terminal,
}

impl Reader {
    /// Returns what this reader can do about an outcome.
    pub(super) fn next_step(self, outcome: &Outcome) -> &'static str {
        match self {
            Self::Operator => outcome.next_step(),
            Self::Terminal => by_option(outcome).unwrap_or_else(|| outcome.next_step()),
        }
    }
}

/// Returns the next step where the one of the configuration would not help.
fn by_option(outcome: &Outcome) -> Option<&'static str> {
    Some(match outcome {
        Outcome::Status(304) => "correct its conditional requests: it was not asked with one",
        Outcome::Status(401) => "give its credential with --bearer or --header",
        Outcome::Status(403) => {
            "give a credential that may read the card with --bearer or --header"
        }
        Outcome::Status(404) => "check the address, or give that of the card with --exact",
        Outcome::Status(405) => {
            "check that this is the agent's base address, or give that of the card with --exact"
        }
        Outcome::Status(429) => "wait a while, or raise its rate limit",
        Outcome::AsksForPause(429, _) => "wait that long, or raise its rate limit",
        Outcome::ExpectsTls => "begin the address with https",
        Outcome::Status(status) if *status < 500 && *status != 204 => {
            "see what the agent expects there, or give the address of the card with --exact"
        }
        Outcome::NotACard(CardError::NotJson { .. }) => {
            "check that this is an agent, or give the address of its card with --exact"
        }
        Outcome::NotACard(_) => "correct the card, or give the address of another with --exact",
        Outcome::Unreadable => "report the card",
        Outcome::RedirectElsewhere => "give the address it redirects to",
        Outcome::TooManyRedirects => "give the last address of the redirects",
        Outcome::TooLarge(_) => "shorten the card",
        Outcome::TimedOut(_) => "see why the agent is slow",
        Outcome::TooSlow(_) => "see what slows its answers down",
        Outcome::Credential(_) => "correct --bearer or --header",
        Outcome::Failed(failure) => return below_http(*failure),
        _ => return None,
    })
}

fn below_http(failure: Failure) -> Option<&'static str> {
    Some(match failure {
        Failure::LinkLocal => "give another address",
        Failure::Scheme => "give an http or https address",
        Failure::Dns => "check the host name",
        Failure::Refused => "check the port and that the agent runs",
        Failure::Unreachable => "check the network and firewall between here and the agent",
        Failure::ConnectTimeout => "check that the agent's host is up",
        Failure::Tls(TlsFailure::WrongName) => "give the host name the certificate was issued for",
        Failure::Tls(TlsFailure::NotYetValid) => "check the clocks here and at the agent",
        Failure::Tls(TlsFailure::NotTls) => {
            "begin the address with http, or give the port that serves https"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, time::Duration};

    use agent_cards::Card;

    use super::*;

    fn outcomes() -> Vec<Outcome> {
        let second = Duration::from_secs(1);
        let not_json = Card::parse(b"<html>").unwrap_err();
        let not_a_card = Card::parse(b"{}").unwrap_err();
        let statuses = [204, 304, 401, 403, 404, 405, 410, 429, 500];
        let mut all: Vec<Outcome> = statuses.map(Outcome::Status).into();
        all.extend([
            Outcome::AsksForPause(429, second),
            Outcome::AsksForPause(503, second),
            Outcome::ExpectsTls,
            Outcome::NotACard(not_json),
            Outcome::NotACard(not_a_card),
            Outcome::Unreadable,
            Outcome::Encoded("br".to_owned()),
            Outcome::RedirectLinkLocal,
            Outcome::RedirectElsewhere,
            Outcome::RedirectNowhere,
            Outcome::RedirectLoop,
            Outcome::TooManyRedirects,
            Outcome::CutOff,
            Outcome::TooLarge(1),
            Outcome::TimedOut(second),
            Outcome::TooSlow(second),
            Outcome::NoClient,
        ]);
        let failures = Failure::ALL
            .into_iter()
            .chain(TlsFailure::ALL.map(Failure::Tls));
        all.extend(failures.map(Outcome::Failed));
        all
    }

    #[test]
    fn c125_no_two_causes_share_their_next_step_whoever_reads_it() {
        let all = outcomes();
        for reader in [Reader::Operator, Reader::Terminal] {
            let steps: HashSet<_> = all.iter().map(|one| reader.next_step(one)).collect();
            assert_eq!(steps.len(), all.len(), "{reader:?}");
        }
    }

    #[test]
    fn c125_nobody_at_a_terminal_is_told_to_change_a_setting() {
        for outcome in outcomes() {
            let step = Reader::Terminal.next_step(&outcome);
            for setting in ["`", "register", "gateway", "auth"] {
                let names_it = step.contains(setting) && !step.contains("authorit");
                assert!(!names_it, "{outcome:?}: {step}");
            }
        }
    }
}
