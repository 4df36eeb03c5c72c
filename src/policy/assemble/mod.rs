//! Views: what goes in, what is shortened, what is left out.
//! Pure: a frontier and bodies in, a view out. May not read rows or a clock.

mod cost;
mod counts;
mod emit;
mod finish;
mod newest;
mod pins;
mod plan;
mod shorten;
mod slot;
mod spell;
#[cfg(test)]
mod tests;
mod wrap;

pub use cost::{Costs, pressure, stamp_costs, stamp_costs_of, summary_tokens};
pub(in crate::policy) use cost::{is_piece, note_growth, row_tokens, shown_tokens};
pub use counts::Counts;
pub use finish::{Bodies, finish_view, finish_view_by};
pub use pins::{block_tokens, pin_tokens, render_pin};
pub use plan::{ViewPlan, plan_view};
pub(in crate::policy) use shorten::cleared_line;
pub use spell::spell_out;
pub use wrap::{escape, render_summary, unescape};
