//! Secrets in texts. Owns what a key, a password and a person's number look like.
//! May not keep what it finds, and sees one text at a time: a secret that two messages share in
//! halves is none to it.
//!
//! Each rule looks at the text as it is written and at the text as it reads, see `plain`. The time it
//! takes is in proportion to the length of the text.

mod assigned;
mod digits;
mod families;
mod literal;
mod pem;
mod personal;
mod plain;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

pub use literal::Literals;

use crate::domain::{Redacted, RedactionCounts, Redactor};

/// What stands before the kind in a text that took a secret's place.
const OPENING: &str = "[redacted:";

/// How often a text is looked through at most. Two secrets without anything between them can hide
/// one another's edge, so the second look finds what the first one uncovered.
const PASSES: usize = 4;

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sort {
    /// Keys, tokens and passwords.
    Keys,
    /// E-mail addresses.
    Email,
    /// Telephone numbers.
    Phone,
    /// Numbers of payment cards.
    Card,
    /// Numbers of persons: CPF, and the social security number of the United States.
    NationalId,
}

impl Sort {
    /// Every sort, in the order they are documented.
    pub const ALL: [Self; 5] = [
        Self::Keys,
        Self::Email,
        Self::Phone,
        Self::Card,
        Self::NationalId,
    ];

    /// Returns the word that configuration uses.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Keys => "keys",
            Self::Email => "email",
            Self::Phone => "phone",
            Self::Card => "card",
            Self::NationalId => "national_id",
        }
    }

    /// Reads the word of configuration.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sort| sort.as_str() == word)
    }
}

/// The redactor that is built in: each secret becomes `[redacted:kind]`.
///
/// ```
/// use hippocamp::domain::Redactor;
/// use hippocamp::policy::redact::{Patterns, Sort};
///
/// let found = Patterns::default().redact("deploy with glpat-x7Kq29vBn4TzLw8RyP3d, please");
/// assert_eq!(found.text, "deploy with [redacted:gitlab_token], please");
/// assert_eq!(found.counts.total(), 1);
///
/// let personal = Patterns::of([Sort::Email]);
/// assert_eq!(personal.redact("ask ana@example.org").text, "ask [redacted:email]");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patterns {
    sorts: Vec<Sort>,
}

impl Default for Patterns {
    /// Keys only: what they look like is nobody's name or number.
    fn default() -> Self {
        Self::of([Sort::Keys])
    }
}

impl Patterns {
    /// Makes a redactor of these sorts; of none, it replaces nothing.
    #[must_use]
    pub fn of(sorts: impl IntoIterator<Item = Sort>) -> Self {
        Self {
            sorts: sorts.into_iter().collect(),
        }
    }

    /// Returns what it looks for.
    #[must_use]
    pub fn sorts(&self) -> &[Sort] {
        &self.sorts
    }

    fn find(&self, text: &str, found: &mut Vec<Secret>) {
        for sort in &self.sorts {
            match sort {
                Sort::Keys => {
                    families::find(text, found);
                    pem::find(text, found);
                    assigned::find(text, found);
                }
                Sort::Email => personal::emails(text, found),
                Sort::Phone => personal::phones(text, found),
                Sort::Card => digits::cards(text, found),
                Sort::NationalId => digits::national_ids(text, found),
            }
        }
    }
}

impl Redactor for Patterns {
    fn redact<'text>(&self, text: &'text str) -> Redacted<'text> {
        redacted_by(text, |text, found| self.find(text, found))
    }
}

/// Replaces what `find` finds in a text as it is written and in the text as it reads.
fn redacted_by(text: &str, find: impl Fn(&str, &mut Vec<Secret>)) -> Redacted<'_> {
    let mut counts = RedactionCounts::default();
    let mut clean = Cow::Borrowed(text);
    for _ in 0..PASSES {
        let mut secrets = Vec::new();
        find(&clean, &mut secrets);
        if let Some(plain) = plain::read(&clean) {
            let mut read = Vec::new();
            find(&plain.text, &mut read);
            let written = joined(&plain.text, read).into_iter();
            secrets.extend(written.map(|secret| Secret {
                at: plain.written(&secret.at),
                ..secret
            }));
        }
        let secrets = joined(&clean, secrets);
        if secrets.is_empty() {
            break;
        }
        clean = Cow::Owned(replaced(&clean, &secrets, &mut counts));
    }
    Redacted::new(clean, counts)
}

fn replaced(text: &str, secrets: &[Secret], counts: &mut RedactionCounts) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut kept_from = 0;
    for secret in secrets {
        clean.push_str(text.get(kept_from..secret.at.start).unwrap_or_default());
        clean.push_str(OPENING);
        clean.push_str(secret.kind);
        clean.push(']');
        counts.note(secret.kind);
        kept_from = secret.at.end;
    }
    clean.push_str(text.get(kept_from..).unwrap_or_default());
    clean
}

/// Where a secret stands.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Secret {
    at: Range<usize>,
    kind: &'static str,
}

impl Secret {
    fn new(at: Range<usize>, kind: &'static str) -> Self {
        Self { at, kind }
    }
}

/// Puts secrets in order and makes one of those that overlap, under the name of the longest. Each
/// reaches to the end of its word: what is left of a word would be a part of the secret.
fn joined(text: &str, mut secrets: Vec<Secret>) -> Vec<Secret> {
    for secret in &mut secrets {
        let rest = text.get(secret.at.end..).unwrap_or_default();
        let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        secret.at.end += rest.bytes().take_while(in_word).count();
    }
    secrets.sort_by_key(|secret| (secret.at.start, std::cmp::Reverse(secret.at.end)));
    let mut joined: Vec<Secret> = Vec::with_capacity(secrets.len());
    for secret in secrets {
        match joined.last_mut() {
            Some(last) if secret.at.start < last.at.end => {
                if secret.at.len() > last.at.len() {
                    last.kind = secret.kind;
                }
                last.at.end = last.at.end.max(secret.at.end);
            }
            _ => joined.push(secret),
        }
    }
    joined
}

/// Says whether a text already took a secret's place.
fn is_redacted(text: &str) -> bool {
    let kind = text
        .strip_prefix(OPENING)
        .and_then(|rest| rest.strip_suffix(']'));
    kind.is_some_and(|kind| {
        !kind.is_empty()
            && kind
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    })
}
