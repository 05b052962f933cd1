//! The postings of a request's words, read block by block.

use super::block::{Block, Counted};
use super::dictionary::Posting;

/// The postings of one word.
#[derive(Debug)]
pub(super) struct WordPostings<'i> {
    lists: Vec<List<'i>>,
}

/// The postings of one of its terms.
#[derive(Debug)]
struct List<'i> {
    counted: Counted,
    /// Those in the block that is read.
    here: &'i [Posting],
    /// Those in blocks after it.
    rest: &'i [Posting],
}

impl<'i> WordPostings<'i> {
    /// Takes the terms of a word with their postings; of terms with the same ones only the first counts, which should be
    /// the strongest.
    pub(super) fn of(terms: impl Iterator<Item = (Counted, &'i [Posting])>) -> Self {
        let mut lists: Vec<List<'i>> = Vec::new();
        for (counted, postings) in terms {
            if lists.iter().all(|list| !std::ptr::eq(list.rest, postings)) {
                lists.push(List {
                    counted,
                    here: &[],
                    rest: postings,
                });
            }
        }
        Self { lists }
    }

    /// Counts the word for the skills of a block that ends before a position. Blocks have to come one after the other.
    pub(super) fn count(&mut self, block: &mut Block, end: u32) {
        if let [list] = self.lists.as_mut_slice() {
            list.advance(end);
            block.add(list.here, list.counted);
            return;
        }
        for list in &mut self.lists {
            list.advance(end);
            block.raise(list.here, list.counted);
        }
        for list in &self.lists {
            block.end_word(list.here);
        }
    }
}

impl List<'_> {
    fn advance(&mut self, end: u32) {
        let is_before = |posting: &Posting| posting.skill < end;
        let length = if self.rest.first().is_some_and(is_before) {
            self.rest.partition_point(is_before)
        } else {
            0
        };
        (self.here, self.rest) = self.rest.split_at(length);
    }
}
