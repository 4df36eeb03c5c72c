//! What stands around a message. Owns how far whole turns reach and where a long one ends.
//! May not part a call from its result.

use std::ops::Range;

use super::Cuts;

impl Cuts {
    /// Returns the units of the turn that holds `unit_idx`, with `n_turns` whole turns before it
    /// and after it. Where that is more than `at_most` units on a side, it is the nearest ones,
    /// ending at a legal cut; the group of `unit_idx` is whole, however large.
    #[must_use]
    pub fn around(&self, unit_idx: usize, n_turns: usize, at_most: usize) -> Range<usize> {
        if unit_idx >= self.units.len() {
            return 0..0;
        }
        let n_begun = self.preferred.partition_point(|&place| place <= unit_idx);
        // What comes before the first turn of a user is a turn too.
        let first = n_begun
            .checked_sub(n_turns.saturating_add(1))
            .and_then(|turn_idx| self.preferred.get(turn_idx))
            .copied()
            .unwrap_or_default();
        let next = self.preferred.get(n_begun.saturating_add(n_turns));
        let end = next.copied().unwrap_or(self.units.len());
        self.nearest(unit_idx, at_most, first)..self.nearest_end(unit_idx, at_most, end)
    }

    fn nearest(&self, unit_idx: usize, at_most: usize, first: usize) -> usize {
        let least = unit_idx.saturating_sub(at_most);
        if first >= least {
            return first;
        }
        let next_legal = self.legal.partition_point(|&place| place < least);
        let own_group = self.legal.partition_point(|&place| place <= unit_idx);
        let own_start = own_group
            .checked_sub(1)
            .and_then(|group_idx| self.legal.get(group_idx))
            .copied()
            .unwrap_or_default();
        self.legal
            .get(next_legal)
            .map_or(own_start, |&place| place.min(own_start))
    }

    fn nearest_end(&self, unit_idx: usize, at_most: usize, end: usize) -> usize {
        let greatest = unit_idx.saturating_add(1).saturating_add(at_most);
        if end <= greatest {
            return end;
        }
        let own_group = self.legal.partition_point(|&place| place <= unit_idx);
        let own_end = self.legal.get(own_group).copied();
        let own_end = own_end.unwrap_or(self.units.len());
        let n_legal = self.legal.partition_point(|&place| place <= greatest);
        n_legal
            .checked_sub(1)
            .and_then(|place_idx| self.legal.get(place_idx))
            .map_or(own_end, |&place| place.max(own_end))
    }
}
