//! Sieves. Owns the look at a row as stored that saves cutting it into words.
//! May not decide a match: what passes is cut and matched.

use std::sync::LazyLock;

use memchr::memchr;
use regex::{Regex, RegexBuilder};

use crate::domain::{Part, SearchRow};

use super::about::is_of_dates;
use super::escapes::ESC;

/// The fewest characters that are worth a look: shorter pieces are in most texts.
const LEAST: usize = 3;

/// Characters that a text shows as they are: folded they stay one character that regular
/// expressions hold for the same letter, or are none of a word. All others may fold to letters that
/// are not there, vanish between letters or compose with them.
const PLAIN: &str = r"\x00-\x7f\xa0-\xa7\xa9\xab\xac\xae\xb0\xb1\xb6\xb7\xbb\xbf-\xde\xe0-\u{12f}\u{131}\u{134}-\u{13e}\u{141}-\u{148}\u{14a}-\u{17e}\u{388}-\u{3ce}\u{400}-\u{481}\u{48a}-\u{52f}\u{5d0}-\u{5ea}\u{620}-\u{63f}\u{641}-\u{64a}\u{2000}-\u{200b}\u{2010}-\u{2016}\u{2018}-\u{2027}\u{2030}-\u{203d}\u{203f}-\u{205e}\u{20a9}-\u{20bf}\u{2190}-\u{23ff}\u{2500}-\u{28ff}\u{3001}-\u{3029}\u{3041}-\u{3096}\u{30a1}-\u{30fe}\u{3400}-\u{4dbf}\u{4e00}-\u{9fff}\u{ac00}-\u{d7a3}\u{ff01}-\u{ff0f}\u{ff1a}-\u{ff20}\u{fffd}\u{1f300}-\u{1faff}";

/// What follows an emoji and vanishes. Behind a letter or digit it would join it to what comes next.
const TAILS: &str = r"\u{200d}\u{20e3}\u{fe0e}\u{fe0f}";

/// Finds a character that is not plain; none would mean that every text may have one.
static ODD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let odd = format!(r"[^{PLAIN}{TAILS}]|[\p{{Alphabetic}}\p{{N}}][{TAILS}]");
    Regex::new(&odd).ok()
});

/// Finds a character that a JSON text writes by its number, but for controls, which are blanks; that
/// of escape sequences is none, since they vanish.
static NUMBERED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\\u(?:[^0]|0[^0]|00[^01]|001[bB])").ok());

/// What a text must hold for a term to be in it.
#[derive(Debug)]
pub(super) struct Sieve {
    /// Any of the pieces, in either case.
    pieces: Regex,
    form: Form,
    /// Whether what is said about a row may hold the term.
    speaker: Speaker,
}

/// In which form of a text the pieces are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As stored.
    Stored,
    /// Folded, which a text with odd characters cannot be judged by.
    Folded,
}

/// Whether a term may be met by the speaker alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    /// It may.
    Counts,
    /// It may, and so it may by the date.
    Dated,
    /// It may not.
    Apart,
}

impl Sieve {
    /// Makes a sieve of texts one of which every match holds; none where they say too little.
    pub(super) fn new<'text>(
        texts: impl Iterator<Item = &'text str>,
        form: Form,
        speaker: Speaker,
    ) -> Option<Self> {
        let pieces: Vec<&str> = texts.map(longest_run).collect();
        let is_telling = |piece: &&str| piece.chars().nth(LEAST - 1).is_some();
        let is_apart = |piece: &&str| speaker != Speaker::Dated || !is_of_dates(piece);
        if pieces.is_empty() || !pieces.iter().all(|one| is_telling(one) && is_apart(one)) {
            return None;
        }
        // Letters and digits mean themselves in an expression.
        let pieces = RegexBuilder::new(&pieces.join("|"))
            .case_insensitive(true)
            .build()
            .ok()?;
        Some(Self {
            pieces,
            form,
            speaker,
        })
    }

    /// Says whether a row may have the term.
    pub(super) fn lets_through(&self, row: &SearchRow) -> bool {
        let by_speaker = self.speaker != Speaker::Apart
            && row.name.as_ref().is_some_and(|name| self.is_in(name));
        by_speaker || row.parts.iter().any(|part| self.is_in_part(part))
    }

    fn is_in_part(&self, part: &Part) -> bool {
        match part {
            Part::Text { text } | Part::Reasoning { text, .. } => self.is_in(text),
            Part::ToolResult { content, .. } => self.is_in(content),
            Part::ToolUse {
                name, arguments, ..
            } => self.is_in(name) || self.is_in_json(arguments),
            Part::Media { uri, mime } => self.is_in(uri) || self.is_in(mime),
            Part::Opaque { json } => self.is_in_json(json),
        }
    }

    fn is_in(&self, text: &str) -> bool {
        // Escape sequences may stand inside a word.
        if self.pieces.is_match(text) || memchr(ESC, text.as_bytes()).is_some() {
            return true;
        }
        self.form == Form::Folded
            && !text.is_ascii()
            && ODD.as_ref().is_none_or(|odd| odd.is_match(text))
    }

    /// Letters may be written by their numbers in strings.
    fn is_in_json(&self, json: &str) -> bool {
        self.is_in(json)
            || NUMBERED
                .as_ref()
                .is_none_or(|numbered| numbered.is_match(json))
    }
}

/// Returns the longest run of letters and digits.
fn longest_run(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric())
        .max_by_key(|run| run.len())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use regex::Regex;
    use unicode_normalization::char::canonical_combining_class;
    use unicode_normalization::{IsNormalized, is_nfc_quick};

    use super::ODD;
    use crate::policy::pattern::cut::Cut;

    /// Every character of Unicode: what is plain says in its folded form what it says as stored.
    #[test]
    fn plain_characters_fold_to_themselves() {
        let odd = ODD.as_ref().unwrap();
        let (mut n_plain, mut n_tails) = (0, 0);
        let mut wrong = Vec::new();
        for c in '\0'..=char::MAX {
            let text = c.to_string();
            if odd.is_match(&text) {
                continue;
            }
            if odd.is_match(&format!("a{text}")) {
                n_tails += 1;
                assert_eq!(Cut::of(&text).folded, "", "{c:?}");
                continue;
            }
            n_plain += 1;
            let folded = Cut::of(&text).folded;
            let mut chars = folded.chars();
            let is_itself = match (chars.next(), chars.next()) {
                (Some(one), None) if one.is_alphanumeric() => {
                    Regex::new(&format!("(?i)^{one}$")).unwrap().is_match(&text)
                }
                (None, _) => false,
                _ => !folded.chars().any(char::is_alphanumeric),
            };
            let composes = |c: char| {
                canonical_combining_class(c) != 0
                    || is_nfc_quick(std::iter::once(c)) != IsNormalized::Yes
            };
            // A singleton that is no letter (`Ω` of old, angle brackets) composes with nothing.
            let is_apart =
                !composes(c) || (folded.chars().all(|c| !composes(c)) && !c.is_alphanumeric());
            if !is_itself || !is_apart {
                wrong.push(c);
            }
        }
        assert!(n_plain > 40_000, "{n_plain}");
        assert_eq!(n_tails, 4);
        assert_eq!(wrong, Vec::<char>::new());
    }
}
