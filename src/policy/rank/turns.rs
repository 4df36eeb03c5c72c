//! Messages and summaries in one list. Owns who comes when.
//! May not compare their scores: the kinds have their own orders.

/// Returns up to `limit` rows, the kinds taking turns from the messages on, each in its own order;
/// when one runs out the other fills the list.
#[must_use]
pub fn take_turns<T>(messages: Vec<T>, summaries: Vec<T>, limit: usize) -> Vec<T> {
    let mut taken = Vec::with_capacity(limit.min(messages.len() + summaries.len()));
    let (mut first, mut second) = (messages.into_iter(), summaries.into_iter());
    while taken.len() < limit {
        let (one, other) = (first.next(), second.next());
        if one.is_none() && other.is_none() {
            break;
        }
        taken.extend(one.into_iter().chain(other));
    }
    taken.truncate(limit);
    taken
}
