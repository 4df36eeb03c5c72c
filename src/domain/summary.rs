//! Summaries. Owns what one holds and who wrote it.
//! May not render or parse a body: policy does.

use std::fmt;

use super::frontier::Node;
use super::ids::SummaryId;

/// Who wrote a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A model.
    Model,
    /// The local floor: no model is configured, or it was refused for good. An ordinary node.
    Floor,
    /// The local floor in place of a model that failed. Repaired when the model is back.
    Fallback,
}

impl Origin {
    /// Returns the word stored and printed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Floor => "floor",
            Self::Fallback => "fallback",
        }
    }

    /// Reads the stored word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "model" => Some(Self::Model),
            "floor" => Some(Self::Floor),
            "fallback" => Some(Self::Fallback),
            _ => None,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A stored summary, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// All but the body.
    pub node: Node,
    /// The labelled text that views print inside the wrapper.
    pub body: String,
    /// The model that wrote it.
    pub model: Option<String>,
}

impl Summary {
    /// Returns its id.
    #[must_use]
    pub const fn id(&self) -> SummaryId {
        self.node.id
    }
}

/// What a summary holds, section by section.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SummaryBody {
    /// What the user wants.
    pub goal: Vec<String>,
    /// What was decided, with why.
    pub decisions: Vec<String>,
    /// What is finished.
    pub done: Vec<String>,
    /// Files and the state each is in; newest state wins.
    pub files: Vec<(String, String)>,
    /// How things stand.
    pub state: Vec<String>,
    /// What comes next.
    pub next_steps: Vec<String>,
    /// What is undecided.
    pub open_questions: Vec<String>,
    /// Ids, paths, numbers, errors.
    pub facts: Vec<String>,
    /// What was left out and can be expanded.
    pub dropped: Vec<String>,
    /// All else, in sentences.
    pub narrative: String,
}
