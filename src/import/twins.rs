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
pub(crate) struct Twins(Vec<Said>);

/// Whether words were said before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Heard {
    /// Not by the other stream.
    First,
    /// By this record of it, if that has an id.
    Again(Option<String>),
}

/// Words, by their hash, and the record that said them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Said {
    stream: Stream,
    voice: Voice,
    words: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    record: Option<String>,
}

impl Twins {
    /// Returns whether the other stream has said these words already, and else remembers them.
    pub(crate) fn is_said(&mut self, stream: Stream, voice: Voice, words: &str) -> bool {
        self.hear(stream, voice, words, None) != Heard::First
    }

    /// As [`Twins::is_said`], of a record with this id.
    pub(crate) fn hear(
        &mut self,
        stream: Stream,
        voice: Voice,
        words: &str,
        record: Option<&str>,
    ) -> Heard {
        let hash = blake3::hash(words.trim().as_bytes()).to_hex();
        let hash = hash.get(..DIGITS).unwrap_or_default();
        let is_twin =
            |said: &Said| said.stream != stream && said.voice == voice && said.words == hash;
        if let Some(at) = self.0.iter().position(is_twin) {
            return Heard::Again(self.0.remove(at).record);
        }
        if self.0.len() >= MAX_WAITING {
            self.0.remove(0);
        }
        self.0.push(Said {
            stream,
            voice,
            words: hash.to_owned(),
            record: record.map(str::to_owned),
        });
        Heard::First
    }
}
