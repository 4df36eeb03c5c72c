//! A file of JSON lines, read to its end. Owns its checkpoint: the bytes consumed, and the
//! fingerprint of those, by which a file that was rewritten is told from one that has grown.
//! May not judge a record.

use std::path::Path;

use super::account::FileAccount;
use super::batch::Lines;
use super::checkpoint::{Start, open, saved, saved_behind_notes};
use super::frame::Framer;
use super::intake::{Intake, unreadable};
use super::spec::LineFormat;
use crate::engine::EngineError;

/// Imports a file of JSON lines. `moved` hears how many bytes have been consumed.
///
/// # Errors
/// The engine's. A file that cannot be read is no error: its account says so.
pub(super) async fn import_lines(
    mut intake: Intake<'_, '_>,
    path: &Path,
    format: LineFormat,
    moved: &mut (dyn FnMut(u64) + Send),
) -> Result<FileAccount, EngineError> {
    let name = intake.format();
    let checkpoint = intake.checkpoint().await?;
    let (source, start) = match open(path, name, checkpoint.as_ref(), intake.recheck()) {
        Ok(opened) => opened,
        Err(error) => return Ok(intake.fail(unreadable(&error))),
    };
    let Start {
        position,
        mut state,
    } = start;
    let remembered = Some(state.reader.as_str()).filter(|reader| !reader.is_empty());
    let mut lines = Lines {
        is_record: format.is_record,
        reader: (format.open)(path, remembered),
    };
    let before = saved(&position, &mut state);
    intake.resume(state, before);
    let begin = position.offset;
    if begin == 0 && checkpoint.is_some_and(|checkpoint| checkpoint.offset > 0) {
        intake.note_rewritten();
    }
    let mut framer = Framer::new(source, position);
    loop {
        let batch = match lines.read_batch(&mut framer, intake.state_mut()) {
            Ok(batch) => batch,
            Err(error) => return Ok(intake.fail(unreadable(&error))),
        };
        intake.take_all(batch.items).await?;
        let offset = framer.position().offset;
        intake.account_mut().bytes_read = offset - begin;
        moved(offset);
        if intake.holds_nothing() && offset != intake.saved().offset {
            intake.state_mut().reader = lines.reader.state();
            let saved = saved(framer.position(), intake.state_mut());
            intake.write(saved).await?;
        }
        if batch.is_last {
            break;
        }
    }
    if !intake.holds_nothing() {
        let behind = saved_behind_notes(framer.position(), name, &intake.saved());
        intake.write(behind).await?;
    }
    Ok(intake.finish())
}
