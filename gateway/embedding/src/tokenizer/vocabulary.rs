//! Cuts a text into the pieces of a vocabulary such that all together are as likely as possible.

use std::collections::HashMap;

use super::file::{Kind, Piece};

/// How much less likely than the least likely piece a character is that no piece covers.
const UNKNOWN_PENALTY: f32 = 10.0;

/// The most characters of a piece. Longer ones are no words but a broken file, and would make cutting slow.
const LONGEST_PIECE: usize = 64;

/// Knows all pieces of text with their tokens and scores.
pub(crate) struct Vocabulary {
    pieces: HashMap<Box<str>, Entry>,
    /// The number of characters in the longest piece.
    longest: usize,
    unknown: Entry,
}

#[derive(Clone, Copy)]
struct Entry {
    token: u32,
    score: f32,
}

/// The best way to cut a text up to some place: what it scores, and its last piece.
#[derive(Clone, Copy)]
struct Best {
    score: f32,
    start: usize,
    token: u32,
}

impl Vocabulary {
    /// Keeps the pieces that stand for text. What marks something can only be put there by the model itself, so a text
    /// with `</s>` in it is a text with six characters more.
    pub(crate) fn new(pieces: Vec<Piece>, unknown: u32) -> Result<Self, &'static str> {
        let mut known = HashMap::with_capacity(pieces.len());
        let (mut longest, mut lowest) = (0, f32::MAX);
        for (token, piece) in (0..).zip(pieces) {
            if piece.kind() != Kind::Normal {
                continue;
            }
            let score = piece.score();
            if !score.is_finite() {
                return Err("the score of a piece is no number");
            }
            let text = piece.text.unwrap_or_default();
            longest = longest.max(text.chars().count());
            lowest = lowest.min(score);
            known.insert(text.into_boxed_str(), Entry { token, score });
        }
        if longest == 0 {
            return Err("it has no pieces of text");
        }
        if longest > LONGEST_PIECE {
            return Err("it has a piece of more than 64 characters");
        }
        let unknown = Entry {
            token: unknown,
            score: lowest - UNKNOWN_PENALTY,
        };
        Ok(Self {
            pieces: known,
            longest,
            unknown,
        })
    }

    /// Cuts a text. Neighbours that no piece covers become one unknown token.
    pub(crate) fn cut(&self, text: &str) -> Vec<u32> {
        let best = self.best(text);
        let mut tokens = Vec::new();
        let mut end = text.len();
        while end > 0 {
            let Best { start, token, .. } = best[end];
            if token != self.unknown.token || tokens.last() != Some(&token) {
                tokens.push(token);
            }
            end = start;
        }
        tokens.reverse();
        tokens
    }

    /// Finds for every place in a text the best way to get there, from left to right. The first of equals stays.
    fn best(&self, text: &str) -> Vec<Best> {
        let nowhere = Best {
            score: f32::NEG_INFINITY,
            start: 0,
            token: 0,
        };
        let mut best = vec![nowhere; text.len() + 1];
        best[0].score = 0.0;
        for (start, first) in text.char_indices() {
            let so_far = best[start].score;
            let mut reach = |end: usize, entry: Entry| {
                let score = so_far + entry.score;
                if score > best[end].score {
                    best[end] = Best {
                        score,
                        start,
                        token: entry.token,
                    };
                }
            };
            let rest = text.split_at(start).1;
            let mut covered = false;
            for (offset, last) in rest.char_indices().take(self.longest) {
                let length = offset + last.len_utf8();
                if let Some(entry) = self.pieces.get(rest.split_at(length).0) {
                    covered |= offset == 0;
                    reach(start + length, *entry);
                }
            }
            if !covered {
                reach(start + first.len_utf8(), self.unknown);
            }
        }
        best
    }
}
