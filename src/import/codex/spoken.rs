//! What a person said lately. Owns which rows the host copies into the record with which it compacts.
//! May not grow with the file: what was said long ago is forgotten, and its copies are not named.

use serde::{Deserialize, Serialize};

use crate::import::entry::Mirrored;

/// Prompts that are remembered; the host copies the last few only.
const MAX_PROMPTS: usize = 64;

/// Hexadecimal digits by which words are remembered.
const DIGITS: usize = 16;

/// The last prompts, oldest first: the hash of the words and the row.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Spoken(Vec<(String, Mirrored)>);

impl Spoken {
    /// Takes the next prompt.
    pub(super) fn take(&mut self, words: &str, row: Mirrored) {
        if self.0.len() >= MAX_PROMPTS {
            self.0.remove(0);
        }
        self.0.push((short(words), row));
    }

    /// Returns the rows whose words a list repeats, newest first. The list is in the order of the
    /// talk: of words said twice the later row is meant, unless both are in it.
    pub(super) fn repeated(&self, list: &[String]) -> Vec<&Mirrored> {
        let mut rest = self.0.as_slice();
        let mut rows = Vec::new();
        for words in list.iter().rev() {
            let hash = short(words);
            let Some(at) = rest.iter().rposition(|(said, _)| *said == hash) else {
                continue;
            };
            let (before, from) = rest.split_at(at);
            rows.extend(from.first().map(|(_, row)| row));
            rest = before;
        }
        rows
    }
}

fn short(words: &str) -> String {
    let hash = blake3::hash(words.trim().as_bytes()).to_hex();
    hash.get(..DIGITS).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_matched_from_its_end() {
        let mut spoken = Spoken::default();
        for (words, id) in [("go", "1"), ("stop", "2"), ("go", "3"), ("wait", "4")] {
            spoken.take(words, Mirrored::Row(id.to_owned()));
        }
        let check = |list: &[&str], wanted: &[&str]| {
            let list: Vec<String> = list.iter().map(|words| (*words).to_owned()).collect();
            let wanted = wanted.iter().map(|id| Mirrored::Row((*id).to_owned()));
            let wanted: Vec<Mirrored> = wanted.collect();
            let repeated = spoken.repeated(&list).into_iter().cloned();
            assert_eq!(repeated.collect::<Vec<_>>(), wanted, "{list:?}");
        };
        check(&["go"], &["3"]);
        check(&["go", "stop", "go"], &["3", "2", "1"]);
        check(&["stop", "a summary", "wait "], &["4", "2"]);
        check(&["wait", "stop"], &["2"]);
        check(&[], &[]);
        for n in 0..MAX_PROMPTS {
            spoken.take("later", Mirrored::Record(n.to_string()));
        }
        assert!(spoken.repeated(&["go".to_owned()]).is_empty());
        assert_eq!(spoken.0.len(), MAX_PROMPTS);
    }
}
