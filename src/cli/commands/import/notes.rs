//! What an import says of files that it did not take in, or not whole.

use crate::cli::paint::{count, counted};
use crate::import::{ImportAccount, Problem};

/// Refusals that are told one by one.
const MAX_TOLD: usize = 20;

/// What stands before the list of formats in what is said of a foreign file.
const KNOWN_FORMATS: &str = "; known formats: ";

/// Says why a file was not imported.
pub(super) fn problem_text(problem: &Problem) -> String {
    match problem {
        Problem::NotFound => "does not exist".to_owned(),
        Problem::Unreadable { reason } => format!("cannot be read: {reason}"),
        Problem::Foreign { reason } => {
            format!("is no transcript of a known format: {reason}")
        }
    }
}

/// Tells that there was nothing to read, and what files were not looked at.
pub(super) fn nothing_note(account: &ImportAccount) -> String {
    let n_skipped: u64 = account.skipped.values().map(|n| *n as u64).sum();
    if n_skipped == 0 {
        return "no files found".to_owned();
    }
    let are = if n_skipped == 1 { "is" } else { "are" };
    format!(
        "no transcripts found; {} {are} not named as one: name a file itself to have it read",
        counted(n_skipped, "file", "files")
    )
}

/// Tells what was not taken in, and why.
pub(super) fn notes(account: &ImportAccount) -> Vec<String> {
    // What can be read is listed once, however many files are foreign.
    let mut is_listed = false;
    let problems = account.files.iter().filter_map(|file| {
        let problem = problem_text(file.problem.as_ref()?);
        let problem = match problem.split_once(KNOWN_FORMATS) {
            Some((seen, _)) if is_listed => seen,
            Some(_) => {
                is_listed = true;
                &problem
            }
            None => &problem,
        };
        Some(format!("{} {problem}", file.path.display()))
    });
    let refusals = account.files.iter().flat_map(|file| {
        file.refusals.iter().map(|refusal| {
            let path = file.path.display();
            format!("{path} line {}: {}", refusal.line, refusal.reason)
        })
    });
    let links = account
        .links
        .iter()
        .map(|link| format!("{} is a link and was not followed", link.display()));
    let siblings = account.siblings.iter().map(|path| {
        format!(
            "{} is a copy beside its session and was not read",
            path.display()
        )
    });
    let edited = account.files.iter().filter(|file| file.counts.edited > 0);
    let edited = edited.map(|file| {
        format!(
            "{}: {} in other words than before; both are kept",
            file.path.display(),
            counted(file.counts.edited, "row", "rows")
        )
    });
    let told = problems.chain(refusals).chain(edited);
    let mut notes: Vec<String> = told.chain(links).chain(siblings).collect();
    let n_listed = notes.len() as u64;
    let files = account.files.iter();
    let listed_refusals: u64 = files.map(|file| file.refusals.len() as u64).sum();
    let unlisted = account.totals.refused.saturating_sub(listed_refusals);
    if notes.len() > MAX_TOLD {
        notes.truncate(MAX_TOLD);
        let more = count(n_listed + unlisted - MAX_TOLD as u64);
        notes.push(if unlisted > 0 {
            format!("… and {more} more; --json lists the first thousand of a file")
        } else {
            format!("… and {more} more; --json lists them")
        });
    }
    notes
}
