//! Views over made-up stores: what is shown, what is left out, and that nothing is broken.

mod cases;
mod check;
mod floor;
mod properties;
mod world;
