//! What a card must show before it is used: a signature, an origin, and no change that nobody has accepted.

use agent_cards::{Card, Change, Outcome, diff};
use url::{Origin, Url};

use crate::{
    agent::{AgentSpec, OnDrift},
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
        signed(fetched.verification.outcome())?;
    }
    at_origin(spec, &card)?;
    Ok(card)
}

fn signed(outcome: &Outcome) -> Result<(), String> {
    match outcome {
        Outcome::Valid { .. } => Ok(()),
        Outcome::Unsigned => Err(
            "its card has no signature and `card.require_signature` is set; let its owner sign it"
                .to_owned(),
        ),
        Outcome::UnknownKey { kids, .. } => Err(format!(
            "its card is signed with a key that is not known ({}); add the key to `card.trusted_keys` or `trust.keys`",
            kids.join(", ")
        )),
        Outcome::Invalid { reason } => Err(format!(
            "the signature of its card does not hold: {reason}; find out who changed the card"
        )),
        _ => Err("the signature of its card cannot be judged; upgrade the gateway".to_owned()),
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
            stray.url
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

/// Returns how a card drifted from the one that was accepted, as far as the operator wants to know.
pub(super) fn drift(spec: &AgentSpec, accepted: Option<&Card>, card: &Card) -> Vec<Change> {
    match accepted {
        Some(accepted) if spec.card.trust.on_drift != OnDrift::Ignore => {
            let mut changes = diff(accepted, card);
            changes.retain(Change::is_drift);
            changes
        }
        _ => Vec::new(),
    }
}

/// Says what changed, in one line.
pub(super) fn summary(changes: &[Change]) -> String {
    const SHOWN: usize = 3;
    let mut said: Vec<_> = changes
        .iter()
        .take(SHOWN)
        .map(|change| change.message.clone())
        .collect();
    if changes.len() > SHOWN {
        said.push(format!("{} more", changes.len() - SHOWN));
    }
    said.join("; ")
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
