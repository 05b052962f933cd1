//! What a card must show before it is used: a signature, an origin, and no change that nobody has accepted.

use agent_cards::{Card, Change, ChangeKind, Outcome, TrustedKeys, diff, verify};
use url::{Origin, Url};

use crate::{
    agent::{AgentSpec, OnDrift, ServeCard},
    catalog::{Departure, Pinned},
    ports::FetchedCard,
};

/// Returns the card as far as it can be trusted: what a demanded signature covers, else all of it.
///
/// # Errors
/// Says what the card lacks, with one next step.
pub(super) fn trusted(spec: &AgentSpec, fetched: &FetchedCard) -> Result<Card, String> {
    let card = match fetched.verification.covered() {
        Some(covered) if spec.card.trust.require_signature => covered.clone(),
        _ => fetched.card.clone(),
    };
    if spec.card.trust.require_signature {
        signed(fetched)?;
        // Callers would read what nobody has signed.
        if spec.card.serve != ServeCard::Rewritten && uncovered(fetched.verification.outcome()) {
            return Err(
                "its card has members that its signature does not cover, and `card.serve` shows them to callers; let its owner sign all of it, or set `card.serve: rewritten`"
                    .to_owned(),
            );
        }
    }
    at_origin(spec, &card)?;
    Ok(card)
}

fn uncovered(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Valid { uncovered, .. } if !uncovered.is_empty())
}

fn signed(fetched: &FetchedCard) -> Result<(), String> {
    match fetched.verification.outcome() {
        Outcome::Valid { .. } => Ok(()),
        Outcome::Unsigned => Err(
            "its card has no signature and `card.require_signature` is set; let its owner sign it"
                .to_owned(),
        ),
        Outcome::UnknownKey { .. } if !fetched.missing_keys.is_empty() => Err(format!(
            "the keys that its card is signed with cannot be had ({}); see why there",
            shown(&fetched.missing_keys.join(", "))
        )),
        Outcome::UnknownKey { kids, jkus } => Err(unknown_key(kids, jkus, fetched)),
        Outcome::Invalid { reason } => Err(format!(
            "the signature of its card does not hold: {reason}; find out who changed the card"
        )),
        _ => Err("the signature of its card cannot be judged; upgrade the gateway".to_owned()),
    }
}

/// Says where a key was looked for: key sets that are allowed were read by now, others never are.
fn unknown_key(kids: &[String], jkus: &[String], fetched: &FetchedCard) -> String {
    let kids = shown(&kids.join(", "));
    if !jkus.is_empty() {
        return format!(
            "its card is signed with a key ({kids}) that the key set it names does not have ({}), which was read; let its owner publish the key there",
            shown(&jkus.join(", "))
        );
    }
    let mut reports = fetched.verification.signatures().iter();
    match reports.find_map(|report| report.jku.as_deref()) {
        Some(stray) => format!(
            "its card is signed with a key that is not known ({kids}), of a key set that is not allowed ({}); add the key to `card.trusted_keys` or `trust.keys`, or the key set to `trust.jku`",
            shown(stray)
        ),
        None => format!(
            "its card is signed with a key that is not known ({kids}); add the key to `card.trusted_keys` or `trust.keys`"
        ),
    }
}

fn at_origin(spec: &AgentSpec, card: &Card) -> Result<(), String> {
    let Some(expected) = spec.card.trust.origin.as_ref().map(Url::origin) else {
        return Ok(());
    };
    let stray = card
        .interfaces()
        .iter()
        .find(|interface| !is_at(&expected, &interface.url));
    stray.map_or(Ok(()), |stray| {
        Err(format!(
            "its card names the address `{}`, which is not at `card.origin`; correct one of them",
            shown(&stray.url)
        ))
    })
}

/// gRPC addresses may come without a scheme, so for them only host and port can differ.
fn is_at(expected: &Origin, address: &str) -> bool {
    if let Ok(url) = Url::parse(address)
        && url.has_host()
    {
        return url.origin() == *expected;
    }
    let Origin::Tuple(scheme, ..) = expected else {
        return false;
    };
    let authority = address.rsplit('/').next().unwrap_or(address);
    Url::parse(&format!("{scheme}://{authority}")).is_ok_and(|url| url.origin() == *expected)
}

/// Shows text of a card on one line.
fn shown(text: &str) -> String {
    const LONGEST: usize = 200;
    let letters = text.chars().take(LONGEST);
    letters.flat_map(char::escape_debug).collect()
}

/// Returns how a card departs from the one that was accepted, as far as the operator wants to know.
///
/// A card that was accepted and cannot be read is not the same as none: the one that arrives may be anything.
pub(super) fn departure(spec: &AgentSpec, accepted: &Pinned, fetched: &FetchedCard) -> Departure {
    if spec.card.trust.on_drift == OnDrift::Ignore {
        return Departure::default();
    }
    match accepted {
        Pinned::Nothing => Departure::default(),
        Pinned::Card(accepted) => Departure {
            changes: drift(&spec.card.trust.keys, accepted, fetched),
            unknown: None,
        },
        Pinned::Unreadable(reason) => Departure {
            changes: Vec::new(),
            unknown: Some(format!(
                "the card it was accepted with cannot be read ({})",
                shown(reason)
            )),
        },
    }
}

fn drift(keys: &TrustedKeys, accepted: &Card, fetched: &FetchedCard) -> Vec<Change> {
    let mut changes = diff(accepted, &fetched.card);
    changes.retain(Change::is_drift);
    // Which signature holds depends on the keys, which a comparison of two cards knows nothing of.
    if !fetched.verification.is_valid() && verify(accepted, keys).is_valid() {
        changes.push(Change {
            kind: ChangeKind::Signature,
            pointer: "/signatures".to_owned(),
            before: None,
            after: None,
            message: "the signature no longer holds".to_owned(),
        });
    }
    changes
}

/// Says how a card departs, in one line.
pub(super) fn summary(departure: &Departure) -> String {
    const SHOWN: usize = 3;
    if let Some(unknown) = &departure.unknown {
        return format!("it is not known whether its card changed: {unknown}");
    }
    let changes = &departure.changes;
    let mut said: Vec<_> = changes
        .iter()
        .take(SHOWN)
        .map(|change| change.message.clone())
        .collect();
    if changes.len() > SHOWN {
        said.push(format!("{} more", changes.len() - SHOWN));
    }
    format!("its card changed: {}", said.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_compared_by_origin_with_and_without_scheme() {
        let expected = Url::parse("https://a.example").unwrap().origin();
        for at in [
            "https://a.example/rpc",
            "https://a.example:443/",
            "a.example:443",
            "dns:///a.example:443",
        ] {
            assert!(is_at(&expected, at), "{at}");
        }
        for elsewhere in [
            "http://a.example/",
            "https://b.example/",
            "https://a.example:8443/",
            "a.example:8443",
            "b.example:443",
            "/relative",
            "",
        ] {
            assert!(!is_at(&expected, elsewhere), "{elsewhere}");
        }
    }
}
