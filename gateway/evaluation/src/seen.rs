//! Ids that were seen: a file that was put together from several may hold a decision twice.

use std::collections::{HashSet, VecDeque};

use crate::fold::spread;

/// So many ids are remembered, 64 bits of each: some 30 MB. A decision that is repeated after more others than that counts
/// again.
const MOST: usize = 1_000_000;

/// Remembers the ids that were met last.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    known: HashSet<u64>,
    order: VecDeque<u64>,
}

impl Seen {
    /// Tells whether an id is new, and remembers it.
    pub(crate) fn is_new(&mut self, id: &str) -> bool {
        let number = spread(id);
        if !self.known.insert(number) {
            return false;
        }
        self.order.push_back(number);
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_new_once_and_again_when_it_is_forgotten() {
        let mut seen = Seen::default();
        assert!(seen.is_new("first"));
        assert!(!seen.is_new("first"));
        for number in 0..MOST {
            assert!(seen.is_new(&number.to_string()), "{number}");
        }
        assert_eq!(seen.known.len(), MOST);
        assert!(!seen.is_new("999999"));
        assert!(seen.is_new("first"));
    }
}
