//! The model of the simulation: answers each prompt with a summary in sections, of names and paths
//! that stand in the source, a little under what is asked for. Counts what it is sent and says.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use hippocamp::domain::{Tokens, estimate};
use hippocamp::engine::{CompleteError, CompleteOptions, Completer, Completion};
use hippocamp::policy::limits::Limits;
use hippocamp::policy::prompt::Prompt;

/// The share of what is asked for that an answer takes, in percent.
const TAKEN_PERCENT: u64 = 85;

/// What the model was paid for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    /// Calls.
    pub(crate) calls: u64,
    /// Tokens of prompts.
    pub(crate) prompt_tokens: u64,
    /// Tokens of answers.
    pub(crate) answer_tokens: u64,
}

/// A model that gives the same answer to the same prompt.
#[derive(Default)]
pub(super) struct Model {
    spent: Mutex<Spent>,
}

impl Model {
    /// Returns what it was paid for so far.
    pub(super) fn spent(&self) -> Spent {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Completer for Model {
    fn name(&self) -> &'static str {
        "simulated"
    }

    async fn complete(
        &self,
        prompt: &Prompt,
        options: &CompleteOptions,
    ) -> Result<Completion, CompleteError> {
        // The bound leaves room over what the prompt asks for.
        let asked = options.max_tokens.get() * 100 / Limits::default().answer_percent;
        let text = summary(&prompt.text, Tokens::new(asked).percent(TAKEN_PERCENT));
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        spent.calls += 1;
        spent.prompt_tokens += (estimate(&prompt.system) + estimate(&prompt.text)).get();
        spent.answer_tokens += estimate(&text).get();
        Ok(Completion::new(text).model("simulated"))
    }
}

/// Writes a summary of at most `room` tokens, or of one line.
fn summary(source: &str, room: Tokens) -> String {
    let (paths, names) = named(source);
    let mut text = "Goal:\n- keep the work of this stretch".to_owned();
    let mut is_full = false;
    let mut add = |line: String| {
        is_full = is_full || estimate(&text) + estimate(&line) > room;
        if !is_full {
            text.push('\n');
            text.push_str(&line);
        }
    };
    add("Files:".to_owned());
    for path in paths.iter().take(24) {
        add(format!("- {path} -> read, its tests were looked at"));
    }
    add("State:".to_owned());
    add("- the last step ended well and the next one can begin".to_owned());
    add("Facts:".to_owned());
    for pair in names.chunks(2).take(40) {
        add(format!(
            "- the way leads through {}",
            pair.join(" and then ")
        ));
    }
    add("Narrative:".to_owned());
    for path in paths.iter().skip(24) {
        add(format!(
            "Somewhat later {path} came up and was left as it stood."
        ));
    }
    text
}

/// Returns the paths and the names of a source, the latest first, each once.
fn named(source: &str) -> (Vec<&str>, Vec<&str>) {
    let mut known = BTreeSet::new();
    let (mut paths, mut names) = (Vec::new(), Vec::new());
    let is_inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '/' | '.');
    for word in source.rsplit(|c| !is_inside(c)) {
        let word = word.trim_end_matches('.');
        if word.len() > 60 || !known.insert(word) {
            continue;
        }
        if word.contains('/') && word.contains('.') {
            paths.push(word);
        } else if word.contains('_') {
            names.push(word);
        }
    }
    (paths, names)
}
