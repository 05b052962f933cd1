//! The bridge between languages: everyday words of six languages tied to shared concepts.
//!
//! Cards are mostly English and requests are not, so a word of a request and a word of a card may meet in a
//! concept. The table is general vocabulary of services, kept in `bridge.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::languages::{Language, Languages, Stemmers};
use super::tokens::{fold, tokens};

/// Position of a concept in the table.
pub(super) type Concept = u16;

/// More than the topics of the table, the number 0 being no topic.
pub(super) const TOPICS: usize = 32;

/// A word of the table.
#[derive(Debug)]
pub(super) struct BridgeWord {
    /// The folded word.
    pub(super) folded: String,
    /// The column it stands in.
    pub(super) language: Language,
    /// The line it stands on.
    pub(super) concept: Concept,
}

/// The table, ready for look-up.
#[derive(Debug, Default)]
pub(super) struct Bridge {
    by_form: HashMap<String, Vec<(Language, Concept)>>,
    topics: Vec<u8>,
    /// Every word as listed, but the Chinese ones.
    pub(super) words: Vec<BridgeWord>,
}

/// The one table.
pub(super) static BRIDGE: LazyLock<Bridge> =
    LazyLock::new(|| Bridge::read(include_str!("bridge.txt")));

impl Bridge {
    fn read(table: &str) -> Self {
        let stemmers = Stemmers::new();
        let mut bridge = Self::default();
        let mut topic = 0;
        for line in table
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            if line.starts_with('[') {
                topic += 1;
                continue;
            }
            let concept = Concept::try_from(bridge.topics.len()).unwrap_or(Concept::MAX);
            bridge.topics.push(topic);
            for (column, language) in line.split('|').zip(Language::ALL) {
                for word in column.split_whitespace() {
                    bridge.insert(word, language, concept, &stemmers);
                }
            }
        }
        bridge
    }

    fn insert(&mut self, word: &str, language: Language, concept: Concept, stemmers: &Stemmers) {
        if language == Language::Chinese {
            for pair in tokens(word) {
                self.insert_form(pair.folded, language, concept);
            }
            return;
        }
        let folded = fold(word);
        stemmers.stems(word, Languages::of(language), |_, stem| {
            self.insert_form(stem, language, concept);
        });
        self.insert_form(folded.clone(), language, concept);
        self.words.push(BridgeWord {
            folded,
            language,
            concept,
        });
    }

    fn insert_form(&mut self, form: String, language: Language, concept: Concept) {
        let entries = self.by_form.entry(form).or_default();
        if !entries.contains(&(language, concept)) {
            entries.push((language, concept));
        }
    }

    /// Adds the concepts a form has in the given languages to `found`, each once.
    pub(super) fn concepts(&self, form: &str, languages: Languages, found: &mut Vec<Concept>) {
        for (language, concept) in self.by_form.get(form).into_iter().flatten() {
            if languages.has(*language) && !found.contains(concept) {
                found.push(*concept);
            }
        }
    }

    /// Returns how many concepts the table has.
    pub(super) fn len(&self) -> usize {
        self.topics.len()
    }

    /// Returns the topic of a concept, from 1.
    pub(super) fn topic(&self, concept: Concept) -> u8 {
        self.topics.get(usize::from(concept)).copied().unwrap_or(0)
    }
}
