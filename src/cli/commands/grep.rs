//! `grep`: messages and summaries are found, best first.

use super::super::args::{GrepArgs, ScopeArg};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::paint::{DIM, HIT, STRONG, ago, count, painted, push, safe_line};
use crate::cli::reply::Reply;
use crate::domain::{
    GrepReply, GrepRequest, Hit, MatchKind, Reach, SearchScope, Snippet, Timestamp,
};
use crate::engine::Engine;
use crate::tools::{When, grep_answer, standing_word};

pub(super) async fn run(engine: &Engine, args: &GrepArgs) -> Result<Reply, Failure> {
    let now = engine.now();
    let found = engine.grep(&request(args, now)?).await?;
    Ok(reply(&found, now))
}

fn request(args: &GrepArgs, now: Timestamp) -> Result<GrepRequest, Failure> {
    let reach = match &args.session {
        Some(session) => Reach::Session(session.clone()),
        None => Reach::All,
    };
    let when = When::parse(
        args.last.as_deref(),
        args.since.as_deref(),
        args.before.as_deref(),
    )
    .map_err(|error| Failure::usage(error.to_string()))?;
    if args.role.is_some() && args.scope == ScopeArg::Summary {
        return Err(Failure::usage("--role excludes summaries")
            .with_hint("leave out one of --role and --scope summary"));
    }
    let mut request = GrepRequest::new(args.pattern.clone(), reach);
    request.kinds = match args.scope {
        ScopeArg::Summary => SearchScope::Summary,
        ScopeArg::Message => SearchScope::Message,
        ScopeArg::Both => SearchScope::Both,
    };
    request.role = args.role;
    request.time = when.range(now);
    request.limit = args.limit;
    request.cursor.clone_from(&args.cursor);
    Ok(request)
}

fn reply(found: &GrepReply, now: Timestamp) -> Reply {
    let json = grep_answer(found);
    let hint = json.get("hint").and_then(|hint| hint.as_str());
    let mut reply = Reply::new(json.clone(), grep_text(found, now));
    if found.hits.is_empty() {
        reply = reply
            .with_exit(Exit::NothingFound)
            .with_note(format!("nothing found; read as {}", found.read_as));
    }
    if !found.complete {
        reply = reply
            .with_exit(Exit::Partial)
            .with_note("not every row was looked at");
    }
    match hint {
        Some(hint) => reply.with_note(format!("hint: {hint}")),
        None => reply,
    }
}

/// Returns the hits with their words marked, and what they are out of.
pub(crate) fn grep_text(found: &GrepReply, now: Timestamp) -> String {
    if found.hits.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    for hit in &found.hits {
        text.push_str(&heading(hit, now));
        push!(text, "\n    {}\n", snippet_text(&hit.snippet));
    }
    let at_least = if found.total_capped { "at least " } else { "" };
    let some = match found.matched {
        MatchKind::All => "",
        MatchKind::Some => "; some rows have only some of the words",
    };
    let more = found.cursor.as_deref().map_or_else(String::new, |cursor| {
        format!("; go on with --cursor {}", safe_line(cursor))
    });
    let summary = format!(
        "{} of {at_least}{} rows, read as {}{some}{more}",
        count(found.hits.len() as u64),
        count(found.total),
        safe_line(&found.read_as),
    );
    text.push_str(&painted(DIM, summary));
    text.push('\n');
    text
}

fn heading(hit: &Hit, now: Timestamp) -> String {
    let who = match (hit.role, hit.depth) {
        (Some(role), _) => role.to_string(),
        (None, Some(depth)) => format!("summary at depth {depth}"),
        (None, None) => "summary".to_owned(),
    };
    let kind = hit.kind.as_str();
    let place = if hit.span.n_rows() > 1 {
        format!("messages {}", hit.span)
    } else {
        format!("message {}", hit.seq)
    };
    let kind = match kind {
        "text" | "summary" => String::new(),
        other => format!(" ({})", other.replace('_', " ")),
    };
    let about = format!(
        "{who}{kind}  {place} of {}  {}  {}",
        safe_line(hit.session.as_str()),
        ago(hit.at, now),
        standing_word(hit.standing).replace('_', " "),
    );
    format!("{}  {}", painted(STRONG, hit.id), painted(DIM, about))
}

/// Marks the matches; ranges that do not fit the text are passed over.
fn snippet_text(snippet: &Snippet) -> String {
    let mut text = String::new();
    let mut done = 0;
    for (from, to) in &snippet.highlights {
        let before = snippet.text.get(done..*from);
        let hit = snippet.text.get(*from..*to);
        if let (Some(before), Some(hit)) = (before, hit) {
            text.push_str(&safe_line(before));
            text.push_str(&painted(HIT, safe_line(hit)));
            done = *to;
        }
    }
    text.push_str(&safe_line(snippet.text.get(done..).unwrap_or_default()));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_marked_and_nothing_else_styles_the_line() {
        let snippet = Snippet {
            text: "an \u{1b}[31motter\nand an otter".to_owned(),
            highlights: vec![(8, 13), (21, 26), (90, 95)],
        };
        let text = snippet_text(&snippet);
        let hit = painted(HIT, "otter");
        assert_eq!(text, format!("an \\u{{1b}}[31m{hit} and an {hit}"));
    }

    fn args() -> GrepArgs {
        GrepArgs {
            pattern: "x".to_owned(),
            session: None,
            scope: ScopeArg::Both,
            role: None,
            last: None,
            since: None,
            before: None,
            limit: 20,
            cursor: None,
        }
    }

    #[test]
    fn without_a_session_all_conversations_are_searched() {
        let now = Timestamp::from_millis(0);
        assert_eq!(
            request(&args(), now).unwrap(),
            GrepRequest::new("x", Reach::All)
        );
    }

    #[test]
    fn filters_that_exclude_each_other_are_refused() {
        let now = Timestamp::from_millis(0);
        let mut summaries_by_role = args();
        summaries_by_role.scope = ScopeArg::Summary;
        summaries_by_role.role = Some(crate::domain::Role::User);
        assert_eq!(
            request(&summaries_by_role, now).unwrap_err().exit,
            Exit::Usage
        );
        let mut twice = args();
        twice.last = Some("1d".to_owned());
        twice.since = Some("2026-01-01".to_owned());
        assert_eq!(request(&twice, now).unwrap_err().exit, Exit::Usage);
    }

    #[test]
    fn an_incomplete_search_is_partial_whatever_it_found() {
        let mut found = GrepReply {
            hits: Vec::new(),
            total: 0,
            total_capped: false,
            limit: 20,
            limit_capped: false,
            matched: MatchKind::All,
            read_as: "x".to_owned(),
            hint: None,
            complete: true,
            cursor: None,
        };
        let now = Timestamp::from_millis(0);
        assert_eq!(reply(&found, now).exit, Exit::NothingFound);
        found.complete = false;
        assert_eq!(reply(&found, now).exit, Exit::Partial);
    }
}
