//! Looks for damage. Owns how often a whole tree is looked through for what must be written anew.
//! May not look itself: the condenser does.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::domain::ConversationId;

/// A tree that was found sound is left alone for one wake in so many of its rows. A look costs what
/// the tree holds, so at each wake a long history would cost its square; spread over as many wakes
/// it costs this many rows a wake. Damage that a wake can cause shows on the frontier at once.
const ROWS_A_WAKE: usize = 64;

/// Wakes that each large tree is still left alone for.
#[derive(Debug, Default)]
pub(super) struct Looks(Mutex<HashMap<ConversationId, usize>>);

impl Looks {
    /// Says whether a tree is to be looked through at this wake.
    pub(super) fn is_due(&self, conversation: ConversationId) -> bool {
        let mut left = self.left();
        match left.get_mut(&conversation) {
            Some(wakes) if *wakes > 0 => {
                *wakes -= 1;
                false
            }
            _ => true,
        }
    }

    /// Notes that a look through so many rows found nothing.
    pub(super) fn found_sound(&self, conversation: ConversationId, n_rows: usize) {
        let wakes = n_rows / ROWS_A_WAKE;
        if wakes > 0 {
            self.left().insert(conversation, wakes);
        } else {
            self.left().remove(&conversation);
        }
    }

    /// A poisoned lock guards plain counts; they stay usable.
    fn left(&self) -> MutexGuard<'_, HashMap<ConversationId, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how many of so many wakes look, where a tree grows by a row a wake.
    fn looks(from_rows: usize, n_wakes: usize) -> usize {
        let (looks, id) = (Looks::default(), ConversationId::new(1));
        let due = (0..n_wakes).filter(|wake| {
            let is_due = looks.is_due(id);
            if is_due {
                looks.found_sound(id, from_rows + wake);
            }
            is_due
        });
        due.count()
    }

    #[test]
    fn a_small_tree_is_looked_through_at_each_wake_and_a_large_one_now_and_then() {
        assert_eq!(looks(0, 64), 64);
        let rarely = looks(6_400, 640);
        assert!((6..=7).contains(&rarely), "{rarely} looks in 640 wakes");
    }

    #[test]
    fn one_conversation_knows_nothing_of_another() {
        let looks = Looks::default();
        looks.found_sound(ConversationId::new(1), 1_000);
        assert!(!looks.is_due(ConversationId::new(1)));
        assert!(looks.is_due(ConversationId::new(2)));
    }
}
