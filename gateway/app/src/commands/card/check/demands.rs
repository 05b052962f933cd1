//! What the caller demands of a card beyond that it is sound.

use agent_cards::{
    Card, Finding, InterfaceBinding, Outcome, ProtocolVersion, Severity, Shape, TrustedKeys,
};

use crate::commands::card::source::Reading;

/// The demands on every card.
#[derive(Debug)]
pub(super) struct Demands {
    /// Whether a valid signature is demanded.
    pub(super) signature: bool,
    /// Whose signatures count.
    pub(super) keys: TrustedKeys,
    /// The protocol version of the clients.
    pub(super) version: Option<ProtocolVersion>,
}

impl Demands {
    /// Returns what a card lacks.
    pub(super) async fn unmet(&self, card: &Card, reading: &Reading) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self
            .version
            .and_then(|version| unusable(card, version))
            .into_iter()
            .collect();
        if self.signature || !self.keys.is_empty() {
            let (verification, missing) = reading.verify(card, &self.keys).await;
            findings.extend(signature(verification.outcome(), self.signature));
            findings.extend(missing.into_iter().map(|set| Finding {
                severity: Severity::Warning,
                pointer: "/signatures".to_owned(),
                message: format!("the key set at {} cannot be had: {}", set.jku, set.problem),
                hint: "see that its address answers with the key set".to_owned(),
            }));
        }
        findings
    }
}

/// Says why clients of a version cannot use a card. Versions count as the same where only the minor number differs
/// after 1.0, and before 1.0 altogether, as they do for the gateway.
fn unusable(card: &Card, version: ProtocolVersion) -> Option<Finding> {
    let interfaces = card.interfaces().iter();
    let known: Vec<_> = interfaces
        .filter(|interface| !matches!(interface.binding, InterfaceBinding::Other(_)))
        .collect();
    // Clients of 0.3 do not look into `supportedInterfaces`.
    let is_readable = !(version.is_legacy() && card.shape() == Shape::V1);
    if is_readable
        && known
            .iter()
            .any(|interface| interface.version.major == version.major)
    {
        return None;
    }
    let mut offered: Vec<String> = known
        .iter()
        .map(|interface| interface.version.to_string())
        .collect();
    offered.dedup();
    let offered = if offered.is_empty() {
        "none".to_owned()
    } else if is_readable {
        offered.join(" and ")
    } else {
        format!("{} in the form of 1.0", offered.join(" and "))
    };
    let (pointer, hint) = if version.is_legacy() {
        (
            "/url",
            "name the address that speaks it in `url`, and it in `protocolVersion`".to_owned(),
        )
    } else {
        let hint =
            format!("list the address that speaks it with `\"protocolVersion\": \"{version}\"`");
        ("/supportedInterfaces", hint)
    };
    Some(Finding {
        severity: Severity::Error,
        pointer: pointer.to_owned(),
        message: format!("no interface for clients of A2A {version}, the card offers {offered}"),
        hint,
    })
}

/// Says what the signatures of a card lack. Without the demand for one, none and one by a stranger are no errors.
fn signature(outcome: &Outcome, demanded: bool) -> Vec<Finding> {
    let severity = if demanded {
        Severity::Error
    } else {
        Severity::Warning
    };
    let finding = |severity, pointer: &str, message: String, hint: &str| Finding {
        severity,
        pointer: pointer.to_owned(),
        message,
        hint: hint.to_owned(),
    };
    match outcome {
        Outcome::Valid { uncovered, .. } => uncovered
            .iter()
            .map(|pointer| {
                let message = "no signature covers it, anyone may have changed it".to_owned();
                finding(
                    Severity::Warning,
                    pointer,
                    message,
                    "remove it, or have it signed",
                )
            })
            .collect(),
        Outcome::Unsigned if !demanded => Vec::new(),
        Outcome::Unsigned => {
            let message = "the card has no signature".to_owned();
            vec![finding(
                severity,
                "/signatures",
                message,
                "let its owner sign it",
            )]
        }
        Outcome::UnknownKey { kids, .. } => {
            let message = format!(
                "the card is signed with a key that is not known ({})",
                kids.join(", ")
            );
            let hint = "give the key with --keys, or its key set with --allow-jku, if you trust it";
            vec![finding(severity, "/signatures", message, hint)]
        }
        Outcome::Invalid { reason } => {
            let message = format!("the signature does not hold: {reason}");
            let hint = "find out who changed the card";
            vec![finding(Severity::Error, "/signatures", message, hint)]
        }
        _ => {
            let message = "the signature cannot be judged".to_owned();
            vec![finding(
                severity,
                "/signatures",
                message,
                "upgrade this program",
            )]
        }
    }
}
