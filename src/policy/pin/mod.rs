//! Pins: what users' words make of them, what fits, what a budget shows.
//! Pure: a board and words in, changes out. May not read a row.

mod found;
mod hand;
mod keep;
mod room;
#[cfg(test)]
mod tests;

pub use found::{AutoPins, plan_found, says_constraint};
pub use hand::{HandRefusal, Wanted, plan_accept, plan_pin, plan_unpin};
pub use keep::{keep_in_body, leave_to_pins};
pub use room::{pins_room, plan_return, shown_at};
