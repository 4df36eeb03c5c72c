//! Imports: a batch is stored with its checkpoint, and once.

use super::kit::{Bench, NOW, bench, key, seq, span, stamp};
use crate::domain::{
    CopyOf, ImportBatch, ImportConversation, ImportCopy, ImportReply, ImportRow, NewMessage,
    Provenance, Rewind, RowFate, SourceFile,
};

fn row(session: &str, record: &str) -> ImportRow {
    let message = NewMessage {
        provenance: Some(Provenance {
            offset: 0,
            length: 10,
            line: 1,
            record_id: Some(record.to_owned()),
            joins: None,
            output_tokens: Some(3),
            sha256: Some([7; 32]),
        }),
        ..NewMessage::user(record).with_key(record)
    };
    ImportRow {
        session: key(session),
        message: stamp(message),
        index_text: record.to_owned(),
    }
}

fn conversation(session: &str, forked_from: Option<(&str, u64)>) -> ImportConversation {
    ImportConversation {
        session: key(session),
        project: Some("/work".to_owned()),
        title: None,
        forked_from: forked_from.map(|(parent, at)| (key(parent), seq(at))),
        rewound: None,
    }
}

fn batch(conversations: Vec<ImportConversation>, rows: Vec<ImportRow>) -> ImportBatch {
    ImportBatch {
        copies: Vec::new(),
        file: SourceFile {
            path: "/t/a.jsonl".to_owned(),
            format: "claude-code".to_owned(),
        },
        conversations,
        rows,
        offset: 100,
        lines: 4,
        prefix: [7; 32],
        state: "{}".to_owned(),
        now: NOW,
    }
}

fn write(bench: &mut Bench, batch: &ImportBatch) -> ImportReply {
    bench.writer.import(batch, 1).unwrap()
}

fn stored(reply: &ImportReply) -> String {
    reply
        .fates
        .iter()
        .map(|fate| match fate {
            RowFate::Stored(_, _, seq) => seq.to_string(),
            RowFate::Duplicate(_) => "=".to_owned(),
        })
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn a_batch_is_stored_once_with_its_checkpoint() {
    let mut bench = bench();
    let rows = vec![
        row("a", "r1"),
        row("b", "r2"),
        row("a", "r3"),
        row("a", "r1"),
    ];
    let first = batch(vec![conversation("a", None), conversation("b", None)], rows);
    assert_eq!(bench.reader.checkpoint("/t/a.jsonl").unwrap(), None);
    let reply = write(&mut bench, &first);
    assert_eq!(stored(&reply), "1 1 2 =");
    let again = write(&mut bench, &first);
    assert_eq!(stored(&again), "= = = =");
    assert_eq!(again.source, reply.source);
    let found = bench.reader.checkpoint("/t/a.jsonl").unwrap().unwrap();
    assert_eq!(
        (
            found.source,
            found.offset,
            found.lines,
            found.prefix,
            found.state.as_str()
        ),
        (reply.source, 100, 4, [7; 32], "{}")
    );
    assert_eq!(
        bench.number("SELECT count(*) FROM provenance WHERE output_tokens = 3"),
        3
    );
    let sql =
        "SELECT count(*) FROM conversation WHERE project = '/work' AND format = 'claude-code'";
    assert_eq!(bench.number(sql), 2);
    let time = bench.number("SELECT count(*) FROM message WHERE at IS NOT NULL");
    assert_eq!(time, 0);
}

fn copy(of: CopyOf, line: u64) -> ImportCopy {
    let place = Provenance {
        line,
        sha256: Some([8; 32]),
        ..Provenance::default()
    };
    ImportCopy { of, place }
}

#[test]
fn copies_are_named_once_for_a_file_and_only_with_its_checkpoint() {
    let mut bench = bench();
    let reply = write(&mut bench, &batch(Vec::new(), vec![row("a", "r1")]));
    let RowFate::Stored(id, ..) = reply.fates[0] else {
        panic!("{reply:?}");
    };
    let mut other = batch(Vec::new(), vec![row("b", "r2")]);
    other.file.path = "/t/b.jsonl".to_owned();
    other.copies = vec![
        copy(CopyOf::Stored(id), 5),
        copy(CopyOf::Stored(id), 6),
        copy(CopyOf::Row(0), 7),
    ];
    let mut full = other.clone();
    full.rows[0].message.message = NewMessage::user("x".repeat(400_000));
    let pages = bench.number("PRAGMA page_count");
    bench.writer.limit_pages(pages + 10).unwrap();
    bench.writer.import(&full, 1).unwrap_err();
    bench.writer.limit_pages(1_000_000).unwrap();
    assert_eq!(bench.number("SELECT count(*) FROM copy"), 0);
    assert_eq!(bench.reader.checkpoint("/t/b.jsonl").unwrap(), None);
    for _ in 0..2 {
        let reply = write(&mut bench, &other);
        let own = match reply.fates[0] {
            RowFate::Stored(id, ..) | RowFate::Duplicate(id) => id,
        };
        let found = bench.reader.record_copies(&[own, id, own]).unwrap();
        let lines: Vec<_> = found.iter().map(|(row, copy)| (*row, copy.line)).collect();
        assert_eq!(lines, [(id, 5), (own, 7)]);
    }
    // A row that another import stored meanwhile is named, but not by the file that has it.
    let mut late = batch(Vec::new(), vec![row("a", "r1"), row("b", "r2")]);
    late.file.path = "/t/b.jsonl".to_owned();
    assert_eq!(stored(&write(&mut bench, &late)), "= =");
    assert_eq!(bench.number("SELECT count(*) FROM copy"), 2);
    late.file.path = "/t/c.jsonl".to_owned();
    write(&mut bench, &late);
    assert_eq!(bench.number("SELECT count(*) FROM copy"), 4);
}

#[test]
fn a_session_that_the_host_branched_is_a_branch() {
    let mut bench = bench();
    let rows = ["r1", "r2", "r3"].map(|record| row("parent", record));
    write(&mut bench, &batch(Vec::new(), rows.to_vec()));
    let rows = ["r1", "r2", "n1"].map(|record| row("child", record));
    let child = batch(
        vec![conversation("child", Some(("parent", 2)))],
        rows.to_vec(),
    );
    assert_eq!(stored(&write(&mut bench, &child)), "= = 3");
    let found = bench.reader.conversation(&key("child")).unwrap().unwrap();
    assert_eq!(found.fork_seq, Some(seq(2)));
    let ids: Vec<_> = bench
        .reader
        .messages(found.id, span(1, 3))
        .unwrap()
        .iter()
        .map(|message| message.conversation.get())
        .collect();
    assert_eq!(ids, [1, 1, 2]);
    // Another time the branch is there already.
    assert_eq!(stored(&write(&mut bench, &child)), "= = =");
    assert_eq!(bench.number("SELECT count(*) FROM conversation"), 2);
}

#[test]
fn a_session_whose_host_went_back_goes_on_as_a_branch() {
    let mut bench = bench();
    let rows = ["r1", "r2", "r3"].map(|record| row("a", record));
    write(&mut bench, &batch(Vec::new(), rows.to_vec()));
    let mut back = |at: &str, record: &str| {
        let found = bench.reader.find_keys(&[at.to_owned()]).unwrap();
        let rewound = found.first().map_or(Rewind::ToStart, |row| {
            Rewind::After(row.conversation, row.seq)
        });
        let mut described = conversation("a", None);
        described.rewound = Some(rewound);
        let reply = write(&mut bench, &batch(vec![described], vec![row("a", record)]));
        let now = bench.reader.conversation(&key("a")).unwrap().unwrap();
        let messages = bench.reader.messages(now.id, span(1, 9)).unwrap();
        let ids = messages.iter().map(|message| message.conversation.get());
        (stored(&reply), ids.collect::<Vec<_>>())
    };
    assert_eq!(back("r1", "n1"), ("2".to_owned(), vec![1, 2]));
    // The rows left behind are found again, in their own branch.
    assert_eq!(back("r3", "n2"), ("4".to_owned(), vec![1, 1, 1, 3]));
    assert_eq!(back("none", "n3"), ("1".to_owned(), vec![4]));
}

#[test]
fn a_branch_of_an_unknown_session_begins_by_itself() {
    let mut bench = bench();
    let rows = vec![row("child", "r1")];
    let orphan = batch(vec![conversation("child", Some(("gone", 2)))], rows);
    assert_eq!(stored(&write(&mut bench, &orphan)), "1");
    let found = bench.reader.conversation(&key("child")).unwrap().unwrap();
    assert_eq!(found.parent, None);
}

#[test]
fn a_full_disk_stores_nothing_of_a_batch_not_even_its_checkpoint() {
    let mut bench = bench();
    bench.append("main", vec![NewMessage::user("here")]);
    let pages = bench.number("PRAGMA page_count");
    bench.writer.limit_pages(pages + 10).unwrap();
    let mut rows = vec![row("a", "r1"), row("a", "r2")];
    rows[1].message.message = NewMessage::user("x".repeat(400_000));
    let full = batch(vec![conversation("a", None)], rows);
    let refused = bench.writer.import(&full, 1);
    assert!(
        matches!(refused, Err(crate::store::StoreError::Full)),
        "{refused:?}"
    );
    assert_eq!(bench.reader.checkpoint("/t/a.jsonl").unwrap(), None);
    assert!(bench.reader.conversation(&key("a")).unwrap().is_none());
    bench.writer.limit_pages(1_000_000).unwrap();
    assert_eq!(stored(&write(&mut bench, &full)), "1 2");
}
