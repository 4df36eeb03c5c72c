//! A folder of generated transcripts, in the form of Claude Code: the same for a seed, whoever asks.
//! Word counts follow a rank law; sizes of texts are those of real sessions: a median of 300 bytes, one
//! in a hundred of more than 10,000.

use std::fmt::Write;

use serde_json::{Value, json};

/// Words that are drawn from; of these the first ones are frequent.
const WORDS: usize = 60_000;
/// Entries of the table by which a word is drawn.
const DRAWS: usize = 1 << 18;
const SYLLABLES: [&str; 24] = [
    "an", "ber", "cor", "de", "el", "for", "gan", "hu", "in", "ka", "lo", "mi", "na", "or", "pe",
    "qua", "ri", "sta", "ter", "un", "ver", "wi", "xo", "zel",
];

/// Numbers in an order that a seed decides.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 16).unwrap() % end
    }
}

/// What all transcripts of a folder are made of.
pub(crate) struct Language {
    words: Vec<String>,
    draws: Vec<u32>,
}

impl Language {
    pub(crate) fn new() -> Self {
        let words = (0..WORDS).map(word).collect();
        // The k-th word is drawn as often as 1 / k: equal steps of the logarithm of the rank.
        let step = f64::from(u32::try_from(WORDS).unwrap()).ln()
            / f64::from(u32::try_from(DRAWS).unwrap());
        let draws = (0..u32::try_from(DRAWS).unwrap()).map(|draw| rank(f64::from(draw) * step));
        Self {
            words,
            draws: draws.collect(),
        }
    }

    fn draw(&self, random: &mut Random) -> &str {
        let rank = usize::try_from(self.draws[random.below(DRAWS)]).unwrap();
        &self.words[rank.min(WORDS - 1)]
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a logarithm of at most the number of words"
)]
fn rank(logarithm: f64) -> u32 {
    logarithm.exp() as u32 - 1
}

/// Makes the n-th word: frequent ones are short.
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

/// A record of a transcript: its line, and the text that an importer finds in it.
pub(crate) struct Record {
    pub(crate) line: String,
    pub(crate) text: String,
}

/// Returns the session of the n-th transcript.
pub(crate) fn session(n: usize) -> String {
    format!("5eed0000-0000-4000-8000-{n:012}")
}

/// Returns the records of the n-th transcript, about `bytes` in all.
pub(crate) fn records(language: &Language, seed: u64, n: usize, bytes: usize) -> Vec<Record> {
    let mut writer = Writer {
        language,
        random: Random::new(seed.wrapping_add(u64::try_from(n).unwrap()) ^ 0x5eed),
        session: session(n),
        number: 0,
        before: None,
        records: Vec::new(),
        n_bytes: 0,
        is_ideographic: n % 25 == 24,
    };
    while writer.n_bytes < bytes {
        writer.exchange();
    }
    writer.records
}

struct Writer<'a> {
    language: &'a Language,
    random: Random,
    session: String,
    number: usize,
    /// The id of the record before.
    before: Option<String>,
    records: Vec<Record>,
    n_bytes: usize,
    /// Whether people write Chinese in it.
    is_ideographic: bool,
}

impl Writer<'_> {
    /// A request, some calls with their results, an answer.
    fn exchange(&mut self) {
        let request = self.prose();
        self.user(&json!(request), request.clone(), Value::Null);
        for _ in 0..self.random.below(9) {
            self.call();
        }
        let answer = self.prose();
        self.assistant(&json!({"type": "text", "text": answer}), answer.clone());
    }

    fn call(&mut self) {
        let id = format!("toolu_{}", self.hexadecimal(24));
        let (name, input) = match self.random.below(3) {
            0 => {
                let command = format!("rg -n '{}' {}", self.identifier(), self.path());
                let description = self.words(5);
                (
                    "Bash",
                    json!({"command": command, "description": description}),
                )
            }
            1 => ("Read", json!({"file_path": self.path()})),
            _ => {
                let (old, new) = (self.code(3), self.code(4));
                let path = self.path();
                (
                    "Edit",
                    json!({"file_path": path, "old_string": old, "new_string": new}),
                )
            }
        };
        let text = input.to_string();
        let block = json!({"type": "tool_use", "id": id, "name": name, "input": input});
        self.assistant(&block, text);
        let output = self.output();
        let content = json!([{"tool_use_id": id, "type": "tool_result", "content": output}]);
        let copy = match name {
            "Bash" => json!({"stdout": output, "stderr": "", "interrupted": false}),
            _ => json!({"type": "text", "numLines": 3}),
        };
        self.user(&content, output, copy);
    }

    fn user(&mut self, content: &Value, text: String, result: Value) {
        let message = json!({"role": "user", "content": content});
        self.push("user", &message, text, result);
    }

    fn assistant(&mut self, block: &Value, text: String) {
        let message = json!({
            "id": format!("msg_{}", self.hexadecimal(24)), "type": "message", "role": "assistant",
            "model": "claude-sonnet-4-5-20250929", "content": [block],
            "usage": {"input_tokens": 4, "output_tokens": text.len() / 4},
        });
        self.push("assistant", &message, text, Value::Null);
    }

    fn push(&mut self, kind: &str, message: &Value, text: String, result: Value) {
        let (id, second) = (self.uuid(), self.number);
        let before = self.before.replace(id.clone());
        let mut record = json!({
            "parentUuid": before, "isSidechain": false, "userType": "external",
            "cwd": "/srv/harbour", "sessionId": self.session, "version": "2.0.14",
            "gitBranch": "main", "type": kind, "message": message, "uuid": id,
            "timestamp": format!("2026-03-{:02}T{:02}:{:02}:{:02}.000Z", 1 + second / 86_400 % 28,
                second / 3_600 % 24, second / 60 % 60, second % 60),
        });
        if !result.is_null() {
            record["toolUseResult"] = result;
        }
        let line = record.to_string();
        self.n_bytes += line.len() + 1;
        self.number += 1;
        self.records.push(Record { line, text });
    }

    /// An id as hosts make them: of no order, so that each falls elsewhere in an index.
    fn uuid(&mut self) -> String {
        let digits = self.hexadecimal(32);
        let (one, two, three) = (&digits[..8], &digits[8..12], &digits[13..16]);
        format!(
            "{one}-{two}-4{three}-a{}-{}",
            &digits[17..20],
            &digits[20..]
        )
    }

    /// How many bytes a text has: half of them fewer than 300, one in a hundred more than 10,000.
    fn size(&mut self) -> usize {
        match self.random.below(100) {
            0 => 8_000 + self.random.below(24_000),
            1..10 => 1_500 + self.random.below(4_000),
            10..50 => 300 + self.random.below(1_100),
            _ => 40 + self.random.below(260),
        }
    }

    fn prose(&mut self) -> String {
        let size = self.size();
        let mut text = String::new();
        while text.len() < size {
            if self.is_ideographic {
                let character = 0x4e00 + u32::try_from(self.random.below(2_500)).unwrap();
                text.extend(char::from_u32(character));
                continue;
            }
            match self.random.below(60) {
                0 => text.push_str(&self.identifier()),
                1 => text.push_str(&self.path()),
                2..5 => text.push_str("\n\n"),
                _ => text.push_str(self.language.draw(&mut self.random)),
            }
            text.push_str(match self.random.below(12) {
                0 => ", ",
                1 => ". ",
                _ => " ",
            });
        }
        text
    }

    /// What a tool prints: code, names, numbers.
    fn output(&mut self) -> String {
        let size = self.size() * 2;
        let mut text = String::new();
        while text.len() < size {
            match self.random.below(6) {
                0 => writeln!(text, "{}:{}", self.path(), self.random.below(900)).unwrap(),
                1 => writeln!(text, "{} {}", self.hexadecimal(40), self.words(4)).unwrap(),
                2 => text.push_str(&self.code(2)),
                _ => writeln!(text, "    {}", self.words(9)).unwrap(),
            }
        }
        text
    }

    fn words(&mut self, count: usize) -> String {
        let words: Vec<&str> = (0..count)
            .map(|_| self.language.draw(&mut self.random))
            .collect();
        words.join(" ")
    }

    fn code(&mut self, lines: usize) -> String {
        let mut text = String::new();
        for _ in 0..lines {
            let (name, call, argument) = (self.identifier(), self.identifier(), self.words(1));
            writeln!(
                text,
                "    let {name} = self.{call}(\"{argument}\", {});",
                self.number
            )
            .unwrap();
        }
        text
    }

    fn identifier(&mut self) -> String {
        let (one, other) = (self.words(1), self.words(1));
        match self.random.below(3) {
            0 => format!("{one}_{other}"),
            1 => format!("{one}{}{}", other[..1].to_uppercase(), &other[1..]),
            _ => format!("{one}::{other}_{}", self.random.below(500)),
        }
    }

    fn path(&mut self) -> String {
        let (one, other, name) = (self.words(1), self.words(1), self.words(1));
        format!("src/{one}/{other}/{name}.rs")
    }

    fn hexadecimal(&mut self, digits: usize) -> String {
        let mut text = String::new();
        while text.len() < digits {
            write!(text, "{:08x}", self.random.next() >> 32).unwrap();
        }
        text.truncate(digits);
        text
    }
}
