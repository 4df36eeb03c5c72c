//! Classes of characters. Owns which of them make words, and which are words alone.
//! May not cut a text.

use unicode_normalization::char::is_combining_mark;

/// What a character does to words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Parts them.
    Separator,
    /// Belongs to the word it stands in.
    Mark,
    /// Is a word alone.
    Solo,
    /// Makes words with its like.
    Letter(Script),
}

/// Scripts that part where they meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    Ascii,
    Hangul,
    Other,
}

impl Script {
    /// Says whether a word ends between letters of these scripts: particles follow foreign words
    /// in Hangul without a blank.
    pub(super) const fn parts(self, next: Self) -> bool {
        matches!(
            (self, next),
            (Self::Ascii, Self::Hangul) | (Self::Hangul, Self::Ascii)
        )
    }
}

/// Says what a character does.
pub(super) fn class(c: char) -> Class {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() {
            Class::Letter(Script::Ascii)
        } else {
            Class::Separator
        };
    }
    if is_solo(c) {
        Class::Solo
    } else if matches!(c, '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}')
    {
        Class::Letter(Script::Hangul)
    } else if is_combining_mark(c) {
        Class::Mark
    } else if c.is_alphanumeric() {
        Class::Letter(Script::Other)
    } else {
        Class::Separator
    }
}

/// Says whether a character is a word alone.
pub(super) const fn is_solo(c: char) -> bool {
    is_unspaced(c) || is_emoji(c)
}

/// Letters and marks of scripts that put no blanks between words; their punctuation left out.
const fn is_unspaced(c: char) -> bool {
    is_southeast_asian(c) || is_east_asian(c)
}

/// Thai, Lao, Myanmar, Khmer, the Tai scripts, Javanese, Balinese.
const fn is_southeast_asian(c: char) -> bool {
    matches!(
        c,
        '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' | '\u{e81}'..='\u{ece}'
            | '\u{edc}'..='\u{edf}' | '\u{1000}'..='\u{103f}' | '\u{1050}'..='\u{108f}'
            | '\u{109a}'..='\u{109d}' | '\u{1780}'..='\u{17d3}' | '\u{17d7}'
            | '\u{17dc}'..='\u{17dd}' | '\u{a9e0}'..='\u{a9ef}' | '\u{aa60}'..='\u{aa7f}'
            | '\u{1950}'..='\u{1a9f}' | '\u{a980}'..='\u{a9c0}' | '\u{1b00}'..='\u{1b4c}'
    )
}

/// Ideographs, kana, bopomofo, Yi.
const fn is_east_asian(c: char) -> bool {
    matches!(
        c,
        '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{302f}'
            | '\u{3031}'..='\u{3035}' | '\u{3038}'..='\u{303c}' | '\u{3041}'..='\u{309f}'
            | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{312f}' | '\u{31a0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{a48c}' | '\u{f900}'..='\u{faff}'
            | '\u{1b000}'..='\u{1b16f}' | '\u{20000}'..='\u{3fffd}'
    )
}

const fn is_emoji(c: char) -> bool {
    matches!(
        c,
        '\u{2300}'..='\u{23ff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}'
            | '\u{1f000}'..='\u{1faff}'
    )
}
