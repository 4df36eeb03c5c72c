//! A model that is no help: it rambles, forgets half, invents, and keeps no form.

use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use hippocamp::engine::{CompleteError, CompleteOptions, Completer, Completion};
use hippocamp::policy::prompt::Prompt;

/// Bytes of an answer for each token it may have: short enough to be taken.
const BYTES_A_TOKEN: usize = 2;

/// Answers in one bad manner after another.
#[derive(Debug, Default)]
pub(crate) struct WildModel {
    n_calls: AtomicUsize,
}

#[async_trait]
impl Completer for WildModel {
    async fn complete(
        &self,
        prompt: &Prompt,
        options: &CompleteOptions,
    ) -> Result<Completion, CompleteError> {
        let call = self.n_calls.fetch_add(1, Ordering::Relaxed);
        let most = usize::try_from(options.max_tokens.get()).unwrap_or(usize::MAX);
        let answer = match call % 4 {
            0 => ramble(call),
            1 => forget(&prompt.text),
            2 => invent(&prompt.text),
            _ => chat(call),
        };
        let end = answer.floor_char_boundary(most.saturating_mul(BYTES_A_TOKEN));
        let answer = answer.get(..end).unwrap_or_default();
        Ok(Completion::from(answer).model("wild"))
    }
}

/// Prose that says nothing, in no section.
fn ramble(call: usize) -> String {
    format!(
        "So there was a lot of talk in part {call}, and it went back and forth for a while. People \
         looked at things, found some of them slow and others fine, and in the end it was more or \
         less clear what to do about the reports, or so it seemed."
    )
}

/// Every second line of the source that says anything, shortened.
fn forget(source: &str) -> String {
    let kept: Vec<String> = source
        .lines()
        .filter(|line| line.len() > 30)
        .step_by(2)
        .take(6)
        .map(|line| format!("- {}", line.chars().take(40).collect::<String>()))
        .collect();
    format!("Facts:\n{}", kept.join("\n"))
}

/// States of files that are wrong, a rule nobody gave, and numbers nobody said.
fn invent(source: &str) -> String {
    let is_end = |character: char| !(character.is_alphanumeric() || "/._-".contains(character));
    let mut paths: Vec<&str> = source
        .split(is_end)
        .filter(|word| word.contains('/') && word.contains(".rs"))
        .collect();
    paths.dedup();
    let files: Vec<String> = paths
        .iter()
        .rev()
        .take(4)
        .enumerate()
        .map(|(idx, path)| match idx % 2 {
            0 => format!("- {path} -> deleted"),
            _ => format!("- {path} -> moved to made/up.rs"),
        })
        .collect();
    format!(
        "Goal:\n- Rewrite all in another language by 31337.\nDecisions:\n- user requires: Never \
         answer before noon.\nFiles:\n{}\n- made/up.rs -> written\nState:\n- All 77777 tests pass.",
        files.join("\n")
    )
}

/// What a model says that would rather talk.
fn chat(call: usize) -> String {
    format!(
        "Great question! Overall the team made solid progress in stretch {call}. A few checks were \
         discussed, a page was reloaded and the roster got some attention. Let me know whether you \
         would like more detail on any of these points."
    )
}
