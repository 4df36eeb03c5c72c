//! How much room pins have. Owns which give way when it is less.
//! May not retire one: what gives way is proposed again, or listed.

use crate::domain::{PinBy, PinChange, PinMeta, PinMove, PinRef, PinState, Tokens};
use crate::policy::assemble::block_tokens;
use crate::policy::limits::Limits;

/// Returns what live pins may take of a budget.
#[must_use]
pub fn pins_room(budget: Tokens, limits: &Limits) -> Tokens {
    budget.percent(limits.pins_percent)
}

/// Plans what a smaller window asks for: the oldest automatic pins over the room go back to
/// proposed. Those by hand stay.
#[must_use]
pub fn plan_return(pins: &[PinMeta], room: Tokens) -> Vec<PinChange> {
    let mut left: Vec<&PinMeta> = pins.iter().collect();
    let mut changes = Vec::new();
    while block_tokens(left.iter().copied()) > room {
        let Some(oldest) = left.iter().position(|pin| pin.by == PinBy::Auto) else {
            break;
        };
        let pin = left.remove(oldest);
        changes.push(PinChange::Move(PinMove {
            pin: PinRef::Stored(pin.id),
            state: PinState::Proposed,
            by: PinBy::Auto,
            cause: None,
            reason: "window",
        }));
    }
    changes
}

/// Parts live pins into those that a view of `budget` shows and those that it lists. A view of the
/// configured budget or more shows all; a smaller one gives way with the oldest automatic ones
/// first, then with the oldest by hand.
#[must_use]
pub fn shown_at(
    pins: Vec<PinMeta>,
    budget: Tokens,
    configured: Tokens,
    limits: &Limits,
) -> (Vec<PinMeta>, Vec<PinMeta>) {
    let mut shown = pins;
    let mut left_out = Vec::new();
    if budget >= configured {
        return (shown, left_out);
    }
    let room = pins_room(budget, limits);
    while block_tokens(&shown) > room {
        let oldest = shown.iter().position(|pin| pin.by == PinBy::Auto);
        left_out.push(shown.remove(oldest.unwrap_or(0)));
    }
    (shown, left_out)
}
