//! Aider's chat history: each run a conversation, the user's lines and the program's told apart.

use hippocamp::domain::{Message, Role, Timestamp, Visibility};
use hippocamp::import::Format;

use crate::import_support::{Home, options, words};
use crate::shared::shared;

const FIRST: &str = "# aider chat started at 2026-01-05 10:00:00

> /usr/bin/aider tides.py  
> Model: model-x with diff edit format  

#### Why is the tide table  
#### an hour late?  

The table is in UTC.

Your clock is not.

> Tokens: 1,200 sent, 80 received.  

#### /add clock.py  

> Added clock.py to the chat  
";

const SECOND: &str = "
# aider chat started at 2026-01-06 09:30:00

> /usr/bin/aider --lint  
";

const HISTORY: &str = ".aider.chat.history.md";

/// Leaves out what tells runs of one second apart.
fn told(home: &Home) -> Vec<String> {
    let lines = home.told().into_iter().map(|line| {
        let (session, rest) = line.split_once(' ').unwrap();
        let (began, _) = session.rsplit_once('-').unwrap();
        format!("{began} {rest}")
    });
    lines.collect()
}

#[test]
fn each_run_is_a_conversation_and_each_speaker_a_message() {
    let home = Home::new();
    let totals = home.take(HISTORY, format!("{FIRST}{SECOND}")).totals;
    assert_eq!((totals.records, totals.stored, totals.meta), (2, 1, 1));
    assert_eq!(totals.messages, 3);
    assert_eq!(
        told(&home),
        [
            "aider:2026-01-05T10:00:00 tool: [/usr/bin/aider tides.py\nModel: model-x with diff edit format]",
            "aider:2026-01-05T10:00:00 user: Why is the tide table\nan hour late?",
            "aider:2026-01-05T10:00:00 assistant: The table is in UTC.\n\nYour clock is not.",
            "aider:2026-01-05T10:00:00 tool: [Tokens: 1,200 sent, 80 received.]",
            "aider:2026-01-05T10:00:00 user: /add clock.py",
            "aider:2026-01-05T10:00:00 tool: [Added clock.py to the chat]",
            "aider:2026-01-06T09:30:00 tool: [/usr/bin/aider --lint]",
        ]
    );
    let rows = home.rows();
    let began = Timestamp::parse("2026-01-05T10:00:00Z").ok();
    let first = rows.iter().take(6);
    assert!(first.into_iter().all(|(_, row)| row.at == began));
    let models: Vec<&str> = rows
        .iter()
        .filter_map(|(_, row)| row.model.as_deref())
        .collect();
    assert_eq!(models, ["model-x"]);
}

#[test]
fn a_history_that_has_grown_gives_only_what_is_new() {
    let home = Home::new();
    home.take(HISTORY, FIRST);
    let grown = format!("{FIRST}\n#### And now?  \n\nNow it is right.\n{SECOND}");
    let totals = home.take(HISTORY, &grown).totals;
    assert_eq!((totals.messages, totals.edited), (2, 0));
    let whole = Home::new();
    whole.take(HISTORY, &grown);
    assert_eq!(home.picture(), whole.picture());
    let again = home.take("copy/.aider.chat.history.md", &grown).totals;
    assert_eq!((again.duplicate, again.stored, again.meta), (2, 0, 0));
}

#[test]
fn runs_of_one_second_are_told_apart() {
    let home = Home::new();
    let second = FIRST.replace("tides.py", "clock.py");
    home.take(HISTORY, format!("{FIRST}{second}{FIRST}"));
    let mut sessions: Vec<String> = home.rows().iter().map(|row| row.0.to_string()).collect();
    sessions.dedup();
    assert_eq!(sessions.len(), 3, "{sessions:?}");
    assert_eq!(sessions[2], format!("{}~2", sessions[0]));
}

#[test]
fn the_end_of_a_run_whose_beginning_was_cut_off_is_kept() {
    let home = Home::new();
    let totals = home
        .take(
            HISTORY,
            format!("#### late words  \n\nAnd an answer.\n\n{SECOND}"),
        )
        .totals;
    assert_eq!((totals.records, totals.messages), (1, 2));
    assert_eq!(
        told(&home)[..2],
        [
            "aider:cut user: late words",
            "aider:cut assistant: And an answer."
        ]
    );
}

#[test]
fn a_file_in_which_no_run_begins_is_refused_even_where_the_format_is_forced() {
    let home = Home::new();
    let line = "{\"role\":\"user\",\"content\":\"hello\"}\n";
    let path = home.write("log.jsonl", line);
    let options = options().format(Format::Aider);
    let account = home.import_with(&[path], &options);
    let totals = account.totals;
    assert_eq!((totals.records, totals.messages), (1, 0));
    let refusals = &account.files[0].refusals;
    assert_eq!(refusals.len(), 1);
    assert!(
        refusals[0].reason.contains("# aider chat started at"),
        "{refusals:?}"
    );
    assert!(home.rows().is_empty());
    // A history cut off before its first run ends is still one.
    let path = home.write("cut.md", format!("#### late words  \n{SECOND}"));
    let totals = home.import_with(&[path], &options).totals;
    assert!(totals.messages > 0, "{totals:?}");
}

#[test]
fn the_sample_has_its_runs_and_all_lines_of_its_user() {
    let Some(shared) = shared("the_sample_has_its_runs_and_all_lines_of_its_user") else {
        return;
    };
    let home = Home::new();
    let sample = shared.join("samples/aider/aider-repo-chat-history-slice.md");
    let totals = home.import(&[sample]).totals;
    assert_eq!(totals.records, 395);
    let rows = home.rows();
    let is_user = |row: &&Message| row.role == Role::User && row.visibility == Visibility::Talk;
    let prompts = rows.iter().map(|(_, row)| row).filter(is_user);
    let n_lines: usize = prompts.map(|row| words(row).split('\n').count()).sum();
    assert_eq!(n_lines, 3_676);
}
