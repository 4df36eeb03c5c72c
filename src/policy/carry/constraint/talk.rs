//! Whose words the lines of a message are. Owns what is code, what is quoted and what is passed on.
//! May not read what a sentence demands.

use super::read;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Voice {
    /// The user.
    Own,
    /// Perhaps somebody whose words the user passed on: what it takes back stays.
    Unsure,
    /// Somebody else, as the line before says: the user has to agree.
    Other,
}

/// A line of talk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'t> {
    /// Where it begins in its text.
    pub(super) from: usize,
    pub(super) text: &'t str,
    pub(super) voice: Voice,
}

/// Returns the lines of a text that somebody says, without code and quoted lines.
///
/// A line such as `The letter says:` passes on the words behind it: those up to the next blank line
/// are another's, and whose the rest is cannot be told. Nor can it between lines of dashes.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    let is_code = code(&all);
    let ruled = rules(&all);
    let mut from = 0;
    let mut passed = Passed::Nothing;
    let mut found = Vec::new();
    for (line_idx, line) in all.iter().enumerate() {
        let begin = from;
        from += line.len();
        let bare = line.trim();
        if is_code.get(line_idx).is_some_and(|is_code| *is_code) || bare.starts_with('>') {
            continue;
        }
        passed = passed.behind(bare);
        let voice = match passed {
            Passed::Now => Voice::Other,
            Passed::Before => Voice::Unsure,
            _ if ruled.contains(&line_idx) => Voice::Unsure,
            _ => Voice::Own,
        };
        if passed != Passed::Now && passes_on(bare) {
            passed = Passed::Next;
        }
        found.push(Line {
            from: begin,
            text: line,
            voice,
        });
    }
    found
}

/// What was passed on so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Passed {
    Nothing,
    /// The next words are.
    Next,
    /// These are.
    Now,
    /// Some were.
    Before,
}

impl Passed {
    fn behind(self, line: &str) -> Self {
        match (self, line.is_empty()) {
            (Self::Next, false) => Self::Now,
            (Self::Now, true) => Self::Before,
            (passed, _) => passed,
        }
    }
}

fn passes_on(line: &str) -> bool {
    line.ends_with([':', '：']) && read::reports(line)
}

/// Says of each line whether it is code: between fences, and behind one that nothing closes up to
/// the next blank line.
fn code(lines: &[&str]) -> Vec<bool> {
    let mut is_code = vec![false; lines.len()];
    // Looked for once each: a text may open many fences that nothing closes.
    let last_closes = FENCES.map(|fence| lines.iter().rposition(|line| closes(line, fence)));
    let mut line_idx = 0;
    while let Some(line) = lines.get(line_idx) {
        let Some((fence, last_close)) = FENCES
            .into_iter()
            .zip(last_closes)
            .find(|(fence, _)| opens(line.trim(), fence))
        else {
            line_idx += 1;
            continue;
        };
        let behind = lines.iter().enumerate().skip(line_idx + 1);
        let end = if last_close > Some(line_idx) {
            behind
                .map(|(idx, line)| (idx + 1, line))
                .find(|(_, line)| closes(line, fence))
        } else {
            behind.into_iter().find(|(_, line)| line.trim().is_empty())
        };
        let end = end.map_or(lines.len(), |(end, _)| end);
        for is_code in is_code.iter_mut().take(end).skip(line_idx) {
            *is_code = true;
        }
        line_idx = end;
    }
    is_code
}

const FENCES: [&str; 2] = ["```", "~~~"];

/// Says whether a line opens a fence. One that closes in its own line is a piece of code in talk.
fn opens(line: &str, fence: &str) -> bool {
    let behind = line.strip_prefix(fence);
    behind.is_some_and(|rest| {
        let info = rest.trim_start_matches(['`', '~']);
        !info.contains(fence)
    })
}

fn closes(line: &str, fence: &str) -> bool {
    let bare = line.trim();
    bare.starts_with(fence)
        && bare
            .bytes()
            .all(|byte| fence.as_bytes().first() == Some(&byte))
}

/// Returns the lines between the first and the last line of dashes.
fn rules(lines: &[&str]) -> std::ops::Range<usize> {
    let is_rule = |line: &&str| {
        let bare = line.trim();
        bare.len() >= 3
            && (bare.bytes().all(|byte| byte == b'-') || bare.bytes().all(|byte| byte == b'='))
    };
    let first = lines.iter().position(is_rule).unwrap_or(lines.len());
    let last = lines.iter().rposition(is_rule).unwrap_or(0);
    first..last
}
