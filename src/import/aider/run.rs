//! The history as runs. Owns their borders and how they are called.
//! May not look at who speaks.

use std::collections::HashMap;

use crate::domain::Timestamp;

/// What the first line of a run says before the time.
pub(super) const BEGINNING: &str = "# aider chat started at ";

/// Digits that tell runs of one second apart.
const NAME_DIGITS: usize = 8;

/// One record of the file: a run, and before the first of them also the end of one whose beginning
/// was cut off.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) text: &'a str,
}

/// One run of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run<'a> {
    /// When it began, as written; `None` if its beginning was cut off.
    pub(super) began: Option<&'a str>,
    /// What follows its first line.
    pub(super) body: &'a str,
}

/// Returns what stands behind the words that begin a run.
pub(super) fn beginning(line: &str) -> Option<&str> {
    line.strip_prefix(BEGINNING).map(str::trim)
}

/// Returns whether a text is a time as runs have it.
pub(super) fn is_time(text: &str) -> bool {
    text.contains(':') && Timestamp::parse(text).is_ok()
}

/// Splits a history into its records.
pub(super) fn split(text: &str) -> impl Iterator<Item = Record<'_>> + Send {
    let mut rest = text;
    let mut is_first = true;
    std::iter::from_fn(move || {
        // What stands before the first run belongs to its record.
        let own = match beginning_at(rest, 0) {
            Some(at) if is_first => at,
            _ => 0,
        };
        is_first = false;
        let end = beginning_at(rest, own + 1).unwrap_or(rest.len());
        let (text, after) = rest.split_at(end);
        rest = after;
        (!text.trim().is_empty()).then_some(Record { text })
    })
}

/// Returns where the first run at or behind a byte begins.
fn beginning_at(text: &str, from: usize) -> Option<usize> {
    let mut from = from;
    loop {
        let found = from + text.get(from..)?.find(BEGINNING)?;
        let before = text.get(..found).unwrap_or_default();
        if before.is_empty() || before.ends_with('\n') {
            return Some(found);
        }
        from = found + 1;
    }
}

impl<'a> Record<'a> {
    /// Iterates over its runs: one, or two in the first record of a file.
    pub(super) fn runs(self) -> impl Iterator<Item = Run<'a>> {
        let at = beginning_at(self.text, 0).unwrap_or(self.text.len());
        let (cut, own) = self.text.split_at(at);
        let cut = (!cut.trim().is_empty()).then_some(Run {
            began: None,
            body: cut,
        });
        let (line, body) = own.split_once('\n').unwrap_or((own, ""));
        let own = beginning(line).map(|time| Run {
            began: Some(time),
            body,
        });
        cut.into_iter().chain(own)
    }
}

/// Names runs, each once.
#[derive(Debug, Default)]
pub(super) struct Names {
    n_same: HashMap<String, u64>,
}

impl Names {
    /// Names a run by when it began and by its first line, which stays as the run grows and is the
    /// same wherever the file lies. A run whose beginning was cut off grows no more and is named by
    /// all it says.
    pub(super) fn name(&mut self, run: &Run<'_>) -> String {
        let known = run.began.map_or(run.body, |_| {
            let mut lines = run.body.lines();
            lines.find(|line| !line.trim().is_empty()).unwrap_or("")
        });
        let hash = blake3::hash(known.as_bytes()).to_hex();
        let digits = hash.get(..NAME_DIGITS).unwrap_or_default();
        let began = run.began.unwrap_or("cut").replace([' ', '/'], "T");
        let name = format!("{began}-{digits}");
        let n_same = self.n_same.entry(name.clone()).or_default();
        *n_same += 1;
        match *n_same {
            1 => name,
            n => format!("{name}~{n}"),
        }
    }
}
