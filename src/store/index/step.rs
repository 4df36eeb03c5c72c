//! Steps: what one short transaction adds to the index. Pure: rows and tokens in, steps out.
//! May not write.

use crate::domain::IndexRow;

use super::mark::IndexMark;

/// Rows of one step at most.
pub const STEP_ROWS: usize = 64;
/// Bytes of tokens of one step at most: FTS5 takes about 22 MB of them in a second, so a step
/// holds the write lock for about 3 ms. A longer row goes in pieces of this size.
pub const STEP_BYTES: usize = 64 * 1024;

/// What a step adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexWork {
    /// Whole rows, in order of ids.
    Rows(Vec<IndexRow>),
    /// A row that cannot be read: it is passed over, and every search is told so.
    Damaged {
        /// The row's id.
        id: i64,
    },
    /// One piece of a large row.
    Piece {
        /// The row's id.
        id: i64,
        /// Which piece, from 0.
        ordinal: u32,
        /// Of how many.
        n_pieces: u32,
        /// The piece's tokens.
        tokens: String,
    },
}

/// One step of indexing, with what must still hold for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexStep {
    /// Where the mark was when the rows were read.
    pub expected: IndexMark,
    /// The version of the rules that cut the tokens.
    pub rules: i64,
    /// What to add.
    pub work: IndexWork,
    /// Where the mark is afterwards.
    pub next: IndexMark,
}

/// What came of a step.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexOutcome {
    /// The rows are indexed and the mark has moved.
    Applied,
    /// Another writer moved the mark or has newer rules; nothing was written.
    Moved,
}

/// Cuts tokens into pieces at blanks, each of at most `STEP_BYTES` unless one token is longer.
fn pieces(tokens: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = tokens;
    while rest.len() > STEP_BYTES {
        let (window, _) = rest.split_at(rest.floor_char_boundary(STEP_BYTES));
        let Some(cut) = window.rfind(' ').or_else(|| rest.find(' ')) else {
            break;
        };
        let (piece, after) = rest.split_at(cut);
        pieces.push(piece);
        rest = after.trim_start_matches(' ');
    }
    pieces.push(rest);
    pieces
}

/// Cuts tokens into pieces and numbers them.
pub(super) fn numbered(tokens: &str) -> Vec<(u32, &str)> {
    (0..).zip(pieces(tokens)).collect()
}

/// Counts pieces; a text of more than 2^32 of them does not fit a row.
pub(super) fn count(n_pieces: usize) -> u32 {
    u32::try_from(n_pieces).unwrap_or(u32::MAX)
}

/// Says whether a row goes in pieces.
pub(super) fn is_large(row: &IndexRow) -> bool {
    row.tokens.len() > STEP_BYTES
}

/// Deals rows out to steps, each short, from `start` on; damaged ones among them, all in order of ids.
pub(super) fn plan_steps(
    start: IndexMark,
    rules: i64,
    rows: Vec<IndexRow>,
    damaged: &[i64],
) -> Vec<IndexStep> {
    let mut planner = Planner {
        mark: start,
        rules,
        rows: Vec::new(),
        bytes: 0,
        steps: Vec::new(),
    };
    let mut damaged = damaged.iter().copied().peekable();
    for row in rows {
        while let Some(id) = damaged.next_if(|id| *id < row.id) {
            planner.pass_over(id);
        }
        if is_large(&row) {
            planner.close();
            planner.add_pieces(&row);
        } else {
            planner.add(row);
        }
    }
    for id in damaged {
        planner.pass_over(id);
    }
    planner.close();
    planner.steps
}

struct Planner {
    mark: IndexMark,
    rules: i64,
    rows: Vec<IndexRow>,
    bytes: usize,
    steps: Vec<IndexStep>,
}

impl Planner {
    fn add(&mut self, row: IndexRow) {
        if self.rows.len() >= STEP_ROWS || self.bytes + row.tokens.len() > STEP_BYTES {
            self.close();
        }
        self.bytes += row.tokens.len();
        self.rows.push(row);
    }

    fn close(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        if let Some(last) = rows.last() {
            let next = IndexMark {
                id: last.id,
                pieces: 0,
            };
            self.push(IndexWork::Rows(rows), next);
        }
    }

    fn pass_over(&mut self, id: i64) {
        self.close();
        self.push(IndexWork::Damaged { id }, IndexMark { id, pieces: 0 });
    }

    fn add_pieces(&mut self, row: &IndexRow) {
        let pieces = numbered(&row.tokens);
        let n_pieces = count(pieces.len());
        // What an earlier process wrote of this row stays.
        let done = self.mark.pieces.min(n_pieces - 1);
        for (ordinal, piece) in pieces.into_iter().filter(|piece| piece.0 >= done) {
            let next = if ordinal + 1 == n_pieces {
                IndexMark {
                    id: row.id,
                    pieces: 0,
                }
            } else {
                IndexMark {
                    id: self.mark.id,
                    pieces: ordinal + 1,
                }
            };
            let work = IndexWork::Piece {
                id: row.id,
                ordinal,
                n_pieces,
                tokens: piece.to_owned(),
            };
            self.push(work, next);
        }
    }

    fn push(&mut self, work: IndexWork, next: IndexMark) {
        self.steps.push(IndexStep {
            expected: self.mark,
            rules: self.rules,
            work,
            next,
        });
        self.mark = next;
    }
}
