//! `export`: a conversation as it was stored, page by page, to stdout or to files.
//! May not hold more than a page, nor overwrite a file, nor leave a part of one.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::named::named;
use super::sessions::filtered;
use crate::cli::args::{ExportArgs, ExportFormat, SessionFilter};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::ndjson::Lines;
use crate::cli::paint::{counted, escape_json, push, safe_key, safe_line};
use crate::cli::reply::Reply;
use crate::cli::temporary::{TemporaryFolder, place};
use crate::cli::terminal::Form;
use crate::domain::{HistoryRow, SessionKey, Span};
use crate::engine::{Engine, History};
use crate::render::markdown;

/// Bytes of a key that a file's name shows.
const NAME_BYTES: usize = 100;

pub(super) async fn run(engine: &Engine, args: &ExportArgs, form: Form) -> Result<Reply, Failure> {
    if args.session.is_some() && args.filter != SessionFilter::default() {
        return Err(Failure::usage(
            "filters choose among all conversations, and --session names one",
        )
        .with_hint("write --all --to FOLDER with filters, or --session KEY without"));
    }
    let asked = match &args.session {
        Some(session) => Some(named(engine, session).await?),
        None => None,
    };
    let Some(folder) = &args.to else {
        return to_stdout(engine, asked.as_ref(), args, form).await;
    };
    let mut wanted: Vec<(u64, SessionKey)> = filtered(engine, &args.filter)
        .await?
        .0
        .into_iter()
        .map(|row| (row.id.get().unsigned_abs(), row.session))
        .collect();
    if let Some(session) = &asked {
        // An unknown key is refused before anything is made.
        engine.history(session, args.span).await?;
        wanted.retain(|(_, key)| key == session);
    }
    make_folder(folder)?;
    let room = TemporaryFolder::inside(folder).map_err(|error| cannot_write(folder, &error))?;
    let (mut files, mut damaged) = (Vec::new(), Vec::new());
    for (number, session) in wanted {
        let name = file_name(number, &session, args.format);
        let (path, part) = (folder.join(&name), room.path().join(&name));
        if path.symlink_metadata().is_ok() {
            return Err(cannot_write(&path, &io::ErrorKind::AlreadyExists.into()));
        }
        let written = match engine.history(&session, args.span).await {
            Ok(history) => to_file(history, &session, args, &part).await,
            Err(error) => Err(Stop::Failure(error.into())),
        };
        let placed: Result<u64, Stop> = written.and_then(|n_rows| {
            place(&part, &path).map_err(Stop::Io)?;
            Ok(n_rows)
        });
        match placed {
            Ok(n_rows) => files.push((path, session, n_rows)),
            // One that was named is what the command is for.
            Err(Stop::Failure(failure)) if asked.is_none() && failure.is_of_damage() => {
                damaged.push((session, failure.message));
            }
            Err(stop) => return Err(stop.failure(&path)),
        }
    }
    Ok(with_damaged(reply(&files), &damaged))
}

async fn to_file(
    history: History,
    session: &SessionKey,
    args: &ExportArgs,
    path: &Path,
) -> Result<u64, Stop> {
    let mut out = BufWriter::new(new_file(path).map_err(Stop::Io)?);
    let shape = Shape::plain(args.format);
    let n_rows = write(history, session, args.span, shape, &mut out).await?;
    out.flush().map_err(Stop::Io)?;
    Ok(n_rows)
}

fn reply(files: &[(PathBuf, SessionKey, u64)]) -> Reply {
    let mut text = String::new();
    for (path, _, n_rows) in files {
        let rows = counted(*n_rows, "row", "rows");
        push!(text, "{}  {rows}\n", safe_line(&path.display().to_string()));
    }
    let listed: Vec<Value> = files
        .iter()
        .map(|(path, session, n_rows)| {
            json!({"path": path.to_string_lossy(), "session": session.as_str(), "rows": n_rows})
        })
        .collect();
    let reply = Reply::new(json!({ "files": listed }), text);
    if files.is_empty() {
        reply.with_note("no conversations")
    } else {
        reply.with_note(format!(
            "{} written",
            counted(files.len() as u64, "file", "files")
        ))
    }
}

/// Tells the conversations that were passed over, each with the row that cannot be read.
fn with_damaged(mut reply: Reply, damaged: &[(SessionKey, String)]) -> Reply {
    let listed: Vec<Value> = damaged
        .iter()
        .map(|(session, reason)| json!({"session": session.as_str(), "reason": reason}))
        .collect();
    if let Value::Object(fields) = &mut reply.json {
        fields.insert("damaged".to_owned(), Value::Array(listed));
    }
    for (session, reason) in damaged {
        let key = safe_key(session.as_str());
        reply = reply.with_exit(Exit::Partial).with_note(format!(
            "`{key}` was not written: {}; run `hippocamp doctor`, and --session {key} --span A-B \
             for what lies around it",
            safe_line(reason)
        ));
    }
    reply
}

async fn to_stdout(
    engine: &Engine,
    session: Option<&SessionKey>,
    args: &ExportArgs,
    form: Form,
) -> Result<Reply, Failure> {
    let Some(session) = session else {
        return Err(Failure::usage("--all needs a folder: --to FOLDER"));
    };
    let history = engine.history(session, args.span).await?;
    let shape = match form {
        Form::Text => Shape::plain(args.format),
        Form::Json => Shape::object(args.format),
    };
    let mut out = BufWriter::new(io::stdout());
    let written = write(history, session, args.span, shape, &mut out).await;
    let flushed = written.and_then(|n_rows| {
        out.flush().map_err(Stop::Io)?;
        Ok(n_rows)
    });
    match flushed {
        Ok(0) => Ok(Reply::streamed().with_note("nothing is stored in it")),
        Ok(_) => Ok(Reply::streamed()),
        // Whoever reads has enough.
        Err(Stop::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Reply::streamed()),
        Err(stop) => Err(stop.failure(Path::new("standard output"))),
    }
}

/// What ended the writing.
enum Stop {
    Io(io::Error),
    Failure(Failure),
}

impl Stop {
    fn failure(self, path: &Path) -> Failure {
        match self {
            Self::Failure(failure) => failure,
            Self::Io(error) => cannot_write(path, &error),
        }
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    let message = format!("cannot write to {}: {error}", path.display());
    match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::usage(format!(
            "{} is there already, and is not overwritten",
            path.display()
        )),
        io::ErrorKind::StorageFull => Failure::new(Exit::Failed, "disk_full", message),
        _ => Failure::new(Exit::Failed, "io", message),
    }
}

/// What is written around and between rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Markdown,
    Ndjson,
    /// One object with a list of messages.
    Messages,
    /// One object with the Markdown as a text.
    Text,
}

impl Shape {
    const fn plain(format: ExportFormat) -> Self {
        match format {
            ExportFormat::Markdown => Self::Markdown,
            ExportFormat::Ndjson => Self::Ndjson,
        }
    }

    const fn object(format: ExportFormat) -> Self {
        match format {
            ExportFormat::Markdown => Self::Text,
            ExportFormat::Ndjson => Self::Messages,
        }
    }
}

/// Writes a conversation and returns how many rows that were.
async fn write(
    mut history: History,
    session: &SessionKey,
    span: Option<Span>,
    shape: Shape,
    out: &mut dyn Write,
) -> Result<u64, Stop> {
    let mut lines = match span {
        Some(span) if span.first().get() > 1 => Lines::from_the_middle(),
        _ => Lines::default(),
    };
    let mut n_rows = 0;
    begin(session, shape, out).map_err(Stop::Io)?;
    loop {
        let page = history
            .next_page()
            .await
            .map_err(|error| Stop::Failure(error.into()))?;
        if page.is_empty() {
            break;
        }
        for row in &page {
            write_row(&mut lines, row, n_rows, shape, out).map_err(Stop::Io)?;
            n_rows += 1;
        }
    }
    end(shape, out).map_err(Stop::Io)?;
    Ok(n_rows)
}

fn begin(session: &SessionKey, shape: Shape, out: &mut dyn Write) -> io::Result<()> {
    let key = escape_json(&Value::from(session.as_str()).to_string());
    match shape {
        Shape::Markdown => out.write_all(markdown::title(session).as_bytes()),
        Shape::Ndjson => Ok(()),
        Shape::Messages => write!(
            out,
            "{{\"session\":{key},\"format\":\"ndjson\",\"messages\":["
        ),
        Shape::Text => {
            write!(
                out,
                "{{\"session\":{key},\"format\":\"markdown\",\"text\":\""
            )?;
            out.write_all(inside(&markdown::title(session)).as_bytes())
        }
    }
}

fn write_row(
    lines: &mut Lines,
    row: &HistoryRow,
    n_before: u64,
    shape: Shape,
    out: &mut dyn Write,
) -> io::Result<()> {
    match shape {
        Shape::Markdown => out.write_all(markdown::message(&row.message).as_bytes()),
        Shape::Ndjson => writeln!(out, "{}", lines.line(row)),
        Shape::Messages => {
            let comma = if n_before == 0 { "" } else { "," };
            write!(out, "{comma}{}", lines.line(row))
        }
        Shape::Text => out.write_all(inside(&markdown::message(&row.message)).as_bytes()),
    }
}

fn end(shape: Shape, out: &mut dyn Write) -> io::Result<()> {
    match shape {
        Shape::Markdown | Shape::Ndjson => Ok(()),
        Shape::Messages => writeln!(out, "]}}"),
        Shape::Text => writeln!(out, "\"}}"),
    }
}

/// Returns what stands between the quotes of a JSON text.
fn inside(text: &str) -> String {
    let quoted = escape_json(&Value::from(text).to_string());
    let inner = quoted
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or_default().to_owned()
}

fn make_folder(folder: &Path) -> Result<(), Failure> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        Err(_) if folder.exists() && !folder.is_dir() => {
            let folder = folder.display();
            Err(Failure::usage(format!("--to: {folder} is no folder")))
        }
        made => made.map_err(|error| cannot_write(folder, &error)),
    }
}

fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Names a file for a conversation. Keys are anybody's words: only letters, digits, dots inside,
/// `-` and `_` are taken over, so that no name leads elsewhere; the number tells them apart.
fn file_name(number: u64, session: &SessionKey, format: ExportFormat) -> String {
    let ending = match format {
        ExportFormat::Markdown => "md",
        ExportFormat::Ndjson => "ndjson",
    };
    let shown: String = session
        .as_str()
        .chars()
        .map(|character| match character {
            '-' | '_' | '.' => character,
            _ if character.is_ascii_alphanumeric() => character,
            _ => '_',
        })
        .take(NAME_BYTES)
        .collect();
    format!("{number}-{shown}.{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(key: &str, want: &str) {
        let key = SessionKey::new(key).unwrap();
        assert_eq!(file_name(7, &key, ExportFormat::Ndjson), want);
    }

    #[test]
    fn no_key_leads_out_of_the_folder() {
        check("claude-code:5ea/agent", "7-claude-code_5ea_agent.ndjson");
        check("../../etc/passwd", "7-.._.._etc_passwd.ndjson");
        check("C:\\windows\u{1b}é", "7-C__windows__.ndjson");
        check(&"k".repeat(1_024), &format!("7-{}.ndjson", "k".repeat(100)));
    }
}
