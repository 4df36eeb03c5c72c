//! The index follows the rows, in short steps, whatever stops it on the way.

use hippocamp::domain::{IndexQuery, NewMessage};
use hippocamp::store::{
    CandidateOrder, IndexOutcome, IndexWork, LogState, Look, Merging, Pace, STEP_BYTES, STEP_ROWS,
};

use super::kit::{Bench, RULES, all, bench, number, numbered, token};

fn talk(bench: &mut Bench, n: usize) {
    let rows = (0..n)
        .map(|n| NewMessage::user(format!("alder {n}")))
        .collect();
    bench.append("main", rows);
}

#[test]
fn a_row_is_scanned_until_it_is_indexed_and_never_falls_between() {
    let mut bench = bench();
    let first = bench.say("main", "birch one");
    let found = bench.search(&token("birch"), &all(), 9);
    assert_eq!((found.mark, found.total), (0, 0));
    assert_eq!(bench.scan(&all(), Some(found.mark)).len(), 1);
    assert_eq!(bench.reader.index_state(RULES).unwrap().backlog, 1);

    bench.index();
    let second = bench.say("main", "birch two");
    let found = bench.search(&token("birch"), &all(), 9);
    assert_eq!((found.mark, found.total), (first, 1));
    let above = bench.scan(&all(), Some(found.mark));
    assert_eq!(above.len(), 1);
    assert_eq!(number(above[0].id), second);
    let state = bench.reader.index_state(RULES).unwrap();
    assert_eq!(
        (state.mark, state.backlog, state.is_current),
        (first, 1, true)
    );
}

#[test]
fn two_indexers_do_not_index_a_row_twice() {
    let mut bench = bench();
    talk(&mut bench, 10);
    let mine = bench.steps();
    let mut other = bench.store.writer().unwrap();
    for step in &mine {
        assert_eq!(other.index_step(step).unwrap(), IndexOutcome::Applied);
    }
    for step in &mine {
        assert_eq!(bench.writer.index_step(step).unwrap(), IndexOutcome::Moved);
    }
    assert_eq!(bench.reader.index_totals().unwrap().rows, 10);
    assert_eq!(bench.find("alder", &all()).len(), 10);
}

#[test]
fn a_step_that_leaves_out_a_row_is_refused_and_changes_nothing() {
    let mut bench = bench();
    talk(&mut bench, 3);
    let mut step = bench.steps().remove(0);
    let IndexWork::Rows(rows) = &mut step.work else {
        panic!("{step:?}");
    };
    let left_out = rows.remove(1).id;
    let error = bench.writer.index_step(&step).unwrap_err().to_string();
    assert!(error.contains(&left_out.to_string()), "{error}");
    assert_eq!(bench.reader.index_totals().unwrap().rows, 0);
    bench.index();
    assert_eq!(bench.find("alder", &all()).len(), 3);
}

// W23
#[test]
fn every_step_is_bounded_in_rows_and_bytes() {
    let mut bench = bench();
    talk(&mut bench, 200);
    let long = numbered("word", 40_000);
    bench.say("main", &long);
    talk(&mut bench, 5);
    let steps = bench.steps();
    for step in &steps {
        match &step.work {
            IndexWork::Rows(rows) => {
                assert!(rows.len() <= STEP_ROWS);
                let bytes: usize = rows.iter().map(|row| row.tokens.len()).sum();
                assert!(bytes <= STEP_BYTES);
            }
            IndexWork::Piece { tokens, .. } => assert!(tokens.len() <= STEP_BYTES),
            IndexWork::Damaged { id } => panic!("row {id}"),
        }
    }
    let pieces = long.len().div_ceil(STEP_BYTES);
    assert_eq!(steps.len(), 200_usize.div_ceil(STEP_ROWS) + pieces + 1);
}

#[test]
fn a_large_row_is_found_by_words_of_different_pieces_and_survives_a_stop_between_them() {
    let mut bench = bench();
    bench.say("main", "before");
    let mut text = numbered("w", 60_000);
    text.insert_str(0, "rowan ");
    text.push_str("hazel");
    let large = bench.say("main", &text);
    bench.say("main", "rowan alone");
    let steps = bench.steps();
    assert!(steps.len() > 5, "{}", steps.len());
    for step in &steps[..3] {
        assert_eq!(
            bench.writer.index_step(step).unwrap(),
            IndexOutcome::Applied
        );
    }
    // Half a row is no candidate: it is above the mark, where rows are scanned.
    assert_eq!(bench.find("rowan", &all()), [0_i64; 0]);
    drop(steps);
    let rest = bench.index();
    assert!(rest > 3);
    let both = IndexQuery::And(vec![token("rowan"), token("hazel")]);
    let found = bench.search(&both, &all(), 9);
    assert_eq!((super::kit::ids(&found), found.total), (vec![large], 1));
    assert_eq!(bench.find("rowan", &all()).len(), 2);
    let apart = IndexQuery::Phrase(vec!["w4".to_owned(), "w5".to_owned()]);
    assert_eq!(bench.search(&apart, &all(), 9).total, 1);
    let open = IndexQuery::Prefix(vec!["haz".to_owned()]);
    assert_eq!(bench.search(&open, &all(), 9).total, 1);
    let neither = IndexQuery::And(vec![token("rowan"), token("absent")]);
    assert_eq!(bench.search(&neither, &all(), 9).total, 0);
    let newest = bench
        .reader
        .search(&both, &all(), &Look::default(), 9, CandidateOrder::Newest);
    assert_eq!(newest.unwrap().total, 1);
    let frequency = ["rowan", "hazel", "w59999", "absent"].map(str::to_owned);
    let frequency = bench.reader.document_frequency(&frequency).unwrap();
    assert_eq!(frequency, [2, 1, 1, 0]);
    crate::doctor::sound(&bench);
}

// B057
#[test]
fn newer_rules_begin_anew_and_older_ones_change_nothing() {
    let mut bench = bench();
    talk(&mut bench, 30);
    bench.index();
    let before = bench.find("alder", &all());

    let older = bench.reader.index_backlog(RULES - 1, 256, 1 << 20).unwrap();
    assert!(older.rows.is_empty());
    assert!(!bench.reader.index_state(RULES - 1).unwrap().is_current);
    let newer = bench.reader.index_state(RULES + 1).unwrap();
    assert_eq!(
        (newer.mark, newer.backlog, newer.is_current),
        (0, 30, false)
    );

    let steps = bench.steps_of(RULES + 1);
    let (first, others) = steps.split_first().unwrap();
    assert_eq!(
        bench.writer.index_step(first).unwrap(),
        IndexOutcome::Applied
    );
    let found = bench.search(&token("alder"), &all(), 99);
    assert_eq!((found.rules, found.total), (RULES + 1, 30));
    assert!(others.is_empty());
    assert_eq!(bench.find("alder", &all()), before);
    talk(&mut bench, 1);
    for step in bench.steps() {
        assert_eq!(bench.writer.index_step(&step).unwrap(), IndexOutcome::Moved);
    }
    assert_eq!(bench.reader.index_totals().unwrap().rows, 30);
}

// B057
#[test]
fn an_emptied_index_is_made_anew_from_the_rows() {
    let mut bench = bench();
    talk(&mut bench, 300);
    bench.index();
    bench.writer.reset_index(RULES).unwrap();
    assert_eq!(bench.reader.index_state(RULES).unwrap().backlog, 300);
    assert_eq!(bench.find("alder", &all()), [0_i64; 0]);
    bench.index();
    assert_eq!(bench.find("alder", &all()).len(), 300);
    crate::doctor::sound(&bench);
}

#[test]
fn merging_ends_and_loses_nothing() {
    let mut bench = bench();
    for _ in 0..40 {
        talk(&mut bench, 3);
        bench.index();
    }
    let segments = |bench: &Bench| -> i64 {
        let raw = bench.raw();
        let sql = "SELECT COUNT(DISTINCT segid) FROM search_index_idx";
        raw.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    let before = segments(&bench);
    let mut steps = 0;
    while bench.writer.maintain(Pace::Quiet).unwrap().merging == Merging::Progress {
        steps += 1;
        assert!(steps < 1_000, "merging does not end");
    }
    assert!(steps > 0);
    // The log was carried behind the last merge.
    assert_eq!(
        bench.writer.maintain(Pace::Busy).unwrap().log,
        LogState::Carried
    );
    let after = segments(&bench);
    assert!(after < before, "{before} -> {after}");
    assert_eq!(bench.find("alder", &all()).len(), 120);
    crate::doctor::sound(&bench);
}

#[test]
fn a_log_that_has_grown_large_is_cut_back_once_no_reader_holds_it() {
    let mut bench = bench();
    let body = "elm ".repeat(1 << 20);
    for _ in 0..18 {
        bench.say("main", &body);
    }
    let wal = bench.dir.path().join("hippocamp.db-wal");
    let bytes = || std::fs::metadata(&wal).unwrap().len();
    assert!(bytes() > 64 << 20);
    let path = bench.dir.path().join("hippocamp.db");
    let holder = rusqlite::Connection::open(path).unwrap();
    holder
        .execute_batch("BEGIN; SELECT COUNT(*) FROM conversation")
        .unwrap();
    let mut rows = holder.prepare("SELECT COUNT(*) FROM conversation").unwrap();
    rows.query_row([], |row| row.get::<_, i64>(0)).unwrap();
    bench.say("main", "after the reader began");
    let held = bench.writer.maintain(Pace::Quiet).unwrap();
    assert_eq!(held.log, LogState::Held);
    assert!(held.wal_bytes > 64 << 20);
    drop(rows);
    drop(holder);
    let cut = bench.writer.maintain(Pace::Quiet).unwrap();
    assert_eq!((cut.log, cut.wal_bytes), (LogState::Truncated, 0));
    assert_eq!(bytes(), 0);
}

#[test]
fn a_small_log_is_left_alone_while_others_write() {
    let mut bench = bench();
    bench.say("main", "one short row");
    let left = bench.writer.maintain(Pace::Busy).unwrap();
    assert_eq!(left.log, LogState::Held);
    assert_eq!(
        bench.writer.maintain(Pace::Quiet).unwrap().log,
        LogState::Carried
    );

    for _ in 0..8 {
        bench.say("main", &"tide table ".repeat(200_000));
    }
    let carried = bench.writer.maintain(Pace::Busy).unwrap();
    assert_eq!(carried.log, LogState::Carried);
}
