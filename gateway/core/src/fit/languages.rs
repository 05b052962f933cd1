//! Tells the languages of a text by its function words, and stems words of those languages.

use rust_stemmers::{Algorithm, Stemmer};

use super::tokens::fold;

/// A language with a stop list, a stemmer and a column of the bridge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    English,
    Spanish,
    Portuguese,
    French,
    German,
    Chinese,
}

impl Language {
    /// All languages, in the order of the bridge's columns.
    pub(super) const ALL: [Self; 6] = [
        Self::English,
        Self::Spanish,
        Self::Portuguese,
        Self::French,
        Self::German,
        Self::Chinese,
    ];

    const fn algorithm(self) -> Option<Algorithm> {
        match self {
            Self::English => Some(Algorithm::English),
            Self::Spanish => Some(Algorithm::Spanish),
            Self::Portuguese => Some(Algorithm::Portuguese),
            Self::French => Some(Algorithm::French),
            Self::German => Some(Algorithm::German),
            Self::Chinese => None,
        }
    }
}

/// A set of languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Languages(u8);

impl Languages {
    /// Every language.
    pub(super) const ALL: Self = Self(0b11_1111);

    /// Returns the set of one language.
    pub(super) const fn of(language: Language) -> Self {
        Self(1 << language as u8)
    }

    /// Puts a language into the set.
    pub(super) const fn add(&mut self, language: Language) {
        self.0 |= Self::of(language).0;
    }

    /// Says whether a language is in the set.
    pub(super) const fn has(self, language: Language) -> bool {
        self.meets(Self::of(language))
    }

    /// Says whether two sets share a language.
    pub(super) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    const fn len(self) -> u32 {
        self.0.count_ones()
    }
}

/// What the function words of a text say about its language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Profile {
    /// The languages the text is probably in.
    pub(super) likely: Languages,
    /// Whether function words were found at all; without them words of every language are looked up.
    pub(super) sure: bool,
}

impl Profile {
    /// A text known to be English.
    pub(super) const ENGLISH: Self = Self {
        likely: Languages::of(Language::English),
        sure: true,
    };

    /// Returns the languages words are stemmed in: the likely ones, and English since terms often are.
    pub(super) const fn stemmed(self) -> Languages {
        if self.sure {
            Languages(self.likely.0 | Languages::of(Language::English).0)
        } else {
            Languages::ALL
        }
    }

    /// Returns the languages whose bridge columns are looked up.
    pub(super) const fn readable(self) -> Languages {
        if self.sure {
            self.likely
        } else {
            Languages::ALL
        }
    }
}

/// A second language counts when its words weigh at least this share of the first one's.
const SECOND_SHARE: f32 = 0.7;

/// Tells the languages of a text from those in which each of its words is a stop word.
pub(super) fn profile(words: impl IntoIterator<Item = Languages>) -> Profile {
    let mut weights = [0.0_f32; 6];
    for languages in words {
        for (weight, language) in weights.iter_mut().zip(Language::ALL) {
            if languages.has(language) {
                *weight += [0.0, 1.0, 0.5, 0.3, 0.2, 0.1, 0.1][languages.len() as usize];
            }
        }
    }
    let best = weights.iter().copied().fold(0.0_f32, f32::max);
    let mut likely = Languages::default();
    for (weight, language) in weights.into_iter().zip(Language::ALL) {
        if best > 0.0 && weight >= SECOND_SHARE * best {
            likely.add(language);
        }
    }
    let sure = best >= 0.5;
    if !sure || likely == Languages::default() {
        likely.add(Language::English);
    }
    likely.add(Language::Chinese);
    Profile { likely, sure }
}

/// The stemmers of all languages, made once per index.
pub(super) struct Stemmers(Vec<(Language, Stemmer)>);

impl Stemmers {
    /// Makes the stemmers.
    pub(super) fn new() -> Self {
        let of = |language: Language| {
            language
                .algorithm()
                .map(|algorithm| (language, Stemmer::create(algorithm)))
        };
        Self(Language::ALL.into_iter().filter_map(of).collect())
    }

    /// Calls `each` with the folded stem of a word in every given language.
    ///
    /// The stem is taken before folding, because suffixes such as `-ción` are told by their accents.
    pub(super) fn stems(
        &self,
        written: &str,
        languages: Languages,
        mut each: impl FnMut(Language, String),
    ) {
        let lower = written.to_lowercase();
        for (language, stemmer) in &self.0 {
            if languages.has(*language) {
                each(*language, fold(&stemmer.stem(&lower)));
            }
        }
    }
}

impl Default for Stemmers {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Stemmers {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Stemmers")
    }
}
