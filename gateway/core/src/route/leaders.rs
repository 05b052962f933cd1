//! The candidates that scored best, held without memory for each of the many that did not.

use super::assess::{Assessed, TIE, by_score, rank};

/// As many of the best as are wanted, and all that tie with the very best: which of those comes first is settled last.
#[derive(Debug)]
pub(super) struct Leaders<'a> {
    most: usize,
    held: Vec<Assessed<'a>>,
    /// Held before those that cannot matter are let go.
    room: usize,
    bar: Option<Bar<'a>>,
    count: usize,
}

/// What a candidate must not fall short of.
#[derive(Debug)]
struct Bar<'a> {
    /// The last of as many as are wanted.
    last: Assessed<'a>,
    /// The score from which on one may tie with the best.
    tied: f64,
}

impl<'a> Leaders<'a> {
    /// Holds this many of the best, one at least.
    pub(super) fn new(most: usize) -> Self {
        let most = most.max(1);
        Self {
            most,
            held: Vec::new(),
            room: most.saturating_mul(2),
            bar: None,
            count: 0,
        }
    }

    /// Sees a candidate.
    pub(super) fn add(&mut self, candidate: Assessed<'a>) {
        self.count += 1;
        if self
            .bar
            .as_ref()
            .is_some_and(|bar| bar.is_above(&candidate))
        {
            return;
        }
        self.held.push(candidate);
        if self.held.len() >= self.room {
            self.let_go();
            self.room = (self.most + self.held.len()).saturating_mul(2);
        }
    }

    /// Returns how many candidates were seen.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns those held, best first.
    pub(super) fn ranked(mut self, message_id: Option<&str>) -> Vec<Assessed<'a>> {
        self.let_go();
        rank(&mut self.held, message_id);
        self.held.truncate(self.most);
        self.held
    }

    fn let_go(&mut self) {
        let last = self.most - 1;
        if self.held.len() <= self.most {
            return;
        }
        let (before, last, _) = self.held.select_nth_unstable_by(last, by_score);
        let best = before
            .iter()
            .fold(last.score, |best, one| best.max(one.score));
        let bar = Bar {
            last: *last,
            tied: best - TIE,
        };
        self.held.retain(|one| !bar.is_above(one));
        self.bar = Some(bar);
    }
}

impl Bar<'_> {
    fn is_above(&self, candidate: &Assessed<'_>) -> bool {
        candidate.score < self.tied && by_score(&self.last, candidate).is_lt()
    }
}
