//! Renderings of a view. One file each; knows only the domain.

pub mod markdown;
pub mod text;
