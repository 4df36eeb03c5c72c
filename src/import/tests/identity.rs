//! Which records are the same one.

use super::{Bench, answer, text_block, user, uuid};

fn lines(lines: &[String]) -> String {
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

fn with_session(line: &str, session: &str) -> String {
    line.replace(
        r#""sessionId":"s1""#,
        &format!(r#""sessionId":"{session}""#),
    )
}

fn following(line: &str, parent: u32) -> String {
    line.replace(
        r#""parentUuid":null"#,
        &format!(r#""parentUuid":"{}""#, uuid(parent)),
    )
}

#[test]
fn the_same_record_again_is_a_duplicate() {
    let mut bench = Bench::new();
    let text = lines(&[
        user(1, "a"),
        user(1, "a"),
        user(2, "b"),
        user(1, "a"),
        user(2, "b"),
    ]);
    let path = bench.write("s1.jsonl", text);
    let counts = bench.import(&path).totals;
    assert_eq!((counts.records, counts.stored, counts.duplicate), (5, 2, 3));
    assert_eq!(bench.talk(), ["a", "b"]);
}

#[test]
fn honest_repeats_stay_with_and_without_ids() {
    let bare = r#"{"type":"user","sessionId":"s1","message":{"role":"user","content":"continue"}}"#;
    let text = lines(&[
        user(1, "continue"),
        user(2, "continue"),
        bare.to_owned(),
        bare.to_owned(),
    ]);
    let mut bench = Bench::new();
    let path = bench.write("s1.jsonl", &text);
    assert_eq!(bench.import(&path).totals.stored, 4);
    let again = bench.import(&path).totals;
    assert_eq!((again.records, again.stored), (0, 0));
    bench.forget_checkpoints();
    let again = bench.import(&path).totals;
    assert_eq!((again.records, again.stored, again.duplicate), (4, 0, 4));
    // A third repeat after the two, in a file that was appended to.
    bench.write("s1.jsonl", format!("{text}{bare}\n"));
    assert_eq!(bench.import(&path).totals.stored, 1);
    // A rewritten file: the prefix no longer holds, and the sequences are aligned.
    bench.write(
        "s1.jsonl",
        format!("{}\n{bare}\n{text}{bare}\n", user(9, "new first")),
    );
    let counts = bench.import(&path).totals;
    assert_eq!((counts.stored, counts.duplicate), (2, 5));
}

#[test]
fn appended_records_only_are_read() {
    let mut bench = Bench::new();
    let first = lines(&[user(1, "a"), user(2, "b"), user(3, "c")]);
    let path = bench.write("s1.jsonl", &first);
    bench.import(&path);
    let more = lines(&[user(4, "d"), user(5, "e")]);
    bench.write("s1.jsonl", format!("{first}{more}"));
    let account = bench.import(&path);
    assert_eq!((account.totals.records, account.totals.stored), (2, 2));
    assert_eq!(account.files[0].bytes_read, more.len() as u64);
}

/// A session, and a branch of it that repeats its first two records under its own id.
fn family() -> (String, String) {
    let shared = [
        user(1, "shared root"),
        following(&user(2, "shared reply"), 1),
    ];
    let mut parent = shared.to_vec();
    parent.push(following(&user(3, "parent only"), 2));
    let mut child: Vec<String> = shared.iter().map(|line| with_session(line, "s2")).collect();
    child.push(with_session(&following(&user(9, "branch only"), 2), "s2"));
    (lines(&parent), lines(&child))
}

#[test]
fn a_copied_prefix_is_stored_once_in_either_order() {
    let (parent, child) = family();
    for (order, root, branch) in [
        (["p.jsonl", "c.jsonl"], "claude-code:s1", "claude-code:s2"),
        (["c.jsonl", "p.jsonl"], "claude-code:s2", "claude-code:s1"),
    ] {
        let mut bench = Bench::new();
        bench.write("p.jsonl", &parent);
        bench.write("c.jsonl", &child);
        let paths = order.map(|name| bench.folder.path().join(name));
        let counts = bench.import_all(&paths).totals;
        assert_eq!((counts.stored, counts.duplicate), (4, 2));
        let mut talk = bench.talk();
        talk.sort();
        assert_eq!(
            talk,
            ["branch only", "parent only", "shared reply", "shared root"]
        );
        let forks: Vec<_> = bench
            .rehearsal()
            .conversations
            .iter()
            .filter_map(|known| Some((known.session.as_str(), known.forked_from.as_ref()?)))
            .map(|(session, (origin, seq))| (session, origin.as_str(), seq.get()))
            .collect();
        assert_eq!(forks, [(branch, root, 2)]);
    }
}

#[test]
fn a_branch_whose_first_record_names_no_parent_follows_the_last_one_it_copied() {
    let (parent, child) = family();
    let child = child.replace(
        &following(&user(9, "branch only"), 2).replace("\"s1\"", "\"s2\""),
        &user(9, "branch only").replace("\"s1\"", "\"s2\""),
    );
    let mut bench = Bench::new();
    bench.write("1.jsonl", parent);
    bench.write("2.jsonl", child);
    let folder = bench.folder.path().to_owned();
    bench.import(&folder);
    let fork = bench.rehearsal().conversations.last().unwrap();
    let (origin, seq) = fork.forked_from.clone().unwrap();
    assert_eq!((origin.as_str(), seq.get()), ("claude-code:s1", 2));
}

#[test]
fn a_fork_is_not_made_before_its_first_own_record() {
    let (parent, child) = family();
    let mut bench = Bench::new();
    let parent = bench.write("p.jsonl", parent);
    bench.import(&parent);
    let prefix: String = child.split_inclusive('\n').take(2).collect();
    let path = bench.write("c.jsonl", prefix);
    assert_eq!(bench.import(&path).totals.duplicate, 2);
    assert_eq!(bench.rehearsal().conversations.len(), 1);
    bench.write("c.jsonl", &child);
    assert_eq!(bench.import(&path).totals.stored, 1);
    let fork = &bench.rehearsal().conversations[1];
    let (origin, seq) = fork.forked_from.clone().unwrap();
    assert_eq!((origin.as_str(), seq.get()), ("claude-code:s1", 2));
}

#[test]
fn a_resumed_file_that_keeps_the_old_session_id_continues_it() {
    let text = lines(&[
        user(1, "old one"),
        following(&user(2, "old two"), 1),
        with_session(&following(&user(3, "new"), 2), "s2"),
    ]);
    let mut bench = Bench::new();
    let path = bench.write("s2.jsonl", text);
    assert_eq!(bench.import(&path).totals.stored, 3);
    assert_eq!(bench.sessions(), ["claude-code:s1", "claude-code:s2"]);
    let fork = bench.rehearsal().conversations.last().unwrap();
    let (origin, seq) = fork.forked_from.clone().unwrap();
    assert_eq!((origin.as_str(), seq.get()), ("claude-code:s1", 2));
}

#[test]
fn ids_that_are_not_unique_everywhere_do_not_hide_another_session() {
    let record = |session: &str, text: &str| {
        format!(
            r#"{{"type":"user","uuid":"u1","sessionId":"{session}","message":{{"content":"{text}"}}}}"#
        )
    };
    let mut bench = Bench::new();
    bench.write("a.jsonl", record("a", "of a"));
    bench.write("b.jsonl", record("b", "of b"));
    let folder = bench.folder.path().to_owned();
    assert_eq!(bench.import(&folder).totals.stored, 2);
}

#[test]
fn sub_agents_have_conversations_of_their_own() {
    let mut bench = Bench::new();
    bench.write("s1.jsonl", lines(&[user(1, "main")]));
    bench.write("s1/subagents/agent-a1.jsonl", lines(&[user(1, "child")]));
    bench.write(
        "s1/subagents/agent-a2.jsonl",
        lines(&[user(1, "other child")]),
    );
    bench.write("s1/tool-results/big.jsonl", lines(&[user(5, "spilled")]));
    let folder = bench.folder.path().to_owned();
    let account = bench.import(&folder);
    assert_eq!((account.files.len(), account.totals.stored), (3, 3));
    assert_eq!(
        bench.sessions(),
        ["claude-code:s1", "claude-code:s1/a1", "claude-code:s1/a2"]
    );
}

#[test]
fn chains_side_by_side_in_one_file_are_told_apart() {
    let side = |n: u32, parent: Option<u32>, text: &str| {
        let line = user(n, text).replace(r#""cwd":"/w""#, r#""isSidechain":true"#);
        parent.map_or(line.clone(), |parent| following(&line, parent))
    };
    let text = lines(&[
        user(1, "main one"),
        side(11, None, "left one"),
        side(21, None, "right one"),
        side(12, Some(11), "left two"),
        user(2, "main two"),
        side(22, Some(21), "right two"),
        side(13, Some(12), "left three"),
        // A record without words links the chain, also when a file is cut behind it.
        side(14, Some(13), "").replace(r#""type":"user""#, r#""type":"progress""#),
        side(15, Some(14), "left four"),
    ]);
    for cut in (0..=text.len()).step_by(7) {
        let mut bench = Bench::new();
        let path = bench.write("s1.jsonl", &text[..cut]);
        bench.import(&path);
        bench.write("s1.jsonl", &text);
        bench.import(&path);
        let left = format!("claude-code:s1/{}", uuid(11));
        let of_left: Vec<_> = bench
            .rows()
            .iter()
            .filter(|(session, _)| session.as_str() == left)
            .map(|(_, message)| super::words(message))
            .collect();
        assert_eq!(
            of_left,
            ["left one", "left two", "left three", "left four"],
            "cut at {cut}"
        );
    }
}

#[test]
fn records_of_one_answer_are_one_message_and_counted_once() {
    let text = lines(&[
        user(1, "do it"),
        answer(
            2,
            "m1",
            r#"{"type":"thinking","thinking":"plan","signature":"s"}"#,
            1,
        ),
        answer(3, "m1", &text_block("on it"), 1),
        answer(
            4,
            "m1",
            r#"{"type":"tool_use","id":"c1","name":"Run","input":{}}"#,
            42,
        ),
        answer(5, "m2", &text_block("done"), 7),
    ]);
    for cut in [text.len() / 3, text.len() / 2, text.len() - 1, text.len()] {
        let mut bench = Bench::new();
        let path = bench.write("s1.jsonl", &text[..cut]);
        let mut counts = bench.import(&path).totals;
        bench.write("s1.jsonl", &text);
        counts += bench.import(&path).totals;
        assert_eq!(
            (counts.stored, counts.messages, counts.output_tokens),
            (5, 3, 49)
        );
    }
}

#[test]
fn a_session_id_that_makes_no_key_is_refused_by_name() {
    let mut bench = Bench::new();
    let long = "k".repeat(5_000);
    let text = lines(&[
        user(1, "kept"),
        with_session(&user(2, "too long"), &long),
        with_session(&user(3, "nul"), "a\\u0000b"),
        with_session(&user(4, "empty"), ""),
        with_session(&user(5, "path"), "../../etc/x"),
    ]);
    let path = bench.write("s1.jsonl", text);
    let account = bench.import(&path);
    assert_eq!((account.totals.stored, account.totals.refused), (2, 3));
    assert!(account.files[0].refusals[0].reason.contains("1024"));
    assert_eq!(
        bench.sessions(),
        ["claude-code:s1", "claude-code:../../etc/x"]
    );
}

#[test]
fn notes_before_the_first_message_wait_for_it() {
    let summary = r#"{"type":"summary","summary":"About birds","leafUuid":"00000000-0000-4000-8000-000000000002"}"#;
    let mut bench = Bench::new();
    let path = bench.write("x.jsonl", format!("{summary}\n"));
    assert_eq!(bench.import(&path).totals.meta, 1);
    assert!(bench.rows().is_empty());
    // As long as nothing follows them they are not read again.
    let again = &bench.import(&path).files[0];
    assert_eq!((again.counts.records, again.bytes_read), (0, 0));
    bench.write(
        "x.jsonl",
        lines(&[summary.to_owned(), user(1, "a"), user(2, "b")]),
    );
    let counts = bench.import(&path).totals;
    assert_eq!((counts.meta, counts.stored), (1, 2));
    let texts: Vec<_> = bench
        .rows()
        .iter()
        .map(|(_, message)| super::words(message))
        .collect();
    assert_eq!(texts, ["About birds", "a", "b"]);
    let titles: Vec<_> = bench
        .rehearsal()
        .conversations
        .iter()
        .filter_map(|known| known.title.as_deref())
        .collect();
    assert_eq!(titles, ["About birds"]);
}

#[test]
fn a_record_of_too_many_parts_is_refused_and_stops_nothing() {
    let mut bench = Bench::new();
    let block = r#"{"type":"text","text":"x"}"#;
    let blocks = vec![block; crate::domain::NewMessage::MAX_PARTS + 1].join(",");
    let crowded = user(2, "crowd").replace(r#""crowd""#, &format!("[{blocks}]"));
    assert!(crowded.len() > blocks.len());
    let path = bench.write(
        "s1.jsonl",
        lines(&[user(1, "before"), crowded, following(&user(3, "after"), 2)]),
    );
    let other = bench.write("s2.jsonl", with_session(&user(4, "other"), "s2"));
    let account = bench.import_all(&[path, other]);
    assert_eq!((account.totals.stored, account.totals.refused), (3, 1));
    let refusal = &account.files[0].refusals[0];
    assert_eq!(refusal.line, 2);
    assert!(refusal.reason.contains("65535 parts"), "{refusal:?}");
}
