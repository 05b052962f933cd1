//! Just enough understanding of English and Spanish text for the agents to behave sensibly.

/// A language that the agents answer in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    Spanish,
}

const ENGLISH: &[&str] = &[
    "a", "an", "and", "are", "can", "do", "does", "for", "hello", "hi", "how", "i", "in", "is",
    "it", "me", "my", "of", "on", "please", "thanks", "the", "to", "what", "when", "where", "with",
    "you",
];

const SPANISH: &[&str] = &[
    "al", "beca", "carta", "como", "con", "cual", "cuando", "cuanto", "cuantos", "cuesta", "de",
    "del", "donde", "el", "en", "es", "esta", "estan", "factura", "gracias", "hay", "hola", "la",
    "las", "los", "mi", "mis", "necesito", "para", "pagar", "por", "puedo", "que", "quiero",
    "recibo", "se", "un", "una", "y",
];

impl Language {
    /// Guesses the language of a text from its small words; English when nothing tells.
    pub(crate) fn of(text: &str) -> Self {
        let words = words(text);
        let count = |list: &[&str]| {
            words
                .iter()
                .filter(|word| list.contains(&word.as_str()))
                .count()
        };
        let marks = text
            .chars()
            .filter(|&letter| "¿¡ñáéíóúÑÁÉÍÓÚ".contains(letter))
            .count();
        if count(SPANISH) + marks > count(ENGLISH) {
            Self::Spanish
        } else {
            Self::English
        }
    }
}

/// Returns a text in small letters without accents.
pub(crate) fn fold(text: &str) -> String {
    let plain = |letter| match letter {
        'á' => 'a',
        'é' => 'e',
        'í' => 'i',
        'ó' => 'o',
        'ú' | 'ü' => 'u',
        'ñ' => 'n',
        other => other,
    };
    text.to_lowercase().chars().map(plain).collect()
}

/// Returns the words of a text, folded.
pub(crate) fn words(text: &str) -> Vec<String> {
    let folded = fold(text);
    let words = folded.split(|letter: char| !letter.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Tells whether a word of the text begins with one of these folded beginnings.
pub(crate) fn mentions(text: &str, beginnings: &[&str]) -> bool {
    let words = words(text);
    words.iter().any(|word| {
        beginnings
            .iter()
            .any(|beginning| word.starts_with(beginning))
    })
}

/// A number found in a text, and what it counts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Quantity {
    /// The number in hundredths, so that amounts of money stay exact.
    pub(crate) hundredths: u64,
    /// The folded word after the number, or `€`.
    pub(crate) unit: String,
}

impl Quantity {
    /// Tells whether this is an amount of money.
    pub(crate) fn is_money(&self) -> bool {
        self.unit == "€" || self.unit.starts_with("eur")
    }
}

/// Returns the numbers of a text: `18.000 €`, `€18,000`, `18000.50 euros`, `60 credits`.
pub(crate) fn quantities(text: &str) -> Vec<Quantity> {
    let folded = fold(text);
    let tokens: Vec<&str> = folded
        .split_whitespace()
        .map(|token| token.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '€'))
        .filter(|token| !token.is_empty())
        .collect();
    let mut found = Vec::new();
    for (position, token) in tokens.iter().enumerate() {
        let number: String = token
            .chars()
            .filter(|c| c.is_ascii_digit() || ".,".contains(*c))
            .collect();
        let Some(hundredths) = hundredths(&number) else {
            continue;
        };
        let rest: String = token.chars().filter(|c| !number.contains(*c)).collect();
        let next = tokens.get(position + 1).copied().unwrap_or_default();
        let unit = if rest.is_empty() {
            next.to_owned()
        } else {
            rest
        };
        found.push(Quantity { hundredths, unit });
    }
    found
}

/// Reads digits whose last separator, when one or two digits follow it, is that of the decimals.
fn hundredths(number: &str) -> Option<u64> {
    let groups: Vec<&str> = number.split(['.', ',']).collect();
    let (decimals, whole) = match groups.split_last()? {
        (last, before) if !before.is_empty() && last.len() < 3 => (format!("{last:0<2}"), before),
        _ => ("00".to_owned(), groups.as_slice()),
    };
    format!("{}{decimals}", whole.concat())
        .parse()
        .ok()
        .filter(|_| !whole.concat().is_empty())
}

/// Returns an amount of money as it is written in the language: `1,110.00 €` or `1.110,00 €`.
pub(crate) fn euros(cents: u64, language: Language) -> String {
    let (thousands, decimal) = match language {
        Language::English => (',', '.'),
        Language::Spanish => ('.', ','),
    };
    let digits = (cents / 100).to_string();
    let mut whole = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            whole.push(thousands);
        }
        whole.push(digit);
    }
    format!("{whole}{decimal}{:02} €", cents % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_words_tell_the_language() {
        assert_eq!(
            Language::of("What is the attendance rule?"),
            Language::English
        );
        assert_eq!(
            Language::of("¿Cuál es la norma de asistencia?"),
            Language::Spanish
        );
        assert_eq!(Language::of("quiero pagar mi factura"), Language::Spanish);
        assert_eq!(Language::of("48213"), Language::English);
    }

    #[test]
    fn amounts_are_read_in_both_notations() {
        let read = |text| quantities(text).remove(0);
        for text in [
            "18.000 €",
            "18,000 euros",
            "€18000",
            "18000€",
            "18.000,00 euros.",
            "18000 EUR",
        ] {
            let quantity = read(text);
            assert_eq!(quantity.hundredths, 1_800_000, "{text}");
            assert!(quantity.is_money(), "{text}");
        }
        assert_eq!(read("12,5 euros").hundredths, 1_250);
        assert_eq!(
            read("60 créditos"),
            Quantity {
                hundredths: 6_000,
                unit: "creditos".to_owned()
            }
        );
    }

    #[test]
    fn what_is_no_number_is_not_read_as_one() {
        assert!(quantities("no figures, none at all... €").is_empty());
        assert!(quantities("99999999999999999999999 euros").is_empty());
    }

    #[test]
    fn money_is_written_as_the_language_does() {
        assert_eq!(euros(111_000, Language::English), "1,110.00 €");
        assert_eq!(euros(111_005, Language::Spanish), "1.110,05 €");
        assert_eq!(euros(99, Language::English), "0.99 €");
    }
}
