//! Two streams that say the same. Owns which words were said already by the other stream: some hosts
//! tell each prompt, answer and thought twice, in either order.
//! May not compare words of one stream: a person may say the same twice.

use serde::{Deserialize, Serialize};

/// Words that wait for their twin.
const MAX_WAITING: usize = 32;

/// Hexadecimal digits by which words are remembered.
const DIGITS: usize = 24;

/// A stream of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Stream {
    /// What went to the model and came from it.
    Items,
    /// What was shown to the person, or came from them.
    Events,
}

/// Who said the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Voice {
    User,
    Assistant,
    Thought,
}

/// Words without a twin so far, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Twins(Vec<(Stream, Voice, String)>);

impl Twins {
    /// Returns whether the other stream has said these words already, and else remembers them.
    pub(crate) fn is_said(&mut self, stream: Stream, voice: Voice, words: &str) -> bool {
        let hash = blake3::hash(words.trim().as_bytes()).to_hex();
        let hash = hash.get(..DIGITS).unwrap_or_default();
        let twin = self.0.iter().position(|(other, said_by, said)| {
            *other != stream && *said_by == voice && said == hash
        });
        if let Some(at) = twin {
            self.0.remove(at);
            return true;
        }
        if self.0.len() >= MAX_WAITING {
            self.0.remove(0);
        }
        self.0.push((stream, voice, hash.to_owned()));
        false
    }
}
