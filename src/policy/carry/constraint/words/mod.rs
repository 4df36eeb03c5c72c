//! The lists of the languages. Owns which words stand for what in each.
//! May not judge a sentence.

mod ar;
mod de;
mod en;
mod es;
mod fr;
mod it;
mod ja;
mod ko;
mod pt;
mod ru;
mod th;
mod zh;

use std::collections::HashSet;
use std::sync::LazyLock;

use super::pattern::{Patterns, Sign};
use crate::policy::language::{Language, folded, is_unspaced};

/// What a language's file lists, in the notation of `pattern`.
#[derive(Debug, Clone, Copy)]
struct Lists {
    /// Words that may stand before a command: `please`, `and`, `so`.
    openers: &'static str,
    /// Words behind which a second command may begin: `and`, `but`.
    joints: &'static str,
    /// Openers behind which the speaker speaks again after a report: `so`, `please`.
    resumers: &'static str,
    /// Words that begin a clause about somebody: `I`, `she`, `the`.
    subjects: &'static str,
    /// Verbs of command that say how work is done, not what to do now: `use`, `write`, `keep`.
    verbs: &'static str,
    /// Words for a rule.
    rules: &'static str,
    /// Patterns of demands and bans.
    demands: &'static str,
    /// Patterns of taking back.
    lifts: &'static str,
    /// Patterns of taking a duty back, which no ban is.
    reliefs: &'static str,
    /// Patterns of forbidding.
    bans: &'static str,
    /// Patterns of a new value for an old one.
    replaces: &'static str,
    /// Patterns of telling, asking and wishing.
    vetoes: &'static str,
    /// Patterns of reporting what others say.
    reports: &'static str,
}

/// A language's lists, ready to be asked.
#[derive(Debug)]
pub(super) struct Words {
    openers: HashSet<String>,
    joints: HashSet<String>,
    resumers: HashSet<String>,
    subjects: HashSet<String>,
    /// Words that patterns are made of: they carry no topic.
    cues: HashSet<String>,
    /// Beginnings of such words.
    cue_stems: Vec<String>,
    pub(super) patterns: Patterns,
}

impl Words {
    fn new(lists: &Lists) -> Self {
        let set = |list: &str| folded(list).split_whitespace().map(str::to_owned).collect();
        let (verbs, rules) = (folded(lists.verbs), folded(lists.rules));
        let mut patterns = Patterns::default();
        for (sign, list) in [
            (Sign::Demand, lists.demands),
            (Sign::Lift, lists.lifts),
            (Sign::Relief, lists.reliefs),
            (Sign::Ban, lists.bans),
            (Sign::Replace, lists.replaces),
            (Sign::Veto, lists.vetoes),
            (Sign::Report, lists.reports),
        ] {
            patterns.add(sign, &folded(list), &verbs, &rules);
        }
        Self {
            openers: set(lists.openers),
            joints: set(lists.joints),
            resumers: set(lists.resumers),
            subjects: set(lists.subjects),
            cues: cues(lists),
            cue_stems: cue_stems(lists),
            patterns,
        }
    }

    /// Says whether a word, or a pair of characters, belongs to a demand or to taking one back.
    pub(super) fn is_cue(&self, word: &str) -> bool {
        self.cues.contains(word)
            || self.openers.contains(word)
            || self.cue_stems.iter().any(|stem| word.starts_with(stem))
    }

    /// Says whether a word may stand before a command.
    pub(super) fn opens(&self, word: &str) -> bool {
        self.openers.contains(word)
    }

    /// Says whether a second command may begin behind a word.
    pub(super) fn joins(&self, word: &str) -> bool {
        self.joints.contains(word)
    }

    /// Says whether the speaker speaks again from a word on.
    pub(super) fn resumes(&self, word: &str) -> bool {
        self.resumers.contains(word)
    }

    /// Says whether a clause that begins with a word is about somebody.
    pub(super) fn is_subject(&self, word: &str) -> bool {
        self.subjects.contains(word)
    }
}

/// Returns the words of the patterns that demand and take back; of scripts without blanks, their
/// pairs of characters.
fn cues(lists: &Lists) -> HashSet<String> {
    let mut cues = HashSet::new();
    for list in cue_lists(lists) {
        let plain = folded(list);
        let words = plain.split(|letter: char| !letter.is_alphanumeric());
        for word in words.filter(|word| !word.is_empty()) {
            let letters: Vec<char> = word.chars().collect();
            if letters.first().copied().is_some_and(is_unspaced) {
                cues.extend(
                    letters
                        .windows(2)
                        .map(|pair| pair.iter().collect::<String>()),
                );
            } else {
                cues.insert(word.to_owned());
            }
        }
    }
    cues
}

const fn cue_lists(lists: &Lists) -> [&'static str; 6] {
    [
        lists.demands,
        lists.lifts,
        lists.reliefs,
        lists.replaces,
        lists.verbs,
        lists.rules,
    ]
}

/// Returns the words of the patterns that any ending may follow.
fn cue_stems(lists: &Lists) -> Vec<String> {
    let plain = cue_lists(lists).map(folded);
    let words = plain
        .iter()
        .flat_map(|list| list.split([' ', '|', '/', '^']));
    words
        .filter_map(|word| word.strip_suffix('*'))
        .filter(|stem| !stem.is_empty())
        .map(str::to_owned)
        .collect()
}

static ENGLISH: LazyLock<Words> = LazyLock::new(|| Words::new(&en::LISTS));
static PORTUGUESE: LazyLock<Words> = LazyLock::new(|| Words::new(&pt::LISTS));
static SPANISH: LazyLock<Words> = LazyLock::new(|| Words::new(&es::LISTS));
static GERMAN: LazyLock<Words> = LazyLock::new(|| Words::new(&de::LISTS));
static FRENCH: LazyLock<Words> = LazyLock::new(|| Words::new(&fr::LISTS));
static ITALIAN: LazyLock<Words> = LazyLock::new(|| Words::new(&it::LISTS));
static RUSSIAN: LazyLock<Words> = LazyLock::new(|| Words::new(&ru::LISTS));
static ARABIC: LazyLock<Words> = LazyLock::new(|| Words::new(&ar::LISTS));
static CHINESE: LazyLock<Words> = LazyLock::new(|| Words::new(&zh::LISTS));
static JAPANESE: LazyLock<Words> = LazyLock::new(|| Words::new(&ja::LISTS));
static KOREAN: LazyLock<Words> = LazyLock::new(|| Words::new(&ko::LISTS));
static THAI: LazyLock<Words> = LazyLock::new(|| Words::new(&th::LISTS));

/// Returns the lists of a language.
pub(super) fn of(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::Portuguese => &PORTUGUESE,
        Language::Spanish => &SPANISH,
        Language::German => &GERMAN,
        Language::French => &FRENCH,
        Language::Italian => &ITALIAN,
        Language::Russian => &RUSSIAN,
        Language::Arabic => &ARABIC,
        Language::Chinese => &CHINESE,
        Language::Japanese => &JAPANESE,
        Language::Korean => &KOREAN,
        Language::Thai => &THAI,
    }
}
