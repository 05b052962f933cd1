//! What a card means: as a whole, and skill by skill.

use super::direction::{Direction, Rounded, round};
use crate::fit::{AgentText, SkillText};

/// Examples of a skill that are read: more of them must not mean more chances to be close to a request.
const EXAMPLES: usize = 5;
/// Texts of a card that are read, so that a huge card costs no more than a large one.
const TEXTS: usize = 200;
/// How much the card as a whole counts; the rest is for the skill.
const WHOLE: f32 = 0.5;

/// What a card means.
#[derive(Debug, Clone, PartialEq)]
pub struct CardMeaning {
    pub(super) width: usize,
    /// Of each text one after the other: the whole card, then skill by skill.
    pub(super) numbers: Box<[i8]>,
    /// Of each text.
    pub(super) scales: Box<[f32]>,
    /// Of each skill: past its last text.
    pub(super) ends: Box<[usize]>,
}

/// The texts of a card that are read.
#[derive(Debug)]
pub(super) struct CardTexts {
    /// The whole card, then skill by skill.
    pub(super) texts: Vec<String>,
    /// Of each skill: past its last text.
    ends: Vec<usize>,
}

impl CardTexts {
    /// Collects the texts of a card.
    pub(super) fn of(agent: &AgentText<'_>) -> Self {
        let mut texts = vec![whole(agent)];
        let mut ends = Vec::with_capacity(agent.skills.len());
        for skill in &agent.skills {
            let room = TEXTS.saturating_sub(texts.len());
            let examples = skill.examples.iter().take(EXAMPLES).cloned();
            let own = [named(skill)].into_iter().chain(examples);
            texts.extend(own.filter(|text| !text.trim().is_empty()).take(room));
            ends.push(texts.len());
        }
        Self { texts, ends }
    }
}

impl CardMeaning {
    /// Puts together what a model made of the texts of a card.
    pub(super) fn of(texts: &CardTexts, vectors: &[Vec<f32>]) -> Self {
        let mut numbers = Vec::new();
        let scales = vectors.iter().map(|vector| round(vector, &mut numbers));
        let scales = scales.collect();
        Self {
            width: vectors.first().map_or(0, Vec::len),
            numbers: numbers.into(),
            scales,
            ends: texts.ends.as_slice().into(),
        }
    }

    /// Returns the direction of the card as a whole.
    pub(super) fn first(&self) -> Option<Rounded<'_>> {
        self.direction(0)
    }

    /// Returns how close a skill of the card is to a request, `whole` being how close the card is: half by that, half
    /// by the text of the skill that is closest. A skill without texts of its own is as close as the card.
    pub(crate) fn skill(&self, skill: usize, whole: f32, request: &Direction) -> f32 {
        let end = self.ends.get(skill).copied().unwrap_or(1);
        let start = skill
            .checked_sub(1)
            .and_then(|before| self.ends.get(before));
        let start = start.copied().unwrap_or(1);
        let closest = (start..end).filter_map(|text| self.text(text, request));
        let closest = closest.reduce(f32::max).unwrap_or(whole);
        WHOLE * whole + (1.0 - WHOLE) * closest
    }

    /// Returns how many bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.numbers.len() + size_of_val(&*self.scales) + size_of_val(&*self.ends)
    }

    fn text(&self, text: usize, request: &Direction) -> Option<f32> {
        debug_assert_eq!(
            self.width,
            request.width(),
            "directions of different models"
        );
        Some(request.product(self.direction(text)?))
    }

    fn direction(&self, text: usize) -> Option<Rounded<'_>> {
        let from = text * self.width;
        let numbers = self.numbers.get(from..from + self.width)?;
        let scale = *self.scales.get(text)?;
        Some(Rounded { numbers, scale })
    }
}

fn whole(agent: &AgentText<'_>) -> String {
    let skills = agent.skills.iter().map(named);
    let own = [agent.name.to_owned(), agent.description.to_owned()];
    let texts: Vec<String> = own.into_iter().chain(skills).collect();
    texts.join(" ")
}

fn named(skill: &SkillText<'_>) -> String {
    format!("{}. {}", skill.name, skill.description)
}
