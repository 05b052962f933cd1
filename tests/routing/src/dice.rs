//! Numbers that look random and are the same each time.

/// Numbers that look random and are not.
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Starts anew; equal seeds give equal numbers.
    pub(crate) fn new(seed: u32) -> Self {
        Self(u64::from(seed) + 1)
    }

    /// Draws a number below a limit above zero.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit
    }

    /// Draws one of some things.
    pub(crate) fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}
