//! The terms of all cards, each with a number that stays the same while cards come and go.

use std::collections::HashMap;

use super::bridge::{BRIDGE, Concept, TOPICS};

/// Number of a term.
pub(super) type Term = u32;

/// What a term is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    /// A folded word or stem.
    Form(String),
    /// A concept of the bridge.
    Concept(Concept),
}

/// The terms of the cards read so far.
///
/// Concepts and topics have fixed numbers, forms get the next one when they are first seen.
#[derive(Debug, Clone, Default)]
pub(super) struct Vocabulary {
    forms: HashMap<Box<str>, Term>,
}

impl Vocabulary {
    /// Returns the term of a key, a new one for a new form.
    pub(super) fn intern(&mut self, key: Key) -> Term {
        match key {
            Key::Form(form) => {
                let next = self.len();
                *self.forms.entry(form.into()).or_insert(next)
            }
            Key::Concept(concept) => Self::concept(concept),
        }
    }

    /// Returns how many terms there are.
    pub(super) fn len(&self) -> Term {
        let forms = Term::try_from(self.forms.len()).unwrap_or(Term::MAX);
        forms.saturating_add(first_form())
    }

    /// Returns the term of a folded form.
    pub(super) fn form(&self, form: &str) -> Option<Term> {
        self.forms.get(form).copied()
    }

    /// Returns every form with its term, in no particular order.
    pub(super) fn forms(&self) -> impl Iterator<Item = (&str, Term)> {
        self.forms.iter().map(|(form, term)| (&**form, *term))
    }

    /// Returns the term of a concept.
    pub(super) fn concept(concept: Concept) -> Term {
        topics() + Term::from(concept)
    }

    /// Returns the term of a topic.
    pub(super) fn topic(topic: u8) -> Term {
        Term::from(topic)
    }

    /// Returns the concept a term stands for.
    pub(super) fn meaning(term: Term) -> Option<Concept> {
        let concept = term.checked_sub(topics())?;
        (term < first_form())
            .then(|| Concept::try_from(concept).ok())
            .flatten()
    }
}

fn topics() -> Term {
    Term::try_from(TOPICS).unwrap_or(Term::MAX)
}

fn first_form() -> Term {
    topics() + Term::try_from(BRIDGE.len()).unwrap_or(0)
}
