//! `grep`: messages and summaries are found, best first.

use super::super::args::{GrepArgs, ScopeArg};
use super::around::{around_hit, around_text, with_around};
use super::copies::{add_copies, copy_lines, place_json};
use super::named::named;
use crate::cli::config::Settings;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::paint::{
    DIM, HIT, PathForm, STRONG, ago, count, counted, painted, place, push, safe_key, safe_line,
};
use crate::cli::reply::Reply;
use crate::cli::terminal::path_form;
use crate::domain::{
    GrepReply, GrepRequest, Hit, ItemId, MatchKind, MessageId, Reach, RecordCopy, SearchScope,
    Snippet, Surroundings, Timestamp,
};
use crate::engine::Engine;
use crate::tools::{When, grep_answer, standing_word};

/// Files beside its own that are named below a message.
const COPIES: usize = 2;

/// What is told of the hits beside them.
#[derive(Clone, Copy)]
pub(crate) struct Beside<'a> {
    /// What was said around them, if that was asked.
    pub(crate) around: &'a [Surroundings],
    /// Where else each was read.
    pub(crate) copies: &'a [Vec<RecordCopy>],
    /// How files are shown.
    pub(crate) paths: PathForm<'a>,
}

impl Beside<'_> {
    /// Tells nothing.
    pub(crate) const NOTHING: Self = Self {
        around: &[],
        copies: &[],
        paths: PathForm::Whole,
    };
}

pub(super) async fn run(
    engine: &Engine,
    settings: &Settings,
    args: &GrepArgs,
) -> Result<Reply, Failure> {
    let now = engine.now();
    let mut request = request(args, now)?;
    if let Reach::Session(session) = &mut request.reach {
        *session = named(engine, session).await?;
    }
    let found = engine.grep(&request).await?;
    let (around, damaged) = match args.around {
        Some(n_turns) => around(engine, &found, &request.reach, n_turns).await?,
        None => (Vec::new(), Vec::new()),
    };
    let beside = Beside {
        around: &around,
        copies: &engine.hit_copies(&found.hits).await?,
        paths: path_form(settings.home.as_deref()),
    };
    let reply = reply(&found, beside, now);
    Ok(damaged.into_iter().fold(reply, |reply, (id, failure)| {
        let reason = safe_line(&failure.message);
        let note = format!("what stands around message {id} is not shown: {reason}");
        reply.with_exit(Exit::Partial).with_note(note)
    }))
}

/// Shows what was said around the messages found, and around which of them something is damaged.
async fn around(
    engine: &Engine,
    found: &GrepReply,
    reach: &Reach,
    n_turns: u64,
) -> Result<(Vec<Surroundings>, Vec<(MessageId, Failure)>), Failure> {
    let ids = messages_of(found);
    match engine
        .around(&ids, reach, n_turns)
        .await
        .map_err(Failure::from)
    {
        Ok(around) => return Ok((around, Vec::new())),
        Err(failure) if failure.is_of_damage() => {}
        Err(failure) => return Err(failure),
    }
    let (mut shown, mut damaged) = (Vec::new(), Vec::new());
    for id in ids {
        match engine
            .around(&[id], reach, n_turns)
            .await
            .map_err(Failure::from)
        {
            Ok(around) => shown.extend(around),
            Err(failure) if failure.is_of_damage() => damaged.push((id, failure)),
            Err(failure) => return Err(failure),
        }
    }
    Ok((shown, damaged))
}

/// Returns the ids of the messages found; what stands around a summary is no talk.
fn messages_of(found: &GrepReply) -> Vec<MessageId> {
    let ids = found.hits.iter().filter_map(|hit| match hit.id {
        ItemId::Message(id) => Some(id),
        ItemId::Summary(_) => None,
    });
    ids.collect()
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
    .and_then(|when| when.beside(&args.pattern))
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
    request.sort = args.sort;
    request.limit = args.limit;
    request.cursor.clone_from(&args.cursor);
    Ok(request)
}

fn reply(found: &GrepReply, beside: Beside<'_>, now: Timestamp) -> Reply {
    let mut json = with_around(grep_answer(found), found, beside.around);
    add_copies(json.get_mut("results"), beside.copies, place_json);
    let hint = json.get("hint").and_then(|hint| hint.as_str());
    let mut reply = Reply::new(json.clone(), grep_text(found, beside, now));
    if found.hits.is_empty() {
        reply = reply.with_exit(Exit::NothingFound).with_note(format!(
            "{}; read as {}",
            none_note(found),
            found.read_as
        ));
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

/// Says why there is no row: none was found, or the cursor stands behind the last.
const fn none_note(found: &GrepReply) -> &'static str {
    if found.total == 0 {
        "nothing found"
    } else {
        "no rows are left"
    }
}

/// Returns the hits with their words marked, and what they are out of.
pub(crate) fn grep_text(found: &GrepReply, beside: Beside<'_>, now: Timestamp) -> String {
    if found.hits.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    for (hit_idx, hit) in found.hits.iter().enumerate() {
        text.push_str(&heading(hit, now));
        push!(text, "\n    {}\n", snippet_text(&hit.snippet));
        let copies = beside.copies.get(hit_idx).map_or(&[][..], Vec::as_slice);
        for line in copy_lines(copies, COPIES, beside.paths) {
            push!(text, "    {}\n", painted(DIM, line));
        }
        if let Some(around) = around_hit(hit, beside.around) {
            text.push_str(&around_text(hit, around));
        }
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
        "{} of {at_least}{}, read as {}{some}{more}",
        count(found.hits.len() as u64),
        counted(found.total, "row", "rows"),
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
    let kind = match kind {
        "text" | "summary" => String::new(),
        other => format!(" ({})", other.replace('_', " ")),
    };
    let about = format!(
        "{who}{kind}  {} of {}  {}  {}",
        place(hit.span),
        safe_key(hit.session.as_str()),
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
    use crate::domain::Sort;

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
            sort: Sort::Relevance,
            limit: 20,
            cursor: None,
            around: None,
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
        let answer = reply(&found, Beside::NOTHING, now);
        assert_eq!(answer.exit, Exit::NothingFound);
        assert_eq!(answer.notes, ["nothing found; read as x"]);
        found.total = 3;
        assert_eq!(
            reply(&found, Beside::NOTHING, now).notes,
            ["no rows are left; read as x"]
        );
        found.complete = false;
        assert_eq!(reply(&found, Beside::NOTHING, now).exit, Exit::Partial);
    }
}
