//! Where the reading of a file of lines begins and ends. Owns when a checkpoint holds.
//! May not read records.

use std::io::{self, Read};
use std::path::Path;

use super::format::Format;
use super::frame::Position;
use super::prefix::Recheck;
use super::state::{Mark, ReadState};
use super::target::Saved;
use super::unpack::{Text, open_text};
use crate::domain::Checkpoint;

/// How the reading of a file begins.
pub(super) struct Start {
    pub(super) position: Position,
    pub(super) state: ReadState,
}

/// Opens a file where an earlier import left it, or at its start if what was read then has
/// changed. If notes wait for their conversation and the file has grown, they are read again.
pub(super) fn open(
    path: &Path,
    format: Format,
    checkpoint: Option<&Checkpoint>,
    recheck: Recheck,
) -> io::Result<(Text, Start)> {
    let mut source = open_text(path)?;
    if let Some(checkpoint) = checkpoint
        && let Some(mut state) = ReadState::from_json(&checkpoint.state, format)
        && let place = (checkpoint.offset, checkpoint.lines)
        && let Some(position) = Position::after(&mut source, place, &state.blocks, recheck)?
        && position.fingerprint() == checkpoint.prefix
    {
        if state.notes_from.is_none() {
            return Ok((source, Start { position, state }));
        }
        let has_grown = source.by_ref().take(1).read_to_end(&mut Vec::new())? > 0;
        let mark = state.notes_from.take_if(|_| has_grown);
        let place = mark.map_or(place, |mark| (mark.offset, mark.lines));
        let mut source = open_text(path)?;
        if let Some(position) = Position::after(&mut source, place, &state.blocks, recheck)? {
            return Ok((source, Start { position, state }));
        }
    }
    let start = Start {
        position: Position::start(),
        state: ReadState::new(format),
    };
    Ok((open_text(path)?, start))
}

/// Returns the checkpoint of a file whose records are all stored up to a place.
pub(super) fn saved(position: &Position, state: &mut ReadState) -> Saved {
    state.blocks = position.blocks_text();
    Saved {
        offset: position.offset,
        lines: position.lines,
        prefix: position.fingerprint(),
        state: state.to_json(),
    }
}

/// Returns the checkpoint of a file that ends in notes without a conversation: while it stays as
/// it is nothing is left to read, and what follows them leads back to `before`.
pub(super) fn saved_behind_notes(position: &Position, format: Format, before: &Saved) -> Saved {
    let earlier = ReadState::from_json(&before.state, format);
    let mut state = earlier.unwrap_or_else(|| ReadState::new(format));
    state.notes_from = Some(Mark {
        offset: before.offset,
        lines: before.lines,
    });
    saved(position, &mut state)
}
