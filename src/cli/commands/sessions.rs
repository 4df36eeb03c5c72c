//! `sessions`: the conversations, newest first.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::cli::args::{SessionFilter, SessionsArgs};
use crate::cli::config::Settings;
use crate::cli::failure::Failure;
use crate::cli::paint::{Align, Column, PathForm, ago, count, fitted, safe_key, safe_line, table};
use crate::cli::reply::Reply;
use crate::cli::terminal::path_form;
use crate::domain::{ConversationId, SessionRow, Timestamp};
use crate::engine::Engine;
use crate::import::Format;

/// Columns of a title: it is to be recognised, `--json` has all of it.
const TITLE_COLUMNS: usize = 60;
const COLUMNS: [Column; 5] = [
    ("key", Align::Left),
    ("messages", Align::Right),
    ("tokens", Align::Right),
    ("last message", Align::Left),
    ("title", Align::Left),
];

pub(super) async fn run(
    engine: &Engine,
    settings: &Settings,
    args: &SessionsArgs,
) -> Result<Reply, Failure> {
    let format = args.format.as_deref().map(str::parse::<Format>);
    let format = format
        .transpose()
        .map_err(|error| Failure::usage(format!("--format: {error}")))?;
    let (mut rows, first_words) = filtered(engine, &args.filter).await?;
    let asked = format.map(Format::as_str);
    rows.retain(|row| asked.is_none() || row.format.as_deref() == asked);
    let reply = Reply::new(
        to_json(&rows, &first_words),
        text(
            &rows,
            &first_words,
            engine.now(),
            path_form(settings.home.as_deref()),
        ),
    );
    Ok(if rows.is_empty() {
        reply.with_note("no conversations")
    } else {
        reply
    })
}

/// Returns the conversations that a filter leaves, newest first, with what is said first in them.
pub(super) async fn filtered(
    engine: &Engine,
    filter: &SessionFilter,
) -> Result<(Vec<SessionRow>, FirstWords), Failure> {
    let time = |text: &Option<String>, flag: &str| {
        let parsed = text.as_deref().map(Timestamp::parse).transpose();
        parsed.map_err(|error| Failure::usage(format!("{flag}: {error}")))
    };
    let range = (
        time(&filter.since, "--since")?,
        time(&filter.before, "--before")?,
    );
    let mut rows = engine.sessions().await?;
    rows.retain(|row| is_asked_for(row, filter, range));
    let first_words = first_words(engine, &rows).await?;
    if let Some(asked) = &filter.title {
        rows.retain(|row| holds(title(row, &first_words), asked));
    }
    rows.sort_by(|one, other| other.last_at.cmp(&one.last_at).then(other.id.cmp(&one.id)));
    Ok((rows, first_words))
}

/// What a user says first in conversations that have no title.
pub(super) type FirstWords = BTreeMap<ConversationId, String>;

async fn first_words(engine: &Engine, rows: &[SessionRow]) -> Result<FirstWords, Failure> {
    let untitled = rows.iter().filter(|row| row.title.is_none());
    let ids = untitled.map(|row| row.id).collect();
    Ok(engine.first_words(ids).await?.into_iter().collect())
}

/// Returns what a conversation is known by: its title, else what a user says first.
fn title<'a>(row: &'a SessionRow, first_words: &'a FirstWords) -> Option<&'a String> {
    row.title.as_ref().or_else(|| first_words.get(&row.id))
}

/// Says whether a field holds a text, whatever the case.
fn holds(field: Option<&String>, asked: &str) -> bool {
    field.is_some_and(|field| field.to_lowercase().contains(&asked.to_lowercase()))
}

fn is_asked_for(
    row: &SessionRow,
    filter: &SessionFilter,
    (since, before): (Option<Timestamp>, Option<Timestamp>),
) -> bool {
    let project = filter.project.as_ref();
    project.is_none_or(|asked| holds(row.project.as_ref(), asked))
        && since.is_none_or(|since| row.last_at.is_some_and(|last| last >= since))
        && before.is_none_or(|before| row.first_at.is_some_and(|first| first < before))
}

fn to_json(rows: &[SessionRow], first_words: &FirstWords) -> Value {
    let sessions: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "key": row.session.as_str(),
                "id": row.id.get(),
                "messages": row.messages,
                "tokens": row.tokens.get(),
                "first_time": row.first_at.map(|at| at.to_string()),
                "last_time": row.last_at.map(|at| at.to_string()),
                "format": row.format,
                "parent": row.parent.as_ref().map(|(key, _)| key.as_str()),
                "fork_seq": row.parent.as_ref().map(|(_, seq)| seq.get()),
                "project": row.project,
                "title": row.title,
                "first_words": first_words.get(&row.id),
            })
        })
        .collect();
    json!({ "sessions": sessions })
}

fn text(
    rows: &[SessionRow],
    first_words: &FirstWords,
    now: Timestamp,
    paths: PathForm<'_>,
) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let title =
                title(row, first_words).map(|title| fitted(&safe_line(title), TITLE_COLUMNS));
            let folder = || {
                let folder = row.project.as_ref()?;
                Some(paths.show(&safe_line(folder), TITLE_COLUMNS))
            };
            vec![
                safe_key(row.session.as_str()),
                count(row.messages),
                count(row.tokens.get()),
                row.last_at
                    .map_or_else(String::new, |at| ago(Some(at), now)),
                title.or_else(folder).unwrap_or_default(),
            ]
        })
        .collect();
    table(&COLUMNS, &cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ConversationId, SessionKey, Tokens};

    fn row() -> SessionRow {
        SessionRow {
            session: SessionKey::new("claude-code:ab\u{1b}[2J").unwrap(),
            id: ConversationId::new(3),
            messages: 1200,
            rows: 1300,
            tokens: Tokens::new(45_000),
            first_at: Timestamp::parse("2026-01-01").ok(),
            last_at: Timestamp::parse("2026-01-02").ok(),
            format: Some("claude-code".to_owned()),
            project: Some("/home/ada/Shop".to_owned()),
            title: None,
            parent: None,
        }
    }

    #[track_caller]
    fn check(project: &str, since: Option<&str>, before: Option<&str>, is_asked: bool) {
        let filter = SessionFilter {
            project: Some(project.to_owned()),
            ..SessionFilter::default()
        };
        let time = |text: Option<&str>| text.map(|text| Timestamp::parse(text).unwrap());
        let range = (time(since), time(before));
        assert_eq!(is_asked_for(&row(), &filter, range), is_asked);
    }

    #[test]
    fn filters_act_together() {
        check("shop", None, None, true);
        check("till", None, None, false);
        check("shop", Some("2026-01-02"), None, true);
        check("shop", Some("2026-01-03"), None, false);
        check("shop", None, Some("2026-01-01"), false);
        check("shop", None, Some("2026-01-01T00:00:01Z"), true);
    }

    #[test]
    fn a_conversation_is_known_by_its_title_else_by_its_first_words() {
        let now = Timestamp::parse("2026-01-05").unwrap();
        let words = format!("mend the\n net {}", "x".repeat(90));
        let said = FirstWords::from([(ConversationId::new(3), words)]);
        let shown = |row: SessionRow| text(&[row], &said, now, PathForm::Whole);
        assert!(shown(row()).trim_end().ends_with("…"));
        assert!(shown(row()).contains("  mend the  net xxx"));
        let mut titled = row();
        titled.title = Some("Nets".to_owned());
        assert!(shown(titled).trim_end().ends_with("  Nets"));
    }

    #[test]
    fn a_listing_is_aligned_and_safe() {
        let now = Timestamp::parse("2026-01-05").unwrap();
        let text = text(&[row()], &FirstWords::new(), now, PathForm::Whole);
        let line = text.lines().nth(1).unwrap();
        let want = "claude-code:ab\\u{1b}[2J     1,200  45,000  3 days ago    /home/ada/Shop";
        assert_eq!(line, want);
    }
}
