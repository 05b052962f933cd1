//! Sealed ids: ids that carry their own routing and cannot be forged.
//!
//! A sealed id is `gw1-` and `base64url(key id ‖ AES-256-GCM-SIV(kind ‖ agent ‖ upstream id))`, with the caller as
//! associated data. The nonce is fixed: the same task always gets the same id, and the SIV construction
//! stays secure for that, revealing only equality, which is what an id is for. Any replica with the key
//! can route a poll without a shared look-up.

use std::fmt;

use aws_lc_rs::{
    aead::{AES_256_GCM_SIV, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    digest::{SHA256, digest},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use gateway_protocol::ids::IdKind;

use crate::agent::AgentId;

/// Length of a sealing key, in bytes.
pub const KEY_LENGTH: usize = 32;
/// What every sealed id begins with, so that ids of a client's own making can be told apart.
pub const SEALED_PREFIX: &str = "gw1-";
/// Longer texts are no sealed ids; agents' own ids are far shorter.
const MAX_LENGTH: usize = 4096;

/// The keys that seal and open ids: the first one seals, all of them open.
pub struct KeyRing {
    keys: Vec<Key>,
}

struct Key {
    id: u8,
    key: LessSafeKey,
}

/// What a sealed id stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// Whether it names a task or a context.
    pub kind: IdKind,
    /// Who owns it.
    pub agent: AgentId,
    /// The agent's own id.
    pub upstream: String,
}

impl KeyRing {
    /// Builds a ring; `None` without any key.
    #[must_use]
    pub fn new(keys: &[[u8; KEY_LENGTH]]) -> Option<Self> {
        let keys: Vec<_> = keys.iter().filter_map(Key::new).collect();
        (!keys.is_empty()).then_some(Self { keys })
    }

    /// Seals an id for a caller.
    #[must_use]
    pub fn seal(&self, sealed: &Sealed, caller: &str) -> String {
        let Some(key) = self.keys.first() else {
            return String::new();
        };
        let mut text = vec![kind_byte(sealed.kind), length_byte(&sealed.agent)];
        text.extend_from_slice(sealed.agent.as_str().as_bytes());
        text.extend_from_slice(sealed.upstream.as_bytes());
        key.key
            .seal_in_place_append_tag(fixed_nonce(), Aad::from(caller.as_bytes()), &mut text)
            .expect("AES-GCM-SIV seals any text far below its size limit");
        text.insert(0, key.id);
        format!("{SEALED_PREFIX}{}", URL_SAFE_NO_PAD.encode(text))
    }

    /// Opens a sealed id. Forged, truncated and foreign ids, and those of other callers, are all `None`.
    #[must_use]
    pub fn open(&self, id: &str, caller: &str) -> Option<Sealed> {
        if id.len() > MAX_LENGTH {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD
            .decode(id.strip_prefix(SEALED_PREFIX)?)
            .ok()?;
        let (key_id, sealed) = bytes.split_first()?;
        self.keys
            .iter()
            .filter(|key| key.id == *key_id)
            .find_map(|key| {
                let mut sealed = sealed.to_vec();
                let plain = key
                    .key
                    .open_in_place(fixed_nonce(), Aad::from(caller.as_bytes()), &mut sealed)
                    .ok()?;
                read(plain)
            })
    }
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("KeyRing")
            .field("keys", &self.keys.len())
            .finish()
    }
}

impl Key {
    fn new(bytes: &[u8; KEY_LENGTH]) -> Option<Self> {
        let id = digest(&SHA256, bytes).as_ref()[0];
        let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM_SIV, bytes).ok()?);
        Some(Self { id, key })
    }
}

fn read(plain: &[u8]) -> Option<Sealed> {
    let (&kind, rest) = plain.split_first()?;
    let (&length, rest) = rest.split_first()?;
    let (agent, upstream) = rest.split_at_checked(usize::from(length))?;
    Some(Sealed {
        kind: match kind {
            0 => IdKind::Task,
            1 => IdKind::Context,
            _ => return None,
        },
        agent: AgentId::parse(str::from_utf8(agent).ok()?).ok()?,
        upstream: str::from_utf8(upstream).ok()?.to_owned(),
    })
}

fn kind_byte(kind: IdKind) -> u8 {
    match kind {
        IdKind::Task => 0,
        IdKind::Context => 1,
    }
}

fn length_byte(agent: &AgentId) -> u8 {
    u8::try_from(agent.as_str().len()).expect("agent ids have at most 63 bytes")
}

fn fixed_nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; NONCE_LEN])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ring(bytes: &[u8]) -> KeyRing {
        KeyRing::new(
            &bytes
                .iter()
                .map(|&byte| [byte; KEY_LENGTH])
                .collect::<Vec<_>>(),
        )
        .unwrap()
    }

    fn task(agent: &str, upstream: &str) -> Sealed {
        Sealed {
            kind: IdKind::Task,
            agent: AgentId::parse(agent).unwrap(),
            upstream: upstream.to_owned(),
        }
    }

    #[test]
    fn the_same_task_always_gets_the_same_id_and_no_two_tasks_share_one() {
        let ring = ring(&[1]);
        let id = ring.seal(&task("a", "1"), "c");
        assert_eq!(id, ring.seal(&task("a", "1"), "c"));
        let context = Sealed {
            kind: IdKind::Context,
            ..task("a", "1")
        };
        for other in [task("b", "1"), task("a", "2"), context] {
            assert_ne!(id, ring.seal(&other, "c"));
        }
        assert_ne!(id, ring.seal(&task("a", "1"), "d"));
    }

    #[test]
    fn an_old_key_still_opens_and_a_foreign_one_does_not() {
        let id = ring(&[1]).seal(&task("a", "1"), "c");
        assert_eq!(ring(&[2, 1]).open(&id, "c"), Some(task("a", "1")));
        assert_eq!(ring(&[2]).open(&id, "c"), None);
        assert_eq!(ring(&[1]).open(&id, "another caller"), None);
    }

    #[test]
    fn every_truncation_is_refused() {
        let ring = ring(&[1]);
        let id = ring.seal(&task("agent", "upstream-id"), "c");
        for end in 0..id.len() {
            assert_eq!(ring.open(id.get(..end).unwrap(), "c"), None);
        }
    }

    proptest! {
        #[test]
        fn what_was_sealed_opens(upstream in ".{0,200}", caller in ".{0,20}") {
            let ring = ring(&[7]);
            let id = ring.seal(&task("a", &upstream), &caller);
            prop_assert!(id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
            prop_assert_eq!(ring.open(&id, &caller), Some(task("a", &upstream)));
        }

        #[test]
        fn any_changed_character_is_refused(position in 0usize..60, replacement in "[A-Za-z0-9_-]") {
            let ring = ring(&[7]);
            let id = ring.seal(&task("agent", "0123456789abcdef"), "c");
            let position = position % id.len();
            let mut forged = id.clone();
            forged.replace_range(position..=position, &replacement);
            prop_assume!(forged != id);
            prop_assert_eq!(ring.open(&forged, "c"), None);
        }

        #[test]
        fn random_text_is_refused(text in ".{0,300}") {
            prop_assert_eq!(ring(&[7]).open(&text, "c"), None);
        }
    }
}
