//! Names, numbers and ids that stand nowhere but where they were planted.

use super::random::Random;

const BEGINNINGS: [&str; 16] = [
    "bar", "cor", "dal", "fen", "gur", "hol", "jas", "kel", "lom", "mir", "nor", "pel", "ros",
    "sul", "tam", "vor",
];
const MIDDLES: [&str; 12] = [
    "abi", "edo", "ifu", "oga", "uki", "amo", "eno", "ipa", "ora", "usi", "ava", "ezu",
];
const ENDS: [&str; 14] = [
    "bex", "cron", "dith", "flet", "garn", "lund", "mint", "nax", "pold", "quist", "rell", "stav",
    "torp", "wyn",
];

/// Draws what was not drawn before.
#[derive(Debug)]
pub(crate) struct Names {
    drawn: Vec<String>,
}

impl Names {
    pub(crate) const fn new() -> Self {
        Self { drawn: Vec::new() }
    }

    /// Returns a word.
    pub(crate) fn word(&mut self, random: &mut Random) -> String {
        self.fresh(|| {
            let (first, middle) = (random.pick(&BEGINNINGS), random.pick(&MIDDLES));
            format!("{first}{middle}{}", random.pick(&ENDS))
        })
    }

    /// Returns a number of five digits.
    pub(crate) fn number(&mut self, random: &mut Random) -> String {
        self.fresh(|| random.between(10_000, 99_999).to_string())
    }

    /// Returns an id: a ticket's, a commit's or a function's name.
    pub(crate) fn identifier(&mut self, random: &mut Random) -> String {
        match random.between(0, 2) {
            0 => {
                let number = self.number(random);
                format!("HRB-{number}")
            }
            1 => self.fresh(|| {
                let (high, low) = (random.between(0x1000, 0xffff), random.between(0, 0xffff));
                format!("{high:04x}e{low:04x}")
            }),
            _ => {
                let word = self.word(random);
                format!("resolve_{word}_offset")
            }
        }
    }

    fn fresh(&mut self, mut draw: impl FnMut() -> String) -> String {
        loop {
            let name = draw();
            let is_known = |known: &String| known.contains(&name) || name.contains(known.as_str());
            if !self.drawn.iter().any(is_known) {
                self.drawn.push(name.clone());
                return name;
            }
        }
    }
}
