//! Words: what a sentence names, as terms that can be compared. Owns stems and the words that say
//! nothing. May not weigh one: counts over all sentences do.

use std::collections::HashSet;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation;

use super::shape::{self, Shape};

/// Characters of a stem that count: endings differ, in most languages, behind them.
const STEM_CHARS: usize = 6;

/// Words before a colon that still make it a label.
const LABEL_WORDS: usize = 3;

/// Words after a colon that are taken for what the words before it are set to.
const SET_WORDS: usize = 3;

/// Words that join others and name nothing, of English, German, French, Spanish and Portuguese.
const JOINING: &str = "\
    the|and|but|for|nor|yet|with|from|into|onto|over|under|this|that|these|those|there|here|then|\
    than|they|them|their|you|your|yours|our|ours|his|her|hers|its|she|him|who|whom|whose|which|\
    what|when|where|why|how|are|was|were|been|being|have|has|had|does|did|will|would|shall|should|\
    can|could|may|might|about|also|just|some|any|each|such|very|not|all|let|lets|got|get|because|\
    der|die|das|den|dem|des|ein|eine|einen|einem|einer|eines|und|oder|aber|auf|aus|bei|mit|nach|\
    von|vom|vor|zum|zur|für|über|unter|durch|ist|sind|war|waren|wird|werden|wurde|hat|haben|hatte|\
    ich|wir|ihr|sie|uns|euch|mein|dein|sein|nicht|auch|noch|schon|dass|wenn|als|wie|was|hier|dort|\
    les|des|une|est|sont|dans|sur|pour|par|avec|que|qui|pas|plus|nous|vous|ils|elle|elles|ses|mes|\
    los|las|del|una|unos|unas|con|por|para|como|más|pero|sus|este|esta|estos|estas|eso|son|está|\
    dos|das|uma|uns|umas|com|não|mas|seu|sua|seus|suas|isso|isto|foi|são|pelo|pela|nos|nas|aos|ele|\
    ela|eles|elas|below|above|until|before|after|within|between|since|please|bitte|darf|\
    dürfen|kann|können|soll|sollen|gegen|bis|seit|zwischen|favor|pode|podem|puede|pueden|hasta|desde|\
    sobre|entre|até|antes|depois|después|never|always|must|only|without|every|nie|niemals|immer|nur|muss|müssen|ohne|stets|\
    jamais|toujours|seulement|sans|doit|nunca|siempre|solo|sólo|sin|debe|sempre|deve|sem|apenas";

static JOINING_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| JOINING.split('|').collect());

/// A word of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Its form for comparison.
    pub(super) stem: String,
    pub(super) class: Class,
}

/// What a word is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Class {
    /// It names something exactly; with how it was written.
    Exact(String, Shape),
    /// It names something.
    Telling,
    /// It joins others.
    Joining,
}

/// A sentence, read.
#[derive(Debug, Clone, Default)]
pub(super) struct Read {
    /// Its words, in order.
    pub(super) words: Vec<Word>,
    /// The mark its writer set before it.
    pub(super) label: Label,
}

/// A mark before a sentence: a few words and a colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Label {
    /// There is none.
    #[default]
    None,
    /// In small letters.
    Spoken,
    /// In capitals.
    Shouted,
}

/// Whether a capital before small letters says that a word is a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Capitals {
    /// Names have them, as in most languages.
    Tell,
    /// Nouns have them, as in German.
    SayNothing,
}

impl Capitals {
    /// Learns from the texts themselves: where every fourth word inside a sentence begins with a
    /// capital, nouns have them.
    pub(super) fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let (mut n_words, mut n_capitals) = (0_u32, 0_u32);
        for text in texts {
            for (word, is_due) in plain_words(text) {
                if !is_due && word.chars().all(char::is_alphabetic) {
                    n_words += 1;
                    n_capitals += u32::from(is_capitalised(word));
                }
            }
        }
        if n_capitals * 4 > n_words {
            Self::SayNothing
        } else {
            Self::Tell
        }
    }
}

/// Reads a sentence.
pub(super) fn read(text: &str, capitals: Capitals) -> Read {
    let (label, said) = split_label(text);
    let stemmer = Stemmer::create(Algorithm::English);
    let mut words = Vec::new();
    for (word, is_due) in plain_words(said) {
        let is_name =
            capitals == Capitals::Tell && !is_due && is_capitalised(word) && word.len() > 1;
        match shape::read(word).or(is_name.then_some(Shape::Name)) {
            Some(shape) => words.push(Word {
                stem: if shape == Shape::Name {
                    stem(&word.to_lowercase(), &stemmer)
                } else {
                    word.to_lowercase()
                },
                class: Class::Exact(word.to_owned(), shape),
            }),
            None => words.extend(pieces(word).map(|piece| {
                let piece = piece.to_lowercase();
                Word {
                    stem: stem(&piece, &stemmer),
                    class: class(&piece),
                }
            })),
        }
    }
    Read { words, label }
}

/// Parts a label from what it marks.
fn split_label(text: &str) -> (Label, &str) {
    let Some((label, said)) = text.split_once(": ") else {
        return (Label::None, text);
    };
    let n_words = label.split_whitespace().count();
    let is_plain = label
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '*'));
    if !is_plain || n_words > LABEL_WORDS || said.split_whitespace().count() < 2 {
        return (Label::None, text);
    }
    if label.contains(char::is_lowercase) {
        // A few words that another few are set to are no label: `staging port: 7443`.
        return match said.split_whitespace().count() {
            n if n <= SET_WORDS => (Label::None, text),
            _ => (Label::Spoken, text),
        };
    }
    (Label::Shouted, said)
}

/// Returns the words between blanks without punctuation around them, and whether a capital is due
/// there: where a sentence begins.
fn plain_words(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let n_words = text.split_whitespace().count();
    let mut is_due = true;
    text.split_whitespace()
        .enumerate()
        .filter_map(move |(at, word)| {
            let bare = word.trim_matches(|c: char| {
                !(c.is_alphanumeric()
                    || matches!(c, '$' | '€' | '£' | '¥' | '₹' | '₽' | '₩' | '/' | '_'))
            });
            let was_due = is_due;
            is_due = word.ends_with(['.', '!', '?', '。', '！', '？', '…'])
                || (word.ends_with(':') && n_words.saturating_sub(at + 1) > SET_WORDS);
            (!bare.is_empty()).then_some((bare, was_due))
        })
}

fn is_capitalised(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(char::is_uppercase)
        && characters.next().is_none_or(char::is_lowercase)
}

/// Parts a word at its joints; of scripts without blanks, pairs of neighbouring characters.
fn pieces(word: &str) -> impl Iterator<Item = String> {
    let mut found = Vec::new();
    let mut before: Option<&str> = None;
    for piece in word.unicode_words() {
        if piece.chars().count() == 1 && !piece.is_ascii() {
            match before {
                Some(left) => found.push(format!("{left}{piece}")),
                None => found.push(piece.to_owned()),
            }
            before = Some(piece);
        } else {
            found.push(piece.to_owned());
            before = None;
        }
    }
    found.into_iter()
}

fn class(word: &str) -> Class {
    let n_chars = word.chars().count();
    let is_long = n_chars > 2 || (!word.is_ascii() && n_chars > 0);
    if is_long && !JOINING_WORDS.contains(word) {
        Class::Telling
    } else {
        Class::Joining
    }
}

fn stem(word: &str, stemmer: &Stemmer) -> String {
    let stem = if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        stemmer.stem(word)
    } else {
        word.into()
    };
    stem.chars().take(STEM_CHARS).collect()
}
