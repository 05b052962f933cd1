//! Whether a card that arrived becomes the one in use.
//!
//! Every card passes here after it was read and before it is swapped in. A refused card never becomes active:
//! the last accepted one stays in use as if its agent could not be reached.

use jiff::Timestamp;

use crate::{agent::AgentSpec, catalog::AcceptedCard, ports::FetchedCard};

/// What is decided about a card.
#[derive(Debug)]
pub(super) enum Judgement {
    /// It becomes the one in use.
    Accept(AcceptedCard),
    /// It does not, for this reason, with one next step.
    Refuse(String),
}

/// Decides about a card that arrived; `last` is the one in use so far.
pub(super) fn judge(
    spec: &AgentSpec,
    fetched: &FetchedCard,
    last: Option<&AcceptedCard>,
    now: Timestamp,
) -> Judgement {
    if let Some(last) = last.filter(|last| last.card.fingerprint() == fetched.card.fingerprint()) {
        return Judgement::Accept(last.confirmed(spec, fetched, now));
    }
    let card = AcceptedCard::new(spec, fetched, now);
    // With nothing to lose, the card is taken with its findings, and calls say which versions it lacks.
    if card.endpoints.is_empty() && last.is_some_and(|last| !last.endpoints.is_empty()) {
        return Judgement::Refuse(
            "its new card has no interface that the gateway can call, so the last one stays in use; correct the card's interfaces"
                .to_owned(),
        );
    }
    Judgement::Accept(card)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::{card, fetched, spec};

    fn accepted(judgement: Judgement) -> AcceptedCard {
        match judgement {
            Judgement::Accept(card) => card,
            Judgement::Refuse(problem) => panic!("refused: {problem}"),
        }
    }

    #[test]
    fn a_card_that_cannot_be_called_replaces_none_that_can() {
        let (spec, now) = (spec("a"), Timestamp::UNIX_EPOCH);
        let callable = fetched(card("a", "about", &json!({})));
        let pigeon = json!({ "supportedInterfaces": [
            { "url": "http://x.test/", "protocolBinding": "urn:pigeon", "protocolVersion": "1.0" }
        ]});
        let uncallable = fetched(card("a", "about", &pigeon));

        let first = accepted(judge(&spec, &callable, None, now));
        let refused = judge(&spec, &uncallable, Some(&first), now);
        assert!(matches!(refused, Judgement::Refuse(_)), "{refused:?}");

        let alone = accepted(judge(&spec, &uncallable, None, now));
        let again = accepted(judge(&spec, &uncallable, Some(&alone), now));
        assert!(again.endpoints.is_empty() && !again.findings.is_empty());
        accepted(judge(&spec, &callable, Some(&alone), now));
    }

    #[test]
    fn a_confirmed_card_is_as_new() {
        let (spec, later) = (spec("a"), Timestamp::from_second(99).unwrap());
        let mut fetched = fetched(card("a", "about", &json!({})));
        let first = accepted(judge(&spec, &fetched, None, Timestamp::UNIX_EPOCH));
        fetched.fresh_for *= 2;
        let again = accepted(judge(&spec, &fetched, Some(&first), later));
        assert_eq!(
            (again.confirmed_at, again.fresh_for),
            (later, first.fresh_for * 2)
        );
        assert_eq!(again.endpoints, first.endpoints);
    }
}
