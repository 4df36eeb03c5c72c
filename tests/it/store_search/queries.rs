//! What is handed to MATCH is quoted, weighed and never refused by the database.

use hippocamp::domain::{IndexQuery, NewMessage};
use hippocamp::store::{CANDIDATES_AT_MOST, CandidateOrder, Look};

use super::kit::{Bench, all, bench, ids, number, token};

fn phrase(text: &str) -> IndexQuery {
    IndexQuery::Phrase(text.split(' ').map(str::to_owned).collect())
}

#[track_caller]
fn check_found(bench: &Bench, query: &IndexQuery, want: &[i64]) {
    let found = bench.search(query, &all(), 99);
    assert_eq!(ids(&found), want, "{query:?}");
}

#[test]
fn conditions_mean_what_they_say() {
    let mut bench = bench();
    let one = bench.say("main", "red oak tree");
    let two = bench.say("main", "oak red bush");
    let three = bench.say("main", "redwood 木");
    bench.index();
    check_found(&bench, &token("oak"), &[one, two]);
    check_found(&bench, &token("木"), &[three]);
    check_found(&bench, &phrase("red oak"), &[one]);
    check_found(
        &bench,
        &IndexQuery::Prefix(vec!["red".to_owned()]),
        &[one, two, three],
    );
    check_found(
        &bench,
        &IndexQuery::Prefix(vec!["oak".to_owned(), "r".to_owned()]),
        &[two],
    );
    check_found(
        &bench,
        &IndexQuery::And(vec![token("red"), token("tree")]),
        &[one],
    );
    check_found(
        &bench,
        &IndexQuery::Or(vec![token("tree"), token("bush")]),
        &[one, two],
    );
    check_found(&bench, &IndexQuery::Everything, &[one, two, three]);
    let both = IndexQuery::And(vec![token("tree"), IndexQuery::Everything]);
    check_found(&bench, &both, &[one]);
    let any = IndexQuery::Or(vec![token("tree"), IndexQuery::Everything]);
    check_found(&bench, &any, &[one, two, three]);
    let nested = IndexQuery::And(vec![
        token("red"),
        IndexQuery::Or(vec![token("bush"), phrase("oak tree")]),
    ]);
    check_found(&bench, &nested, &[one, two]);
}

#[test]
fn no_text_is_read_as_syntax_and_no_size_is_refused() {
    let mut bench = bench();
    let row = bench.say("main", "alpha AND beta NOT gamma near");
    bench.index();
    let hostile = [
        "",
        " ",
        "\"",
        "\"\"",
        "*",
        "alpha*",
        "a\"b",
        "alpha\" OR \"beta",
        "NEAR(alpha beta)",
        "tokens:alpha",
        "^alpha",
        "-",
        "+",
        "\0",
        "alpha\0beta",
        "(",
        ")",
        "AND",
        "OR",
        "NOT",
        "\u{202e}",
        "\u{10fffd}summary",
        "\u{10fffd}",
        "💥",
        "' OR 1=1; --",
    ];
    for text in hostile {
        for query in [
            token(text),
            phrase(text),
            IndexQuery::Prefix(vec![text.to_owned()]),
            IndexQuery::And(vec![token(text), token("alpha")]),
            IndexQuery::Or(vec![token(text), token("alpha")]),
        ] {
            for order in [CandidateOrder::Rank, CandidateOrder::Newest] {
                let found = bench
                    .reader
                    .search(&query, &all(), &Look::default(), 9, order);
                assert!(found.unwrap().total <= 1, "{query:?}");
            }
        }
        bench.reader.document_frequency(&[text.to_owned()]).unwrap();
    }
    assert_eq!(bench.find("and", &all()), [row]);
    assert_eq!(
        bench.find("alpha\" OR \"absent", &all()),
        [0_i64; 0],
        "three tokens in a row"
    );

    let mut deep = token("alpha");
    for level in 0..2_000 {
        deep = if level % 2 == 0 {
            IndexQuery::And(vec![deep, token("beta")])
        } else {
            IndexQuery::Or(vec![deep, token("gamma")])
        };
    }
    assert_eq!(ids(&bench.search(&deep, &all(), 9)), [row]);
    let wide: Vec<IndexQuery> = (0..20_000).map(|n| token(&format!("x{n}"))).collect();
    let or = IndexQuery::Or(wide.iter().cloned().chain([token("alpha")]).collect());
    assert_eq!(ids(&bench.search(&or, &all(), 9)), [row]);
    let and = IndexQuery::And(wide);
    assert_eq!(bench.search(&and, &all(), 9).total, 0);
}

#[test]
fn an_old_rare_row_is_not_hidden_by_a_common_word_beside_it() {
    let mut bench = bench();
    let rare = bench.say("main", "juniper");
    let rows = (0..CANDIDATES_AT_MOST + 200).map(|_| NewMessage::user("the"));
    let rows: Vec<_> = rows.collect();
    bench.append("main", rows);
    bench.index();
    let some = IndexQuery::Or(vec![token("the"), token("juniper")]);
    let found = bench.search(&some, &all(), 1);
    assert_eq!(ids(&found), [rare], "the rare word weighs more");
    assert!(found.total_capped);
    assert!(found.candidates[0].bm25 < 0.0);

    let newest = bench.reader.search(
        &token("the"),
        &all(),
        &Look::default(),
        3,
        CandidateOrder::Newest,
    );
    let newest: Vec<i64> = newest
        .unwrap()
        .candidates
        .iter()
        .map(|c| number(c.id))
        .collect();
    let last = bench.reader.last_id().unwrap();
    assert_eq!(newest, [last, last - 1, last - 2]);

    let words = ["the", "juniper", "absent"].map(str::to_owned);
    let frequency = bench.reader.document_frequency(&words).unwrap();
    let all_but_one = CANDIDATES_AT_MOST as u64 + 200;
    assert!(frequency[0].abs_diff(all_but_one) <= 1, "{frequency:?}");
    assert_eq!(frequency[1..], [1, 0]);
    let totals = bench.reader.index_totals().unwrap();
    assert_eq!(totals.rows, CANDIDATES_AT_MOST as u64 + 201);
    assert_eq!(totals.tokens, totals.rows);
}

#[test]
fn the_frequency_of_a_very_common_word_is_estimated_closely() {
    let mut bench = bench();
    for _ in 0..6 {
        let rows = (0..2_000)
            .map(|n| NewMessage::user(if n % 2 == 0 { "the" } else { "other" }))
            .collect();
        bench.append("main", rows);
    }
    bench.index();
    let frequency = bench
        .reader
        .document_frequency(&["the".to_owned()])
        .unwrap();
    assert!((5_900..=6_100).contains(&frequency[0]), "{frequency:?}");
}

#[test]
fn the_best_come_first_and_each_kind_has_its_own_limit() {
    let mut bench = bench();
    let strong = bench.say("main", "spruce spruce spruce");
    let filler = "of which much else is said here and there and more than that";
    let weak = bench.say("main", &format!("spruce {filler} {filler} {filler}"));
    let main = bench.conversation("main");
    let summary = bench.leaf(main, 1, 2, "spruce summary");
    bench.say("main", "unrelated");
    bench.index();
    let order = |limit| -> Vec<i64> {
        let found = bench.search(&token("spruce"), &all(), limit);
        found.candidates.iter().map(|c| number(c.id)).collect()
    };
    let all_three = order(9);
    let place = |id| all_three.iter().position(|found| *found == id).unwrap();
    assert!(place(strong) < place(weak), "{all_three:?}");
    let one_each = order(1);
    assert_eq!(one_each.len(), 2);
    assert!(one_each.contains(&strong) && one_each.contains(&summary));
}

#[test]
fn a_word_is_never_taken_for_the_role_that_the_index_keeps_beside_it() {
    let mut bench = bench();
    bench.say("main", "of somebody");
    let user = bench.say("main", "the user said summary");
    let main = bench.conversation("main");
    bench.leaf(main, 1, 1, "short");
    bench.index();
    assert_eq!(bench.find("user", &all()), [user]);
    assert_eq!(bench.find("summary", &all()), [user]);
    let marked = bench.say("main", "\u{10fffd}summary \u{10fffd}user");
    bench.index();
    assert_eq!(bench.find("short", &all()).len(), 1);
    let everything = bench.find("\u{10fffd}user", &all());
    assert!(everything.contains(&marked), "left to the matcher");
}
