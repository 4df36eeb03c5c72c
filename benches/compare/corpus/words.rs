//! Words that no language has, made of syllables: frequent ones are short, and the k-th is drawn as
//! often as 1 / k. Names, paths and ids are made of them.

use std::fmt::Write;

use super::random::{Random, mix};

/// Words that are drawn from.
pub(crate) const WORDS: usize = 60_000;
/// Names in code that are drawn from.
const NAMES: f64 = 200_000.0;
/// Paths that are drawn from.
const PATHS: f64 = 18_000.0;
const SYLLABLES: [&str; 24] = [
    "an", "ber", "cor", "de", "el", "for", "gan", "hu", "in", "ka", "lo", "mi", "na", "or", "pe",
    "qua", "ri", "sta", "ter", "un", "ver", "wi", "xo", "zel",
];
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// The characters that Chinese texts are drawn from, the first ones often.
const CHARACTERS: f64 = 3_000.0;

/// All words, the frequent ones first.
pub(crate) struct Words(Vec<String>);

impl Words {
    pub(crate) fn new() -> Self {
        Self((0..WORDS).map(word).collect())
    }

    /// Returns the word of a rank, 0 being the commonest.
    pub(crate) fn at(&self, rank: usize) -> &str {
        &self.0[rank.min(WORDS - 1)]
    }

    pub(crate) fn draw(&self, random: &mut Random) -> &str {
        self.at(rank(random, 60_000.0))
    }

    /// Returns a name as code has them.
    pub(crate) fn name(&self, random: &mut Random) -> String {
        self.name_at(u64::try_from(rank(random, NAMES)).unwrap())
    }

    /// Returns the n-th name.
    pub(crate) fn name_at(&self, n: u64) -> String {
        let bits = mix(n ^ 0x6e61_6d65);
        let part = |shift: u32| {
            let place = usize::try_from((bits >> shift) & 0xfff).unwrap();
            self.at(place)
        };
        let (one, other) = (part(0), part(12));
        match bits >> 60 {
            0..6 => format!("{one}_{other}"),
            6..10 => format!("{one}{}", capital(other)),
            10..13 => format!("{}{}", capital(one), capital(other)),
            _ => format!("{one}_{other}_{}", n % 100),
        }
    }

    pub(crate) fn path(&self, random: &mut Random) -> String {
        let bits = mix(u64::try_from(rank(random, PATHS)).unwrap() ^ 0x7061_7468);
        let part = |shift: u32, most: u64| {
            let place = usize::try_from((bits >> shift) % most).unwrap();
            self.at(place)
        };
        let ending = ["rs", "py", "go", "ts", "md", "toml"];
        let ending = ending[usize::try_from(bits >> 48).unwrap() % ending.len()];
        let (top, room, file) = (part(0, 30), part(8, 300), part(20, 3_000));
        format!("src/{top}/{room}/{file}.{ending}")
    }
}

/// Draws a rank below `most`, the k-th as often as 1 / k.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a positive number of at most `most`"
)]
fn rank(random: &mut Random, most: f64) -> usize {
    (random.share() * most.ln()).exp() as usize - 1
}

fn word(n: usize) -> String {
    let (mut rest, mut word) = (n, String::new());
    loop {
        word.push_str(SYLLABLES[rest % SYLLABLES.len()]);
        rest /= SYLLABLES.len();
        if rest == 0 {
            return word;
        }
    }
}

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}

pub(crate) fn hexadecimal(random: &mut Random, digits: usize) -> String {
    let mut text = String::with_capacity(digits + 16);
    while text.len() < digits {
        write!(text, "{:016x}", random.bits()).unwrap();
    }
    text.truncate(digits);
    text
}

/// Returns an id as hosts make them: of no order, so that each falls elsewhere in an index.
pub(crate) fn uuid(random: &mut Random) -> String {
    let digits = hexadecimal(random, 32);
    let (one, two, three) = (&digits[..8], &digits[8..12], &digits[13..16]);
    let (four, five) = (&digits[17..20], &digits[20..]);
    format!("{one}-{two}-4{three}-a{four}-{five}")
}

pub(crate) fn base64(random: &mut Random, length: usize) -> String {
    let draw = |_| char::from(BASE64[random.place(BASE64.len())]);
    (0..length).map(draw).collect()
}

/// Returns a Chinese character.
pub(crate) fn character(random: &mut Random) -> char {
    character_at(rank(random, CHARACTERS))
}

/// Returns the character of a rank.
pub(crate) fn character_at(rank: usize) -> char {
    char::from_u32(0x4e00 + u32::try_from(rank).unwrap() * 5).unwrap()
}
