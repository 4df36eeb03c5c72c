//! Conversations: who says what, and when. Each depends on the seed and its number alone, so that a
//! corpus of any size is never in memory.

use serde_json::Value;

use super::random::Random;
use super::text::Author;
use super::words::Words;

/// Every fourth conversation has exactly so many messages, for what is measured on one.
pub(crate) const EXACT: u64 = 500;
/// When the first conversation begins, in milliseconds.
const BEGINNING: i64 = 1_767_225_600_000;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    User,
    Assistant,
    Tool,
}

impl Role {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// One message.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) role: Role,
    pub(crate) text: String,
    /// Milliseconds.
    pub(crate) at: i64,
    /// A tool's name and input, where the text is a call's input.
    pub(crate) call: Option<(&'static str, Value)>,
}

/// Which corpus, and how much of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Corpus {
    pub(crate) seed: u64,
    /// Messages.
    pub(crate) size: u64,
}

impl Corpus {
    /// Returns the conversations, each with its number and how many messages it has.
    pub(crate) fn conversations(self) -> impl Iterator<Item = (u64, u64)> {
        let mut left = self.size;
        (0..).map_while(move |n| {
            let length = length(self.seed, n).min(left);
            left -= length;
            (length > 0).then_some((n, length))
        })
    }

    /// Returns the number of a conversation of the exact length, or of the longest there is, in the
    /// middle of the corpus, and how many messages it has.
    pub(crate) fn measured(self) -> (u64, u64) {
        let count = self.conversations().count();
        let exact = self.conversations().filter(|(_, length)| *length == EXACT);
        let middle = exact.take(count.div_ceil(2)).last();
        let longest = || self.conversations().max_by_key(|(_, length)| *length);
        middle.or_else(longest).unwrap()
    }

    /// Returns the first `length` messages of a conversation.
    pub(crate) fn talk(self, words: &Words, n: u64, length: u64) -> Vec<Said> {
        let mut talk = Talk::new(words, self.seed, n);
        let mut said = Vec::new();
        while u64::try_from(said.len()).unwrap() < length {
            said.extend(talk.turn());
        }
        said.truncate(usize::try_from(length).unwrap());
        if let Some(last) = said.last_mut() {
            // No call is left open: views would not show it.
            last.call = None;
        }
        said
    }
}

/// Returns the key of a conversation: the name that its transcript has.
pub(crate) fn session(n: u64) -> String {
    format!("5eed0000-0000-4000-8000-{n:012}")
}

fn length(seed: u64, n: u64) -> u64 {
    if n.is_multiple_of(4) {
        EXACT
    } else {
        200 + Random::new(seed ^ 0x1e9, n).below(1_900)
    }
}

/// One conversation that goes on for ever.
pub(crate) struct Talk<'a> {
    author: Author<'a>,
    random: Random,
    at: i64,
}

impl<'a> Talk<'a> {
    pub(crate) fn new(words: &'a Words, seed: u64, n: u64) -> Self {
        // One in 25 is Chinese, the second of all among them.
        let is_chinese = n % 25 == 1;
        Self {
            author: Author { words, is_chinese },
            random: Random::new(seed, n),
            at: BEGINNING + i64::try_from(n).unwrap() * 3_600_000,
        }
    }

    /// Returns the next turn: a request, some calls with their results, an answer.
    pub(crate) fn turn(&mut self) -> Vec<Said> {
        let mut said = Vec::new();
        let request = self.author.prose(&mut self.random);
        self.say(&mut said, Role::User, request);
        for _ in 0..self.random.below(5) {
            let (name, input) = self.author.call(&mut self.random);
            self.say(&mut said, Role::Assistant, input.to_string());
            said.last_mut().unwrap().call = Some((name, input));
            let output = self.author.output(&mut self.random);
            self.say(&mut said, Role::Tool, output);
        }
        let answer = self.author.prose(&mut self.random);
        self.say(&mut said, Role::Assistant, answer);
        said
    }

    /// Returns a turn of exactly three messages: a request, what a tool printed, an answer.
    pub(crate) fn three(&mut self) -> Vec<Said> {
        let mut said = Vec::new();
        let request = self.author.prose(&mut self.random);
        self.say(&mut said, Role::User, request);
        let output = self.author.output(&mut self.random);
        self.say(&mut said, Role::Tool, output);
        let answer = self.author.prose(&mut self.random);
        self.say(&mut said, Role::Assistant, answer);
        said
    }

    fn say(&mut self, said: &mut Vec<Said>, role: Role, text: String) {
        self.at += 1_000 + i64::try_from(self.random.below(20_000)).unwrap();
        let at = self.at;
        said.push(Said {
            role,
            text,
            at,
            call: None,
        });
    }
}
