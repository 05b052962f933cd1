//! Writes a text as the model was trained on it: compatible characters as one, white space as one visible sign.

/// Stands for white space, and before the first word.
pub(crate) const SPACE: char = '\u{2581}';

/// Replaces characters, and sequences of them, by a table that the model brings.
pub(crate) struct Normalizer {
    /// A double-array trie over the sequences: the units of darts-clone.
    units: Vec<u32>,
    /// All replacements, each ended by a 0.
    replacements: String,
}

impl Normalizer {
    /// Reads the table: the length of the trie in bytes, the trie, the replacements. Returns what is wrong with it.
    pub(crate) fn parse(charsmap: &[u8]) -> Result<Self, &'static str> {
        let Some((length, rest)) = charsmap.split_first_chunk() else {
            return Err("its table of characters is empty");
        };
        let length = u32::from_le_bytes(*length) as usize;
        let Some((trie, replacements)) = rest.split_at_checked(length) else {
            return Err("its table of characters is cut short");
        };
        let (units, odd) = trie.as_chunks();
        if units.is_empty() || !odd.is_empty() {
            return Err("its table of characters has no whole number of units");
        }
        let replacements = str::from_utf8(replacements)
            .map_err(|_| "its replacements of characters are not UTF-8")?;
        Ok(Self {
            units: units.iter().map(|unit| u32::from_le_bytes(*unit)).collect(),
            replacements: replacements.to_owned(),
        })
    }

    /// Writes a text anew and stops as soon as the result has `limit` bytes. A text of white space only becomes empty.
    pub(crate) fn apply(&self, text: &str, limit: usize) -> String {
        let mut normalized = String::from(SPACE);
        let mut after_space = true;
        let mut rest = text;
        while !rest.is_empty() && normalized.len() < limit {
            let (replacement, others) = self.step(rest);
            rest = others;
            let visible = if after_space {
                replacement.trim_start_matches(' ')
            } else {
                replacement
            };
            if !visible.is_empty() {
                let signs = visible
                    .chars()
                    .map(|sign| if sign == ' ' { SPACE } else { sign });
                normalized.extend(signs);
                after_space = visible.ends_with(' ');
            }
        }
        normalized.truncate(normalized.trim_end_matches(SPACE).len());
        normalized
    }

    /// Returns what the beginning of a text is replaced by, and the rest of the text.
    fn step<'a>(&'a self, text: &'a str) -> (&'a str, &'a str) {
        if let Some((length, place)) = self.longest(text)
            && let Some(replacement) = self.replacements.get(place..)
            && let Some((replacement, _)) = replacement.split_once('\0')
        {
            return (replacement, text.split_at(length).1);
        }
        text.split_at(text.chars().next().map_or(0, char::len_utf8))
    }

    /// Finds the longest sequence of the table that a text begins with: its length, and the place of its replacement.
    fn longest(&self, text: &str) -> Option<(usize, usize)> {
        let mut found = None;
        let mut node = offset(*self.units.first()?);
        for (index, byte) in text.bytes().enumerate() {
            node ^= usize::from(byte);
            let Some(&unit) = self.units.get(node) else {
                break;
            };
            // The highest bit marks a value, so it is no label.
            if unit & 0x8000_00ff != u32::from(byte) {
                break;
            }
            node ^= offset(unit);
            let has_value = unit & 0x100 != 0;
            if has_value && text.is_char_boundary(index + 1) {
                let value = self.units.get(node).map(|value| value & 0x7fff_ffff);
                found = value.map(|value| (index + 1, value as usize)).or(found);
            }
        }
        found
    }
}

/// Returns how far the children of a unit are from it.
fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & 0x200) >> 6)) as usize
}
