//! What messages offer a summary. Owns the reading of messages and the rank of their sentences.
//! May not count tokens: `fit` does.

use std::collections::{HashMap, HashSet};

use unicode_segmentation::UnicodeSegmentation;

use crate::domain::{Message, Part, Role, Visibility};
use crate::policy::carry::files::Files;

use super::cues::{Cue, Cued};
use super::fit::{Candidate, Kind};
use super::sentence;

/// What stands before a demand of the user, so that it is known again one level up.
pub(super) const DEMAND_LABEL: &str = "user requires: ";

/// Sentences of one tool result that are ranked at most.
const RESULT_SENTENCES: usize = 40;

/// Lines of one tool result that count as errors at most.
const ERROR_LINES: usize = 3;

/// Collects what messages offer, the dearest of each kind first.
pub(super) fn gather(messages: &[Message]) -> Vec<Candidate> {
    let mut gathered = Gathered::default();
    for message in messages {
        if message.visibility == Visibility::Talk {
            gathered.read(message);
        }
    }
    gathered.finish(messages)
}

/// One sentence with who said it.
struct Said {
    role: Role,
    place: usize,
    text: String,
}

#[derive(Default)]
struct Gathered {
    /// Newest last.
    found: Vec<Candidate>,
    rest: Vec<Said>,
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
            match kind_of(role, &said) {
                Some(Kind::Demand) => {
                    let demand = self.find(Kind::Demand, format!("{DEMAND_LABEL}{said}"));
                    self.found.push(demand);
                }
                Some(kind) => {
                    let found = self.find(kind, format!("{role}: {said}"));
                    self.found.push(found);
                }
                None => self.keep(role, said),
            }
        }
    }

    fn keep(&mut self, role: Role, text: String) {
        self.place += 1;
        self.rest.push(Said {
            role,
            place: self.place,
            text,
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
                let error = self.find(Kind::Error, format!("tool: {said}"));
                self.found.push(error);
            } else {
                self.keep(Role::Tool, said);
            }
        }
    }

    fn finish(mut self, messages: &[Message]) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        // The first request says what the work is for, the last what it is at.
        candidates.extend(self.asked.first().cloned());
        candidates.extend(self.asked.iter().skip(1).next_back().cloned());
        candidates.extend(self.last_words.take());
        let states = self.files.states().iter().enumerate().rev();
        candidates.extend(states.map(|(place, known)| Candidate {
            kind: Kind::File,
            place,
            text: format!("{} -> {}", known.path, known.state),
        }));
        // Newest first: later ones supersede.
        candidates.extend(self.found.iter().rev().cloned());
        candidates.extend(ranked(&self.rest));
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

/// Returns what a sentence does, by its cues.
fn kind_of(role: Role, said: &str) -> Option<Kind> {
    let is_question = said.ends_with(['?', '？', '؟']);
    let cued = Cued::new(said);
    match role {
        Role::User if !is_question && cued.shows(Cue::Demand) => Some(Kind::Demand),
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

/// Orders sentences by what they say: words that come again and again, exact names and numbers,
/// the first and the last sentence.
fn ranked(rest: &[Said]) -> Vec<Candidate> {
    let mut counts: HashMap<String, u64> = HashMap::new();
    let words: Vec<Vec<String>> = rest.iter().map(|said| content_words(&said.text)).collect();
    for word in words.iter().flatten() {
        *counts.entry(word.clone()).or_default() += 1;
    }
    let mut scored: Vec<(u64, &Said)> = rest
        .iter()
        .zip(&words)
        .enumerate()
        .map(|(at, (said, words))| {
            let distinct: HashSet<&String> = words.iter().collect();
            let sum: u64 = distinct
                .into_iter()
                .filter_map(|word| counts.get(word))
                .map(|count| (*count).min(8))
                .sum();
            let length = u64::try_from(words.len()).unwrap_or(u64::MAX);
            let mut score = 100 * sum / length.saturating_add(4);
            if sentence::is_exact(&said.text) {
                score += 80;
            }
            if said.role == Role::User {
                score += 80;
            }
            if at == 0 || at + 1 == rest.len() {
                score += 10_000;
            }
            (score, said)
        })
        .collect();
    scored.sort_by_key(|(score, said)| (std::cmp::Reverse(*score), said.place));
    scored
        .into_iter()
        .map(|(_, said)| Candidate {
            kind: if sentence::is_exact(&said.text) {
                Kind::Fact
            } else {
                Kind::Narrative
            },
            place: said.place,
            text: format!("{}: {}", said.role, said.text),
        })
        .collect()
}

/// Returns the words of a sentence that carry meaning: long ones, and any of other scripts.
fn content_words(text: &str) -> Vec<String> {
    text.unicode_words()
        .filter(|word| word.len() > 3)
        .map(str::to_lowercase)
        .collect()
}
