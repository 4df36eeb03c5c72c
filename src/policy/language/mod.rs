//! Which language a text is in. Owns the scripts and the commonest words.
//! May not translate, and says nothing where two languages are close.

#[cfg(test)]
mod tests;
mod words;

use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_normalization::char::decompose_canonical;

/// A language that texts are told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Language {
    /// English.
    English,
    /// Portuguese.
    Portuguese,
    /// Spanish.
    Spanish,
    /// German.
    German,
    /// French.
    French,
    /// Italian.
    Italian,
    /// Russian, and what else is written in Cyrillic.
    Russian,
    /// Arabic, and what else is written in its script.
    Arabic,
    /// Chinese.
    Chinese,
    /// Japanese.
    Japanese,
    /// Korean.
    Korean,
    /// Thai.
    Thai,
}

impl Language {
    const ALL: [Self; 12] = [
        Self::English,
        Self::Portuguese,
        Self::Spanish,
        Self::German,
        Self::French,
        Self::Italian,
        Self::Russian,
        Self::Arabic,
        Self::Chinese,
        Self::Japanese,
        Self::Korean,
        Self::Thai,
    ];

    /// Returns its English name; none where only the script is told, which several share.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::English => "English",
            Self::Portuguese => "Portuguese",
            Self::Spanish => "Spanish",
            Self::German => "German",
            Self::French => "French",
            Self::Italian => "Italian",
            Self::Chinese => "Chinese",
            Self::Japanese => "Japanese",
            Self::Korean => "Korean",
            Self::Thai => "Thai",
            Self::Russian | Self::Arabic => return None,
        })
    }
}

/// The languages in Latin letters.
const LATIN: [Language; 6] = [
    Language::English,
    Language::Portuguese,
    Language::Spanish,
    Language::German,
    Language::French,
    Language::Italian,
];

/// Bytes of a text that are looked at: its language shows at once.
const LOOKED_AT: usize = 64 * 1024;

/// Common words from which on a Latin text shows its language.
const CLEAR_WORDS: usize = 8;

/// Letters from which on a text of another script shows its language.
const CLEAR_LETTERS: usize = 20;

/// Letters of one script count so many times as much where a character is a word.
const WORD_WEIGHT: usize = 3;

/// Returns the language of a text where it is clear beyond doubt.
#[must_use]
pub fn guess(text: &str) -> Option<Language> {
    let text = text
        .get(..text.floor_char_boundary(LOOKED_AT))
        .unwrap_or(text);
    let letters = Letters::count(text);
    let total = letters.total();
    if let Some((language, weight)) = letters.dominant() {
        let is_clear = weight >= CLEAR_LETTERS && weight * 10 >= total * 6;
        return is_clear.then_some(language);
    }
    if letters.latin * 10 < total * 8 {
        return None;
    }
    let mut scores: Vec<(usize, Language)> = scores(text).to_vec();
    scores.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    match scores.as_slice() {
        [(best, language), (next, _), ..] if *best >= CLEAR_WORDS && *best * 2 >= next * 3 => {
            Some(*language)
        }
        _ => None,
    }
}

/// Returns every language that one sentence may be in, the likeliest among them.
pub(crate) fn candidates(sentence: &str) -> Vec<Language> {
    let letters = Letters::count(sentence);
    if let Some((language, _)) = letters.dominant() {
        return vec![language];
    }
    let scores = scores(sentence);
    let best = scores.iter().map(|(score, _)| *score).max().unwrap_or(0);
    scores
        .into_iter()
        // One word of one is chance: neighbours are asked too.
        .filter(|(score, _)| *score == best || (best < 2 && score + 1 >= best))
        .map(|(_, language)| language)
        .collect()
}

/// Languages as a set, one bit each.
type Set = u16;

const fn bit(language: Language) -> Set {
    1 << language as Set
}

/// The listed words of the languages that part them with blanks, and the commonest characters of
/// the others: each with the languages in which it is common. Read once, since every sentence asks.
static COMMON: LazyLock<HashMap<&str, Set>> = LazyLock::new(|| listed(words::common));

/// The words that deny, in the same way.
static NEGATIONS: LazyLock<HashMap<&str, Set>> = LazyLock::new(|| listed(words::negations));

fn listed(list: impl Fn(Language) -> &'static str) -> HashMap<&'static str, Set> {
    let mut words: HashMap<&str, Set> = HashMap::new();
    for language in Language::ALL {
        for word in list(language).split_whitespace() {
            *words.entry(word).or_default() |= bit(language);
        }
    }
    words
}

/// Says whether a folded word is among the commonest of a language.
pub(crate) fn is_common(language: Language, word: &str) -> bool {
    COMMON
        .get(word)
        .is_some_and(|languages| languages & bit(language) != 0)
}

/// Says whether a folded word denies; of scripts without blanks, whether a sentence does.
pub(crate) fn negates(language: Language, word: &str) -> bool {
    match language {
        Language::Chinese | Language::Japanese | Language::Korean | Language::Thai => {
            let mut negations = words::negations(language).split_whitespace();
            negations.any(|negation| word.contains(negation))
        }
        _ => NEGATIONS
            .get(word)
            .is_some_and(|languages| languages & bit(language) != 0),
    }
}

/// Takes the marks off a Latin letter, since people leave them out, and off Arabic ones.
pub(crate) fn folded(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars().flat_map(char::to_lowercase) {
        match character {
            'ß' => plain.push_str("ss"),
            'œ' => plain.push_str("oe"),
            '\u{64b}'..='\u{652}' | '\u{300}'..='\u{36f}' => {}
            '\u{c0}'..='\u{24f}' => {
                let mut base = None;
                decompose_canonical(character, |part| {
                    base.get_or_insert(part);
                });
                plain.push(base.unwrap_or(character));
            }
            _ => plain.push(character),
        }
    }
    plain
}

/// Says whether a script writes words without blanks, or as if it did.
pub(crate) const fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}')
}

/// Letters by script.
#[derive(Default)]
struct Letters {
    latin: usize,
    cyrillic: usize,
    arabic: usize,
    han: usize,
    kana: usize,
    hangul: usize,
    thai: usize,
}

impl Letters {
    fn count(text: &str) -> Self {
        let mut letters = Self::default();
        for character in text.chars() {
            let kind = match character {
                'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' => &mut letters.latin,
                '\u{400}'..='\u{52f}' => &mut letters.cyrillic,
                '\u{600}'..='\u{6ff}' => &mut letters.arabic,
                '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' => &mut letters.han,
                '\u{3040}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' => &mut letters.kana,
                '\u{ac00}'..='\u{d7af}' => &mut letters.hangul,
                '\u{e00}'..='\u{e7f}' => &mut letters.thai,
                _ => continue,
            };
            *kind += 1;
        }
        letters
    }

    fn weighed(&self) -> [(usize, Language); 6] {
        // Kana are never Chinese: where a few stand among many Han, it is Japanese.
        let is_japanese = self.kana * 8 >= self.han && self.kana > 0;
        let east = (self.han + self.kana) * WORD_WEIGHT;
        [
            (if is_japanese { east } else { 0 }, Language::Japanese),
            (if is_japanese { 0 } else { east }, Language::Chinese),
            (self.hangul * WORD_WEIGHT, Language::Korean),
            (self.thai, Language::Thai),
            (self.cyrillic, Language::Russian),
            (self.arabic, Language::Arabic),
        ]
    }

    fn total(&self) -> usize {
        self.latin
            + self
                .weighed()
                .iter()
                .map(|(weight, _)| weight)
                .sum::<usize>()
    }

    /// Returns the language of the script that prevails over Latin letters and all others.
    fn dominant(&self) -> Option<(Language, usize)> {
        let (weight, language) = self
            .weighed()
            .into_iter()
            .max_by_key(|(weight, _)| *weight)?;
        (weight > 0 && weight * 10 >= self.latin * 7).then_some((language, weight))
    }
}

/// Counts how many words of a text are among the commonest of each language.
fn scores(text: &str) -> [(usize, Language); 6] {
    let plain = folded(text);
    let mut counts = LATIN.map(|language| (0, language));
    let of_text = plain.split(|character: char| !character.is_alphanumeric());
    for word in of_text.filter(|word| !word.is_empty()) {
        let Some(languages) = COMMON.get(word) else {
            continue;
        };
        for (count, language) in &mut counts {
            *count += usize::from(languages & bit(*language) != 0);
        }
    }
    counts
}
