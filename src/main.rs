//! The program. Hands its arguments to `cli`.

fn main() {}
