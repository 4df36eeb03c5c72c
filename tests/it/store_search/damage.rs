//! A damaged index never answers "nothing".

use hippocamp::store::{CandidateOrder, Look, StoreError};

use super::kit::{Bench, RULES, all, bench, token};

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
