//! One history as the model knows it.

use hippocamp::domain::{Appended, NewMessage, Part, PlanCommit, Role, Visibility};

use super::model::{Branch, Row, Shown};

/// One history: its branches, which keys point where, and the plans carried out.
pub(crate) struct History {
    pub(crate) name: usize,
    pub(crate) branches: Vec<Branch>,
    pub(crate) pointers: Vec<usize>,
    pub(crate) done: Vec<PlanCommit>,
    n_words: usize,
}

impl History {
    pub(crate) fn new(name: usize) -> Self {
        Self {
            name,
            branches: Vec::new(),
            pointers: Vec::new(),
            done: Vec::new(),
            n_words: 0,
        }
    }

    /// Returns the branch that a key points at.
    pub(crate) fn session(&self, choice: usize) -> Option<usize> {
        let n_keys = self.pointers.len();
        // One more than there are stands for a new one.
        (choice < n_keys || choice > 2)
            .then(|| self.pointers.get(choice % n_keys.max(1)).copied())
            .flatten()
    }

    pub(crate) fn branches_of(&self, name: &str) -> Vec<usize> {
        (0..self.branches.len())
            .filter(|&idx| self.branches[idx].key == name)
            .collect()
    }

    pub(crate) fn point(&mut self, name: &str, landed: usize) {
        let branches = &self.branches;
        for pointer in &mut self.pointers {
            if branches[*pointer].key == name {
                *pointer = landed;
            }
        }
    }

    /// Writes messages from letters, each with words of its own.
    pub(crate) fn write(&mut self, letters: &str) -> Vec<NewMessage> {
        let mut messages = Vec::new();
        for letter in letters.chars() {
            self.n_words += 1;
            let words = format!("{letter}{}", self.n_words);
            messages.push(match letter {
                'a' => NewMessage::assistant(words),
                's' => NewMessage::system(words),
                'p' => {
                    let mut prompt = NewMessage::system(words);
                    prompt.visibility = Visibility::Prompt;
                    prompt
                }
                'm' => NewMessage::user(words).meta(),
                't' => {
                    let mut results = NewMessage::tool_result("one", words.clone());
                    results
                        .parts
                        .extend(NewMessage::tool_result("two", words).parts);
                    results
                }
                'k' => NewMessage::user("keyed").with_key(format!("k{}", self.n_words % 3)),
                _ => NewMessage::user(words),
            });
        }
        messages
    }

    /// Adds to the model what the store says it has stored, having checked each row's fate.
    pub(crate) fn take(&mut self, idx: usize, messages: &[NewMessage], appended: &Appended) {
        let branch = &mut self.branches[idx];
        assert_eq!(appended.conversation, branch.id);
        assert_eq!(appended.rows.len(), messages.len());
        let mut asked = None;
        for (message, row) in messages.iter().zip(&appended.rows) {
            let known = message.key.as_ref().and_then(|key| branch.find_key(key));
            if let Some(known) = known {
                assert_eq!(
                    (row.id.get(), row.seq.get(), row.is_duplicate),
                    (known.0, known.1, true)
                );
                continue;
            }
            assert!(!row.is_duplicate);
            assert_eq!(row.seq.get(), branch.head() + 1);
            let is_leading = branch.n_visible() == 0;
            let shown = match (message.role, message.visibility) {
                (Role::System, Visibility::Talk) if is_leading => Shown::Prompt,
                (_, Visibility::Talk) => Shown::Talk,
                (_, Visibility::Meta) => Shown::Meta,
                (_, Visibility::Prompt) => Shown::Prompt,
            };
            let before = branch.rows.iter().rfind(|row| row.shown == Shown::Prompt);
            let is_asked = message.visibility == Visibility::Prompt;
            let version = match (asked, before) {
                (Some(first), _) => first,
                (None, Some(before)) if is_leading && !is_asked => before.version,
                _ => branch.rows.len(),
            };
            match shown {
                Shown::Talk => asked = None,
                Shown::Prompt if is_asked => asked = Some(version),
                Shown::Prompt | Shown::Meta => {}
            }
            branch.rows.push(Row {
                id: row.id.get(),
                words: words(message),
                key: message.key.clone(),
                shown,
                is_user: message.role == Role::User,
                n_results: results(message),
                version,
            });
        }
    }
}

fn results(message: &NewMessage) -> usize {
    let is_result = |part: &&Part| matches!(part, Part::ToolResult { .. });
    message.parts.iter().filter(is_result).count()
}

fn words(message: &NewMessage) -> String {
    format!("{:?}", message.parts)
}
