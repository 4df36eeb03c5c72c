//! What messages offer a summary. Owns the reading of messages.
//! May not count tokens: `fit` does.

use std::collections::HashSet;

use crate::domain::{Message, Part, Role, Visibility};
use crate::policy::carry::constraint;
use crate::policy::carry::files::{FileState, Files, is_look};

use super::cues::{Cue, Cued};
use super::fit::{Candidate, Kind};
use super::sentence;
use super::weighed::{Said, weighed};

/// What stands before a demand of the user, so that it is known again one level up.
pub(super) const DEMAND_LABEL: &str = "user requires: ";

/// Sentences of one tool result that are ranked at most.
const RESULT_SENTENCES: usize = 40;

/// Lines of one tool result that count as errors at most.
const ERROR_LINES: usize = 3;

/// Collects what messages offer, the dearest of each kind first.
pub(super) fn gather(messages: &[Message]) -> Vec<Candidate> {
    let mut gathered = Gathered::default();
    for (message_idx, message) in messages.iter().enumerate() {
        if message.visibility == Visibility::Talk {
            gathered.message_idx = message_idx;
            gathered.read(message);
        }
    }
    gathered.finish(messages)
}

#[derive(Default)]
struct Gathered {
    /// Newest last.
    said: Vec<Said>,
    message_idx: usize,
    files: Files,
    tools: Vec<(String, usize)>,
    asked: Vec<Candidate>,
    last_words: Option<Candidate>,
    place: usize,
}

impl Gathered {
    fn read(&mut self, message: &Message) {
        for part in &message.parts {
            match part {
                Part::Text { text } => self.read_text(message.role, text),
                Part::ToolUse {
                    call_id,
                    name,
                    arguments,
                } => self.read_call(call_id, name, arguments),
                Part::ToolResult {
                    call_id,
                    content,
                    is_error,
                } => self.read_result(call_id, content, *is_error),
                Part::Reasoning { .. } | Part::Media { .. } | Part::Opaque { .. } => {}
            }
        }
    }

    fn find(&mut self, kind: Kind, text: String) -> Candidate {
        self.place += 1;
        Candidate {
            kind,
            place: self.place,
            text,
        }
    }

    fn read_text(&mut self, role: Role, text: &str) {
        let sentences = sentence::sentences(text);
        let n_sentences = sentences.len();
        for (at, said) in sentences.into_iter().enumerate() {
            if role == Role::User && at == 0 {
                let goal = self.find(Kind::Goal, said.clone());
                self.asked.push(goal);
            }
            if role == Role::Assistant && at + 1 == n_sentences {
                let state = self.find(Kind::State, said.clone());
                self.last_words = Some(state);
            }
            let kind = kind_of(role, &said);
            self.keep(kind, role, said);
        }
    }

    /// Keeps a sentence; without a kind of its own it is a fact if it names something exact.
    fn keep(&mut self, kind: Option<Kind>, role: Role, words: String) {
        self.place += 1;
        let kind = kind.unwrap_or(if sentence::is_exact(&words) {
            Kind::Fact
        } else {
            Kind::Narrative
        });
        self.said.push(Said {
            kind,
            role,
            place: self.place,
            from_idx: self.message_idx,
            label: match kind {
                Kind::Demand => DEMAND_LABEL.to_owned(),
                _ => format!("{role}: "),
            },
            words,
        });
    }

    fn read_call(&mut self, call_id: &str, name: &str, arguments: &str) {
        match self.tools.iter_mut().find(|(known, _)| known == name) {
            Some((_, count)) => *count += 1,
            None => self.tools.push((name.to_owned(), 1)),
        }
        self.files.call(call_id, name, arguments);
    }

    fn read_result(&mut self, call_id: &str, content: &str, is_error: bool) {
        let sentences = sentence::sentences(content);
        self.files.result(call_id, content, is_error);
        let mut n_errors = 0;
        for said in sentences.into_iter().take(RESULT_SENTENCES) {
            let fails = is_error || Cued::new(&said).shows(Cue::Error);
            if fails && n_errors < ERROR_LINES {
                n_errors += 1;
                self.keep(Some(Kind::Error), Role::Tool, said);
            } else if !sentence::is_code(&said) {
                self.keep(None, Role::Tool, said);
            }
        }
    }

    fn finish(mut self, messages: &[Message]) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        // The first request says what the work is for, the last what it is at.
        candidates.extend(self.asked.first().cloned());
        candidates.extend(self.asked.iter().skip(1).next_back().cloned());
        candidates.extend(self.last_words.take());
        candidates.extend(offered(&self.files));
        let mut weighed = weighed(&self.said);
        // What a stretch begins and ends with is heard whatever it says.
        let ends: Vec<usize> = [self.said.first(), self.said.last()]
            .into_iter()
            .flatten()
            .map(|said| said.place)
            .collect();
        weighed.sort_by_key(|candidate| !ends.contains(&candidate.place));
        candidates.extend(weighed);
        candidates.extend(self.dropped(messages));
        without_repeats(candidates)
    }

    /// Says what the summary was made from, so that one knows what can be looked up.
    fn dropped(&self, messages: &[Message]) -> Option<Candidate> {
        let visible = || {
            messages
                .iter()
                .filter(|message| message.visibility == Visibility::Talk)
        };
        let (first, last) = (visible().next()?.seq, visible().next_back()?.seq);
        let tools: Vec<String> = self
            .tools
            .iter()
            .map(|(name, count)| format!("{name} x{count}"))
            .collect();
        let calls = if tools.is_empty() {
            String::new()
        } else {
            format!(", calls: {}", tools.join(", "))
        };
        Some(Candidate {
            kind: Kind::Dropped,
            place: usize::MAX,
            text: format!(
                "the words of {} messages, seq {first}-{last}{calls}",
                visible().count()
            ),
        })
    }
}

/// Offers each file's state: changed files come before those that were looked at, and of either the
/// newest first.
pub(super) fn offered(files: &Files) -> Vec<Candidate> {
    let mut states: Vec<(usize, &FileState)> = files.states().enumerate().collect();
    states.reverse();
    states.sort_by_key(|(_, known)| is_look(&known.state));
    states
        .into_iter()
        .map(|(place, known)| Candidate {
            kind: Kind::File,
            place,
            text: format!("{} -> {}", known.path, known.state),
        })
        .collect()
}

/// Returns what a sentence does, by its cues.
fn kind_of(role: Role, said: &str) -> Option<Kind> {
    let is_question = said.ends_with(['?', '？', '؟']);
    let cued = Cued::new(said);
    let demands = || {
        let found = constraint::find(said);
        found
            .iter()
            .any(|found| found.kind == constraint::Kind::Sets)
    };
    match role {
        Role::User if !is_question && demands() => Some(Kind::Demand),
        Role::User | Role::Assistant if !is_question && cued.shows(Cue::Decision) => {
            Some(Kind::Decision)
        }
        Role::Assistant if is_question => Some(Kind::Question),
        Role::Assistant if cued.shows(Cue::Next) => Some(Kind::Next),
        Role::Assistant if cued.shows(Cue::Done) => Some(Kind::Done),
        _ => None,
    }
}

/// Takes out what says the same as something dearer.
pub(super) fn without_repeats(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut known = HashSet::new();
    candidates
        .into_iter()
        .filter(|candidate| {
            let said = candidate
                .text
                .strip_prefix(DEMAND_LABEL)
                .or_else(|| candidate.text.split_once(": ").map(|(_, said)| said))
                .unwrap_or(&candidate.text);
            let key = sentence::key(if candidate.kind == Kind::File {
                &candidate.text
            } else {
                said
            });
            !key.is_empty() && known.insert(key)
        })
        .collect()
}
