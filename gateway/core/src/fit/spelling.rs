//! Finds known words one slip away from a misspelt one: a letter missing, doubled, wrong or swapped.
//!
//! Words are filed under every form with one letter left out, so that two words one slip apart share an entry.

/// Known words filed under their deletions.
#[derive(Debug, Default)]
pub(super) struct Spelling {
    /// (hash of a form with at most one letter left out, word), sorted.
    deletions: Vec<(u32, u32)>,
}

/// The shortest word that is corrected, or corrected to.
const SHORTEST: usize = 3;
/// The longest word that is corrected.
const LONGEST: usize = 24;

impl Spelling {
    /// Files words; a word is known by its position.
    pub(super) fn build<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let mut deletions = Vec::new();
        for (word, text) in (0_u32..).zip(words) {
            if text.is_ascii() && (SHORTEST..=LONGEST).contains(&text.len()) {
                for_each_deletion(text, |form| deletions.push((form, word)));
            }
        }
        deletions.sort_unstable();
        deletions.dedup();
        Self { deletions }
    }

    /// Returns the positions of words that may be one slip away from `word`, each once.
    pub(super) fn candidates(&self, word: &str) -> Vec<u32> {
        let mut found = Vec::new();
        if !word.is_ascii() || !(SHORTEST..=LONGEST).contains(&word.len()) {
            return found;
        }
        for_each_deletion(word, |form| {
            let start = self.deletions.partition_point(|(hash, _)| *hash < form);
            let same = self
                .deletions
                .iter()
                .skip(start)
                .take_while(|(hash, _)| *hash == form);
            found.extend(same.map(|(_, position)| *position));
        });
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn for_each_deletion(word: &str, mut each: impl FnMut(u32)) {
    each(hash(word.bytes()));
    for left_out in 0..word.len() {
        each(hash(
            word.bytes()
                .enumerate()
                .filter(|(at, _)| *at != left_out)
                .map(|(_, byte)| byte),
        ));
    }
}

fn hash(bytes: impl Iterator<Item = u8>) -> u32 {
    let mut state = 0x811c_9dc5_u32;
    for byte in bytes {
        state = (state ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    state
}

/// Says whether two words are one slip apart: one letter inserted, left out, replaced, or two neighbours swapped.
pub(super) fn one_slip(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let before = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let after = left
        .iter()
        .rev()
        .zip(right.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let rest = |word: &[u8]| word.len().saturating_sub(before + after);
    let swapped = || {
        left.len() == right.len()
            && rest(left) == 2
            && left.get(before) == right.get(before + 1)
            && left.get(before + 1) == right.get(before)
    };
    let shorter = left.len().min(right.len());
    let longer = left.len().max(right.len());
    match longer - shorter {
        0 => rest(left) <= 1 || swapped(),
        1 => before + after >= shorter,
        _ => false,
    }
}

/// Returns how probably a word one slip away is the one that was meant: short words have many neighbours.
pub(super) fn slip_strength(known: &str, written: &str) -> f32 {
    let first = known.as_bytes().first() == written.as_bytes().first();
    let ends = if first { 1.0 } else { 0.6 };
    ends * match written.len().min(known.len()) {
        0..=3 => 0.4,
        4 => 0.55,
        5 => 0.7,
        6 => 0.8,
        _ => 0.9,
    }
}
