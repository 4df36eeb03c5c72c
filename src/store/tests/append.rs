//! Appending: places, prompts, turns, pieces, calls and keys.

use super::kit::{NOW, all, bench, key, seq, shape, stamp, talk, write};
use crate::domain::{
    AppendRequest, NewMessage, Part, Provenance, Role, Stamped, Tokens, Visibility,
};
use crate::store::{StoreError, WriteOp, WriteReply};

/// A row of a message that came in pieces.
fn piece(message: NewMessage, joins: &str) -> NewMessage {
    NewMessage {
        provenance: Some(Provenance {
            offset: 0,
            length: 1,
            line: 1,
            record_id: None,
            joins: Some(joins.to_owned()),
            output_tokens: None,
            sha256: None,
        }),
        ..message
    }
}

/// Appends `requests`, written in the short form and separated by blanks, and compares one letter
/// a row: `P` prompt, `T` talk, `M` meta; and the rows of the newest prompt.
#[track_caller]
fn check_prompt(requests: &str, rows: &str, prompt: &[usize], prompt_last: u64) {
    let mut bench = bench();
    let mut ids = Vec::new();
    for request in requests.split(' ') {
        ids.extend(bench.append("main", write(request)).rows);
    }
    let found: String = all(&bench, "main")
        .iter()
        .map(|message| match message.visibility {
            Visibility::Talk => 'T',
            Visibility::Meta => 'M',
            Visibility::Prompt => 'P',
        })
        .collect();
    assert_eq!(found, rows, "{requests}");
    let id = bench.reader.conversation(&key("main")).unwrap().unwrap().id;
    let frontier = bench.reader.planner_frontier(id).unwrap();
    let wanted: Vec<_> = prompt.iter().map(|&idx| ids[idx].id).collect();
    let meta = frontier.prompt.unwrap();
    assert_eq!(meta.rows, wanted, "{requests}");
    assert_eq!(meta.tokens, Tokens::new(9 * prompt.len() as u64));
    assert_eq!(
        frontier.prompt_last.map_or(0, crate::domain::Seq::get),
        prompt_last
    );
}

#[test]
fn system_messages_before_the_talk_are_the_prompt() {
    check_prompt("su", "PT", &[0], 1);
    check_prompt("ssu", "PPT", &[0, 1], 2);
    check_prompt("s s u", "PPT", &[0, 1], 2);
    check_prompt("sms u", "PMPT", &[0, 2], 3);
    check_prompt("s m s u", "PMPT", &[0, 2], 3);
    check_prompt("mmsu", "MMPT", &[2], 3);
    check_prompt("susa", "PTTT", &[0], 1);
}

#[test]
fn a_changed_prompt_is_a_new_version_inside_the_talk() {
    check_prompt("su ap", "PTTP", &[3], 1);
    check_prompt("su p p u", "PTPPT", &[3], 1);
    check_prompt("su pp u", "PTPPT", &[2, 3], 1);
    check_prompt("p p u", "PPT", &[1], 2);
    check_prompt("ua p a", "TTPT", &[2], 0);
}

/// Appends one request and compares `turn_first` of each row, and the newest request.
#[track_caller]
fn check_turns(request: &str, turns: &str, newest: &str) {
    let mut bench = bench();
    let id = bench.append("main", write(request)).conversation;
    let found: String = (1..=request.len())
        .map(|seq| {
            bench
                .number(&format!("SELECT turn_first FROM message WHERE seq = {seq}"))
                .to_string()
        })
        .collect();
    assert_eq!(found, turns, "{request}");
    let rows = bench.reader.newest_request(id).unwrap();
    let seqs: String = rows.iter().map(|row| row.seq.to_string()).collect();
    assert_eq!(seqs, newest, "{request}");
}

#[test]
fn a_turn_is_a_run_of_user_messages_and_all_up_to_the_next() {
    check_turns("uaua", "1133", "3");
    check_turns("uuauua", "111444", "45");
    check_turns("umua", "1111", "13");
    check_turns("uamua", "11144", "4");
    check_turns("aau", "113", "3");
    check_turns("sua", "122", "2");
    check_turns("aa", "11", "");
    check_turns("ucrcra", "111111", "1");
}

#[test]
fn a_user_message_with_a_result_opens_no_turn() {
    let mut bench = bench();
    let mut messages = write("uc");
    messages.push(NewMessage::new(
        Role::User,
        vec![Part::ToolResult {
            call_id: "call".to_owned(),
            content: "a b".to_owned(),
            is_error: false,
        }],
    ));
    let id = bench.append("main", messages).conversation;
    bench.append("main", write("u"));
    assert_eq!(bench.number("SELECT max(turn_first) FROM message"), 4);
    let found = bench.reader.newest_request(id).unwrap();
    assert_eq!(found.len(), 1);
}

#[test]
fn pieces_of_one_message_are_one_message() {
    let mut bench = bench();
    bench.import(
        "main",
        vec![
            NewMessage::user("look"),
            piece(NewMessage::assistant("I look"), "m1"),
            NewMessage::user("<injected>").meta(),
            piece(NewMessage::tool_use("c", "ls", "{}"), "m1"),
        ],
    );
    // The last piece comes in a batch of its own.
    bench.import(
        "main",
        vec![
            piece(NewMessage::assistant("more"), "m1"),
            NewMessage::tool_result("c", "a b"),
            piece(NewMessage::assistant("late"), "m1"),
            piece(NewMessage::assistant("next"), "m2"),
        ],
    );
    let continues: Vec<_> = all(&bench, "main")
        .iter()
        .map(|message| message.continues.map_or(0, crate::domain::Seq::get))
        .collect();
    assert_eq!(continues, [0, 0, 0, 2, 2, 0, 0, 0]);
    let id = bench.reader.conversation(&key("main")).unwrap().unwrap().id;
    let frontier = bench.reader.planner_frontier(id).unwrap();
    assert_eq!(frontier.n_visible, 5);
}

#[test]
fn calls_and_results_are_counted_within_their_turn() {
    let mut bench = bench();
    let id = bench.append("main", write("ucrcc")).conversation;
    bench.append("other", write("ucc"));
    bench.append("main", write("rrucr"));
    bench.append("other", write("ucrc"));
    bench.append("main", write("c"));
    let frontier = bench.reader.planner_frontier(id).unwrap();
    let keys: Vec<_> = frontier
        .raw()
        .flat_map(|row| {
            let calls = row.calls.iter().map(|call| format!("c{}", call.occurrence));
            let results = row
                .results
                .iter()
                .map(|call| format!("r{}", call.occurrence));
            calls.chain(results).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(keys.join(" "), "c0 r0 c1 c2 r1 r2 c0 r0 c1");
}

#[test]
fn a_key_is_stored_once_a_conversation() {
    let mut bench = bench();
    let keyed = |key: &str| NewMessage::user("hello").with_key(key);
    let first = bench.append("main", vec![keyed("k1"), keyed("k2"), keyed("k1")]);
    let duplicates: Vec<_> = first.rows.iter().map(|row| row.is_duplicate).collect();
    assert_eq!(duplicates, [false, false, true]);
    let again = bench.append("main", vec![keyed("k2"), keyed("k3")]);
    assert_eq!(again.rows[0].id, first.rows[1].id);
    assert_eq!(again.rows[0].seq, seq(2));
    assert_eq!(again.rows[1].seq, seq(3));
    let other = bench.append("other", vec![keyed("k1")]);
    assert!(!other.rows[0].is_duplicate);
    let found = bench
        .reader
        .find_keys(&["k1".to_owned(), "none".to_owned()])
        .unwrap();
    let sessions: Vec<_> = found
        .iter()
        .map(|row| format!("{} {} {}", row.key, row.session, row.seq))
        .collect();
    assert_eq!(sessions, ["k1 main 1", "k1 other 1"]);
}

#[test]
fn equal_messages_without_keys_stay_as_many_as_they_are() {
    let mut bench = bench();
    for _ in 0..3 {
        bench.append("main", vec![NewMessage::user("again"); 2]);
    }
    assert_eq!(all(&bench, "main").len(), 6);
}

/// P38.
#[test]
fn ids_grow_with_every_write_and_an_empty_append_begins_a_session() {
    let mut bench = bench();
    let empty = bench.append("main", Vec::new());
    assert!(empty.rows.is_empty());
    assert!(
        bench
            .reader
            .conversation(&key("main"))
            .unwrap()
            .unwrap()
            .head
            .is_none()
    );
    assert_eq!(bench.planner(empty.conversation), "");
    let mut last = 0;
    for name in ["main", "other", "main"] {
        for row in bench.append(name, talk(2)).rows {
            assert!(row.id.get() > last);
            last = row.id.get();
        }
    }
    assert_eq!(bench.reader.last_id().unwrap(), last);
}

#[test]
fn one_failing_write_is_rolled_back_alone() {
    let mut bench = bench();
    let request = |name: &str, messages: Vec<Stamped>| {
        WriteOp::Append(AppendRequest {
            session: key(name),
            messages,
            now: NOW,
        })
    };
    let too_many = NewMessage::new(
        Role::User,
        vec![
            Part::Text {
                text: String::new()
            };
            65_536
        ],
    );
    let ops = [
        request("a", vec![stamp(NewMessage::user("kept"))]),
        request(
            "b",
            vec![stamp(NewMessage::user("lost")), stamp(too_many.clone())],
        ),
        request("c", vec![stamp(NewMessage::user("kept too"))]),
    ];
    let replies = bench.writer.run(&ops);
    assert!(matches!(replies[0], Ok(WriteReply::Appended(_))));
    assert!(matches!(replies[1], Err(StoreError::Refused { .. })));
    assert!(matches!(replies[2], Ok(WriteReply::Appended(_))));
    assert!(bench.reader.conversation(&key("b")).unwrap().is_none());
    assert_eq!(all(&bench, "a").len() + all(&bench, "c").len(), 2);
    let alone = bench.run(request("b", vec![stamp(too_many)]));
    assert!(matches!(alone, Err(StoreError::Refused { .. })));
    assert!(bench.reader.conversation(&key("b")).unwrap().is_none());
}

#[test]
fn any_number_of_ids_can_be_asked_for() {
    let mut bench = bench();
    let rows = bench.append("main", talk(3)).rows;
    let mut ids: Vec<_> = (0..40_000)
        .map(crate::domain::MessageId::new)
        .rev()
        .collect();
    ids.push(rows[0].id);
    let found = bench.reader.messages_by_id(&ids).unwrap();
    let seqs: Vec<_> = found.iter().map(|message| message.seq.get()).collect();
    assert_eq!(seqs, [3, 2, 1]);
}

#[test]
fn a_snapshot_sees_one_state() {
    let mut bench = bench();
    let id = bench.append("main", talk(2)).conversation;
    let mut reader = bench.store.reader().unwrap();
    let shapes = reader
        .snapshot(|reader| {
            let before = shape(&reader.planner_frontier(id)?);
            bench.append("main", talk(2));
            Ok::<_, StoreError>((before, shape(&reader.planner_frontier(id)?)))
        })
        .unwrap();
    assert_eq!(shapes.0, shapes.1);
    assert_eq!(shape(&reader.planner_frontier(id).unwrap()), "1 2 3 4");
}
