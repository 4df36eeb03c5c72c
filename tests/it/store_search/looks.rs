//! A look at rows without their texts acts before any limit.

use hippocamp::domain::{NewMessage, SearchRow};
use hippocamp::store::{CANDIDATES_AT_MOST, CandidateOrder, Look};

use super::kit::{all, bench, ids, number, token};

#[test]
fn a_look_acts_before_the_limit_and_no_text_is_read_of_what_it_refuses() {
    let mut bench = bench();
    let rows = (0..=CANDIDATES_AT_MOST).map(|n| {
        let mut row = NewMessage::assistant("poplar");
        row.model = (n == 3).then(|| "other".to_owned());
        row
    });
    let stored = bench.append("main", rows.collect());
    let elsewhere = bench.append("elsewhere", vec![NewMessage::user("poplar")]);
    bench.index();
    // What is no text cannot be read.
    bench.damage(&format!(
        "DROP TRIGGER part_no_update;
         UPDATE part SET body = x'ff' WHERE message_id NOT IN ({}, {});",
        stored[3], elsewhere[0]
    ));
    let is_by_other = |row: &SearchRow| row.model.is_some();
    let within = [bench.conversation("elsewhere")].into();
    for (look, want) in [
        (
            Look {
                holds: Some(&is_by_other),
                ..Look::default()
            },
            stored[3],
        ),
        (
            Look {
                within: Some(&within),
                ..Look::default()
            },
            elsewhere[0],
        ),
    ] {
        for order in [CandidateOrder::Rank, CandidateOrder::Newest] {
            let found = bench
                .reader
                .search(&token("poplar"), &all(), &look, 5, order);
            let found = found.unwrap();
            assert_eq!(ids(&found), [want]);
            assert_eq!((found.total, found.total_capped), (1, false));
        }
        let mut seen = Vec::new();
        let visit = &mut |row: SearchRow| {
            seen.push(number(row.id));
            std::ops::ControlFlow::Continue(())
        };
        bench.reader.scan(&all(), &look, None, visit).unwrap();
        assert_eq!(seen, [want]);
    }
}
