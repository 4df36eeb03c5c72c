//! The command line. Owns what people type, what they see and how the process ends.
//! Standard output is data, standard error is remarks; nothing here decides what to compact.

mod args;
mod commands;
mod config;
mod demo;
mod exit;
mod failure;
mod help;
mod hook;
mod install;
mod interrupt;
mod mistake;
mod ndjson;
mod pages;
mod paint;
mod reply;
mod run;
mod temporary;
mod terminal;

pub use run::main;
