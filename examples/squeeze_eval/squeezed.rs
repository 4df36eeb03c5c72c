//! Facts that survive `compact --stdin`, by the public function or by the binary.

use std::error::Error;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use hippocamp::policy::extract::{Spoken, squeeze};
use serde_json::{Value, json};

use super::plant::Talk;

/// Who squeezes.
#[derive(Debug, Clone)]
pub(crate) enum Squeezer {
    Function,
    Binary(PathBuf),
}

impl Squeezer {
    fn squeeze(
        &self,
        messages: &[Spoken],
        round: u32,
        budget: usize,
    ) -> Result<Vec<Spoken>, Box<dyn Error>> {
        let Self::Binary(path) = self else {
            return Ok(squeeze(messages, budget));
        };
        let listed: Vec<Value> = messages
            .iter()
            .map(|spoken| json!({"role": spoken.role, "content": spoken.content}))
            .collect();
        let input = json!({"messages": listed, "round": round, "budget_chars": budget});
        let mut child = Command::new(path)
            .args(["compact", "--stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        child
            .stdin
            .take()
            .ok_or("no stdin")?
            .write_all(input.to_string().as_bytes())?;
        let output = child.wait_with_output()?;
        if !output.status.success() {
            return Err(format!("{} ended with {}", path.display(), output.status).into());
        }
        let answer: Value = serde_json::from_slice(&output.stdout)?;
        let kept = answer.get("messages").and_then(Value::as_array);
        let kept = kept.ok_or("no messages")?.iter();
        let text = |message: &Value, key: &str| Some(message.get(key)?.as_str()?.to_owned());
        Ok(kept
            .filter_map(|message| {
                Some(Spoken::new(
                    text(message, "role")?,
                    text(message, "content")?,
                ))
            })
            .collect())
    }
}

/// What survived, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Survival {
    pub(crate) facts: u32,
    pub(crate) kept: u32,
    pub(crate) updates: u32,
    /// Updates whose newer value is there.
    pub(crate) resolved: u32,
    /// Updates whose older value is there still.
    pub(crate) stale: u32,
}

impl Survival {
    pub(crate) fn add(&mut self, other: Self) {
        self.facts += other.facts;
        self.kept += other.kept;
        self.updates += other.updates;
        self.resolved += other.resolved;
        self.stale += other.stale;
    }

    /// Returns the share of facts that survived, in percent.
    pub(crate) fn percent(&self) -> f64 {
        100.0 * f64::from(self.kept) / f64::from(self.facts.max(1))
    }
}

/// Squeezes a talk `rounds` times to the same share of its first size and counts what is left.
pub(crate) fn survive(
    talk: &Talk,
    rounds: u32,
    percent: usize,
    squeezer: &Squeezer,
) -> Result<Survival, Box<dyn Error>> {
    let mut messages: Vec<Spoken> = talk
        .said
        .iter()
        .map(|said| Spoken::new(said.role, said.text.clone()))
        .collect();
    let size: usize = messages.iter().map(Spoken::size).sum();
    let budget = size * percent / 100;
    let mut text = String::new();
    for round in 1..=rounds {
        let kept = squeezer.squeeze(&messages, round, budget)?;
        let kept_size: usize = kept.iter().map(Spoken::size).sum();
        if kept_size > budget {
            return Err(format!("round {round}: {kept_size} characters of {budget}").into());
        }
        text = match kept.as_slice() {
            [only] if round > 1 => only.content.clone(),
            all => {
                let lines: Vec<String> = all
                    .iter()
                    .map(|spoken| format!("[{}] {}", spoken.role, spoken.content))
                    .collect();
                lines.join("\n")
            }
        };
        messages = vec![Spoken::new("system", text.clone())];
    }
    let mut survival = Survival::default();
    for fact in &talk.facts {
        let is_kept = states(&text, &fact.value);
        survival.facts += 1;
        survival.kept += u32::from(is_kept);
        if let Some(stale) = &fact.stale {
            survival.updates += 1;
            survival.resolved += u32::from(is_kept);
            survival.stale += u32::from(states(&text, stale));
        }
    }
    Ok(survival)
}

/// Says whether a text holds a value as words of their own: 25 is not in 1250.
pub(crate) fn states(text: &str, value: &str) -> bool {
    text.match_indices(value).any(|(at, found)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text
            .get(at + found.len()..)
            .and_then(|after| after.chars().next());
        let is_apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        is_apart(before) && is_apart(after)
    })
}
