//! A compaction that an agent asks for. Owns when it is refused and when its turn has ended.
//! Pure. May not run it.

use crate::domain::{CompactRequest, FrontierItem, MessageMeta, Role, Tokens};

use super::limits::Limits;

/// Where the turn stands in which a compaction was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// It goes on.
    Within,
    /// The model has answered: now is the time.
    Ended,
    /// The user spoke again before the model had answered: what was asked for is dropped.
    Aborted,
}

/// Returns the pressure below which a request is refused: `trigger` is where compaction begins.
#[must_use]
pub fn least_pressure(trigger: Tokens, limits: &Limits) -> Tokens {
    trigger.percent(limits.request_percent)
}

/// Says where the turn stands. A turn ends with words of the model that call nothing.
#[must_use]
pub fn boundary(items: &[FrontierItem], request: &CompactRequest) -> Boundary {
    let since: Vec<&MessageMeta> = items
        .iter()
        .filter_map(|item| match item {
            FrontierItem::Raw(row) => Some(row),
            FrontierItem::Node(_) => None,
        })
        .filter(|row| row.is_visible() && Some(row.seq) > request.after)
        .collect();
    let next = since.iter().position(|row| row.cut_role() == Role::User);
    let of_turn = since.get(..next.unwrap_or(since.len())).unwrap_or_default();
    let has_answered = of_turn
        .last()
        .is_some_and(|row| row.cut_role() == Role::Assistant && row.calls.is_empty());
    match (has_answered, next) {
        (true, _) => Boundary::Ended,
        (false, Some(_)) => Boundary::Aborted,
        (false, None) => Boundary::Within,
    }
}
