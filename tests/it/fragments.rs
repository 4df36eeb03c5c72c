//! What is stored is found: a fragment from the middle of every text of the real transcripts.

use std::io::Write;

use hippocamp::domain::{GrepRequest, Hit, Message, Part, Reach, SearchRow, SessionKey};
use hippocamp::policy::pattern::{Matcher, RowText, parse, searchable};

use crate::import_support::{Home, answer, lines, quoted, record, user};
use crate::patterns::row;
use crate::shared::shared;

/// Characters of a fragment.
const FRAGMENT: usize = 40;
/// Rows that an answer holds at most.
const LIMIT: u64 = 200;

/// Returns the middle of a text on one line, without the signs that enclose a substring.
fn middle(text: &str) -> Option<String> {
    let chars: Vec<char> = text.trim().chars().collect();
    let from = chars.len().saturating_sub(FRAGMENT) / 2;
    let fragment: String = chars.iter().skip(from).take(FRAGMENT).collect();
    let fragment = fragment.trim_matches(|c: char| c.is_whitespace() || c == '%');
    let is_said = fragment
        .chars()
        .any(|c| !c.is_whitespace() && !c.is_control() && c != '%');
    is_said.then(|| fragment.to_owned())
}

/// What came of looking for fragments.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    /// Fragments that the matcher was given with their own rows.
    n_matched: usize,
    /// Fragments that the whole search was asked for.
    n_searched: usize,
    missed: Vec<String>,
}

/// Looks for the middle of every text in its own row, and of every `step`th one by a search.
fn search_all(home: &Home, step: usize) -> Outcome {
    let mut outcome = Outcome::default();
    let rows = home.rows();
    for (session, message) in &rows {
        // Records that continue a message are rows behind it.
        let is_next =
            |other: &&(SessionKey, Message)| other.0 == *session && other.1.seq > message.seq;
        let next = rows
            .iter()
            .filter(is_next)
            .map(|(_, message)| message.seq)
            .min();
        for part in &message.parts {
            let text = match part {
                Part::Text { text } => searchable(text).into_owned(),
                Part::ToolResult { content, .. } => searchable(content).into_owned(),
                // Arguments are searched as their keys and values, strings decoded.
                Part::ToolUse { arguments, .. } => longest_value(arguments),
                _ => continue,
            };
            let Some(fragment) = middle(&text) else {
                continue;
            };
            let pattern = format!("%{fragment}%");
            let row = row_of(part.clone());
            let is_matched = parse(&pattern)
                .is_ok_and(|read| Matcher::new(&read).matches(&RowText::of(&row)).is_some());
            outcome.n_matched += 1;
            let mut is_found = true;
            if outcome.n_matched % step == 0 {
                outcome.n_searched += 1;
                let mut request = GrepRequest::new(&pattern, Reach::Session(session.clone()));
                request.limit = LIMIT;
                let reply = home.runtime.block_on(home.engine.grep(&request));
                is_found = reply.is_ok_and(|reply| {
                    let is_its = |hit: &Hit| {
                        hit.seq >= message.seq && next.is_none_or(|next| hit.seq < next)
                    };
                    // Beyond a page of equal texts each is a match; the total says so.
                    reply.total > LIMIT || reply.hits.iter().any(is_its)
                });
            }
            if !is_matched || !is_found {
                outcome
                    .missed
                    .push(format!("{pattern:?} of {} in {session}", message.seq));
            }
        }
    }
    outcome
}

fn row_of(part: Part) -> SearchRow {
    SearchRow {
        parts: vec![part],
        ..row("")
    }
}

/// Returns the longest string among the arguments of a call.
fn longest_value(arguments: &str) -> String {
    fn longest(value: &serde_json::Value) -> String {
        use serde_json::Value;
        let inner: Vec<String> = match value {
            Value::String(text) => vec![text.clone()],
            Value::Array(values) => values.iter().map(longest).collect(),
            Value::Object(fields) => fields.values().map(longest).collect(),
            other => vec![other.to_string()],
        };
        inner
            .into_iter()
            .max_by_key(String::len)
            .unwrap_or_default()
    }
    let value = serde_json::from_str(arguments).unwrap_or_default();
    let text = longest(&value);
    searchable(&text).into_owned()
}

#[test]
fn the_middle_of_every_text_is_found_again() {
    let home = Home::new();
    let text = "café ☕ 用户 100% sure%\n\tand `code()` -> \"quoted\" \\ back ".repeat(3);
    home.take(
        "one.jsonl",
        lines(&[
            user(1, "short"),
            answer(
                2,
                "a plain answer about larches and elms that is long enough",
            ),
            record(3, "user", &quoted(&text)),
        ]),
    );
    let outcome = search_all(&home, 1);
    assert_eq!((outcome.n_searched, outcome.missed), (3, Vec::new()));
}

#[test]
fn the_middle_of_every_text_of_the_samples_is_found_again() {
    let name = "the_middle_of_every_text_of_the_samples_is_found_again";
    let Some(shared) = shared(name) else {
        return;
    };
    let home = Home::new();
    home.import(&[shared.join("samples/claude-code")]);
    // A debug build asks the whole search for some; `.ci/long` asks a release build for all.
    let step = if cfg!(debug_assertions) { 32 } else { 1 };
    let outcome = search_all(&home, step);
    let n_missed = outcome.missed.len();
    let line = format!(
        "{name}: {} of {} found, {} of them by the whole search\n",
        outcome.n_matched - n_missed,
        outcome.n_matched,
        outcome.n_searched
    );
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    assert!(outcome.n_matched > 1_000, "{outcome:?}");
    assert_eq!(n_missed, 0, "{:#?}", outcome.missed);
}
