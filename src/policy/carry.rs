//! What a summary carries: its sections, written and read back.
//! Owns the labels; may not choose what goes in.

pub mod constraint;
pub mod exact;
pub mod files;
mod kept;
mod labels;

use serde_json::Value;

use crate::domain::SummaryBody;

#[cfg(test)]
mod tests;

pub use kept::{carry, tells_of_files};

/// A section of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// What the user wants.
    Goal,
    /// What was decided, with why.
    Decisions,
    /// What is finished.
    Done,
    /// Files and their states.
    Files,
    /// How things stand.
    State,
    /// What comes next.
    NextSteps,
    /// What is undecided.
    OpenQuestions,
    /// Ids, paths, numbers, errors.
    Facts,
    /// What can be looked up.
    Dropped,
    /// All else.
    Narrative,
}

impl Section {
    /// All sections in the order they are written.
    pub const ALL: [Self; 10] = [
        Self::Goal,
        Self::Decisions,
        Self::Done,
        Self::Files,
        Self::State,
        Self::NextSteps,
        Self::OpenQuestions,
        Self::Facts,
        Self::Dropped,
        Self::Narrative,
    ];

    /// Returns the label written.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Goal => "Goal",
            Self::Decisions => "Decisions",
            Self::Done => "Done",
            Self::Files => "Files",
            Self::State => "State",
            Self::NextSteps => "Next steps",
            Self::OpenQuestions => "Open questions",
            Self::Facts => "Facts",
            Self::Dropped => "Dropped",
            Self::Narrative => "Narrative",
        }
    }
}

/// What an item ends with that states something its sources do not.
pub const UNVERIFIED: &str = "(unverified)";

/// What stands between a file and its state.
const ARROW: &str = " -> ";

impl SummaryBody {
    /// Writes the body as labelled sections, one item a line; empty sections are left out.
    #[must_use]
    pub fn render(&self) -> String {
        let mut text = String::new();
        for section in Section::ALL {
            let items = self.items(section);
            if items.is_empty() {
                continue;
            }
            text.push_str(section.label());
            text.push_str(":\n");
            for item in items {
                text.push_str("- ");
                text.push_str(&one_line(&item));
                text.push('\n');
            }
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// Reads labelled text, JSON, or prose, which becomes the narrative. Never fails.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        parse_json(text).unwrap_or_else(|| parse_labelled(text))
    }

    /// Returns the items of a section as they are written.
    #[must_use]
    pub fn items(&self, section: Section) -> Vec<String> {
        match section {
            Section::Goal => self.goal.clone(),
            Section::Decisions => self.decisions.clone(),
            Section::Done => self.done.clone(),
            Section::Files => self
                .files
                .iter()
                .map(|(path, state)| format!("{path}{ARROW}{state}"))
                .collect(),
            Section::State => self.state.clone(),
            Section::NextSteps => self.next_steps.clone(),
            Section::OpenQuestions => self.open_questions.clone(),
            Section::Facts => self.facts.clone(),
            Section::Dropped => self.dropped.clone(),
            Section::Narrative => self
                .narrative
                .lines()
                .filter(|line| !line.trim().is_empty())
                .map(str::to_owned)
                .collect(),
        }
    }

    /// Adds an item to a section, as it is written.
    pub fn push(&mut self, section: Section, item: &str) {
        let item = one_line(item);
        if item.is_empty() {
            return;
        }
        match section {
            Section::Goal => self.goal.push(item),
            Section::Decisions => self.decisions.push(item),
            Section::Done => self.done.push(item),
            Section::Files => {
                let (path, state) = split_file(&item);
                self.set_file(path, state);
            }
            Section::State => self.state.push(item),
            Section::NextSteps => self.next_steps.push(item),
            Section::OpenQuestions => self.open_questions.push(item),
            Section::Facts => self.facts.push(item),
            Section::Dropped => self.dropped.push(item),
            Section::Narrative => {
                if !self.narrative.is_empty() {
                    self.narrative.push('\n');
                }
                self.narrative.push_str(&item);
            }
        }
    }

    /// Says how a file is now; what was said of it before no longer holds.
    pub fn set_file(&mut self, path: &str, state: &str) {
        self.files.retain(|(known, _)| known != path);
        self.files.push((path.to_owned(), state.to_owned()));
    }

    /// Says whether nothing is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Puts an item on one line: an item that holds line breaks could forge a label.
fn one_line(item: &str) -> String {
    item.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Parts a file's item into path and state.
fn split_file(item: &str) -> (&str, &str) {
    let parted = [ARROW, " → ", ": ", " - "]
        .into_iter()
        .find_map(|separator| item.split_once(separator));
    let (path, state) = parted.unwrap_or((item, "mentioned"));
    (path.trim().trim_matches('`'), state.trim())
}

fn parse_labelled(text: &str) -> SummaryBody {
    let mut body = SummaryBody::default();
    let mut section = Section::Narrative;
    let mut item = String::new();
    for line in text.lines() {
        let line = line.trim();
        if let Some((found, rest)) = read_heading(line) {
            body.push(section, &item);
            section = found;
            rest.clone_into(&mut item);
            continue;
        }
        let bare = strip_bullet(line);
        if bare.len() < line.len() || line.is_empty() || section == Section::Narrative {
            body.push(section, &item);
            bare.clone_into(&mut item);
        } else {
            item.push(' ');
            item.push_str(line);
        }
    }
    body.push(section, &item);
    body
}

/// Reads a line that names a section: `Goal:`, `## Goal`, `**Goal:** what`. A bulleted line is an
/// item, whatever it says.
fn read_heading(line: &str) -> Option<(Section, &str)> {
    let is_marked = line.starts_with('#') || line.starts_with("**");
    let bare = line.trim_start_matches('#').trim_start();
    let bare = bare.trim_start_matches("**");
    match bare.split_once([':', '：']) {
        Some((label, rest)) => {
            let section = labels::read(label.trim_end_matches("**"))?;
            Some((section, rest.trim_start_matches("**").trim()))
        }
        None if is_marked => Some((labels::read(bare.trim_end_matches("**"))?, "")),
        None => None,
    }
}

fn strip_bullet(line: &str) -> &str {
    for bullet in ["- ", "* ", "• ", "+ "] {
        if let Some(rest) = line.strip_prefix(bullet) {
            return rest.trim_start();
        }
    }
    let digits = line.trim_start_matches(|character: char| character.is_ascii_digit());
    match digits.strip_prefix(". ").or(digits.strip_prefix(") ")) {
        Some(rest) if digits.len() < line.len() => rest.trim_start(),
        _ => line,
    }
}

/// Reads an object whose keys name sections, alone or in a fence; `None` for any other text.
fn parse_json(text: &str) -> Option<SummaryBody> {
    let bare = text.trim();
    let bare = match bare.strip_prefix("```") {
        Some(fenced) => fenced.split_once('\n')?.1.trim_end().strip_suffix("```")?,
        None => bare,
    };
    let Value::Object(fields) = serde_json::from_str(bare.trim()).ok()? else {
        return None;
    };
    let mut body = SummaryBody::default();
    for (key, value) in &fields {
        let section = labels::read(key).unwrap_or(Section::Narrative);
        push_value(&mut body, section, value);
    }
    (!body.is_empty()).then_some(body)
}

fn push_value(body: &mut SummaryBody, section: Section, value: &Value) {
    match value {
        Value::Null => {}
        Value::String(text) => {
            for line in text.lines() {
                body.push(section, strip_bullet(line.trim()));
            }
        }
        Value::Array(values) => {
            for inner in values {
                push_value(body, section, inner);
            }
        }
        Value::Object(fields) if section == Section::Files => {
            let text = |key: &str| fields.get(key).and_then(Value::as_str);
            match (
                text("path").or(text("file")),
                text("state").or(text("status")),
            ) {
                (Some(path), Some(state)) => body.set_file(path, &one_line(state)),
                _ => {
                    for (path, state) in fields {
                        let state = state.as_str().map_or_else(|| state.to_string(), one_line);
                        body.set_file(path, &state);
                    }
                }
            }
        }
        Value::Object(fields) => {
            for (key, inner) in fields {
                let inner = inner
                    .as_str()
                    .map_or_else(|| inner.to_string(), str::to_owned);
                body.push(section, &format!("{key}: {inner}"));
            }
        }
        Value::Bool(_) | Value::Number(_) => body.push(section, &value.to_string()),
    }
}
