//! Verifying the signatures of a card.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

use super::header::{self, Signed};
use super::report::{Outcome, SignatureReport, SignatureState, Verification};
use super::sign::signing_input;
use super::trusted_keys::{Search, TrustedKey, TrustedKeys};
use crate::members::{self, Object, shown};
use crate::{CanonicalForm, Card, canonical, canonicalize};

/// The most signatures that are reported, of known keys and of others.
const MOST_REPORTED: usize = 16;

/// The most keys of one `kid` that are tried.
const MOST_KEYS: usize = 4;

/// Verifies the signatures of a card with the keys given.
///
/// Every signature of a known key is tried with each canonical form that fits the card's shape,
/// wherever in the list it stands: anyone can put others before it. One valid signature is enough
/// (A2A §8.4.3). The first of them are reported.
#[must_use]
pub fn verify(card: &Card, keys: &TrustedKeys) -> Verification {
    let entries = match members::member(card.members(), "signatures") {
        Some(Value::Array(entries)) => entries.as_slice(),
        Some(other) => {
            let reason = format!("`/signatures` is {}, expected a list", members::kind(other));
            return without_reports(Outcome::Invalid { reason });
        }
        None => &[],
    };
    if entries.is_empty() {
        return without_reports(Outcome::Unsigned);
    }
    let found: Vec<Tried<'_>> = entries
        .iter()
        .enumerate()
        .map(|(index, entry)| Tried::new(format!("/signatures/{index}"), entry, keys))
        .collect();
    let to_fetch = key_sets_to_fetch(&found);
    let is_known = found.iter().any(|tried| tried.candidate.is_some());
    let payloads = if is_known { payloads(card) } else { Vec::new() };
    let (tried, left_out) = try_known(found, &payloads);
    let covered = covered(card, &tried);
    let mut verification = Verification {
        outcome: outcome(card, &tried, covered.as_ref(), &to_fetch),
        missing_key_sets: match covered {
            Some(_) => Vec::new(),
            None => to_fetch,
        },
        covered,
        signatures: tried.into_iter().map(|tried| tried.report).collect(),
    };
    if let Some(pointer) = left_out {
        verification.signatures.push(SignatureReport {
            pointer,
            key: None,
            jku: None,
            state: invalid(format!(
                "the card has {} signatures, this one and others are left out",
                entries.len()
            )),
        });
    }
    verification
}

/// Tries the signatures of known keys and leaves out what is beyond the limits; returns the rest in the card's order,
/// and where the first left out is. One that vouches for what no other does is always there.
fn try_known<'a>(
    found: Vec<Tried<'a>>,
    payloads: &'a [Payload],
) -> (Vec<Tried<'a>>, Option<String>) {
    let (mut work, mut known, mut others) = (Work::default(), 0, 0);
    let mut left_out = None;
    let mut kept: Vec<Tried<'a>> = Vec::new();
    for mut tried in found {
        let is_kept = if let Some((signed, keys)) = tried.candidate.take() {
            known += 1;
            let form = |tried: &Tried<'_>| tried.payload.map(|payload| payload.form);
            let was_tried = tried.try_keys(&signed, &keys, payloads, &mut work);
            let is_new =
                tried.payload.is_some() && kept.iter().all(|one| form(one) != form(&tried));
            was_tried && (is_new || known <= MOST_REPORTED)
        } else {
            others += 1;
            others <= MOST_REPORTED
        };
        if is_kept {
            kept.push(tried);
        } else {
            left_out.get_or_insert(tried.report.pointer);
        }
    }
    (kept, left_out)
}

/// What one card may cost its verifier. A known `kid` is easily copied, so that without limits a card could keep it
/// busy for long.
#[derive(Debug)]
struct Work {
    verifications: usize,
    bytes: usize,
}

impl Default for Work {
    fn default() -> Self {
        Self {
            verifications: 1024,
            bytes: 128 * 1024 * 1024,
        }
    }
}

impl Work {
    /// Takes the cost of one verification off what is left; returns whether there was enough.
    fn spend(&mut self, bytes: usize) -> bool {
        let left = self
            .verifications
            .checked_sub(1)
            .zip(self.bytes.checked_sub(bytes));
        if let Some((verifications, bytes)) = left {
            *self = Self {
                verifications,
                bytes,
            };
        }
        left.is_some()
    }
}

fn without_reports(outcome: Outcome) -> Verification {
    Verification {
        outcome,
        signatures: Vec::new(),
        covered: None,
        missing_key_sets: Vec::new(),
    }
}

fn invalid(reason: impl Into<String>) -> SignatureState {
    SignatureState::Invalid {
        reason: reason.into(),
    }
}

/// Returns the valid signature that leaves the least open.
fn strongest<'a, 'b>(tried: &'b [Tried<'a>]) -> Option<&'b Tried<'a>> {
    let open = |tried: &&Tried<'_>| match &tried.report.state {
        SignatureState::Valid { uncovered, .. } => Some(uncovered.len()),
        _ => None,
    };
    tried
        .iter()
        .filter(|tried| open(tried).is_some())
        .min_by_key(open)
}

/// Returns the card as all valid signatures cover it, each of which may leave another part open.
fn covered(card: &Card, tried: &[Tried<'_>]) -> Option<Card> {
    let strongest = strongest(tried)?.payload?;
    let mut payloads: Vec<&Payload> = tried.iter().filter_map(|tried| tried.payload).collect();
    payloads.sort_by_key(|payload| payload.form);
    payloads.dedup_by_key(|payload| payload.form);
    if strongest.uncovered.is_empty() || payloads.len() == 1 {
        return Some(strongest.covered.clone());
    }
    let signed: Vec<&Object> = payloads
        .iter()
        .map(|payload| payload.covered.members())
        .collect();
    let united = Value::Object(canonical::unite(card.members(), &signed)).to_string();
    Card::parse(united.as_bytes())
        .ok()
        .or_else(|| Some(strongest.covered.clone()))
}

fn outcome(
    card: &Card,
    tried: &[Tried<'_>],
    covered: Option<&Card>,
    to_fetch: &[String],
) -> Outcome {
    if let Some(strongest) = strongest(tried)
        && let SignatureState::Valid {
            form, algorithm, ..
        } = &strongest.report.state
        && let Some(covered) = covered
    {
        return Outcome::Valid {
            key: strongest.report.key.clone().unwrap_or_default(),
            form: *form,
            algorithm: *algorithm,
            uncovered: canonical::uncovered(card.members(), covered.members()),
        };
    }
    let reason = |tried: &Tried<'_>| match &tried.report.state {
        SignatureState::Invalid { reason } => Some(reason.clone()),
        _ => None,
    };
    let broken = tried.iter().find(|tried| tried.is_broken);
    if let Some(reason) = broken.and_then(reason) {
        return Outcome::Invalid { reason };
    }
    let unknown = tried
        .iter()
        .filter(|tried| matches!(tried.report.state, SignatureState::UnknownKey { .. }));
    let kids = sorted(unknown.filter_map(|tried| tried.report.key.clone()));
    if kids.is_empty() {
        return Outcome::Invalid {
            reason: tried.iter().find_map(reason).unwrap_or_default(),
        };
    }
    Outcome::UnknownKey {
        kids,
        jkus: to_fetch.to_vec(),
    }
}

fn key_sets_to_fetch(tried: &[Tried<'_>]) -> Vec<String> {
    let named = tried.iter().filter(|tried| tried.fetch);
    sorted(named.filter_map(|tried| tried.report.jku.clone()))
}

fn sorted(texts: impl Iterator<Item = String>) -> Vec<String> {
    let texts: BTreeSet<String> = texts.collect();
    texts.into_iter().collect()
}

/// One canonical form in base64url, and what it holds.
struct Payload {
    form: CanonicalForm,
    encoded: String,
    covered: Card,
    uncovered: Vec<String>,
}

/// Returns the bytes that signatures may cover, each once. A form that leaves no card to work
/// with, or that the card does not have, could vouch for nothing.
fn payloads(card: &Card) -> Vec<Payload> {
    let mut payloads: Vec<Payload> = Vec::new();
    for form in CanonicalForm::ALL {
        if !form.fits(card.shape()) {
            continue;
        }
        let Ok(bytes) = canonicalize(card, form) else {
            continue;
        };
        let encoded = URL_SAFE_NO_PAD.encode(&bytes);
        if payloads.iter().any(|payload| payload.encoded == encoded) {
            continue;
        }
        if let Ok(covered) = Card::parse(&bytes) {
            let uncovered = canonical::uncovered(card.members(), covered.members());
            payloads.push(Payload {
                form,
                encoded,
                covered,
                uncovered,
            });
        }
    }
    payloads
}

/// A signature and what became of it.
struct Tried<'a> {
    report: SignatureReport,
    /// The signature and the known keys it may be of, until it is tried.
    candidate: Option<(Signed<'a>, Vec<&'a TrustedKey>)>,
    /// What it vouches for, if it is valid.
    payload: Option<&'a Payload>,
    /// Whether a known key shows that its owner did not sign this card.
    is_broken: bool,
    /// Whether fetching the key set it names could help.
    fetch: bool,
}

impl<'a> Tried<'a> {
    fn new(pointer: String, entry: &'a Value, keys: &'a TrustedKeys) -> Self {
        let mut tried = Self {
            report: SignatureReport {
                pointer,
                key: None,
                jku: None,
                state: invalid(""),
            },
            candidate: None,
            payload: None,
            is_broken: false,
            fetch: false,
        };
        match header::read(entry) {
            Ok(signed) => {
                tried.report.key = Some(signed.header.kid.clone());
                tried.report.jku.clone_from(&signed.header.jku);
                tried.search(signed, keys);
            }
            Err(unreadable) => {
                tried.report.state = invalid(unreadable.reason);
                tried.report.key = unreadable.kid;
                tried.report.jku = unreadable.jku;
            }
        }
        tried
    }

    fn search(&mut self, signed: Signed<'a>, keys: &'a TrustedKeys) {
        let kid = shown(&signed.header.kid);
        let jku = signed.header.jku.as_deref();
        let unknown = match keys.search(&signed.header.kid, jku) {
            Search::Found(found) => {
                self.candidate = Some((signed, found));
                return;
            }
            Search::Fetch => {
                self.fetch = true;
                "fetch the key set it names (`jku`)".to_owned()
            }
            Search::Unknown => match jku {
                Some(jku) => format!("nor is its key set `{}` allowed", shown(jku)),
                None => "add it to the trusted keys if it should be".to_owned(),
            },
        };
        self.report.state = SignatureState::UnknownKey {
            reason: format!("key `{kid}` is not known, {unknown}"),
        };
    }

    /// Tries the known keys; returns whether the work that was left was enough to begin.
    fn try_keys(
        &mut self,
        signed: &Signed<'_>,
        found: &[&TrustedKey],
        payloads: &'a [Payload],
        work: &mut Work,
    ) -> bool {
        let kid = shown(&signed.header.kid);
        let algorithm = signed.header.algorithm;
        self.report.state = invalid(format!("the card is not what key `{kid}` signed"));
        for key in found.iter().take(MOST_KEYS) {
            let key = match key.for_algorithm(algorithm) {
                Ok(key) => key,
                Err(problem) => {
                    self.report.state = invalid(format!("key `{kid}` cannot be used: {problem}"));
                    continue;
                }
            };
            for payload in payloads {
                let input = signing_input(signed.protected, &payload.encoded);
                if !work.spend(input.len()) {
                    return self.is_broken;
                }
                self.is_broken = true;
                let verified = jsonwebtoken::crypto::verify(
                    signed.signature,
                    input.as_bytes(),
                    key,
                    algorithm.in_jsonwebtoken(),
                );
                if matches!(verified, Ok(true)) {
                    self.is_broken = false;
                    self.payload = Some(payload);
                    self.report.state = SignatureState::Valid {
                        form: payload.form,
                        algorithm,
                        uncovered: payload.uncovered.clone(),
                    };
                    return true;
                }
            }
        }
        true
    }
}
