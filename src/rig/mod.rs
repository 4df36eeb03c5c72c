//! Agents built with rig. Owns the tools as rig takes them, and its history from and to the store.
//! May not call a model, write SQL or decide what a view holds; rig runs the agent.
//!
//! [`tools`] registers the tools in one call, [`Memory`] is the agent's memory. For a loop of one's
//! own, [`history`] turns a view into rig's messages and [`new_messages`] a turn's into ours.

mod block;
mod kept;
mod media;
mod memory;
mod recall;
mod record;
mod result;
mod tools;

pub use memory::Memory;
pub use recall::history;
pub use record::new_messages;
pub use tools::{Pin, ShortCompact, ShortExpand, ShortGrep, tools};
