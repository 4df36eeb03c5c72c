//! What a model is told of the tools. Owns their descriptions and JSON Schemas.
//! Strict clients refuse unions and open objects, so there are none. Some servers refuse descriptions
//! of more than 1,024 characters: what does not fit stands at the argument.

use std::str::FromStr;

use serde_json::{Value, json};
use thiserror::Error;

use crate::domain::PinKind;

/// One tool as a model sees it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolSchema {
    /// Its name.
    pub name: &'static str,
    /// What it does, with examples that run; at most 1,024 characters.
    pub description: &'static str,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

const GREP: &str = "\
Searches everything ever said in this conversation, also what summaries cover and what is no longer \
in view. It finds text by words; it answers no questions and searches no files. Call \
it before you state a detail (a path, a number, a decision) that you only know from a summary; \
short_expand shows the rows of its ids whole.

Examples:
{\"pattern\": \"staging bucket name\"}
{\"pattern\": \"\\\"connection refused\\\" NOT redis\", \"role\": \"tool\", \"last\": \"7d\"}
{\"pattern\": \"(migrate OR migration) AND rollback\", \"scope\": \"message\", \"limit\": 5}
{\"pattern\": \"is:error tool:Bash /exit.code.[1-9]/\", \"sort\": \"time\"}
{\"pattern\": \"%retry_after%\", \"all_conversations\": true}

The answer has results (best first, each with id, seq, kind, role, depth, conversation, time, rank, \
snippet, standing: in_view, under a summary's id, other_branch, hidden or not_live), total, limit, \
match (all or some words), read_as (the pattern as understood), complete (false if not every row \
was looked at), cursor (of the next page), hint.";

const PATTERN: &str = "\
What to look for. Words (all must match; with three or more, rows with only some of them may fill \
the list), \"exact phrase\", prefix*, %any substring%, and AND, OR, NOT in capitals between words, \
with parentheses; /regex/ in either case (blanks as \\s); and fields that a row must meet: role:user \
kind:tool_result tool:Bash path:src/x.rs model:NAME session:KEY project:DIR is:error depth:0 \
before:2026-01-02 after:2026-01-02 last:7d. A leading minus excludes nothing: write `x NOT y`. \
Quote what looks like a field or regex to find it as text. Word endings and irregular forms are \
ignored (deploy finds deployed, go finds went).";

const EXPAND: &str = "\
Shows messages or summaries whole, exactly as stored. For messages: every part of them. For a \
summary: its text and what it was made from, either the summaries below it or, at depth 0, its \
messages. It does not search: take ids from short_grep or from a summary in view.

Give exactly one of message_ids (numbers) and summary_ids (s and a number). Bodies of tool results \
are left out, with their size, unless include_tool_results is true. A page holds about max_tokens; \
call again with the same ids and the cursor for the next one.

Examples:
{\"message_ids\": [\"42\"]}
{\"message_ids\": [\"42\", \"43\"], \"include_tool_results\": true, \"max_tokens\": 8000}
{\"summary_ids\": [\"s12\"]}

The answer has messages, summaries, tokens (of this page), cursor (null on the last page) and \
missing (ids that no row within reach has).";

const COMPACT: &str = "\
Asks for older parts of this conversation to be summarised when your turn has ended. It changes \
nothing while you work, loses nothing (short_grep and short_expand find everything) and is no way \
to end a turn. Call it when a stage of the work is finished and a different one begins; focus says \
what the summaries should keep to. A second call replaces the focus of the first.

Examples:
{}
{\"focus\": \"the migration plan and the failing tests\"}

The answer has status (scheduled, updated, refused, managed) and reason, which says why a request \
was refused: the conversation is still too short for it to pay, or the provider does it itself.";

const PIN: &str = "\
Keeps a few words in your view for good, word for word, whatever is summarised: what must not be \
lost, such as a rule of the user's, a decision with its reason, a plan, a value that took work to \
find. It is no notebook: all pins together may take 10 % of the view, and none goes by itself. Rules \
that the user states are mostly pinned already; a view shows pins before all else.

Examples:
{\"text\": \"Never write to the production database.\"}
{\"text\": \"Staging listens on port 8443.\", \"kind\": \"fact\", \"message_id\": \"42\"}
{\"text\": \"SQLite, since one file serves one agent.\", \"kind\": \"decision\"}

The answer has status (pinned, unchanged, refused), id (such as p57; null if refused) and reason: \
why a pin was refused and what to do (give words, shorten them, name a message of this \
conversation, or ask the user to retire the pins that it names).";

impl ToolSchema {
    /// Describes a tool.
    #[must_use]
    pub const fn new(name: &'static str, description: &'static str, parameters: Value) -> Self {
        Self {
            name,
            description,
            parameters,
        }
    }
}

/// A tool that a host may register beside the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OptionalTool {
    /// Asks for a compaction at the end of the turn.
    ShortCompact,
    /// Keeps a fact in every view.
    Pin,
}

impl FromStr for OptionalTool {
    type Err = OptionalToolError;

    /// Reads its name.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let tool = Self::ALL.into_iter().find(|tool| tool.name() == name);
        tool.ok_or_else(|| OptionalToolError {
            name: name.to_owned(),
        })
    }
}

/// A name that no optional tool has.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{name}` is no optional tool; write short_compact or pin")]
#[non_exhaustive]
pub struct OptionalToolError {
    /// The name.
    pub name: String,
}

impl OptionalTool {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::ShortCompact, Self::Pin];

    /// Returns its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ShortCompact => "short_compact",
            Self::Pin => "pin",
        }
    }

    /// Returns it as a model sees it.
    #[must_use]
    pub fn schema(self) -> ToolSchema {
        match self {
            Self::ShortCompact => ToolSchema {
                name: self.name(),
                description: COMPACT,
                parameters: json!({
                    "type": "object",
                    "properties": {
                        "focus": text("What the summaries should keep to, in a few words."),
                    },
                    "additionalProperties": false,
                }),
            },
            Self::Pin => ToolSchema {
                name: self.name(),
                description: PIN,
                parameters: json!({
                    "type": "object",
                    "properties": {
                        "text": text("The words to keep, short and as they were said."),
                        "kind": choice(
                            "What they hold. Default constraint.",
                            &PinKind::ALL.map(PinKind::as_str),
                        ),
                        "message_id": text("The message that they come from, as short_grep shows it, such as \"42\"."),
                    },
                    "required": ["text"],
                    "additionalProperties": false,
                }),
            },
        }
    }
}

/// Returns the two tools with the optional ones that a host registers, in that order, each once.
#[must_use]
pub fn schema_with(registered: &[OptionalTool]) -> Vec<ToolSchema> {
    let optional = OptionalTool::ALL.into_iter();
    let optional = optional.filter(|tool| registered.contains(tool));
    schema()
        .into_iter()
        .chain(optional.map(OptionalTool::schema))
        .collect()
}

/// Returns the two tools that every agent gets.
#[must_use]
pub fn schema() -> Vec<ToolSchema> {
    vec![
        ToolSchema {
            name: "short_grep",
            description: GREP,
            parameters: grep_parameters(),
        },
        ToolSchema {
            name: "short_expand",
            description: EXPAND,
            parameters: expand_parameters(),
        },
    ]
}

fn grep_parameters() -> Value {
    json!({
        "type": "object",
        "properties": {
            "pattern": text(PATTERN),
            "scope": choice(
                "Which rows: summary, message or both. Default both.",
                &["summary", "message", "both"],
            ),
            "role": choice(
                "Only messages of this role; excludes summaries.",
                &["user", "assistant", "tool", "system"],
            ),
            "last": text(
                "Only the time up to now: 6h, 7d, 2w, or 1m for a month of 30 days. Not together \
                 with since or before.",
            ),
            "since": text("Only from this time on (inclusive): 2026-01-02 or 2026-01-02T03:04:05Z."),
            "before": text("Only before this time (exclusive), in the same form as since."),
            "all_conversations": flag(
                "Look in every conversation of the store, not only this one. Default false.",
            ),
            "sort": choice(
                "Which rows come first: the best, the newest, or those good in both orders. Default \
                 relevance.",
                &["relevance", "time", "both"],
            ),
            "limit": count("Rows at most, 1 to 200. Default 20.", 1),
            "cursor": text("The cursor of the answer before, to get the next page."),
        },
        "required": ["pattern"],
        "additionalProperties": false,
    })
}

fn expand_parameters() -> Value {
    json!({
        "type": "object",
        "properties": {
            "message_ids": list("Ids of messages, such as \"42\"."),
            "summary_ids": list("Ids of summaries, such as \"s12\"."),
            "include_tool_results": flag("Show bodies of tool results. Default false."),
            "max_tokens": count("Tokens of a page, at most 20000. Default 4000.", 1),
            "all_conversations": flag(
                "Also take ids of other conversations, as a search in all of them gives. Default \
                 false.",
            ),
            "cursor": text("The cursor of the answer before, to get the next page."),
        },
        "additionalProperties": false,
    })
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn choice(description: &str, words: &[&str]) -> Value {
    json!({"type": "string", "enum": words, "description": description})
}

fn flag(description: &str) -> Value {
    json!({"type": "boolean", "description": description})
}

fn count(description: &str, minimum: u64) -> Value {
    json!({"type": "integer", "minimum": minimum, "description": description})
}

fn list(description: &str) -> Value {
    json!({
        "type": "array",
        "items": {"type": "string"},
        "minItems": 1,
        "description": description,
    })
}
