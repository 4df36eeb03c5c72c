//! Times: how they are read and printed, and which of them lie in a range.

use proptest::prelude::*;

use hippocamp::domain::{TimeRange, Timestamp};

use super::read_case;

fn time(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

proptest! {
    #[test]
    fn a_printed_time_is_read_as_the_same_moment(millis in -62_135_596_800_000_i64..253_402_300_800_000) {
        let moment = Timestamp::from_millis(millis);
        prop_assert_eq!(moment.millis(), millis);
        prop_assert_eq!(Timestamp::parse(&moment.to_string()), Ok(moment));
        prop_assert!(moment.to_string().ends_with('Z'));
    }

    #[test]
    fn any_moment_can_be_printed(millis: i64, later: i64) {
        let moment = Timestamp::from_millis(millis);
        prop_assert!(!moment.to_string().is_empty());
        prop_assert!(!moment.plus_millis(later).to_string().is_empty());
    }

    #[test]
    fn an_offset_moves_the_moment_and_not_the_clock_face(
        day in 1_i64..29, hour in 0_i64..24, minute in 0_i64..60, milli in 0_i64..1000,
        offset in -1_080_i64..1_080,
    ) {
        let face = format!("2026-02-{day:02}T{hour:02}:{minute:02}:07.{milli:03}");
        let sign = if offset < 0 { '-' } else { '+' };
        let away = offset.abs();
        let text = format!("{face}{sign}{:02}:{:02}", away / 60, away % 60);
        let utc = time(&format!("{face}Z"));
        prop_assert_eq!(time(&text), utc.plus_millis(-offset * 60_000));
        prop_assert_eq!(time(&face), utc, "without an offset it is UTC");
    }

    #[test]
    fn no_text_stops_the_reader_of_times(text in "\\PC{0,30}|[0-9]{1,5}-[0-9]{1,3}-[0-9]{1,3}(T[0-9:.+Z-]{0,16})?") {
        if let Err(error) = Timestamp::parse(&text) {
            let words = error.to_string();
            prop_assert!(words.contains(&text) && words.contains("2026-01-02T03:04:05Z"));
        }
    }

    #[test]
    fn a_range_meets_a_stretch_if_it_holds_one_of_its_moments(
        since in proptest::option::of(0_i64..12), before in proptest::option::of(0_i64..12),
        from in 0_i64..12, length in 0_i64..6,
    ) {
        let moment = Timestamp::from_millis;
        let range = TimeRange { since: since.map(moment), before: before.map(moment) };
        let is_inside = |at: i64| since.is_none_or(|s| s <= at) && before.is_none_or(|b| at < b);
        prop_assert_eq!(range.contains(Some(moment(from))), is_inside(from));
        let meets = range.overlaps(Some(moment(from)), Some(moment(from + length)));
        prop_assert_eq!(meets, (from..=from + length).any(is_inside));
    }
}

#[test]
fn texts_that_are_no_time_are_refused_with_the_right_form() {
    for text in [
        "",
        "yesterday",
        "2026-13-40T00:00:00Z",
        "2026-02-30",
        "2026-01-02T25:00:00Z",
        "2026-01-02T00:00:00+99:00",
        "20260102",
        "1767312000",
        "2026-01-02Z",
        "2026-1-2T",
    ] {
        let error = Timestamp::parse(text).unwrap_err().to_string();
        assert!(error.contains("2026-01-02T03:04:05Z"), "{text:?}: {error}");
    }
}

#[test]
fn times_are_compared_as_instants() {
    assert!(time("2026-01-02T08:59:59+09:00") < time("2026-01-02T00:00:00Z"));
    assert_eq!(time("2026-01-02"), time("2026-01-02T09:00:00+09:00"));
    assert_eq!(
        time("2026-01-02T03:04:05.678Z").to_string(),
        "2026-01-02T03:04:05.678Z"
    );
    assert_eq!(
        time("2026-01-02 03:04:05").to_string(),
        "2026-01-02T03:04:05.000Z"
    );
    assert_eq!(
        time("2026-01-02T03:04").to_string(),
        "2026-01-02T03:04:00.000Z"
    );
}

#[test]
fn time_filters_hold_what_the_case_asks() {
    let Some(case) = read_case(
        "time_filters_hold_what_the_case_asks",
        "B049_time_filters.json",
    ) else {
        return;
    };
    let rows: Vec<(&str, Timestamp)> = case["seed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["id"].as_str().unwrap(),
                time(row["at"].as_str().unwrap()),
            )
        })
        .collect();
    let queries = case["queries"].as_array().unwrap();
    assert!(rows.len() >= 5 && queries.len() >= 7);
    for query in queries {
        let parsed = |field: &str| query[field].as_str().map(Timestamp::parse).transpose();
        match (parsed("since"), parsed("before")) {
            (Ok(since), Ok(before)) => {
                let range = TimeRange { since, before };
                let inside = |at: Timestamp| range.contains(Some(at));
                let found: Vec<&str> = rows
                    .iter()
                    .filter(|row| inside(row.1))
                    .map(|row| row.0)
                    .collect();
                assert_eq!(query["want"], serde_json::json!(found), "{query}");
            }
            _ => assert_eq!(query["want"], "error", "{query}"),
        }
    }
}

#[test]
fn an_unknown_time_lies_only_in_the_open_range() {
    assert!(TimeRange::default().contains(None));
    let asks = TimeRange {
        since: Some(time("2026-01-02")),
        before: None,
    };
    assert!(!asks.contains(None));
}
