//! The turns of a person. Owns where each began, for when the host takes some of them back.
//! May not grow with the file: the turns of long ago are forgotten.

use serde::{Deserialize, Serialize};

use crate::domain::{NewMessage, Part, Role, Visibility};
use crate::import::entry::Follows;

/// Turns whose beginnings are remembered. What takes back more is kept as a note only.
const MAX_TURNS: usize = 256;

/// Where the turns of the talk began.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Turns {
    /// The id of the newest row, if it has one.
    newest: Option<String>,
    /// The id of the row before each turn, oldest turn first.
    before: Vec<Option<String>>,
    has_forgotten: bool,
}

impl Turns {
    /// Takes the next row.
    pub(super) fn take(&mut self, message: &NewMessage, id: Option<&str>) {
        if is_prompt(message) {
            if self.before.len() >= MAX_TURNS {
                self.before.remove(0);
                self.has_forgotten = true;
            }
            self.before.push(self.newest.take());
        }
        self.newest = id.map(str::to_owned);
    }

    /// Takes the last turns back, all if there are not so many. Returns what the talk goes on from
    /// then; nothing changes where that cannot be told.
    pub(super) fn take_back(&mut self, n_turns: usize) -> Follows {
        let (n_known, is_all) = (self.before.len(), n_turns >= self.before.len());
        let at = n_known.saturating_sub(n_turns);
        let follows = match self.before.get(at) {
            Some(Some(row)) if !(n_turns > n_known && self.has_forgotten) => {
                Follows::Row(row.clone())
            }
            // Before the first turn no one has spoken.
            Some(None) if is_all && !self.has_forgotten => Follows::Nothing,
            _ => return Follows::Newest,
        };
        self.before.truncate(at);
        follows
    }
}

/// Returns whether a row is a prompt, and not what one of two streams adds to it.
fn is_prompt(message: &NewMessage) -> bool {
    let is_said = |part: &Part| !matches!(part, Part::Opaque { .. });
    message.role == Role::User
        && message.visibility == Visibility::Talk
        && message.parts.iter().any(is_said)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes rows, `u` a prompt, `a` an answer, `n` a note, with their ids behind them if they have
    /// any and `-2` for two turns taken back, and says what each of these goes on from.
    #[track_caller]
    fn check(rows: &str, wanted: &str) {
        let mut turns = Turns::default();
        let mut found = Vec::new();
        for row in rows.split_whitespace() {
            let (kind, id) = row.split_at(1);
            let message = match kind {
                "u" => NewMessage::user("x"),
                "a" => NewMessage::assistant("x"),
                "n" => NewMessage::user("x").meta(),
                _ => {
                    found.push(match turns.take_back(id.parse().unwrap()) {
                        Follows::Newest => ".".to_owned(),
                        Follows::Nothing => "-".to_owned(),
                        Follows::Row(row) => row,
                    });
                    continue;
                }
            };
            turns.take(&message, Some(id).filter(|id| !id.is_empty()));
        }
        assert_eq!(found.join(" "), wanted, "{rows}");
    }

    #[test]
    fn the_talk_goes_on_from_what_was_before_the_turns_taken_back() {
        check("n1 u2 a3 u4 a5 -1", "3");
        check("n1 u2 a3 u4 a5 -2", "1");
        check("n1 u2 a3 u4 a5 -7", "1");
        check("n1 u2 a3 u4 a5 n6 u7 -1", "6");
        // Each prompt is a turn, also one said before the answer to another.
        check("u1 u2 a3 -1", "1");
        check("n1 u2 a3 u4 a5 -1 n6 u7 a8 -1", "3 6");
        check("n1 u2 a3 u4 a5 -1 n6 -1", "3 1");
    }

    #[test]
    fn what_has_no_id_is_gone_on_from_only_at_the_beginning() {
        check("u a u a -1", ".");
        check("n u a u4 a5 -2", "-");
        check("u1 a2 -1", "-");
        check("-1", ".");
        check("n1 a2 -1", ".");
    }

    #[test]
    fn turns_of_long_ago_are_forgotten_and_not_mistaken() {
        let prompts: Vec<String> = (0..=MAX_TURNS).map(|n| format!("u{n}")).collect();
        let long = prompts.join(" ") + " ";
        check(&(long.clone() + "-1"), &(MAX_TURNS - 1).to_string());
        check(&(long.clone() + "-256"), "0");
        check(&(long + "-257"), ".");
    }
}
