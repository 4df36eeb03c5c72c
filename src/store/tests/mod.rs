//! Tests of the room.

mod append;
mod calls;
mod commit;
mod damage;
mod foreign;
mod fork;
mod full;
mod import;
mod kit;
#[cfg(unix)]
mod moved;
mod open;
mod record;
mod sync;
mod tree;
mod unsynced;
