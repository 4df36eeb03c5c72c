//! The formats that can be read. Owns their order, which is the order they are tried in.
//! A new format is a folder of its own and a line here.

use super::aider;
use super::chatgpt;
use super::claude_ai;
use super::claude_code;
use super::codex;
use super::format::Format;
use super::gemini_cli;
use super::goose;
use super::kimi;
use super::openclaw;
use super::opencode;
use super::openhands;
use super::pi;
use super::picoclaw;
use super::spec::Spec;
use super::swe_agent;

/// The formats, most particular first.
pub(crate) static FORMATS: &[Spec] = &[
    claude_code::SPEC,
    codex::SPEC,
    kimi::SPEC,
    gemini_cli::SPEC,
    aider::SPEC,
    chatgpt::SPEC,
    claude_ai::SPEC,
    swe_agent::SPEC,
    openhands::SPEC,
    pi::SPEC,
    openclaw::SPEC,
    picoclaw::SPEC,
    opencode::SPEC,
    goose::SPEC,
];

/// Returns what is known of a format, if it can be read.
pub(crate) fn find(format: Format) -> Option<&'static Spec> {
    FORMATS.iter().find(|spec| spec.format == format)
}
