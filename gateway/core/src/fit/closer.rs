//! Looks at agents once more with what their cards mean, after their words have been searched.
//!
//! Every card is compared as a whole; skill by skill only those that could still win, so that the work per agent of a
//! large federation is one product.

use super::calibrate::Curve;
use super::fusion::log_odds;
use super::index::{Index, Match, Skill};
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

impl<W: Fn(&Skill) -> bool> Closer<'_, W> {
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
            return Some(self.fused(held.position, held.words, whole));
        }
        let mut skills = self.index.skills_of(agent);
        let position = skills.find(|position| self.is_wanted(*position))?;
        Some(self.fused(position, self.words(position, scratch), whole))
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
        let wanted = skills.filter(|(_, position)| self.is_wanted(*position));
        let judged = wanted.map(|(place, position)| {
            let meaning = card.skill(place, whole, self.asked.request);
            self.fused(position, self.words(position, scratch), meaning)
        });
        judged.min_by(Match::order)
    }

    fn is_wanted(&self, position: u32) -> bool {
        self.index.skill(position).is_some_and(&self.is_wanted)
    }

    /// Returns the log-odds of a skill by its words, which may have none in common with the request.
    fn words(&self, position: u32, scratch: &Scratch) -> f32 {
        let evidence = scratch.evidence(position);
        self.curve.log_odds(&evidence, self.breadth_ln(position))
    }

    fn fused(&self, position: u32, words: f32, meaning: f32) -> Match {
        Match {
            position,
            log_odds: log_odds(words, meaning, self.breadth_ln(position)),
            words,
            meaning: Some(meaning),
        }
    }

    fn breadth_ln(&self, position: u32) -> f32 {
        let skill = self.index.skill(position);
        skill.map_or(0.0, |skill| skill.breadth_ln)
    }
}
