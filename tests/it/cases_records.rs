//! Records as they lie in files: where each begins, what shape its content has, when it was said,
//! whether it has an id. Each test has a small input of its own.

use hippocamp::domain::{
    GrepRequest, Part, Reach, TimeRange, Timestamp, Tokens, ViewItemKind, Visibility,
};
use hippocamp::engine::ViewBudget;

use crate::import_cases::{case, counts};
use crate::import_codex::{SESSION, session};
use crate::import_support::{Home, answer, block, lines, quoted, record, user};
use crate::support::{assert_clean, key};

/// B001, B006: a place in a report is the record's own, whatever ends the lines before it.
#[test]
fn refused_and_unfinished_records_are_told_by_line_and_byte() {
    let home = Home::new();
    let (first, bad, last) = (user(1, "a"), "{\"broken", user(3, "c"));
    let text = format!(
        "\u{FEFF}\r\n{first}\r\n \r\n{bad}\r\n{last}\r\n{}",
        &user(4, "d")[..50]
    );
    let account = home.take("s1.jsonl", &text);
    assert_eq!(counts(&account), (2, 0, 0, 1, 1));
    let refused = &account.files[0].refusals[0];
    assert_eq!(
        (refused.line, usize::try_from(refused.offset).unwrap()),
        (4, text.find(bad).unwrap())
    );
    let pending = account.files[0].pending.as_ref().unwrap();
    let begin = text.rfind('\n').unwrap() + 1;
    let place = (pending.line, usize::try_from(pending.offset).unwrap());
    assert_eq!(place, (6, begin));
    let Some((_, account)) = case("B001_truncated_tail.claude.jsonl") else {
        return;
    };
    let path = &account.files[0].path;
    let text = std::fs::read(path).unwrap();
    let begin = text.iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    let pending = account.files[0].pending.as_ref().unwrap();
    assert_eq!(usize::try_from(pending.offset).unwrap(), begin);
}

/// B014: a file that only says whose it is.
#[test]
fn a_header_alone_begins_no_conversation() {
    let home = Home::new();
    let account = home.take("rollout.jsonl", lines(&[session(0, SESSION, "")]));
    let is_none = |home: &Home| {
        let sessions = home.runtime.block_on(home.engine.sessions()).unwrap();
        sessions.is_empty()
    };
    assert_eq!((account.totals.records, account.is_partial()), (1, false));
    assert!(is_none(&home));
    let Some((home, account)) = case("B014_header_only.codex.jsonl") else {
        return;
    };
    assert_eq!((account.totals.stored, account.is_partial()), (0, false));
    assert!(is_none(&home));
}

/// B032, B033, B039: the same shapes as in the shared case, with a picture of a megabyte.
#[test]
fn content_in_any_shape_is_kept_and_a_picture_costs_what_a_picture_costs() {
    let picture = |n: usize| {
        let data = "iVBORw0KGgoAAAANSUhEUgAA".repeat(n);
        format!(
            r#"{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{data}"}}}}"#
        )
    };
    let result = |n: u32, id: &str, rest: &str| {
        let block = format!(r#"[{{"type":"tool_result","tool_use_id":"{id}"{rest}}}]"#);
        record(n, "user", &block)
    };
    let call = |n: u32, id: &str| {
        let block_text = format!(r#"{{"type":"tool_use","id":"{id}","name":"Run","input":{{}}}}"#);
        block(n, &format!("m{n}"), &block_text)
    };
    let shapes = |n_repeats: usize| {
        lines(&[
            user(1, "ok"),
            record(2, "user", r#"[{"type":"text","text":"yes, the jetty"}]"#),
            record(
                3,
                "user",
                r#"[{"type":"text","text":""},{"type":"mystery","x":1},{"type":"text","text":"beside it"}]"#,
            ),
            record(4, "user", "null"),
            call(5, "c1"),
            result(6, "c1", r#","content":"a string""#),
            call(7, "c2"),
            result(
                8,
                "c2",
                &format!(
                    r#","content":[{{"type":"text","text":"beside a picture"}},{}]"#,
                    picture(n_repeats)
                ),
            ),
            call(9, "c3"),
            result(10, "c3", ""),
            call(11, "c4"),
            result(12, "c4", r#","is_error":true,"content":"no such buoy""#),
        ])
    };
    let tokens = |home: &Home| {
        let stats = home.runtime.block_on(home.engine.stats()).unwrap();
        stats.tokens.get()
    };
    let home = Home::new();
    let account = home.take("s1.jsonl", shapes(1));
    assert_eq!(account.totals.refused, 0, "{account:?}");
    for text in [
        "ok",
        "the jetty",
        "beside it",
        "a string",
        "beside a picture",
        "no such buoy",
    ] {
        assert!(home.grep(&quoted(text)).total >= 1, "{text}");
    }
    home.check_found("%iVBOR%", 0);
    let rows = home.rows();
    let parts: Vec<&Part> = rows.iter().flat_map(|(_, row)| &row.parts).collect();
    let results: Vec<(&str, bool)> = parts
        .iter()
        .filter_map(|part| match part {
            Part::ToolResult {
                call_id, is_error, ..
            } => Some((call_id.as_str(), *is_error)),
            _ => None,
        })
        .collect();
    let want = [("c1", false), ("c2", false), ("c3", false), ("c4", true)];
    assert_eq!(results, want);
    let is_mystery =
        |part: &&&Part| matches!(part, Part::Opaque { json } if json.contains("mystery"));
    assert_eq!(parts.iter().filter(is_mystery).count(), 1);
    // A megabyte more of a picture is the same picture to a model.
    let large = Home::new();
    large.take("s1.jsonl", shapes(40_000));
    assert_eq!(tokens(&large), tokens(&home));
}

/// B035.
#[test]
fn noise_of_commands_does_not_come_before_what_was_asked() {
    let home = Home::new();
    home.take(
        "s1.jsonl",
        lines(&[
            user(1, "<command-name>/birch</command-name>"),
            user(
                2,
                "<local-command-stdout>birch birch birch</local-command-stdout>",
            ),
            user(3, "what about the birch?"),
            answer(4, "The birch stands."),
        ]),
    );
    let reply = home.grep("birch");
    let first = &reply.hits[0];
    assert!(first.seq.get() >= 3, "{reply:?}");
    let rows = home.rows();
    assert_eq!(rows[0].1.visibility, Visibility::Meta);
    let Some((home, _)) = case("B035_meta_noise.claude.jsonl") else {
        return;
    };
    let hits = home.grep("birch").hits;
    let talk = hits.iter().take(2).map(|hit| hit.snippet.text.as_str());
    let talk: Vec<&str> = talk.collect();
    assert!(
        talk.iter().all(|text| text.contains("birch bark")),
        "{talk:?}"
    );
}

/// Records of one session, each said when its `time` says.
fn timed(records: &[(u32, &str, &str)]) -> String {
    let records = records.iter().map(|(n, text, time)| {
        let line = user(*n, text);
        let from = line.find(r#","timestamp""#).unwrap();
        format!("{}{time}}}", &line[..from])
    });
    lines(&records.collect::<Vec<_>>())
}

/// B046.
#[test]
fn a_record_without_a_time_is_in_no_span_of_time_not_even_1970() {
    let home = Home::new();
    home.take(
        "s1.jsonl",
        timed(&[
            (1, "willow one", r#","timestamp":"2026-01-05T10:00:00Z""#),
            (2, "willow two", ""),
            (3, "willow three", r#","timestamp":"not-a-time""#),
        ]),
    );
    let ask = |since: Option<&str>, before: Option<&str>| {
        let moment = |text: Option<&str>| text.map(|text| Timestamp::parse(text).unwrap());
        let mut request = GrepRequest::new("willow", Reach::All);
        request.time = TimeRange {
            since: moment(since),
            before: moment(before),
        };
        home.runtime
            .block_on(home.engine.grep(&request))
            .unwrap()
            .total
    };
    assert_eq!(ask(None, None), 3);
    assert_eq!(ask(Some("1970-01-01"), None), 1);
    assert_eq!(ask(None, Some("1971-01-01")), 0);
    assert_eq!(ask(Some("2026-06-01"), None), 0);
}

/// B047.
#[test]
fn a_clock_that_steps_back_turns_no_order_round_after_compaction_either() {
    let words = |n: u32| format!("entry {n} {}", "of the harbour log ".repeat(30));
    let records: Vec<(u32, String, String)> = (1..=60)
        .map(|n| {
            let minute = if n % 3 == 0 { 59 - n % 60 } else { 30 };
            let time = format!(r#","timestamp":"2026-01-05T10:{minute:02}:00Z""#);
            (n, words(n), time)
        })
        .collect();
    let records: Vec<(u32, &str, &str)> = records
        .iter()
        .map(|(n, text, time)| (*n, text.as_str(), time.as_str()))
        .collect();
    let home = Home::new();
    home.take("s1.jsonl", timed(&records));
    let session = key("claude-code:s1");
    let report = home.runtime.block_on(
        home.engine
            .compact_until_under(&session, Tokens::new(3_000)),
    );
    assert!(!report.unwrap().leaf.is_empty());
    home.take("again.jsonl", timed(&records));
    let view = home
        .engine
        .view(&session, ViewBudget::Of(Tokens::new(3_000)));
    let view = home.runtime.block_on(view).unwrap();
    let spans: Vec<u64> = view
        .items
        .iter()
        .filter(|item| matches!(item.kind, ViewItemKind::Summary | ViewItemKind::Message))
        .map(|item| item.span.unwrap().first().get())
        .collect();
    assert!(spans.len() >= 2 && spans.is_sorted(), "{spans:?}");
    let expected: Vec<String> = (1..=60).map(words).collect();
    assert_eq!(home.talk(), expected);
    assert_clean(&home.runtime.block_on(home.engine.doctor()).unwrap());
}

/// W10, W20: all of a session, records without an id and those of a side chain too.
#[test]
fn records_need_no_id_to_be_stored_and_to_be_known_again() {
    let bare = |n: u32, text: &str| {
        let line = user(n, text);
        let from = line.find(r#","uuid""#).unwrap();
        let to = line.find(r#","timestamp""#).unwrap();
        format!("{}{}", &line[..from], &line[to..])
    };
    let beside = |n: u32, text: &str| {
        user(n, text).replace(r#""cwd""#, r#""isSidechain":true,"agentId":"a1","cwd""#)
    };
    let text = lines(&[
        user(1, "first"),
        bare(2, "no id, otter"),
        bare(3, "no id, otter"),
        bare(2, "no id, otter"),
        beside(4, "on the side, heron"),
    ]);
    let home = Home::new();
    let account = home.take("s1.jsonl", &text);
    assert_eq!(counts(&account), (5, 0, 0, 0, 0));
    home.check_found("otter", 3);
    home.check_found("heron", 1);
    assert_eq!(counts(&home.take("copy.jsonl", &text)), (0, 0, 5, 0, 0));
    let many: Vec<String> = (0..2_000).map(|n| bare(n, &format!("row {n}"))).collect();
    let home = Home::new();
    assert_eq!(home.take("s1.jsonl", lines(&many)).totals.stored, 2_000);
    assert_eq!(home.rows().len(), 2_000);
}

/// W11, W21: a text that is JSON is text, and the middle of a long output is as near as its ends.
#[test]
fn every_word_of_a_long_output_and_of_a_text_that_is_json_is_found() {
    let filler = "line of the build log\n".repeat(4_000);
    let output = format!("alder first\n{filler}rowan middle\n{filler}hazel last");
    let result = format!(
        r#"[{{"type":"tool_result","tool_use_id":"c1","content":{}}}]"#,
        quoted(&output)
    );
    let home = Home::new();
    home.take(
        "s1.jsonl",
        lines(&[
            user(
                1,
                r#"{"summary":"about wrens","text":"and rooks","n":{"deep":"terns"}}"#,
            ),
            block(
                2,
                "m",
                r#"{"type":"tool_use","id":"c1","name":"Build","input":{}}"#,
            ),
            record(3, "user", &result),
        ]),
    );
    for word in [
        "wrens",
        "rooks",
        "terns",
        "alder",
        "rowan",
        "hazel",
        "%wan mid%",
    ] {
        home.check_found(word, 1);
    }
}
