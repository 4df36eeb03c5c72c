//! Draws that a seed decides.

/// Numbers in an order that a seed decides (`SplitMix64`).
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`; 0 where there is none.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.next().checked_rem(end).unwrap_or_default()
    }

    /// Returns a number from `first` on and below `end`.
    pub(super) fn within(&mut self, first: u64, end: u64) -> u64 {
        first + self.below(end.saturating_sub(first))
    }

    /// Is true once in `times` draws.
    pub(super) fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// Returns one of the choices; the default of their type where there is none.
    pub(super) fn pick<T: Copy + Default>(&mut self, choices: &[T]) -> T {
        let choice = self.below(choices.len() as u64);
        let choice = usize::try_from(choice).unwrap_or_default();
        choices.get(choice).copied().unwrap_or_default()
    }

    /// Returns a hexadecimal number of 16 digits.
    pub(super) fn hexadecimal(&mut self) -> String {
        format!("{:016x}", self.next())
    }
}
