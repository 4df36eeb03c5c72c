//! A talk in fewer characters, in its own words. Owns which lines stay.
//! May not say anything that was not said, and may not know what a talk is about.

mod parts;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::salience::{Ranked, order};
use super::sentence;

use self::parts::{Line, Talk};

/// One message as role and text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spoken {
    /// Who says it, as the host writes it: `user`, `assistant`, `tool`, `system` or another word.
    pub role: String,
    /// What is said.
    pub content: String,
}

impl Spoken {
    /// Makes a message.
    #[must_use]
    pub fn new(role: impl Into<String>, content: impl Into<String>) -> Self {
        Self {
            role: role.into(),
            content: content.into(),
        }
    }

    /// Returns its size in characters, written as `[role] content` and a line break.
    #[must_use]
    pub fn size(&self) -> usize {
        header(&self.role) + self.content.chars().count() + 1
    }
}

/// Characters that a later round spends on the role of the one message that holds it all.
const ROOM_FOR_ROLE: usize = "[assistant] ".len() + 1;

/// From so many characters on that room is kept free: below, it would take a word.
const ROOMY: usize = 20 * ROOM_FOR_ROLE;

/// Returns what of a talk fits `budget_chars`, counted by [`Spoken::size`], in the order of the
/// talk.
///
/// A talk that fits is returned as it is. Else each line of the answer is a whole line or sentence
/// of the talk, or the beginning of one with an ellipsis; a value that a later line replaces is
/// left out. One message, such as an earlier answer, gives one message of its role, and lines in it
/// that begin with a role in brackets keep it. Where not even the beginning of a line fits, nothing
/// is returned.
#[must_use]
pub fn squeeze(messages: &[Spoken], budget_chars: usize) -> Vec<Spoken> {
    let size: usize = messages.iter().map(Spoken::size).sum();
    if size <= budget_chars {
        return messages.to_vec();
    }
    let talk = Talk::of(messages);
    let outer = talk.outer.as_deref().map_or(0, header);
    let spare = if talk.outer.is_none() && budget_chars >= ROOMY {
        ROOM_FOR_ROLE
    } else {
        0
    };
    let Some(room) = budget_chars.checked_sub(outer + spare) else {
        return Vec::new();
    };
    let mut kept = Kept {
        room,
        used: 0,
        lines: BTreeMap::new(),
    };
    let units: Vec<_> = talk.lines.iter().map(Line::unit).collect();
    let ranked = order(&units);
    for Ranked { unit_idx, standing } in &ranked {
        if let (true, Some(line)) = (standing.is_shown(), talk.lines.get(*unit_idx)) {
            kept.take(*unit_idx, line);
        }
    }
    if kept.lines.is_empty() {
        let first = ranked.first().and_then(|first| {
            let line = talk.lines.get(first.unit_idx)?;
            Some((first.unit_idx, line))
        });
        let shortened = first.and_then(|(at, line)| Some((at, shorten(line, room)?)));
        return match &shortened {
            Some((at, line)) => {
                kept.take(*at, line);
                kept.write(talk.outer.as_deref())
            }
            None => Vec::new(),
        };
    }
    kept.write(talk.outer.as_deref())
}

/// The lines that stay, by their places.
struct Kept<'t> {
    room: usize,
    used: usize,
    lines: BTreeMap<usize, &'t Line>,
}

impl<'t> Kept<'t> {
    /// Takes a line if there is room for it and for the roles that it makes necessary.
    fn take(&mut self, at: usize, line: &'t Line) {
        let before = self
            .lines
            .range(..at)
            .next_back()
            .map(|(_, line)| &line.role);
        let after = self.lines.range(at..).next().map(|(_, line)| &line.role);
        let role = Some(&line.role);
        let mut cost = line.text.chars().count() + 1;
        if before != role && after != role {
            cost += header(&line.role);
            // It parts two lines of one speaker, who is then named again.
            if let (Some(before), true) = (before, before == after) {
                cost += header(before);
            }
        }
        if self.used + cost <= self.room {
            self.used += cost;
            self.lines.insert(at, line);
        }
    }

    /// Writes the lines as messages, one for each run of lines of one speaker; or all into one
    /// message of `outer`.
    fn write(&self, outer: Option<&str>) -> Vec<Spoken> {
        let mut spoken: Vec<Spoken> = Vec::new();
        for line in self.lines.values() {
            match spoken.last_mut() {
                Some(last) if last.role == line.role => {
                    last.content.push('\n');
                    last.content.push_str(&line.text);
                }
                _ => spoken.push(Spoken::new(line.role.clone(), line.text.clone())),
            }
        }
        let Some(outer) = outer else { return spoken };
        let parts: Vec<String> = spoken
            .iter()
            .map(|part| match part.role.as_str() {
                "" => part.content.clone(),
                role => format!("[{role}] {}", part.content),
            })
            .collect();
        vec![Spoken::new(outer, parts.join("\n"))]
    }
}

/// Returns the beginning of a line that fits with its role, if there is room for a letter of it.
fn shorten(line: &Line, room: usize) -> Option<Line> {
    let room = room.checked_sub(header(&line.role) + 1)?;
    let mut bytes = line.text.len();
    loop {
        let text = sentence::clip(&line.text, bytes);
        if text.is_empty() {
            return None;
        }
        if text.chars().count() <= room {
            return Some(line.with_text(text));
        }
        bytes = bytes.checked_sub(1)?;
    }
}

/// Returns the characters of a role in brackets with its blank; none where there is no role.
fn header(role: &str) -> usize {
    if role.is_empty() {
        0
    } else {
        role.chars().count() + 3
    }
}
