//! Numbers in an order that a seed decides.

/// A sequence of numbers, the same for a seed whoever asks.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// Begins the sequence number `n` of a seed.
    pub(crate) fn new(seed: u64, n: u64) -> Self {
        Self(mix(seed ^ mix(n)) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 16) % end
    }

    /// Returns a place in a list of this length.
    pub(crate) fn place(&mut self, length: usize) -> usize {
        let end = u64::try_from(length).unwrap();
        usize::try_from(self.below(end)).unwrap()
    }

    /// Returns a number from 0 to below 1.
    pub(crate) fn share(&mut self) -> f64 {
        f64::from(u32::try_from(self.next() >> 32).unwrap()) / 4_294_967_296.0
    }

    /// Returns 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        mix(self.next())
    }
}

/// Spreads a number over all bits.
pub(crate) fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
