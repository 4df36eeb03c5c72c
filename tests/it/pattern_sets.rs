//! The search language on sets of rows: ranks, shared cases, and random rows on both paths.

use hippocamp::policy::pattern::{self, Match, Matcher, RowText};
use hippocamp::policy::rank::{Stats, score};
use proptest::prelude::*;

use crate::patterns::{Fixture, row};
use crate::shared::shared;

fn matches_of(pattern: &str, texts: &[&str]) -> Vec<Match> {
    let matcher = Matcher::new(&pattern::parse(pattern).unwrap());
    texts
        .iter()
        .filter_map(|text| matcher.matches(&RowText::of(&row(text))))
        .collect()
}

#[test]
fn b124_and_b125_ranks_are_negative_and_the_best_is_most_negative() {
    let long = "many other words stand around one alder in this long text ".repeat(4);
    let texts = [
        "alder alder alder alder and fern",
        &long.replace("one alder", "one")[..],
        "no tree",
    ];
    let found = matches_of("alder", &[texts[0], &long, texts[2]]);
    let stats = Stats::of_matches(3, 15.0, &found);
    assert!(score(&found[0], &stats) < score(&found[1], &stats));
    let same = matches_of("plain", &["plain word"; 3]);
    let stats = Stats::of_matches(3, 2.0, &same);
    assert!(same.iter().all(|found| score(found, &stats) < 0.0));
    assert!(pattern::parse("%plain%").unwrap().is_fuzzy_only());
}

fn json(folder: &std::path::Path, name: &str) -> serde_json::Value {
    let path = folder.join("cases").join(name);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn seed(case: &serde_json::Value) -> Fixture {
    let seed = case["seed"].as_object().unwrap();
    Fixture::new(
        seed.iter()
            .map(|(name, text)| (name.as_str(), text.as_str().unwrap())),
    )
}

fn names(list: &serde_json::Value) -> Vec<String> {
    let list = list.as_array().unwrap();
    list.iter()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn shared_grep_queries_are_answered() {
    let Some(folder) = shared("shared_grep_queries_are_answered") else {
        return;
    };
    let case = json(&folder, "B105_grep_queries.json");
    let fixture = seed(&case);
    let queries = case["queries"].as_array().unwrap();
    assert!(queries.len() > 80);
    for query in queries {
        let pattern = query["pattern"].as_str().unwrap();
        let (must, must_not) = (names(&query["must"]), names(&query["must_not"]));
        match fixture.find(pattern) {
            Ok(found) => {
                assert!(
                    must.iter().all(|name| found.contains(name)),
                    "`{pattern}`: {found:?}"
                );
                assert!(
                    !must_not.iter().any(|name| found.contains(name)),
                    "`{pattern}`: {found:?}"
                );
                if query["kind"] == "nothing to search" {
                    assert!(found.is_empty(), "`{pattern}`: {found:?}");
                }
            }
            Err(error) => {
                assert!(must.is_empty(), "`{pattern}`: {error}");
                assert!(error.hint.is_some(), "`{pattern}`");
            }
        }
    }
}

#[test]
fn shared_language_queries_are_answered() {
    let Some(folder) = shared("shared_language_queries_are_answered") else {
        return;
    };
    let case = json(&folder, "B116_language_queries.json");
    let fixture = seed(&case);
    for pair in case["must_find"].as_array().unwrap() {
        let pattern = pair[0].as_str().unwrap();
        let is_fuzzy = pattern.starts_with('%');
        let forms = [pattern.to_owned(), format!("%{pattern}%")];
        for pattern in forms.iter().take(if is_fuzzy { 1 } else { 2 }) {
            let found = fixture.find(pattern).unwrap();
            for name in names(&pair[1]) {
                assert!(found.contains(&name), "`{pattern}`: {found:?}");
            }
        }
    }
}

#[test]
fn shared_rank_order_holds() {
    let Some(folder) = shared("shared_rank_order_holds") else {
        return;
    };
    let case = json(&folder, "B124_rank_order.json");
    let text = |name: &str| case["seed"][name].as_str().unwrap();
    for query in case["queries"].as_array().unwrap() {
        let order = names(&query["order"]);
        let texts: Vec<&str> = order.iter().map(|name| text(name)).collect();
        let found = matches_of(query["pattern"].as_str().unwrap(), &texts);
        let stats = Stats::of_matches(3, 20.0, &found);
        let scores: Vec<f64> = found.iter().map(|found| score(found, &stats)).collect();
        assert_eq!(scores.len(), order.len());
        assert!(
            scores.windows(2).all(|pair| pair[0] < pair[1]),
            "{scores:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The answer does not depend on the path, with the index that is really used.
    #[test]
    fn index_and_scan_agree(
        texts in prop::collection::vec("(run|running|may|fridays|went|goes|universities|universe|getUser|user|GitHub|github|用户|用|🔥|été|foo_bar|foo|Straße|2026|the|-|\n| ){0,9}", 1..6),
        patterns in prop::collection::vec(
            "(run|runs|may|friday|go|university|universe|getUser|getu|user|github|GitHub|用|用户|🔥|ÉTÉ|foo|bar|strasse|the)[*]?( | OR | AND | NOT |-|)(\"(run|user|git|hub|foo bar|用)( |-)(run|foo|用|github)\"|%(run|us|e foo|用)%|foo|hub)",
            1..12,
        ),
    ) {
        let fixture = Fixture::new(texts.iter().map(|text| ("", text.as_str())));
        for pattern in &patterns {
            if let Ok(read) = pattern::parse(pattern) {
                for read in std::iter::once(&read).chain(read.relaxed().as_ref()) {
                    fixture.find_read(pattern, read);
                }
            }
        }
    }
}
