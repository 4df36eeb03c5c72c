//! How much of what was said a view still tells after rounds of compaction. Owns a conversation with
//! planted facts, what is true of them at each moment, and the literal checks.
//! May not look into the store: it goes by the engine's public calls and the view.

pub(crate) mod files;
mod filler;
mod found;
pub(crate) mod ledger;
mod names;
mod random;
pub(crate) mod rounds;
pub(crate) mod score;
pub(crate) mod speech;
mod teller;
pub(crate) mod told;
pub(crate) mod wild;
