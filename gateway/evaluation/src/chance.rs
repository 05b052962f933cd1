//! Chance that can be repeated.

use rand_core::Rng;

/// Returns a number in [0,1), of 53 random bits.
#[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
pub(crate) fn unit(chance: &mut impl Rng) -> f64 {
    (chance.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Returns a number below a count, each as probable as the others.
#[cfg(test)]
pub(crate) fn below(chance: &mut impl Rng, count: u64) -> usize {
    usize::try_from(chance.next_u64() % count).unwrap()
}
