//! What is stored is found: a fragment from the middle of every text of the real transcripts.

use std::collections::BTreeMap;
use std::io::Write;

use hippocamp::domain::{GrepRequest, Hit, MatchKind, Message, Part, Reach, SessionKey};
use hippocamp::policy::pattern::searchable;

use crate::import_support::{Home, answer, lines, quoted, record, user};
use crate::shared::shared;

/// Characters of a fragment.
const FRAGMENT: usize = 40;
/// Rows that an answer holds at most.
const LIMIT: u64 = 200;

/// How a fragment is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    /// As it stands, `%so%`.
    Substring,
    /// Its whole words, `"so"`.
    Phrase,
    /// Its whole words as a person would type them, without signs of the language.
    Words,
}

impl Form {
    /// Writes the pattern; none where nothing is left to ask for.
    fn pattern(self, fragment: &Fragment) -> Option<String> {
        // Signs alone are no words: only the substring finds them.
        let has_word = |words: &String| words.chars().any(char::is_alphanumeric);
        let words = || fragment.whole_words.clone().filter(has_word);
        match self {
            Self::Substring => is_said(&fragment.text).then(|| format!("%{}%", fragment.text)),
            Self::Phrase => words().map(|words| format!("\"{}\"", words.replace('"', " "))),
            Self::Words => words().and_then(|words| {
                let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, '\'' | '_' | '.');
                let spaced = |c: char| if is_kept(&c) { c } else { ' ' };
                let words: String = words.chars().map(spaced).collect();
                // Between words these are operators.
                let is_word = |word: &&str| !matches!(*word, "AND" | "OR" | "NOT");
                let words: Vec<&str> = words.split_whitespace().filter(is_word).collect();
                (!words.is_empty()).then(|| words.join(" "))
            }),
        }
    }
}

/// The middle of a text.
struct Fragment {
    /// Without the signs that enclose a substring.
    text: String,
    /// Without words that are cut at its ends.
    whole_words: Option<String>,
}

impl Fragment {
    fn of(text: &str) -> Self {
        let chars: Vec<char> = text.trim().chars().collect();
        let from = chars.len().saturating_sub(FRAGMENT) / 2;
        let to = chars.len().min(from + FRAGMENT);
        let text: String = chars[from..to].iter().collect();
        let mut first = from;
        let mut last = to;
        let is_cut =
            |at: usize| at > 0 && at < chars.len() && !is_gap(chars[at - 1]) && !is_gap(chars[at]);
        while first < to && is_cut(first) {
            first += 1;
        }
        while last > first && is_cut(last) {
            last -= 1;
        }
        Self {
            text: text
                .trim_matches(|c: char| c.is_whitespace() || c == '%')
                .to_owned(),
            whole_words: (first < last).then(|| chars[first..last].iter().collect()),
        }
    }
}

fn is_gap(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

fn is_said(text: &str) -> bool {
    text.chars().any(|c| !is_gap(c) && c != '%')
}

/// What came of looking for fragments in one form.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    n_searched: usize,
    missed: Vec<String>,
}

/// Searches for the middle of every text, of every `step`th one, in its session.
fn search_all(home: &Home, form: Form, step: usize) -> Outcome {
    let mut outcome = Outcome::default();
    let mut n_texts = 0_usize;
    for (session, messages) in by_session(home) {
        for (idx, message) in messages.iter().enumerate() {
            // Records that continue a message are rows behind it.
            let next = messages.get(idx + 1).map(|next| next.seq);
            for part in &message.parts {
                let text = match part {
                    Part::Text { text } => searchable(text).into_owned(),
                    Part::ToolResult { content, .. } => searchable(content).into_owned(),
                    // Arguments are searched as their keys and values, strings decoded.
                    Part::ToolUse { arguments, .. } => longest_value(arguments),
                    _ => continue,
                };
                let Some(pattern) = form.pattern(&Fragment::of(&text)) else {
                    continue;
                };
                n_texts += 1;
                if !n_texts.is_multiple_of(step) {
                    continue;
                }
                outcome.n_searched += 1;
                let mut request = GrepRequest::new(&pattern, Reach::Session(session.clone()));
                request.limit = LIMIT;
                let reply = home.runtime.block_on(home.engine.grep(&request));
                let is_found = reply.is_ok_and(|reply| {
                    let is_its = |hit: &Hit| {
                        hit.seq >= message.seq && next.is_none_or(|next| hit.seq < next)
                    };
                    // Beyond a page of equal texts each is a match; the total says so.
                    let is_beyond = reply.total > LIMIT && reply.matched == MatchKind::All;
                    is_beyond || reply.hits.iter().any(is_its)
                });
                if !is_found {
                    outcome
                        .missed
                        .push(format!("{pattern:?} of {} in {session}", message.seq));
                }
            }
        }
    }
    outcome
}

/// Returns the messages of each session in order.
fn by_session(home: &Home) -> BTreeMap<SessionKey, Vec<Message>> {
    let mut sessions: BTreeMap<SessionKey, Vec<Message>> = BTreeMap::new();
    for (session, message) in home.rows() {
        sessions.entry(session).or_default().push(message);
    }
    for messages in sessions.values_mut() {
        messages.sort_by_key(|message| message.seq);
    }
    sessions
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
    for form in [Form::Substring, Form::Phrase, Form::Words] {
        let outcome = search_all(&home, form, 1);
        assert_eq!((outcome.n_searched, outcome.missed), (3, Vec::new()));
    }
}

#[test]
fn words_that_are_cut_are_left_out_of_a_phrase() {
    let text = "aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii jjjj kkkk";
    let fragment = Fragment::of(text);
    assert_eq!(fragment.text, "bb cccc dddd eeee ffff gggg hhhh iiii jj");
    let words = fragment.whole_words.unwrap();
    assert_eq!(words, " cccc dddd eeee ffff gggg hhhh iiii ");
}

#[test]
fn the_middle_of_every_text_of_the_samples_is_found_again() {
    let name = "the_middle_of_every_text_of_the_samples_is_found_again";
    let Some(shared) = shared(name) else {
        return;
    };
    let home = Home::new();
    home.import(&[shared.join("samples/claude-code")]);
    home.runtime.block_on(home.engine.settle()).unwrap();
    // A debug build asks for some; `.ci/long fragments` asks a release build for all.
    let is_slow = cfg!(debug_assertions);
    let [half, some] = if is_slow { [2, 32] } else { [1, 1] };
    for (form, step) in [
        (Form::Substring, half),
        (Form::Phrase, some),
        (Form::Words, some),
    ] {
        let began = std::time::Instant::now();
        let outcome = search_all(&home, form, step);
        let n_missed = outcome.missed.len();
        let line = format!(
            "{name}: {form:?}: {} of {} found in {:?}\n",
            outcome.n_searched - n_missed,
            outcome.n_searched,
            began.elapsed(),
        );
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        assert!(outcome.n_searched > 1_000 / step, "{outcome:?}");
        assert_eq!(n_missed, 0, "{:#?}", outcome.missed);
    }
}
