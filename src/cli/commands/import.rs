//! `import`: transcripts and folders of them are taken in, each record accounted for.

mod notes;
mod places;
mod watch;

use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use notes::{notes, nothing_note, problem_text};
use places::{found_note, no_known_place, place_json, present_places};

use super::{on_temporary_store, writing};
use crate::cli::args::ImportArgs;
use crate::cli::config::Settings;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::paint::{Align, Column, PathForm, count, counted, push, safe_line, table};
use crate::cli::reply::Reply;
use crate::cli::terminal::{Form, Talk, path_form, shows_progress};
use crate::domain::SessionKey;
use crate::engine::Engine;
use crate::import::{
    Counts, FileAccount, Format, ImportAccount, ImportMode, ImportOptions, KnownPlace, Progress,
    Refusal, import_paths,
};

const COLUMNS: [Column; 7] = [
    ("records", Align::Right),
    ("stored", Align::Right),
    ("meta", Align::Right),
    ("known", Align::Right),
    ("refused", Align::Right),
    ("pending", Align::Right),
    ("file", Align::Left),
];
/// Columns of a path beside the counts, so that a line fits 80 columns.
const PATH_COLUMNS: usize = 32;
/// Columns of a path beside the bar on a line of 80: room for a session's id as a file name.
const NAME_COLUMNS: usize = 43;
/// Files that are listed for people; programs get all of them.
const MAX_LISTED: usize = 40;

pub(super) async fn run(
    settings: &Settings,
    args: &ImportArgs,
    form: Form,
    talk: Talk,
) -> Result<Reply, Failure> {
    let format = args
        .format
        .as_deref()
        .map(str::parse::<Format>)
        .transpose()
        .map_err(|error| Failure::usage(format!("--format: {error}")))?;
    let places = if args.paths.is_empty() {
        present_places(settings)
    } else {
        Vec::new()
    };
    let paths: Vec<PathBuf> = if args.paths.is_empty() {
        places.iter().map(|place| place.path.clone()).collect()
    } else {
        args.paths.clone()
    };
    if paths.is_empty() {
        let account = ImportAccount::default();
        return Ok(Reply::new(to_json(&account, &[]), "").with_note(no_known_place(settings)));
    }
    let is_missing = |path: &&PathBuf| std::fs::symlink_metadata(path).is_err();
    if let Some(path) = paths.iter().find(is_missing).filter(|_| paths.len() == 1) {
        return Err(Failure::usage(format!("there is no {}", path.display()))
            .with_hint("give files and folders of transcripts, or none for the known places"));
    }
    let bar = progress_bar(form, talk);
    let home = settings.home.as_deref();
    let work = async |engine: &Engine| {
        let mut options = ImportOptions::new(engine.now());
        if let Some(format) = format {
            options = options.format(format);
        }
        let done = if args.watch {
            watch::follow(engine, &paths, options, talk).await?
        } else {
            if args.dry_run {
                options = options.mode(ImportMode::DryRun);
            }
            import(engine, &paths, &options, home, &bar).await
        };
        Ok(done.reply(&places, path_form(home)))
    };
    if args.dry_run && !settings.db.exists() {
        return on_temporary_store(settings, work).await;
    }
    writing(settings, work).await
}

async fn import(
    engine: &Engine,
    paths: &[PathBuf],
    options: &ImportOptions,
    home: Option<&Path>,
    bar: &ProgressBar,
) -> Done {
    let mut done = 0;
    let mut progress = |progress: Progress<'_>| match progress {
        Progress::Found { bytes, .. } => bar.set_length(bytes),
        Progress::Begun { path, .. } => bar.set_message(name_beside_bar(path, home)),
        Progress::Moved { offset, .. } => bar.set_position(done + offset),
        Progress::Done(file) => {
            done += std::fs::metadata(&file.path).map_or(0, |metadata| metadata.len());
            bar.set_position(done);
        }
    };
    let imported = import_paths(engine, paths, options, &mut progress).await;
    bar.finish_and_clear();
    match imported {
        Ok(account) => Done {
            account,
            failure: None,
        },
        Err(error) => {
            let failure = Failure::from(error.source);
            let message = format!("{}: {}", error.path.display(), failure.message);
            Done {
                account: *error.account,
                failure: Some(Failure { message, ..failure }),
            }
        }
    }
}

/// What an import did, and what stopped it.
struct Done {
    account: ImportAccount,
    failure: Option<Failure>,
}

impl Done {
    fn reply(self, places: &[KnownPlace], paths: PathForm<'_>) -> Reply {
        let mut reply = reply(&self.account, places, paths);
        reply.failure = self.failure;
        reply
    }
}

fn progress_bar(form: Form, talk: Talk) -> ProgressBar {
    if !shows_progress(form, talk) {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{bar:12} {bytes}/{total_bytes}  {wide_msg}") {
        bar.set_style(style);
    }
    bar
}

/// Returns a file's name as it stands beside the bar, with as much of its path as there is room.
fn name_beside_bar(path: &Path, home: Option<&Path>) -> String {
    let path = safe_line(&path.display().to_string());
    PathForm::Short { home }.show(&path, NAME_COLUMNS)
}

fn reply(account: &ImportAccount, places: &[KnownPlace], paths: PathForm<'_>) -> Reply {
    let mut reply = Reply::new(to_json(account, places), text(account, paths));
    reply.notes = places
        .iter()
        .map(|place| found_note(place, account))
        .chain(notes(account))
        .collect();
    if account.files.is_empty() {
        reply = reply.with_note(nothing_note(account));
    }
    if account.is_partial() {
        reply.with_exit(Exit::Partial)
    } else {
        reply
    }
}

fn to_json(account: &ImportAccount, places: &[KnownPlace]) -> Value {
    let siblings = account.siblings.iter();
    let skipped = account.skipped.iter();
    json!({
        "places": places.iter().map(|place| place_json(place, account)).collect::<Vec<_>>(),
        "siblings": siblings.map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
        "skipped": skipped.map(|(path, files)| skipped_json(path, *files)).collect::<Vec<_>>(),
        "files": account.files.iter().map(file_json).collect::<Vec<_>>(),
        "totals": counts_json(&account.totals),
        "links": account.links.iter().map(|link| link.to_string_lossy()).collect::<Vec<_>>(),
    })
}

fn skipped_json(folder: &Path, files: usize) -> Value {
    json!({
        "path": folder.to_string_lossy(),
        "files": files,
        "reason": "no transcripts by their names",
    })
}

fn file_json(file: &FileAccount) -> Value {
    let mut object = json!({
        "path": file.path.to_string_lossy(),
        "format": file.format.map(Format::as_str),
        "conversation": file.conversation.as_ref().map(SessionKey::as_str),
    });
    if let (Value::Object(object), Value::Object(counts)) = (&mut object, counts_json(&file.counts))
    {
        object.extend(counts);
        let refusals: Vec<Value> = file.refusals.iter().map(refusal_json).collect();
        object.insert("refusals".to_owned(), refusals.into());
        let problem = file.problem.as_ref().map(problem_text);
        object.insert("problem".to_owned(), problem.into());
    }
    object
}

fn counts_json(counts: &Counts) -> Value {
    json!({
        "records": counts.records,
        "stored": counts.stored,
        "meta": counts.meta,
        "duplicate": counts.duplicate,
        "copies": counts.copies,
        "refused": counts.refused,
        "pending": counts.pending,
        "edited": counts.edited,
        "messages": counts.messages,
    })
}

fn refusal_json(refusal: &Refusal) -> Value {
    json!({"line": refusal.line, "offset": refusal.offset, "reason": refusal.reason})
}

fn text(account: &ImportAccount, paths: PathForm<'_>) -> String {
    let row = |counts: &Counts, name: String| {
        vec![
            count(counts.records),
            count(counts.stored),
            count(counts.meta),
            count(counts.duplicate),
            count(counts.refused),
            count(counts.pending),
            name,
        ]
    };
    if account.files.is_empty() {
        return String::new();
    }
    let n_files = account.files.len() as u64;
    let with_news: Vec<&FileAccount> = account
        .files
        .iter()
        .filter(|file| file.counts.records > 0 || file.problem.is_some())
        .collect();
    let mut rows: Vec<Vec<String>> = with_news
        .iter()
        .take(MAX_LISTED)
        .map(|file| {
            let path = safe_line(&file.path.display().to_string());
            row(&file.counts, paths.show(&path, PATH_COLUMNS))
        })
        .collect();
    let more = with_news.len().saturating_sub(MAX_LISTED);
    if more > 0 {
        rows.push(vec![String::new(); 6]);
        if let Some(last) = rows.last_mut() {
            last.push(format!(
                "… and {}",
                counted(more as u64, "more file", "more files")
            ));
        }
    }
    let mut total = counted(n_files, "file", "files");
    let without_news = n_files - with_news.len() as u64;
    if without_news > 0 {
        push!(total, ", {} with nothing new", count(without_news));
    }
    if rows.len() != 1 || n_files != 1 {
        rows.push(row(&account.totals, total));
    }
    table(&COLUMNS, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Problem;

    #[test]
    fn paths_are_short_on_a_terminal_only() {
        let mut account = ImportAccount::default();
        let path = "/home/ada/transcripts/of/the/whole/winter/a.jsonl";
        account.push(FileAccount::with_problem(
            PathBuf::from(path),
            Problem::NotFound,
        ));
        let shown = |paths| text(&account, paths);
        assert!(shown(PathForm::Whole).contains(path));
        let home = Some(Path::new("/home/ada"));
        let short = shown(PathForm::Short { home });
        assert!(
            short.contains("  …pts/of/the/whole/winter/a.jsonl"),
            "{short}"
        );
        assert!(
            short
                .lines()
                .nth(1)
                .is_some_and(|line| line.chars().count() <= 80)
        );
    }

    #[test]
    fn the_name_of_a_file_stands_beside_the_bar() {
        let name = "0b9a4c8e-5d4f-4c7b-9d3e-2f1a6b7c8d9e.jsonl";
        let path = format!("/home/ada/.claude/projects/-home-ada-shop/{name}");
        let shown = name_beside_bar(Path::new(&path), Some(Path::new("/home/ada")));
        assert_eq!(shown, format!("…{name}"));
        // The bar, the bytes and the blanks between them take the rest of 80 columns.
        let bar = "============ 999.99 MiB/999.99 MiB  ";
        assert!(bar.len() + shown.chars().count() <= 80);
    }
}
