//! What rows cost that were counted before. Owns when a count still holds: a message never changes.
//! May not outlive its counter or its limits.

use std::collections::HashMap;

use super::cost::{Form, bodies_tokens, shown_parts};
use super::shorten::{Reasoning, is_blank};
use crate::domain::{MessageId, Part, TokenCounter, Tokens};
use crate::policy::limits::Limits;

/// Rows whose counts are kept: those of some dozen views.
const ROWS: usize = 16_384;

/// Counts of rows that views show as they are, all by one counter and with the same limits, of one
/// store. One process makes many views of a conversation, and each row but the newest stands in most
/// of them.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    rows: HashMap<Row, Tokens>,
}

/// A row in one of the ways in which it is shown whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Row {
    id: MessageId,
    has_reasoning: bool,
    /// The bytes of all its parts: what was erased counts as something else.
    n_bytes: usize,
}

impl Counts {
    /// Takes in what others counted.
    pub fn merge(&mut self, other: Self) {
        if self.rows.len() < other.rows.len() {
            let smaller = std::mem::replace(self, other);
            self.rows.extend(smaller.rows);
        } else {
            self.rows.extend(other.rows);
        }
        if self.rows.len() > ROWS {
            self.rows.clear();
        }
    }

    /// Returns what a row shows, and what that costs without the frame of its message.
    pub(super) fn shown(
        &mut self,
        parts: &[Part],
        form: &Form<'_>,
        limits: &Limits,
        counter: &dyn TokenCounter,
    ) -> (Vec<Part>, Tokens) {
        let row = Row {
            id: form.id,
            has_reasoning: form.reasoning == Reasoning::Shown,
            n_bytes: parts.iter().map(|part| part.body().len()).sum(),
        };
        let whole = || {
            parts.iter().filter(|part| {
                let is_hidden = !row.has_reasoning && matches!(part, Part::Reasoning { .. });
                !is_hidden && !is_blank(part)
            })
        };
        let may_know = form.cleared.is_empty() && limits.tool_result_caps.is_empty();
        if may_know && let Some(tokens) = self.rows.get(&row) {
            return (whole().cloned().collect(), *tokens);
        }
        let shown = shown_parts(parts, form, limits, counter);
        let tokens = bodies_tokens(&shown, counter);
        if may_know && shown.iter().eq(whole()) {
            if self.rows.len() >= ROWS {
                self.rows.clear();
            }
            self.rows.insert(row, tokens);
        }
        (shown, tokens)
    }
}
