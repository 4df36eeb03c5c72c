//! Search in the store: what is stored is proposed, whatever the filter, the order and the damage.

mod damage;
mod filters;
mod importing;
mod indexing;
pub(crate) mod kit;
mod lists;
mod looks;
mod queries;
