//! What a card means as bytes, to be kept over a restart, and back.
//!
//! Nobody vouches for what comes back from a disk: a digest covers all of it, and every number is checked.

use aws_lc_rs::digest::{SHA256, SHA256_OUTPUT_LEN, digest};

use super::CardMeaning;
use crate::digest::sha256;

/// Changes with what is read of a card, and with the form of the bytes.
const EDITION: &str = "meaning 1";
/// More texts than any card has.
const MOST: usize = 1 << 16;

/// Returns the name under which a card is kept for a model.
pub(super) fn name(model: &str, fingerprint: &str) -> String {
    let name = sha256(format!("{EDITION}\n{model}\n{fingerprint}").as_bytes());
    name.trim_start_matches("sha256:").to_owned()
}

impl CardMeaning {
    /// Writes the bytes.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes();
        let mut bytes = Vec::with_capacity(self.bytes() + 64);
        for length in [self.width, self.scales.len(), self.ends.len()] {
            bytes.extend(number(length));
        }
        for end in &self.ends {
            bytes.extend(number(*end));
        }
        for scale in &self.scales {
            bytes.extend(scale.to_le_bytes());
        }
        bytes.extend(self.numbers.iter().flat_map(|number| number.to_le_bytes()));
        let seal = digest(&SHA256, &bytes);
        bytes.extend(seal.as_ref());
        bytes
    }

    /// Reads bytes; none if they are not what was written.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let end = bytes.len().checked_sub(SHA256_OUTPUT_LEN)?;
        let (bytes, seal) = bytes.split_at_checked(end)?;
        if digest(&SHA256, bytes).as_ref() != seal {
            return None;
        }
        let mut rest = bytes;
        let [width, texts, skills] = [length(&mut rest)?, length(&mut rest)?, length(&mut rest)?];
        let ends = (0..skills)
            .map(|_| length(&mut rest))
            .collect::<Option<Box<_>>>()?;
        let scales = (0..texts)
            .map(|_| scale(&mut rest))
            .collect::<Option<Box<_>>>()?;
        let is_whole = texts > 0 && rest.len() == width * texts;
        let is_in_order = ends.is_sorted() && ends.iter().all(|end| (1..=texts).contains(end));
        (is_whole && is_in_order).then(|| Self {
            width,
            numbers: rest.iter().map(|byte| byte.cast_signed()).collect(),
            scales,
            ends,
        })
    }
}

fn length(rest: &mut &[u8]) -> Option<usize> {
    let (number, after) = rest.split_first_chunk()?;
    *rest = after;
    let number = usize::try_from(u32::from_le_bytes(*number)).ok()?;
    (number < MOST).then_some(number)
}

fn scale(rest: &mut &[u8]) -> Option<f32> {
    let (number, after) = rest.split_first_chunk()?;
    *rest = after;
    // Of a vector of length 1, none is larger.
    Some(f32::from_le_bytes(*number)).filter(|scale| (0.0..=1.0).contains(scale))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn meanings() -> impl Strategy<Value = CardMeaning> {
        (1_usize..9, 1_usize..6).prop_flat_map(|(width, texts)| {
            let numbers = proptest::collection::vec(any::<i8>(), width * texts);
            let scales = proptest::collection::vec(0.0_f32..1.0, texts);
            let ends = proptest::collection::vec(1..=texts, 0..4);
            (numbers, scales, ends).prop_map(move |(numbers, scales, mut ends)| {
                ends.sort_unstable();
                CardMeaning {
                    width,
                    numbers: numbers.into(),
                    scales: scales.into(),
                    ends: ends.into(),
                }
            })
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(meaning in meanings()) {
            prop_assert_eq!(CardMeaning::from_bytes(&meaning.to_bytes()), Some(meaning));
        }

        #[test]
        fn what_was_changed_is_not_read(meaning in meanings(), at in any::<proptest::sample::Index>(), bit in 0_u8..8) {
            let mut bytes = meaning.to_bytes();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            prop_assert_eq!(CardMeaning::from_bytes(&bytes), None);
            prop_assert_eq!(CardMeaning::from_bytes(&bytes[..at]), None);
        }

        #[test]
        fn any_bytes_with_a_digest_are_refused_or_can_be_used(mut bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let seal = digest(&SHA256, &bytes);
            bytes.extend(seal.as_ref());
            let request = super::super::Direction::new(&[1.0; 4]);
            if let Some(meaning) = CardMeaning::from_bytes(&bytes).filter(|meaning| meaning.width == 4) {
                prop_assert!(meaning.skill(0, 0.0, &request).is_finite());
            }
        }
    }

    #[test]
    fn names_tell_models_and_cards_apart() {
        assert_ne!(name("a", "b"), name("a", "c"));
        assert_ne!(name("a", "b"), name("c", "b"));
        assert_eq!(name("a", "b").len(), 64);
    }
}
