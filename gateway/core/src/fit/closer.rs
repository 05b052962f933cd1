//! Looks at agents once more with what their cards mean, after their words have been searched.
//!
//! Every card is compared as a whole; skill by skill only those that could still win, so that the work per agent of a
//! large federation is one product.

use super::block::Judged;
use super::calibrate::{Curve, Evidence};
use super::fusion::log_odds;
use super::index::{Index, Match};
use super::scratch::Scratch;
use crate::meaning::{CardMeaning, Direction, Meanings};

/// Agents whose skills are compared one by one.
const CLOSELY: usize = 100;

/// A request, as far as meaning goes.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// What it means.
    pub request: &'a Direction,
    /// What the cards mean.
    pub cards: &'a Meanings,
}

/// A search for a request whose words have been searched.
pub(super) struct Closer<'a, W> {
    pub(super) index: &'a Index,
    pub(super) asked: Asked<'a>,
    /// What makes log-odds of the evidence of words.
    pub(super) curve: Curve,
    pub(super) is_wanted: W,
}

impl<W: Fn(u32) -> bool> Closer<'_, W> {
    /// Judges anew every agent whose card's meaning is known.
    pub(super) fn look(&self, scratch: &mut Scratch) {
        let mut glances = std::mem::take(&mut scratch.glances);
        for (agent, whole) in self.asked.cards.closeness(self.asked.request) {
            let Some(glance) = self.glance(agent, whole, scratch) else {
                continue;
            };
            glances.push((glance.log_odds, whole, agent));
            scratch.judge(agent, glance);
        }
        if glances.len() > CLOSELY {
            glances.select_nth_unstable_by(CLOSELY, |left, right| right.0.total_cmp(&left.0));
        }
        for (_, whole, agent) in glances.iter().take(CLOSELY) {
            if let Some(card) = self.asked.cards.get(*agent)
                && let Some(best) = self.best(*agent, card, *whole, scratch)
            {
                scratch.judge(*agent, best);
            }
        }
        glances.clear();
        scratch.glances = glances;
    }

    /// Judges an agent by its card as a whole.
    fn glance(&self, agent: usize, whole: f32, scratch: &Scratch) -> Option<Match> {
        if let Some(held) = scratch.best(agent) {
            return Some(self.fused(*held, whole));
        }
        let mut skills = self.index.skills_of(agent);
        let position = skills.find(|position| (self.is_wanted)(*position))?;
        Some(self.fused(self.by_words(position, scratch), whole))
    }

    /// Judges an agent by the skill that is closest in words and meaning.
    fn best(
        &self,
        agent: usize,
        card: &CardMeaning,
        whole: f32,
        scratch: &Scratch,
    ) -> Option<Match> {
        let skills = (0..).zip(self.index.skills_of(agent));
        let wanted = skills.filter(|(_, position)| (self.is_wanted)(*position));
        let judged = wanted.map(|(place, position)| {
            let meaning = card.skill(place, whole, self.asked.request);
            self.fused(self.by_words(position, scratch), meaning)
        });
        judged.min_by(Match::order)
    }

    /// Judges a skill by its words, which may have none in common with the request.
    fn by_words(&self, position: u32, scratch: &Scratch) -> Match {
        let judged = scratch.words(position).unwrap_or_else(|| Judged {
            log_odds: self
                .curve
                .log_odds(&Evidence::default(), self.breadth_ln(position)),
            total: 0.0,
        });
        Match::by_words(position, judged)
    }

    fn fused(&self, by_words: Match, meaning: f32) -> Match {
        let breadth_ln = self.breadth_ln(by_words.position);
        Match {
            log_odds: log_odds(by_words.words, meaning, breadth_ln),
            meaning: Some(meaning),
            ..by_words
        }
    }

    fn breadth_ln(&self, position: u32) -> f32 {
        let skill = self.index.skill(position);
        skill.map_or(0.0, |skill| skill.breadth_ln)
    }
}
