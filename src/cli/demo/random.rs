//! Numbers that look random and are the same on every run.

/// A generator with a fixed seed (`SplitMix64`: one addition and two multiplications a number).
#[derive(Debug, Clone)]
pub(super) struct Random {
    state: u64,
}

impl Random {
    pub(super) const fn new(seed: u64) -> Self {
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
    pub(super) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low + 1)
    }

    /// Returns one of `words`, or nothing of none.
    pub(super) fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        let Some(last_idx) = words.len().checked_sub(1) else {
            return "";
        };
        let word_idx = self.between(0, last_idx as u64);
        let word_idx = usize::try_from(word_idx).unwrap_or(last_idx);
        words.get(word_idx).copied().unwrap_or("")
    }

    /// Returns `digits` hexadecimal digits.
    pub(super) fn hex(&mut self, digits: usize) -> String {
        format!("{:016x}", self.next())
            .chars()
            .take(digits)
            .collect()
    }
}
