//! A damaged index never answers "nothing", and a damaged row is named.

use hippocamp::domain::{Answers, ItemId};
use hippocamp::store::{CandidateOrder, Look, StoreError};

use super::kit::{Bench, RULES, all, bench, message, token};

fn indexed() -> Bench {
    let mut bench = bench();
    for n in 0..20 {
        bench.say("main", &format!("yew number{n}"));
    }
    bench.index();
    bench
}

// B113
#[test]
fn a_damaged_index_is_an_error_and_the_rows_can_still_be_scanned_and_reindexed() {
    let damages = [
        "DROP TABLE search_index_data",
        "DROP TABLE search_index_docsize",
        "DROP TABLE search_index_idx",
        "DROP TABLE search_index",
        "DELETE FROM search_index_data",
        "DELETE FROM search_index_data WHERE id > 10",
        "DELETE FROM search_index_data WHERE id = 1",
        "DELETE FROM search_index_data WHERE id = 10",
        "UPDATE search_index_data SET block = zeroblob(length(block)) WHERE id > 10",
        "INSERT INTO search_index (search_index) VALUES ('delete-all')",
        "DELETE FROM search_index WHERE rowid = 7",
        "DELETE FROM index_state",
    ];
    let mut refused = 0;
    for sql in damages {
        let bench = indexed();
        bench.damage("PRAGMA writable_schema = 1");
        bench.damage(sql);
        let reader = bench.store.reader().unwrap();
        for order in [CandidateOrder::Rank, CandidateOrder::Newest] {
            let found = reader.search(&token("yew"), &all(), &Look::default(), 50, order);
            match found {
                // Some damage does not touch what this order reads.
                Ok(found) => assert_eq!((found.total, found.candidates.len()), (20, 20), "{sql}"),
                Err(StoreError::Corrupt { .. }) => refused += 1,
                Err(other) => panic!("{sql}: {other:?}"),
            }
        }
        if sql != "DELETE FROM index_state" {
            assert_eq!(bench.scan(&all(), None).len(), 20, "{sql}");
        }
    }
    assert!(refused >= 20, "{refused}");
}

// B161
#[test]
fn a_damaged_index_is_emptied_and_made_anew_while_rows_are_written() {
    let mut bench = indexed();
    bench.damage("DELETE FROM search_index WHERE rowid IN (3, 4)");
    let before = bench.reader.last_id().unwrap();
    bench.writer.reset_index(RULES).unwrap();
    bench.say("main", "yew while it is made anew");
    bench.index();
    assert_eq!(bench.find("yew", &all()).len(), 21);
    assert_eq!(bench.reader.last_id().unwrap(), before + 1);
    crate::doctor::sound(&bench);
}

#[test]
fn a_row_that_is_in_the_index_above_the_mark_is_not_indexed_twice() {
    let mut bench = indexed();
    bench.damage("UPDATE index_state SET mark = 10, n_rows = 10; UPDATE time_run SET last_id = 10");
    bench.index();
    assert_eq!(bench.find("yew", &all()).len(), 20);
    assert_eq!(bench.reader.index_totals().unwrap().rows, 20);
    crate::doctor::sound(&bench);
}

#[test]
fn a_row_that_was_damaged_when_it_was_indexed_is_proposed_to_every_question() {
    let mut bench = bench();
    let [first, second] = ["red yew", "red oak"].map(|text| bench.say("main", text));
    let triggers = "DROP TRIGGER part_no_update; PRAGMA ignore_check_constraints = 1;";
    bench.damage(&format!(
        "{triggers} UPDATE part SET kind = 'tfxt' WHERE message_id = {second}"
    ));
    bench.index();
    let ids = |bench: &Bench, word: &str| -> Vec<ItemId> {
        let look = Look::default();
        let order = CandidateOrder::Rank;
        let found = bench.reader.search(&token(word), &all(), &look, 50, order);
        let found = found.unwrap().candidates;
        found.iter().map(|candidate| candidate.id).collect()
    };
    assert_eq!(ids(&bench, "yew"), [message(second), message(first)]);
    assert_eq!(ids(&bench, "ash"), [message(second)]);
    let load = |bench: &Bench| {
        let ids = [message(first), message(second)];
        bench.reader.search_rows(&ids, Answers::Unnamed).unwrap()
    };
    let loaded = load(&bench);
    assert_eq!(
        (loaded.rows.len(), loaded.damaged),
        (1, vec![message(second)])
    );
    let visit = &mut |_| std::ops::ControlFlow::Continue(());
    let passed = bench.reader.scan(&all(), &Look::default(), None, visit);
    assert_eq!(passed.unwrap(), [message(second)]);
    // Whoever mends the row finds it by its words, though the index was not made anew.
    bench.damage(&format!(
        "UPDATE part SET kind = 'text' WHERE message_id = {second}"
    ));
    assert_eq!(ids(&bench, "oak"), [message(second)]);
    assert_eq!(load(&bench).rows.len(), 2);
}
