//! Finds known words that look like an unknown one: cognates, compounds and heavier misspellings.
//!
//! Words are compared by their character 3-grams after levelling the spelling habits of languages
//! (`Kalender`/`calendar`, `regulación`/`regulation`).

/// Known words filed under their 3-grams.
#[derive(Debug, Default)]
pub(super) struct Ngrams {
    /// (3-gram, word), sorted.
    postings: Vec<(u32, u32)>,
    /// How many 3-grams each word is filed under.
    sizes: Vec<u16>,
    /// The 3-grams of too many words to tell anything, sorted.
    common: Vec<u32>,
}

/// The shortest word that is compared.
const SHORTEST: usize = 5;
/// A 3-gram of more words than this is left out of all comparisons.
const COMMON: usize = 400;
/// The fewest telling 3-grams of a word that is compared.
const FEWEST: usize = 2;

impl Ngrams {
    /// Files words; a word is known by its position.
    pub(super) fn build<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let mut filed = Vec::new();
        let mut count = 0;
        for (word, text) in (0_u32..).zip(words) {
            filed.extend(grams(text).into_iter().map(|gram| (gram, word)));
            count += 1;
        }
        filed.sort_unstable();
        let mut index = Self {
            sizes: vec![0; count],
            ..Self::default()
        };
        for postings in filed.chunk_by(|left, right| left.0 == right.0) {
            match postings {
                [(gram, _), ..] if postings.len() > COMMON => index.common.push(*gram),
                _ => index.postings.extend_from_slice(postings),
            }
        }
        for (_, word) in &index.postings {
            if let Some(size) = index.sizes.get_mut(*word as usize) {
                *size = size.saturating_add(1);
            }
        }
        index
    }

    /// Returns the words that share at least `least` of their telling 3-grams with `word`, and the share (Dice).
    pub(super) fn similar(&self, word: &str, least: f32) -> Vec<(u32, f32)> {
        let mut wanted = grams(word);
        wanted.retain(|gram| self.common.binary_search(gram).is_err());
        if wanted.len() < FEWEST {
            return Vec::new();
        }
        let mut hits: Vec<u32> = Vec::new();
        for gram in &wanted {
            let start = self.postings.partition_point(|(filed, _)| filed < gram);
            let rest = self.postings.get(start..).unwrap_or_default();
            hits.extend(
                rest.iter()
                    .take_while(|(filed, _)| filed == gram)
                    .map(|(_, word)| *word),
            );
        }
        hits.sort_unstable();
        let dice = |run: &[u32]| {
            let word = *run.first()?;
            let size = *self.sizes.get(word as usize)?;
            let share = 2.0 * length(run) / (f32::from(size) + length(&wanted));
            (share >= least).then_some((word, share))
        };
        hits.chunk_by(|left, right| left == right)
            .filter_map(dice)
            .collect()
    }
}

fn length(items: &[u32]) -> f32 {
    f32::from(u16::try_from(items.len()).unwrap_or(u16::MAX))
}

/// Endings that mean the same in several languages, longest first, with their common form.
const ENDINGS: [(&str, &str); 22] = [
    ("aciones", "ation"),
    ("acoes", "ation"),
    ("acion", "ation"),
    ("acao", "ation"),
    ("ciones", "tion"),
    ("coes", "tion"),
    ("cion", "tion"),
    ("cao", "tion"),
    ("tionen", "tion"),
    ("sion", "tion"),
    ("idades", "ity"),
    ("idad", "ity"),
    ("idade", "ity"),
    ("itat", "ity"),
    ("ite", "ity"),
    ("encia", "ence"),
    ("enz", "ence"),
    ("mente", "ly"),
    ("isch", "ic"),
    ("ique", "ic"),
    ("ieren", "ate"),
    ("ario", "ary"),
];

fn levelled(word: &str) -> String {
    let (stem, ending) = ENDINGS
        .iter()
        .find_map(|(ending, common)| word.strip_suffix(ending).map(|stem| (stem, *common)))
        .unwrap_or((word, ""));
    let mut level = String::with_capacity(word.len());
    let mut last = ' ';
    for character in stem.chars().chain(ending.chars()) {
        let next = match character {
            'k' | 'q' => 'c',
            'y' => 'i',
            'z' => 's',
            'h' if last == 't' || last == 'r' => continue,
            other => other,
        };
        if last == 'p' && next == 'h' {
            level.pop();
            level.push('f');
            last = 'f';
        } else if next != last {
            level.push(next);
            last = next;
        }
    }
    level
}

fn grams(word: &str) -> Vec<u32> {
    if word.len() < SHORTEST || word.bytes().any(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    let characters: Vec<char> = [' ']
        .into_iter()
        .chain(levelled(word).chars())
        .chain([' '])
        .collect();
    let mut found: Vec<u32> = characters
        .windows(3)
        .map(|gram| {
            gram.iter().fold(0_u32, |code, character| {
                code.wrapping_mul(0x101).wrapping_add(u32::from(*character))
            })
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}
