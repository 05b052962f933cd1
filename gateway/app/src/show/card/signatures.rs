//! What the signatures of a card are worth.

use agent_cards::{Outcome, SignatureReport, SignatureState};

use crate::{commands::card::Verified, show::one_line};

/// Renders what became of the signatures of a card, and what they leave open.
pub(crate) fn whole(verified: &Verified) -> String {
    let mut lines = vec![format!(
        "{}: {}",
        verified.source,
        one_line(&outcome(&verified.outcome))
    )];
    if let Outcome::Valid { uncovered, .. } = &verified.outcome {
        let open = |pointer: &String| {
            line(
                "open",
                &format!("{pointer} is not covered, anyone may have changed it"),
            )
        };
        lines.extend(uncovered.iter().map(open));
    }
    lines.extend(verified.signatures.iter().map(one));
    let missing = verified.missing_key_sets.iter();
    lines.extend(missing.map(|set| {
        line(
            "keys",
            &format!("{} cannot be had: {}", set.jku, set.problem),
        )
    }));
    lines.join("\n")
}

/// Says who claims to have signed a card, for a reader who has no keys.
pub(crate) fn claimed(signatures: &[SignatureReport]) -> String {
    let mut signers: Vec<String> = signatures.iter().map(claim).collect();
    signers.dedup();
    match signers.as_slice() {
        [] => "no".to_owned(),
        signers => format!(
            "{}; not verified here, see `card verify`",
            signers.join(", ")
        ),
    }
}

fn claim(report: &SignatureReport) -> String {
    match &report.state {
        SignatureState::Invalid { reason } => format!("unusably, {reason}"),
        _ => format!("by {}", signer(report)),
    }
}

fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Valid {
            key,
            form,
            algorithm,
            uncovered,
        } => {
            let rest = if uncovered.is_empty() {
                "all of it"
            } else {
                "not all of it"
            };
            format!("valid, signed by key {key} ({algorithm}) in the form {form}, {rest}")
        }
        Outcome::Unsigned => "the card has no signature".to_owned(),
        Outcome::UnknownKey { kids, .. } => {
            format!("signed by keys that are not known ({})", kids.join(", "))
        }
        Outcome::Invalid { reason } => format!("the signature does not hold: {reason}"),
        _ => "the signature cannot be judged, upgrade this program".to_owned(),
    }
}

fn one(report: &SignatureReport) -> String {
    let what = match &report.state {
        SignatureState::Valid {
            form, algorithm, ..
        } => {
            format!("by {}, {algorithm}, {form}", signer(report))
        }
        SignatureState::UnknownKey { reason } | SignatureState::Invalid { reason } => {
            reason.clone()
        }
        _ => "cannot be judged".to_owned(),
    };
    let title = match &report.state {
        SignatureState::Valid { .. } => "valid",
        SignatureState::UnknownKey { .. } => "unknown",
        _ => "invalid",
    };
    line(title, &format!("{} {what}", report.pointer))
}

fn signer(report: &SignatureReport) -> String {
    let key = report.key.as_deref().unwrap_or("without name");
    match &report.jku {
        Some(jku) => format!("key {key} of {jku}"),
        None => format!("key {key}"),
    }
}

fn line(title: &str, text: &str) -> String {
    format!("{title:<8} {}", one_line(text))
}
