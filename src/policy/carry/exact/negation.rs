//! Negations: whether an item denies what its source affirms, or affirms what it denies.
//! Conservative: only where one sentence of the source says nearly the same words.

use std::collections::{HashMap, HashSet};

use crate::policy::language::{self, Language, folded};
use crate::policy::limits::COMPARED_SENTENCES;

/// A source denies what an item affirms.
pub(super) const LEFT_OUT: &str = "a negation left out";
/// A source affirms what an item denies.
pub(super) const PUT_IN: &str = "a negation put in";

/// Words from which on two sentences can be held against each other.
const LEAST_WORDS: usize = 3;
/// The share of an item's words, in percent, that a sentence must say to be its source.
const SHARED_PERCENT: usize = 75;
/// The share of a sentence's words, in percent, that an item must say to come from it.
const SAID_PERCENT: usize = 60;
/// A sentence as words that carry something, and whether it denies.
struct Sentence {
    words: HashSet<String>,
    denies: bool,
}

/// What the sources say.
pub(super) struct Said {
    /// How many words each sentence has, and whether it denies.
    sentences: Vec<(usize, bool)>,
    /// The sentences that say a word.
    by_word: HashMap<String, Vec<usize>>,
}

impl Said {
    /// Reads the sentences of the sources, each once, those of the last source first.
    pub(super) fn read(sources: &[&str]) -> Self {
        let mut known = HashSet::new();
        let sentences = sources
            .iter()
            .rev()
            .flat_map(|source| source.split(['.', '\n', '!', ';', '。', '！', '；', ',']))
            .map(str::trim)
            .filter(|text| !text.is_empty() && known.insert(*text))
            .take(COMPARED_SENTENCES)
            .map(read)
            .filter(|sentence| sentence.words.len() >= LEAST_WORDS);
        let mut said = Self {
            sentences: Vec::new(),
            by_word: HashMap::new(),
        };
        for sentence in sentences {
            let at = said.sentences.len();
            said.sentences.push((sentence.words.len(), sentence.denies));
            for word in sentence.words {
                said.by_word.entry(word).or_default().push(at);
            }
        }
        said
    }

    /// Returns what is wrong with an item whose source says the same with the other sign.
    pub(super) fn contradicts(&self, item: &str) -> Option<String> {
        let item = read(item);
        if item.words.len() < LEAST_WORDS {
            return None;
        }
        let mut shared: HashMap<usize, usize> = HashMap::new();
        let holders = item.words.iter().filter_map(|word| self.by_word.get(word));
        for at in holders.flatten() {
            *shared.entry(*at).or_default() += 1;
        }
        let mut told: Option<bool> = None;
        for (at, n_shared) in shared {
            let Some((n_words, denies)) = self.sentences.get(at).copied() else {
                continue;
            };
            let is_same = n_shared * 100 >= item.words.len() * SHARED_PERCENT
                && n_shared * 100 >= n_words * SAID_PERCENT;
            if is_same && denies == item.denies {
                return None;
            }
            told = told.or(is_same.then_some(denies));
        }
        told.map(|denies| if denies { LEFT_OUT } else { PUT_IN }.to_owned())
    }
}

fn read(text: &str) -> Sentence {
    let languages = language::candidates(text);
    let plain = folded(text);
    let mut sentence = Sentence {
        words: HashSet::new(),
        denies: false,
    };
    for word in plain.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
        let is_negation = languages.iter().any(|one| language::negates(*one, word));
        let is_common = languages.iter().any(|one| language::is_common(*one, word));
        sentence.denies |= is_negation;
        if !word.is_empty() && !is_negation && !is_common && !is_bare_letter(word) {
            sentence.words.insert(word.to_owned());
        }
    }
    let is_east = languages
        .iter()
        .any(|one| matches!(one, Language::Chinese | Language::Japanese));
    if is_east {
        sentence.words = pairs(&plain);
        sentence.denies = languages.iter().any(|one| language::negates(*one, &plain));
    }
    sentence
}

fn is_bare_letter(word: &str) -> bool {
    word.chars().nth(1).is_none() && word.starts_with(|letter: char| letter.is_ascii_alphabetic())
}

fn pairs(text: &str) -> HashSet<String> {
    let letters: Vec<char> = text
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .collect();
    letters
        .windows(2)
        .map(|pair| pair.iter().collect())
        .collect()
}
