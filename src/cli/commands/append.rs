//! `append`: messages from stdin are stored, nothing else. With `--sync` stdin is the whole history,
//! with `--from` a body of a model's interface.

use std::error::Error;

use serde_json::{Value, json};

use super::writing;
use crate::cli::args::{AppendArgs, BodyFormat};
use crate::cli::config::Settings;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::ndjson::{Input, Refusal, read_input};
use crate::cli::paint::{count, counted, push};
use crate::cli::reply::Reply;
use crate::cli::terminal::read_stdin;
use crate::domain::Appended;
use crate::engine::SyncReport;
use crate::render;

/// What was stored, as all writing commands print it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Stored {
    /// Rows that are new.
    pub(super) appended: u64,
    /// Messages that were there before.
    pub(super) duplicate: u64,
    /// The places of the first and last new row.
    pub(super) seqs: Option<(u64, u64)>,
    /// The last message shared, for a new branch.
    pub(super) fork_seq: Option<u64>,
}

impl Stored {
    pub(super) fn of(appended: &Appended) -> Self {
        let mut stored = Self::default();
        for row in &appended.rows {
            if row.is_duplicate {
                stored.duplicate += 1;
            } else {
                stored.appended += 1;
                let seq = row.seq.get();
                stored.seqs = Some((stored.seqs.map_or(seq, |(first, _)| first), seq));
            }
        }
        stored
    }

    fn of_sync(report: &SyncReport) -> Self {
        let stored = Self::of(&report.appended);
        Self {
            duplicate: stored.duplicate + report.known,
            fork_seq: report.fork_seq,
            ..stored
        }
    }

    pub(super) fn to_json(self, refused: &[Refusal]) -> Value {
        json!({
            "appended": self.appended,
            "duplicate": self.duplicate,
            "first_seq": self.seqs.map(|(first, _)| first),
            "last_seq": self.seqs.map(|(_, last)| last),
            "refused": refused.iter().map(Refusal::to_json).collect::<Vec<_>>(),
            "fork_seq": self.fork_seq,
        })
    }

    pub(super) fn text(self, refused: &[Refusal]) -> String {
        let mut text = match (self.appended, self.seqs) {
            (1, Some((seq, _))) => format!("stored message {seq}"),
            (appended, Some((first, last))) => {
                format!("stored {} messages, {first}-{last}", count(appended))
            }
            (_, None) => "stored nothing new".to_owned(),
        };
        if self.duplicate > 0 {
            let were = if self.duplicate == 1 { "was" } else { "were" };
            push!(text, "; {} {were} there before", count(self.duplicate));
        }
        if let Some(fork_seq) = self.fork_seq {
            push!(text, "; a new branch after message {fork_seq}");
        }
        if !refused.is_empty() {
            let lines = counted(refused.len() as u64, "line", "lines");
            push!(text, "; {lines} refused");
        }
        text.push('\n');
        text
    }
}

pub(super) fn reply_of(stored: Stored, refused: &[Refusal]) -> Reply {
    let mut reply = Reply::new(stored.to_json(refused), stored.text(refused));
    reply.notes = refused.iter().map(ToString::to_string).collect();
    if refused.is_empty() {
        reply
    } else {
        reply.with_exit(Exit::Partial)
    }
}

/// Reads the messages on stdin: lines of our own form, or the body that `from` says.
pub(super) fn read_messages(from: Option<BodyFormat>) -> Result<Input, Failure> {
    let bytes = read_stdin()?;
    match from {
        Some(format) => read_body(format, &bytes),
        None => Ok(read_input(&bytes)),
    }
}

/// Reads a body. One that cannot be read gives nothing: a history with a hole in it would be another
/// history.
fn read_body(format: BodyFormat, bytes: &[u8]) -> Result<Input, Failure> {
    let hint = "send one JSON value: a request's body, an answer, a message or a list of messages";
    let json = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to() + 1;
        Failure::usage(format!("byte {at} of standard input is no UTF-8")).with_hint(hint)
    })?;
    let messages = match format {
        BodyFormat::OpenaiChat => render::openai_chat::read(json),
        BodyFormat::OpenaiResponses => render::openai_responses::read(json),
        BodyFormat::Anthropic => render::anthropic::read(json),
        BodyFormat::Gemini => render::gemini::read(json),
    };
    let messages = messages.map_err(|error| {
        let cause = error.source().map(|cause| format!(": {cause}"));
        let message = format!("{error}{}", cause.unwrap_or_default());
        Failure::usage(message).with_hint(hint)
    })?;
    Ok(Input {
        messages,
        refused: Vec::new(),
    })
}

pub(super) async fn run(settings: &Settings, args: &AppendArgs) -> Result<Reply, Failure> {
    let input = read_messages(args.from)?;
    if args.sync {
        return sync(settings, args, input).await;
    }
    if input.messages.is_empty() {
        return Ok(reply_of(Stored::default(), &input.refused));
    }
    writing(settings, async |engine| {
        let appended = engine.append(&args.session, input.messages).await?;
        Ok(reply_of(Stored::of(&appended), &input.refused))
    })
    .await
}

async fn sync(settings: &Settings, args: &AppendArgs, input: Input) -> Result<Reply, Failure> {
    if !input.refused.is_empty() {
        let note = "nothing was stored: a history with a hole in it would be another history";
        return Ok(reply_of(Stored::default(), &input.refused).with_note(note));
    }
    if input.messages.is_empty() && args.from.is_some() {
        let message = "nobody says anything in the body, and an empty list is no history";
        return Err(Failure::usage(message).with_hint("send every message so far"));
    }
    if input.messages.is_empty() {
        return Err(
            Failure::usage("standard input is empty, and an empty list is no history")
                .with_hint("send every message so far, one JSON object a line"),
        );
    }
    writing(settings, async |engine| {
        let window = settings.window.window();
        let report = engine.sync(&args.session, input.messages, window).await?;
        Ok(reply_of(Stored::of_sync(&report), &[]))
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{AppendedRow, ConversationId, MessageId, Seq};

    fn row(seq: u64, is_duplicate: bool) -> AppendedRow {
        AppendedRow {
            id: MessageId::new(1),
            seq: Seq::new(seq).unwrap(),
            is_duplicate,
        }
    }

    fn stored(rows: Vec<AppendedRow>) -> Stored {
        let conversation = ConversationId::new(1);
        Stored::of(&Appended { conversation, rows })
    }

    #[test]
    fn new_rows_are_told_apart_from_known_ones() {
        let stored = stored(vec![row(2, true), row(5, false), row(6, false)]);
        let want = json!({
            "appended": 2, "duplicate": 1, "first_seq": 5, "last_seq": 6, "refused": [],
            "fork_seq": null,
        });
        assert_eq!(stored.to_json(&[]), want);
        assert_eq!(
            stored.text(&[]),
            "stored 2 messages, 5-6; 1 was there before\n"
        );
    }

    #[test]
    fn nothing_new_has_no_places() {
        let reply = reply_of(Stored::default(), &[]);
        assert_eq!(reply.json["first_seq"], Value::Null);
        assert_eq!(reply.json["appended"], 0);
        assert_eq!(reply.exit, Exit::Done);
    }

    #[test]
    fn refused_lines_make_it_partial() {
        let refused = [Refusal {
            line: 3,
            reason: "bad".to_owned(),
        }];
        let reply = reply_of(Stored::default(), &refused);
        assert_eq!(reply.exit, Exit::Partial);
        assert_eq!(reply.notes, ["line 3 refused: bad"]);
        assert_eq!(reply.json["refused"], json!([{"line": 3, "reason": "bad"}]));
    }
}
