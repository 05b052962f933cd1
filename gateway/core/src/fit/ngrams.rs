//! Finds known words that look like an unknown one: cognates, compounds and heavier misspellings.
//!
//! Words are compared by their character 3-grams after levelling the spelling habits of languages
//! (`Kalender`/`calendar`, `regulación`/`regulation`).

/// Known words filed under their 3-grams.
#[derive(Debug, Default)]
pub(super) struct Ngrams {
    /// (3-gram, word), sorted.
    postings: Vec<(u32, u32)>,
    /// How many 3-grams each word has.
    sizes: Vec<u16>,
}

/// The shortest word that is compared.
const SHORTEST: usize = 5;
/// A 3-gram in more words than this tells nothing and is skipped.
const COMMON: usize = 1500;

impl Ngrams {
    /// Files words; a word is known by its position.
    pub(super) fn build<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let mut index = Self::default();
        for (word, text) in (0_u32..).zip(words) {
            let grams = grams(text);
            index
                .sizes
                .push(u16::try_from(grams.len()).unwrap_or(u16::MAX));
            index
                .postings
                .extend(grams.into_iter().map(|gram| (gram, word)));
        }
        index.postings.sort_unstable();
        index
    }

    /// Returns the words that share at least `least` of their 3-grams with `word` (Dice coefficient), with it.
    pub(super) fn similar(&self, word: &str, least: f32) -> Vec<(u32, f32)> {
        let wanted = grams(word);
        let mut hits = Vec::new();
        for gram in &wanted {
            let start = self.postings.partition_point(|(filed, _)| filed < gram);
            let count = self
                .postings
                .iter()
                .skip(start)
                .take(COMMON + 1)
                .take_while(|(filed, _)| filed == gram)
                .count();
            if count <= COMMON {
                hits.extend(
                    self.postings
                        .iter()
                        .skip(start)
                        .take(count)
                        .map(|(_, position)| *position),
                );
            }
        }
        hits.sort_unstable();
        let dice = |run: &[u32]| {
            let position = *run.first()?;
            let size = self
                .sizes
                .get(usize::try_from(position).ok()?)
                .copied()
                .unwrap_or(0);
            let both = f32::from(size) + f32::from(u16::try_from(wanted.len()).unwrap_or(u16::MAX));
            let shared = f32::from(u16::try_from(run.len()).unwrap_or(u16::MAX));
            Some((position, 2.0 * shared / both)).filter(|(_, similarity)| *similarity >= least)
        };
        hits.chunk_by(|left, right| left == right)
            .filter_map(dice)
            .collect()
    }
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
