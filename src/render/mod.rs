//! Renderings of a view. One file each; knows only the domain.

pub mod text;
