//! Tests of the room.

mod append;
mod commit;
mod damage;
mod fork;
mod full;
mod import;
mod kit;
mod open;
mod record;
mod sync;
mod tree;
