//! Repeatable random numbers (SplitMix64): small, and good enough to pick mutations.

/// Random numbers that are the same for the same seed and number.
pub struct Random(u64);

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// The numbers for input `number` of `seed`.
    #[must_use]
    pub fn new(seed: u64, number: u64) -> Self {
        let mut start = Self(seed);
        Self(start.next() ^ number.wrapping_mul(STEP))
    }

    /// The next one.
    #[allow(clippy::should_implement_trait, reason = "it never ends, and nobody iterates")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, or 0 when `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % bound).unwrap_or(0)
    }

    /// Any byte.
    pub fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    /// One of these; there must be one.
    pub fn pick<'a, T: ?Sized>(&mut self, among: &[&'a T]) -> &'a T {
        among[self.below(among.len())]
    }
}
