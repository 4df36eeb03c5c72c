//! Numbers that look random and are the same for the same seed.

/// A generator (`SplitMix64`: one addition and two multiplications a number).
#[derive(Debug, Clone)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        let n_values = (high - low + 1) as u64;
        low + usize::try_from(self.next() % n_values).unwrap_or(0)
    }

    /// Returns one of `values`.
    pub(crate) fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.between(0, values.len() - 1)]
    }

    /// Puts values in another order.
    pub(crate) fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.between(0, last));
        }
    }
}
