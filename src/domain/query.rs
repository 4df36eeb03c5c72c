//! Questions to the record. Owns a pattern's meaning, filters, and what narrows a search.
//! May not parse a pattern or decide a match: `policy/pattern` does.

use std::str::FromStr;

use thiserror::Error;

use super::field::Field;
use super::ids::ConversationId;
use super::message::Role;
use super::time::Timestamp;

/// One term of a pattern, cut into tokens by the same rules as stored text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operand {
    /// A word, found by its stem; the pieces of a joined word (`foo_bar`) are adjacent.
    Word(Words),
    /// Words in quotes: adjacent, unstemmed.
    Phrase(Words),
    /// Adjacent words of which the last is a beginning, unstemmed.
    Prefix(Words),
    /// A substring of the text, in folded form.
    Fuzzy(String),
    /// A regular expression on the text, as written; it has been compiled once.
    Regex(String),
    /// What the row must be, whatever its words.
    Field(Field),
}

/// Adjacent folded words, unstemmed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Words {
    /// The words; at least one.
    pub pieces: Vec<String>,
    /// The words again with those in camelCase parted, where there are such.
    pub split: Option<Vec<String>>,
}

/// What a pattern asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expr {
    /// One term.
    Term(Operand),
    /// All of them.
    And(Vec<Expr>),
    /// Any of them.
    Or(Vec<Expr>),
    /// The first but not the second.
    Without(Box<Expr>, Box<Expr>),
}

/// A pattern that cannot be read. The text names the place and the right form.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct PatternError {
    /// What is wrong, for people and models.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

/// How rows match: all terms, or some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatchKind {
    /// Every row has all terms.
    All,
    /// Some rows have only some of the words.
    Some,
}

/// What the index is asked: a condition that every match meets (others may meet it too).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexQuery {
    /// One token.
    Token(String),
    /// Tokens in a row.
    Phrase(Vec<String>),
    /// Tokens in a row, the last one open at its end.
    Prefix(Vec<String>),
    /// All of them.
    And(Vec<IndexQuery>),
    /// Any of them.
    Or(Vec<IndexQuery>),
    /// The index cannot narrow this.
    Everything,
}

/// Which kinds of rows to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchScope {
    /// Summaries only.
    Summary,
    /// Messages only.
    Message,
    /// Both; they take turns in the answer.
    #[default]
    Both,
}

/// Which rows come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// Those that match best.
    #[default]
    Relevance,
    /// The newest.
    Time,
    /// Those that are good in both orders.
    Both,
}

/// A text that names no order.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is no order; the orders are relevance, time and both")]
pub struct SortError {
    text: String,
}

impl FromStr for Sort {
    type Err = SortError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "relevance" => Ok(Self::Relevance),
            "time" => Ok(Self::Time),
            "both" => Ok(Self::Both),
            _ => Err(SortError {
                text: text.to_owned(),
            }),
        }
    }
}

/// A role that rows must have; excludes summaries.
pub type RoleFilter = Option<Role>;

/// Whose rows a question may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// One branch with what it inherits.
    Branch(ConversationId),
    /// Every conversation of the store.
    All,
}

/// A half-open range of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimeRange {
    /// The first moment inside.
    pub since: Option<Timestamp>,
    /// The first moment after it.
    pub before: Option<Timestamp>,
}

impl TimeRange {
    /// Says whether nothing is asked.
    #[must_use]
    pub const fn is_open(self) -> bool {
        self.since.is_none() && self.before.is_none()
    }

    /// Returns the part of the range before a moment.
    #[must_use]
    pub fn until(self, before: Timestamp) -> Self {
        let before = self.before.map_or(before, |own| own.min(before));
        Self {
            before: Some(before),
            ..self
        }
    }

    /// Returns the part of the range from a moment on.
    #[must_use]
    pub fn from(self, since: Timestamp) -> Self {
        let since = self.since.map_or(since, |own| own.max(since));
        Self {
            since: Some(since),
            ..self
        }
    }

    /// Says whether a moment lies inside. An unknown time lies in no range that asks anything.
    #[must_use]
    pub fn contains(self, at: Option<Timestamp>) -> bool {
        self.overlaps(at, at)
    }

    /// Says whether a stretch of time meets the range.
    #[must_use]
    pub fn overlaps(self, from: Option<Timestamp>, to: Option<Timestamp>) -> bool {
        if self.is_open() {
            return true;
        }
        let (Some(from), Some(to)) = (from, to) else {
            return false;
        };
        // A range that ends before it begins holds no moment, so nothing meets it.
        if let (Some(since), Some(before)) = (self.since, self.before)
            && since >= before
        {
            return false;
        }
        self.since.is_none_or(|since| to >= since) && self.before.is_none_or(|before| from < before)
    }
}

/// Filters that act before any limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowFilter {
    /// Whose rows.
    pub scope: Scope,
    /// Which kinds of rows.
    pub kinds: SearchScope,
    /// Which role; excludes summaries.
    pub role: RoleFilter,
    /// When.
    pub time: TimeRange,
    /// Whether results are to say which tools they answer.
    pub answers: Answers,
}

/// Whether rows with tool results name the tools whose calls they answer; each costs a look-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Answers {
    /// They do not.
    #[default]
    Unnamed,
    /// They do.
    Named,
}
