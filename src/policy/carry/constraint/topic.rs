//! Whether two sentences speak of the same thing. Owns what carries a topic and how much of it two
//! must share.
//! May not know a language: words that demand and take back are told by the lists.

use crate::policy::language::{self, Language, folded, is_unspaced};

use super::read::Reach;
use super::words;

/// Letters two forms of one word begin with alike, at least.
const STEM_LETTERS: usize = 4;
/// Letters that may follow behind a short stem, and behind a longer one.
const ENDING_LETTERS: (usize, usize) = (2, 3);

/// Says whether an earlier constraint speaks of what the clauses of a sentence take back.
pub(super) fn is_same(
    sentence: &str,
    clauses: &[Vec<String>],
    earlier: &str,
    reach: Reach,
) -> bool {
    let languages = language::candidates(sentence);
    let right = topic(earlier, &languages);
    let narrow = topic(&joined(clauses), &languages);
    // Old and new value may stand in two clauses, and some name what they lift beside the clause
    // that lifts it: `Scrap that, Saturdays are fine`.
    let left = if narrow.is_empty() || reach == Reach::Value {
        topic(sentence, &languages)
    } else {
        narrow
    };
    let n_least = n_words(&left).min(n_words(&right));
    let shared: Vec<String> = left
        .iter()
        .filter(|word| right.iter().any(|other| is_form_of(word, other)))
        .cloned()
        .collect();
    let n_shared = n_words(&shared);
    if n_shared == 0 {
        return false;
    }
    // Old and new value both stand in the one: what the other says must be the old one.
    let n_values = |words: &[String]| words.iter().filter(|word| is_exact(word)).count();
    if reach == Reach::Value
        && n_values(&left) >= 2
        && n_values(&right) >= 1
        && n_values(&shared) == 0
    {
        return false;
    }
    // Among characters of a script without blanks a word of letters is a name.
    let names = |words: &[String]| {
        let n_spaced = words
            .iter()
            .filter(|word| !word.starts_with(is_unspaced))
            .count();
        if n_spaced < words.len() { n_spaced } else { 0 }
    };
    if names(&left) > 0
        && names(&right) > 0
        && !shared.iter().any(|word| !word.starts_with(is_unspaced))
    {
        return false;
    }
    if shared.iter().any(|word| is_exact(word)) && (n_shared >= 2 || n_least == 1) {
        return true;
    }
    if reach == Reach::Value && n_shared * 2 >= n_least {
        // The new value stands in the one only, and something of the old one in the other only.
        return n_shared >= 2 || n_least == 1;
    }
    // One common word is a topic only where neither says much else.
    let is_short = n_least > 1 || n_words(&left).max(n_words(&right)) <= 3;
    let is_much = match reach {
        // The verb of a duty changes its form most: `ask` and `asking`, `pide` and `pidas`.
        Reach::Duty => n_shared * 3 >= n_least * 2,
        Reach::Any | Reach::Value => n_shared * 3 > n_least * 2,
    };
    is_much && is_short
}

/// Counts words; pairs of characters that go on where another pair ends are one word.
fn n_words(words: &[String]) -> usize {
    let is_pair = |word: &str| word.starts_with(is_unspaced);
    let goes_on = |word: &&String| {
        is_pair(word)
            && words.iter().any(|other| {
                is_pair(other) && other != *word && other.chars().last() == word.chars().next()
            })
    };
    words.len() - words.iter().filter(goes_on).count()
}

/// Writes clauses as a text again; characters of scripts without blanks stand side by side.
fn joined(clauses: &[Vec<String>]) -> String {
    let mut text = String::new();
    for word in clauses.iter().flatten() {
        if !word.starts_with(is_unspaced) {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

/// Says whether a word names one thing only: a number, an identifier.
fn is_exact(word: &str) -> bool {
    word.contains(|letter: char| letter.is_ascii_digit() || matches!(letter, '_' | '/' | '.'))
}

/// Says whether two words differ in their endings only.
fn is_form_of(left: &str, right: &str) -> bool {
    if left == right {
        return true;
    }
    if is_exact(left) || is_exact(right) {
        return false;
    }
    let n_common = left
        .chars()
        .zip(right.chars())
        .take_while(|(one, other)| one == other)
        .count();
    let most = if n_common > STEM_LETTERS {
        ENDING_LETTERS.1
    } else {
        ENDING_LETTERS.0
    };
    n_common >= STEM_LETTERS
        && left.chars().count() - n_common <= most
        && right.chars().count() - n_common <= most
}

/// Returns what carries the topic of a sentence: words that are neither common nor part of a
/// demand; in scripts without blanks, pairs of characters.
fn topic(sentence: &str, languages: &[Language]) -> Vec<String> {
    let plain = folded(sentence);
    let mut found: Vec<String> = Vec::new();
    let mut run = String::new();
    let mut word = String::new();
    for letter in plain.chars().chain([' ']) {
        if is_unspaced(letter) {
            run.push(letter);
        } else {
            found.extend(pairs(&std::mem::take(&mut run), languages));
        }
        let is_joint = matches!(letter, '.' | '/' | '-') && !word.is_empty();
        if !is_unspaced(letter) && (letter.is_alphanumeric() || letter == '_' || is_joint) {
            word.push(letter);
            continue;
        }
        let bare = std::mem::take(&mut word);
        let bare = bare.trim_end_matches(['.', '/', '-']);
        if !bare.is_empty() && !is_empty_word(bare, languages) {
            found.push(bare.to_owned());
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn is_empty_word(word: &str, languages: &[Language]) -> bool {
    let is_letter = word.chars().nth(1).is_none() && !is_exact(word);
    is_letter
        || languages.iter().any(|language| {
            language::is_common(*language, word) || words::of(*language).is_cue(word)
        })
}

/// Says whether a character only joins others: endings in hiragana, the commonest of Chinese.
fn is_ending(letter: char, languages: &[Language]) -> bool {
    matches!(letter, '\u{3040}'..='\u{309f}')
        || (languages.contains(&Language::Chinese)
            && language::is_common(Language::Chinese, letter.encode_utf8(&mut [0; 4])))
}

fn pairs<'r>(run: &'r str, languages: &'r [Language]) -> impl Iterator<Item = String> + 'r {
    let letters: Vec<char> = run.chars().collect();
    let pairs: Vec<String> = letters
        .windows(2)
        .filter(|pair| !pair.iter().any(|letter| is_ending(*letter, languages)))
        .map(|pair| pair.iter().collect())
        .collect();
    pairs.into_iter().filter(move |pair| {
        !languages
            .iter()
            .any(|language| words::of(*language).is_cue(pair))
    })
}
