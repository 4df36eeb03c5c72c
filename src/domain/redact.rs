//! Redaction: what leaves for a model or a log without its secrets. Owns the seam and its answer.
//! May not know what a secret looks like.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// How many secrets of each kind were replaced.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RedactionCounts {
    by_kind: BTreeMap<Cow<'static, str>, u64>,
}

impl RedactionCounts {
    /// Counts one more of `kind`.
    pub fn note(&mut self, kind: impl Into<Cow<'static, str>>) {
        self.note_many(kind, 1);
    }

    /// Counts `n` more of `kind`.
    pub fn note_many(&mut self, kind: impl Into<Cow<'static, str>>, n: u64) {
        if n > 0 {
            let count = self.by_kind.entry(kind.into()).or_default();
            *count = count.saturating_add(n);
        }
    }

    /// Adds the counts of another text.
    pub fn add(&mut self, other: Self) {
        for (kind, n) in other.by_kind {
            self.note_many(kind, n);
        }
    }

    /// Returns the kinds and their counts, in the order of the kinds' names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.by_kind.iter().map(|(kind, n)| (kind.as_ref(), *n))
    }

    /// Says whether nothing was replaced.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_kind.is_empty()
    }

    /// Returns how many were replaced in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.by_kind
            .values()
            .fold(0, |sum, n| sum.saturating_add(*n))
    }
}

impl<K: Into<Cow<'static, str>>> FromIterator<(K, u64)> for RedactionCounts {
    fn from_iter<I: IntoIterator<Item = (K, u64)>>(counted: I) -> Self {
        let mut counts = Self::default();
        for (kind, n) in counted {
            counts.note_many(kind, n);
        }
        counts
    }
}

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Redacted<'text> {
    /// The text; borrowed where nothing was replaced.
    pub text: Cow<'text, str>,
    /// What was replaced.
    pub counts: RedactionCounts,
}

impl<'text> Redacted<'text> {
    /// Makes an answer that replaces nothing.
    #[must_use]
    pub fn unchanged(text: &'text str) -> Self {
        Self::new(text, RedactionCounts::default())
    }

    /// Makes an answer.
    #[must_use]
    pub fn new(text: impl Into<Cow<'text, str>>, counts: RedactionCounts) -> Self {
        Self {
            text: text.into(),
            counts,
        }
    }
}

/// Replaces secrets in what leaves for a model or a log. The store keeps the text as it is.
pub trait Redactor: Send + Sync + 'static {
    /// Returns `text` with each secret replaced. What it returns it leaves alone the next time.
    fn redact<'text>(&self, text: &'text str) -> Redacted<'text>;
}
