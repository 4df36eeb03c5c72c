//! Texts of the sizes that real sessions have: what people write, what models answer and call, what
//! tools print.

use std::fmt::Write;

use super::random::Random;
use super::words::{Words, base64, character, hexadecimal, uuid};

/// Bytes of a text at a share of all texts, in order; between two of them a text is nearer to the
/// smaller one.
const SIZES: [(f64, f64, f64); 6] = [
    (0.0, 20.0, 1.0),
    (0.5, 290.0, 1.9),
    (0.9, 1_816.0, 1.9),
    (0.99, 11_271.0, 1.9),
    (0.999, 43_700.0, 2.9),
    (1.0, 400_000.0, 1.0),
];

/// What a tool prints is so much longer, as calls are short.
const OUTPUT: f64 = 1.75;

/// Draws how many bytes a text has: 947 in the mean.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a positive number of at most 400,000"
)]
fn size(random: &mut Random, stretch: f64) -> usize {
    let share = random.share();
    let at = SIZES.iter().rposition(|(from, ..)| *from <= share).unwrap();
    let ((from, low, bend), (to, high, _)) = (SIZES[at], SIZES[at + 1]);
    let place = ((share - from) / (to - from)).powf(bend);
    (low * (high / low).powf(place) * stretch).min(400_000.0) as usize
}

/// Writes texts in one language.
pub(crate) struct Author<'a> {
    pub(crate) words: &'a Words,
    /// Whether people and the model write Chinese.
    pub(crate) is_chinese: bool,
}

impl Author<'_> {
    /// What a person or a model says.
    pub(crate) fn prose(&self, random: &mut Random) -> String {
        let size = size(random, 1.0);
        let mut text = String::with_capacity(size + 64);
        while text.len() < size {
            match random.below(60) {
                0 => text.push_str(&self.words.name(random)),
                1 => text.push_str(&self.words.path(random)),
                2 => self.code(&mut text, random),
                _ if self.is_chinese => text.extend((0..6).map(|_| character(random))),
                _ => text.push_str(self.words.draw(random)),
            }
            text.push_str(match random.below(40) {
                0 => "\n\n",
                1..4 => ", ",
                4..7 => ". ",
                _ if self.is_chinese => "",
                _ => " ",
            });
        }
        cut(&mut text, size);
        text
    }

    /// What a tool prints.
    pub(crate) fn output(&self, random: &mut Random) -> String {
        let size = size(random, OUTPUT);
        let mut text = String::with_capacity(size + 128);
        while text.len() < size {
            match random.below(24) {
                0 => writeln!(text, "commit {}", hexadecimal(random, 40)),
                1 => writeln!(text, "id: {}", uuid(random)),
                2 => writeln!(text, "blob {}", base64(random, 60)),
                3..8 => {
                    let (path, line) = (self.words.path(random), random.below(900));
                    writeln!(text, "{path}:{line}: {}", self.line(random, 6))
                }
                8..14 => {
                    self.code(&mut text, random);
                    Ok(())
                }
                _ => writeln!(text, "    {}", self.line(random, 9)),
            }
            .unwrap();
        }
        cut(&mut text, size);
        text
    }

    fn line(&self, random: &mut Random, words: usize) -> String {
        let mut line = String::new();
        for n in 0..words {
            line.push_str(if n == 0 { "" } else { " " });
            line.push_str(self.words.draw(random));
        }
        line
    }

    fn code(&self, text: &mut String, random: &mut Random) {
        let (name, call) = (self.words.name(random), self.words.name(random));
        let (word, number) = (self.words.draw(random), random.below(5_000));
        writeln!(text, "    let {name} = self.{call}(\"{word}\", {number});").unwrap();
    }

    /// The name of a tool and what it is called with.
    pub(crate) fn call(&self, random: &mut Random) -> (&'static str, serde_json::Value) {
        let path = self.words.path(random);
        match random.below(3) {
            0 => {
                let command = format!("rg -n '{}' {path}", self.words.name(random));
                let words = self.line(random, 5);
                let input = serde_json::json!({"command": command, "description": words});
                ("Bash", input)
            }
            1 => ("Read", serde_json::json!({"file_path": path})),
            _ => {
                let (mut old, mut new) = (String::new(), String::new());
                self.code(&mut old, random);
                self.code(&mut new, random);
                let input =
                    serde_json::json!({"file_path": path, "old_string": old, "new_string": new});
                ("Edit", input)
            }
        }
    }
}

/// Cuts a text to at most `size` bytes, between two characters.
fn cut(text: &mut String, size: usize) {
    text.truncate(text.floor_char_boundary(size));
    // Blank ends are no part of a message to some.
    text.truncate(text.trim_end().len());
    if text.is_empty() {
        text.push_str("ok");
    }
}
