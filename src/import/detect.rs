//! Whose file is this. Owns the decision, made from records and never from a name alone.
//! May not read further than it must.

use std::io::{self, Read};

use super::claude_code::looks_like_record;
use super::format::Format;
use super::frame::{Frame, Framer, Position};
use super::json::Object;
use super::split::{Piece, line_text, split_line, split_tail};

/// Pieces looked at before a file is called foreign: a few damaged lines must not hide a
/// transcript, and a log of millions of lines must not be read to its end.
const MAX_PIECES: usize = 200;

/// What a file seems to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Detected {
    /// A transcript.
    Known(Format),
    /// Nothing yet: an empty file, or one that ends inside its first record.
    Nothing,
    /// Something else, and what was seen of it.
    Foreign(String),
}

/// Looks at the beginning of a source.
pub(crate) fn detect(source: impl Read) -> io::Result<Detected> {
    let mut framer = Framer::new(source, Position::start());
    let mut n_pieces = 0;
    let mut seen = None;
    while n_pieces < MAX_PIECES {
        let Some(frame) = framer.next()? else { break };
        match frame {
            Frame::Line(line) => {
                let (text, _) = line_text(line.bytes, line.offset);
                for piece in split_line(&text, looks_like_record) {
                    n_pieces += 1;
                    match piece {
                        Piece::Record { text, .. } if looks_like_record(text) => {
                            return Ok(Detected::Known(Format::ClaudeCode));
                        }
                        Piece::Record { text, .. } => {
                            seen.get_or_insert_with(|| describe(text));
                        }
                        Piece::Bad { .. } => {}
                    }
                }
            }
            Frame::Tail(line) => {
                let (text, _) = line_text(line.bytes, line.offset);
                let tail = split_tail(&text);
                for (_, text) in tail.records {
                    n_pieces += 1;
                    if looks_like_record(text) {
                        return Ok(Detected::Known(Format::ClaudeCode));
                    }
                    seen.get_or_insert_with(|| describe(text));
                }
                let waits = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\0');
                if tail.is_pending && !waits.is_empty() && !waits.starts_with('{') {
                    n_pieces += 1;
                }
                break;
            }
            Frame::Oversized { .. } | Frame::OversizedTail { .. } => n_pieces += 1,
        }
    }
    if n_pieces == 0 {
        return Ok(Detected::Nothing);
    }
    let seen = seen.unwrap_or_else(|| "none of its lines is a JSON object".to_owned());
    Ok(Detected::Foreign(format!(
        "{seen}; known formats: {}",
        Format::known()
    )))
}

/// Names the fields of a foreign record, so that a person sees what the file is.
fn describe(text: &str) -> String {
    let Some(record) = Object::parse(text) else {
        return "its first object cannot be read".to_owned();
    };
    let names: Vec<String> = record
        .fields()
        .take(6)
        .map(|(name, _)| name.chars().take(24).filter(|c| !c.is_control()).collect())
        .collect();
    if names.is_empty() {
        return "its first object has no fields".to_owned();
    }
    format!("its first object has the fields {}", names.join(", "))
}
