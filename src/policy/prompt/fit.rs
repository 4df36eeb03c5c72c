//! Fitting source text into a prompt. Owns which bodies are cut and by how much.
//! May not leave a message out without a line that names it.

use std::borrow::Cow;

use crate::domain::{Tokens, estimate};

use super::fence::Fence;
use super::source::{Block, Piece};

/// A body is cut to no less than this, mark and all; where that is too much, blocks in the middle
/// give way to one line that names them.
const LEAST_BODY: u64 = 32;
/// A label's mark and line end, in bytes.
const LINE_FRAME: usize = 11;

/// Writes blocks inside the fence: bodies within `body_cap`, all of it within `whole_cap`.
pub(super) fn fit(
    blocks: &[Block<'_>],
    fence: &Fence,
    body_cap: Tokens,
    whole_cap: Option<Tokens>,
) -> String {
    let costs: Vec<Cost> = blocks.iter().map(Cost::of).collect();
    // Lines of ours may take as much as the bodies, whatever the window.
    let lines_cap = body_cap.get().saturating_mul(2);
    let whole_cap = whole_cap.map_or(lines_cap, |cap| cap.get().min(lines_cap));
    // Sums of parts' estimates come near the whole's, but not exactly: what is over comes off.
    let mut excess = 0_u64;
    loop {
        let room = whole_cap.saturating_sub(excess);
        let fitted = Fitted::new(&costs, body_cap.get(), room);
        let text = write(blocks, fence, &fitted);
        let over = estimate(&text).get().saturating_sub(whole_cap);
        if over == 0 || room == 0 {
            return text;
        }
        excess = excess.saturating_add(over).saturating_add(excess / 2);
    }
}

/// What a block costs in tokens.
struct Cost {
    lines: u64,
    bodies: Vec<u64>,
}

impl Cost {
    fn of(block: &Block<'_>) -> Self {
        let line = |label: &str| estimate(label).get() + (LINE_FRAME as u64).div_ceil(2);
        let labels = block
            .pieces
            .iter()
            .filter_map(|piece| piece.label.as_deref());
        Self {
            lines: line(&block.label) + labels.map(line).sum::<u64>(),
            bodies: block
                .pieces
                .iter()
                .map(|piece| estimate(&piece.body).get() + 1)
                .collect(),
        }
    }

    fn least(&self) -> u64 {
        let bodies = self.bodies.iter().map(|&body| body.min(LEAST_BODY));
        self.lines + bodies.sum::<u64>()
    }
}

/// How blocks fit: which of them are written, and how long a body may be.
struct Fitted {
    /// Blocks before the gap.
    n_head: usize,
    /// The first block after the gap.
    tail_start: usize,
    /// Tokens of one body at most.
    body: u64,
}

impl Fitted {
    fn new(costs: &[Cost], body_cap: u64, whole_cap: u64) -> Self {
        let least: u64 = costs.iter().map(Cost::least).sum();
        let (n_head, tail_start) = if least <= whole_cap {
            (costs.len(), costs.len())
        } else {
            ends(costs, whole_cap)
        };
        let head = costs.get(..n_head).unwrap_or_default();
        let tail = costs.get(tail_start..).unwrap_or_default();
        let written = || head.iter().chain(tail);
        let lines: u64 = written().map(|cost| cost.lines).sum();
        let room = whole_cap.saturating_sub(lines).min(body_cap);
        let bodies: Vec<u64> = written()
            .flat_map(|cost| cost.bodies.iter().copied())
            .collect();
        Self {
            n_head,
            tail_start,
            body: level(bodies, room).max(LEAST_BODY),
        }
    }
}

/// Takes blocks from both ends while their least form fits.
fn ends(costs: &[Cost], cap: u64) -> (usize, usize) {
    // Room for the line that names the gap.
    let mut room = cap.saturating_sub(LEAST_BODY);
    let (mut n_head, mut tail_start) = (0, costs.len());
    while n_head < tail_start {
        // The newest end is where the work stands: it goes first.
        let is_tail = costs.len() - tail_start <= n_head;
        let at = if is_tail { tail_start - 1 } else { n_head };
        let least = costs.get(at).map_or(0, Cost::least);
        if least > room {
            break;
        }
        room -= least;
        if is_tail {
            tail_start -= 1;
        } else {
            n_head += 1;
        }
    }
    (n_head, tail_start)
}

/// Returns the length to which the longest bodies are cut so that all together fit: short ones
/// stay whole. All stay whole where that fits.
fn level(mut bodies: Vec<u64>, room: u64) -> u64 {
    bodies.sort_unstable();
    let mut left = room;
    let mut n_left = bodies.len() as u64;
    for body in bodies {
        let share = left / n_left;
        if body > share {
            return share;
        }
        left -= body;
        n_left -= 1;
    }
    u64::MAX
}

fn write(blocks: &[Block<'_>], fence: &Fence, fitted: &Fitted) -> String {
    let mark = fence.mark();
    let mut text = fence.open();
    for block in blocks.get(..fitted.n_head).unwrap_or_default() {
        write_block(&mut text, block, mark, fitted.body);
    }
    if let Some(gap) = blocks.get(fitted.n_head..fitted.tail_start)
        && let (Some(first), Some(last)) = (gap.first(), gap.last())
    {
        let n_blocks = gap.len();
        let (first, last) = (first.span.first(), last.span.last());
        let label = format!("cut: messages {first}-{last}, {n_blocks} blocks, no room");
        write_line(&mut text, mark, &label);
    }
    for block in blocks.get(fitted.tail_start..).unwrap_or_default() {
        write_block(&mut text, block, mark, fitted.body);
    }
    text.push_str(&fence.close());
    text
}

fn write_block(text: &mut String, block: &Block<'_>, mark: &str, body: u64) {
    write_line(text, mark, &block.label);
    for Piece { label, body: whole } in &block.pieces {
        if let Some(label) = label {
            write_line(text, mark, label);
        }
        let shown = shorten(whole, mark, body);
        text.push_str(&shown);
        if !shown.is_empty() && !shown.ends_with('\n') {
            text.push('\n');
        }
    }
}

fn write_line(text: &mut String, mark: &str, label: &str) {
    text.push_str(mark);
    text.push(' ');
    text.push_str(label);
    text.push('\n');
}

/// Shortens a body to `tokens`: head and tail around a mark that says how much is missing.
fn shorten<'body>(body: &'body str, mark: &str, tokens: u64) -> Cow<'body, str> {
    let whole = estimate(body).get();
    if whole < tokens {
        return Cow::Borrowed(body);
    }
    let n_bytes = body.len();
    // As many bytes as the body itself has a token, so that other scripts fit too.
    let share = (n_bytes as u64).saturating_mul(tokens) / whole.max(1);
    let mut keep = usize::try_from(share).unwrap_or(n_bytes).min(n_bytes);
    loop {
        let head = body.floor_char_boundary(keep / 2);
        let tail = body.ceil_char_boundary(n_bytes - keep / 2);
        let n_missing = tail.saturating_sub(head);
        let start = body.get(..head).unwrap_or_default();
        let end = body.get(tail..).unwrap_or_default();
        let shown = format!("{start}\n{mark} cut: {n_missing} of {n_bytes} bytes left out\n{end}");
        if estimate(&shown).get() < tokens || keep == 0 {
            return Cow::Owned(shown);
        }
        keep -= keep.div_ceil(20);
    }
}
