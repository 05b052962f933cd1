//! Chance that is the same for the same question: a message that is sent again meets the same, and a record can be
//! recomputed.

use aws_lc_rs::digest::{Context, SHA256};
use rand::{Rng as _, SeedableRng as _, rngs::ChaCha8Rng};
use rand_distr::{Beta, Distribution as _};

use crate::route::choice::Question;

/// Random numbers that follow from a message and a profile.
#[derive(Debug)]
pub(super) struct Dice(ChaCha8Rng);

impl Dice {
    /// Takes the message by its id, or by the digest of its parameters where it has none, and the profile by its
    /// contents, so that two profiles do not explore the same messages.
    pub(super) fn of(question: Question<'_>) -> Self {
        let features = question.features;
        let message = features.message_id.as_ref().unwrap_or(&features.digest);
        Self::seeded(message, question.profile.version())
    }

    fn seeded(message: &str, profile: &str) -> Self {
        let mut context = Context::new(&SHA256);
        context.update(profile.as_bytes());
        context.update(b"\n");
        context.update(message.as_bytes());
        let mut seed = [0; 32];
        seed.copy_from_slice(context.finish().as_ref());
        Self(ChaCha8Rng::from_seed(seed))
    }

    /// Draws from the Beta distribution of this mean and strength, the sum of its two parameters. One that knows
    /// everything is its mean.
    pub(super) fn beta(&mut self, mean: f64, strength: f64) -> f64 {
        let distribution = Beta::new(mean * strength, (1.0 - mean) * strength);
        distribution.map_or(mean, |distribution| distribution.sample(&mut self.0))
    }

    /// Draws from [0,1), every multiple of 2⁻⁵³ alike.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    pub(super) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_message_stay_the_same_over_releases() {
        let mut dice = Dice::seeded("m-1", "balanced@0f7784c8");
        let drawn: Vec<f64> = vec![
            dice.unit(),
            dice.beta(0.8, 10.0),
            dice.beta(0.05, 2.0),
            dice.unit(),
        ];
        // Written out, since records of earlier releases were made with them.
        assert_eq!(
            format!("{drawn:.12?}"),
            "[0.657902832063, 0.779566581099, 0.191485498752, 0.852705994435]"
        );
    }

    #[test]
    fn what_is_certain_is_drawn_as_it_is() {
        let mut dice = Dice::seeded("m-1", "balanced@0f7784c8");
        for certain in [0.0, 1.0] {
            assert_eq!(dice.beta(certain, 10.0).to_bits(), f64::to_bits(certain));
        }
    }
}
