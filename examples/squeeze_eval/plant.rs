//! Talks with planted facts. Owns the draw: the same seed gives the same talk.

use super::words::{Kind, Slot, TONGUES, Tongue};

/// Facts of one talk.
const N_FACTS: usize = 14;
/// Facts that a later sentence says anew.
const N_UPDATED: usize = 4;
/// A fact that a talk states.
#[derive(Debug, Clone)]
pub(crate) struct Planted {
    /// What must still be there.
    pub(crate) value: String,
    /// What must be gone: what it was before.
    pub(crate) stale: Option<String>,
}

/// One thing said, by a role.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) role: &'static str,
    pub(crate) text: String,
}

/// A talk.
#[derive(Debug, Clone)]
pub(crate) struct Talk {
    pub(crate) said: Vec<Said>,
    pub(crate) facts: Vec<Planted>,
    /// Characters of the sentences that state facts.
    planted_size: usize,
}

impl Talk {
    /// Returns which share of the text states facts, in percent.
    pub(crate) fn density(&self) -> f64 {
        let said = self.said.iter().map(|said| said.text.chars().count());
        let size = u32::try_from(said.sum::<usize>()).unwrap_or(u32::MAX);
        let planted = u32::try_from(self.planted_size).unwrap_or(u32::MAX);
        100.0 * f64::from(planted) / f64::from(size.max(1))
    }
}

/// Splitmix64: small, and good enough to draw with.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Draws a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).unwrap_or(1);
        usize::try_from(self.next() % end).unwrap_or(0)
    }

    fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        let at = self.below(list.len());
        list.get(at).copied().unwrap_or_default()
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }

    /// Draws a word that nobody knows.
    fn word(&mut self, n_syllables: usize) -> String {
        let syllables = [
            "ba", "do", "fen", "gri", "hul", "jo", "ka", "lor", "mi", "nup", "rem", "sil", "tov",
            "vel", "zan",
        ];
        (0..n_syllables).map(|_| self.pick(&syllables)).collect()
    }

    fn letters(&mut self, count: usize) -> String {
        let letters = b'A'..=b'Z';
        let letters: Vec<char> = letters.map(char::from).collect();
        (0..count)
            .filter_map(|_| letters.get(self.below(letters.len())))
            .collect()
    }
}

/// Plants a talk in a language, by its place in [`TONGUES`].
pub(crate) fn plant(tongue_idx: usize, random: &mut Random) -> Talk {
    let Some(tongue) = TONGUES.get(tongue_idx) else {
        return Talk {
            said: Vec::new(),
            facts: Vec::new(),
            planted_size: 0,
        };
    };
    let half = tongue.exchanges / 2;
    let mut order: Vec<usize> = (0..tongue.facts.len()).collect();
    random.shuffle(&mut order);
    order.truncate(N_FACTS);
    let mut facts = Vec::new();
    // What is said, each with its place among the exchanges.
    let mut planted: Vec<(usize, &'static str, String)> = Vec::new();
    for (nth, fact) in order
        .iter()
        .filter_map(|at| tongue.facts.get(*at))
        .enumerate()
    {
        let role = if fact.kind == Kind::File {
            "assistant"
        } else {
            "user"
        };
        let value = fill(fact.slot, tongue, random);
        let mut first = random.below(tongue.exchanges);
        let mut stale = None;
        if nth < N_UPDATED {
            let before = loop {
                let before = fill(fact.slot, tongue, random);
                if before != value {
                    break before;
                }
            };
            let earlier = random.below(half);
            first = half + random.below(half);
            let [said, said_anew] = fact.said;
            planted.push((earlier, role, said.replace("{v}", &before)));
            planted.push((first, role, said_anew.replace("{v}", &value)));
            stale = Some(before);
        } else {
            let said = random.pick(&fact.said);
            planted.push((first, role, said.replace("{v}", &value)));
        }
        facts.push(Planted { value, stale });
    }
    let planted_size = planted
        .iter()
        .map(|(_, _, text)| text.chars().count())
        .sum();
    let mut said = Vec::new();
    for at in 0..tongue.exchanges {
        let thing = random.pick(tongue.things);
        let chat = random.pick(tongue.chatter).replace("{thing}", thing);
        let answer = random.pick(tongue.answers).replace("{thing}", thing);
        said.push(Said {
            role: "user",
            text: chat,
        });
        said.push(Said {
            role: "assistant",
            text: answer,
        });
        for (_, role, text) in planted.iter().filter(|(place, ..)| *place == at) {
            said.push(Said {
                role,
                text: text.clone(),
            });
            let answer = random.pick(tongue.answers).replace("{thing}", thing);
            if *role == "user" {
                said.push(Said {
                    role: "assistant",
                    text: answer,
                });
            }
        }
    }
    Talk {
        said,
        facts,
        planted_size,
    }
}

fn fill(slot: Slot, tongue: &Tongue, random: &mut Random) -> String {
    let number = |random: &mut Random, from: usize, to: usize| from + random.below(to - from);
    match slot {
        Slot::Berth => format!("{}{}", random.letters(1), number(random, 10, 99)),
        Slot::Money => format!("€{}", number(random, 110, 990)),
        Slot::Name => capitalised(&random.word(3)),
        Slot::Plain => random.word(4),
        Slot::Code => format!("{}-{}", random.letters(3), number(random, 1_000, 9_999)),
        Slot::Channel => number(random, 11, 98).to_string(),
        Slot::Address => format!("https://{}.example/{}", random.word(3), random.word(2)),
        Slot::Clock => format!("{}:{}", number(random, 10, 22), number(random, 10, 59)),
        Slot::Share => {
            let whole = number(random, 60, 99);
            format!("{}/{whole}", number(random, 10, 59))
        }
        Slot::Path => format!("{}/{}.md", random.word(2), random.word(2)),
        Slot::Day => random.pick(tongue.days).to_owned(),
        Slot::Work => random.pick(tongue.works).to_owned(),
    }
}

fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters).collect()
    })
}
