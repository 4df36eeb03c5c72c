//! Exact statements and whether a source makes them.

use proptest::prelude::*;

use crate::policy::carry::UNVERIFIED;
use crate::policy::carry::exact::{flag, unfounded};

#[track_caller]
fn check(body: &str, source: &str, want: &[&str]) {
    let found = unfounded(body, &[source]);
    let words: Vec<&str> = found.iter().map(|one| one.words.as_str()).collect();
    assert_eq!(words, want, "{body} / {source}");
}

#[test]
fn technique_s4_names_and_numbers_must_stand_in_the_source() {
    let source = "edit src/parse/date.rs: fn read_date() on port 5433, 2,400 rows at 10:45, v1.2.3, \
        \"call_id\":\"toolu_9fX2\", took 350ms (80%)";
    check(
        "Facts:\n- port 5433, `read_date()`, date.rs, parse/date.rs",
        source,
        &[],
    );
    check(
        "Facts:\n- 2400 rows at 10:45 in v1.2.3, 350 ms, 80 %",
        source,
        &[],
    );
    check("Facts:\n- toolu_9fX2 is the call", source, &[]);
    check("Facts:\n- port 5434", source, &["5434"]);
    check(
        "Facts:\n- write_date in src/parse/time.rs",
        source,
        &["src/parse/time.rs", "write_date"],
    );
    check("Facts:\n- toolu_9fX3", source, &["toolu_9fx3"]);
    let hit = "./src/parse/date.rs:861:pub fn read_date()";
    check("Files:\n- src/parse/date.rs -> read, date.rs too", hit, &[]);
    check("Files:\n- parse/time.rs -> read", hit, &["parse/time.rs"]);
    // A summary counts for itself, and words with a stroke are words.
    check(
        "Done:\n- 3 tests and/or docs, read/write works",
        source,
        &[],
    );
    check("Dropped:\n- details of 77 rows", source, &[]);
    check("事実:\n- ポート 5433", source, &[]);
    check("事実:\n- ポート 5439", source, &["5439"]);
}

#[test]
fn what_a_source_flags_founds_nothing() {
    let source = format!("Facts:\n- the id is 998877 {UNVERIFIED}\n- port 5433\n");
    let found = unfounded("Facts:\n- id 998877\n- port 5433\n- row 12345", &[&source]);
    let told: Vec<(&str, bool)> = found
        .iter()
        .map(|one| (one.words.as_str(), one.was_flagged))
        .collect();
    assert_eq!(told, [("998877", true), ("12345", false)]);
    let again = [source.as_str(), "it printed 998877"];
    assert_eq!(unfounded("Facts:\n- id 998877", &again), []);
}

#[test]
fn a_negation_lost_or_put_in_is_found() {
    let source =
        "The user: do not deploy the billing service on Fridays.\nTests of the parser pass.";
    check(
        "Decisions:\n- do not deploy the billing service on Fridays",
        source,
        &[],
    );
    check(
        "Decisions:\n- deploy the billing service on Fridays",
        source,
        &["a negation left out"],
    );
    check(
        "Done:\n- tests of the parser do not pass",
        source,
        &["a negation put in"],
    );
    check(
        "Decisions:\n- deploy something else on Mondays",
        source,
        &[],
    );
    let portuguese = "Não publique o serviço de cobrança nas sextas.";
    check(
        "Decisões:\n- publique o serviço de cobrança nas sextas",
        portuguese,
        &["a negation left out"],
    );
}

#[test]
fn what_stands_nowhere_is_flagged_and_the_rest_is_not() {
    let body = "Facts:\n- port 5433\n- port 9999\nFiles:\n- z9.rs -> edited";
    let found = unfounded(body, &["port 5433"]);
    let flagged = flag(body, &found);
    assert_eq!(
        flagged,
        format!(
            "Files:\n- z9.rs -> edited {UNVERIFIED}\nFacts:\n- port 5433\n- port 9999 {UNVERIFIED}"
        )
    );
    assert!(
        unfounded(&flagged, &["port 5433"]).is_empty(),
        "a flag is enough"
    );
    assert_eq!(flag(body, &[]), body);
}

#[test]
fn a_run_of_slashes_without_end_and_a_source_of_megabytes_are_read() {
    let run = "a/".repeat(600_000);
    let talk: Vec<String> = (0..60_000)
        .map(|n| format!("Berth {n} is not wide."))
        .collect();
    let body = "Facts:\n- the port is 7443\n- dock b/c.rs is open";
    let found = unfounded(body, &[&run, &talk.join(" "), "port 7443, see a/b/c.rs"]);
    assert_eq!(found, []);
}

proptest! {
    #[test]
    fn a_body_made_of_its_source_states_nothing_new(
        words in prop::collection::vec("[a-z]{3,8}(_[a-z]{2,5})?(\\.rs)?|[0-9]{1,6}|src/[a-z]{3,6}\\.rs", 1..20),
    ) {
        let source = words.join(" ");
        let body = format!("Facts:\n- {source}");
        prop_assert_eq!(unfounded(&body, &[&source]), Vec::new());
    }

    #[test]
    fn a_number_out_of_the_air_is_always_found(number in 1_000_u32..9_999) {
        let source = "twelve rows and no number";
        let body = format!("Facts:\n- rows: {number}");
        prop_assert_eq!(unfounded(&body, &[source]).len(), 1);
    }
}
