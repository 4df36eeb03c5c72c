//! Salience, rule by rule.

use proptest::prelude::*;

use super::shape::{Shape, kind, read};
use super::*;

fn units<'t>(said: &[&'t str]) -> Vec<Unit<'t>> {
    let messages = said.iter().enumerate();
    messages
        .map(|(message_idx, text)| Unit {
            role: Role::User,
            text,
            message_idx,
            n_said: 1,
            source: Source::Said,
        })
        .collect()
}

/// Returns what stands of each sentence, in the order in which they were said.
fn standings(units: &[Unit<'_>]) -> Vec<Standing> {
    let mut ranked = order(units);
    ranked.sort_by_key(|ranked| ranked.unit_idx);
    ranked.into_iter().map(|ranked| ranked.standing).collect()
}

#[track_caller]
fn check_update(older: &str, newer: &str, expected: Standing) {
    let said = [older, "The weather was fine on the whole.", newer];
    let found = standings(&units(&said));
    assert_eq!(found.first(), Some(&expected), "{older} | {newer}");
}

#[test]
fn a_new_value_of_the_same_thing_replaces_the_old_one_however_it_is_worded() {
    let replaced = Standing::Replaced;
    check_update("The port is 8080.", "The port is 9090.", replaced);
    check_update(
        "The ferry office answers on 5512.",
        "Ferry office number: 7731.",
        replaced,
    );
    check_update(
        "Die Fähre geht um 10:30.",
        "Um 11:45 geht die Fähre.",
        replaced,
    );
    check_update(
        "O aluguel do barco custa €300.",
        "Agora o aluguel do barco é €410.",
        replaced,
    );
    check_update(
        "Bug reports go to Marta Ilves.",
        "From Friday bug reports go to Peder.",
        replaced,
    );
    check_update(
        "We build from a83b0c1 for now.",
        "The build is from 9920041 now.",
        replaced,
    );
}

#[test]
fn other_things_keep_their_values() {
    let current = Standing::Current;
    check_update(
        "The staging port is 8080.",
        "The production port is 9090.",
        current,
    );
    check_update(
        "The staging server listens on port 8080.",
        "The production server listens on port 9090.",
        current,
    );
    check_update("The port is 8080.", "The deadline is 2027-01-02.", current);
    check_update(
        "Case AB-12 is open.",
        "Case file ABC-1234 is open.",
        current,
    );
    check_update(
        "Anna Berg lives at number 12.",
        "Carl Holm lives at number 19.",
        current,
    );
    check_update("The port is 8080.", "The port is 8080, still.", current);
}

#[test]
fn demands_without_a_value_are_at_most_doubted() {
    check_update(
        "No sesame near the bread counter, ever.",
        "No peanuts near the bread counter, ever.",
        Standing::Doubtful,
    );
    check_update(
        "Never push to main.",
        "Never merge to release.",
        Standing::Current,
    );
}

#[test]
fn one_message_takes_nothing_back_that_it_says_itself() {
    let mut said = units(&["The port is 8080.", "The port is 9090."]);
    for unit in &mut said {
        unit.message_idx = 0;
    }
    assert_eq!(standings(&said), [Standing::Current; 2]);
}

#[test]
fn an_agent_does_not_overrule_a_user_and_a_tool_nobody() {
    let mut said = units(&["The port is 8080.", "The port is 9090."]);
    if let Some(newer) = said.last_mut() {
        newer.role = Role::Assistant;
    }
    assert_eq!(standings(&said), [Standing::Doubtful, Standing::New]);
    if let Some(newer) = said.last_mut() {
        newer.role = Role::Tool;
    }
    assert_eq!(standings(&said), [Standing::Current; 2]);
}

#[test]
fn what_an_agent_says_again_and_again_is_habit() {
    let mut said = units(&["All right, I have it."]);
    if let Some(unit) = said.first_mut() {
        unit.role = Role::Assistant;
        unit.n_said = 3;
    }
    assert_eq!(standings(&said), [Standing::Habit]);
}

#[test]
fn demands_and_exact_things_come_before_chatter() {
    let said = [
        "I walked along the pier again this morning.",
        "The permit has number KX-4471.",
        "Never let the dog into the kitchen.",
        "People talked about the pier for a while.",
    ];
    let order: Vec<usize> = order(&units(&said)).iter().map(|r| r.unit_idx).collect();
    let place = |unit_idx: usize| order.iter().position(|at| *at == unit_idx);
    assert!(place(1) < place(0) && place(1) < place(3), "{order:?}");
    assert!(place(2) < place(0) && place(2) < place(3), "{order:?}");
}

#[track_caller]
fn check_shape(word: &str, expected: Option<Shape>) {
    assert_eq!(read(word), expected, "{word}");
}

#[test]
fn shapes_are_read_from_the_form() {
    check_shape("$815", Some(Shape::Money));
    check_shape("300€", Some(Shape::Money));
    check_shape("2027-01-02", Some(Shape::Date));
    check_shape("02.01.2027", Some(Shape::Date));
    check_shape("10:30", Some(Shape::Clock));
    check_shape("v1.2", Some(Shape::Version));
    check_shape("1.26.4", Some(Shape::Version));
    check_shape("8080", Some(Shape::Number));
    check_shape("30s", Some(Shape::Number));
    check_shape("a83b0c1", Some(Shape::Hash));
    check_shape("https://a.example/x", Some(Shape::Address));
    check_shape("src/main.rs", Some(Shape::Path));
    check_shape("parse_v2", Some(Shape::Code));
    check_shape("getUser", Some(Shape::Code));
    check_shape("main.rs", Some(Shape::Code));
    check_shape("TypeScript", Some(Shape::Name));
    check_shape("NASA", Some(Shape::Name));
    check_shape("harbour", None);
    check_shape("Harbour", None);
    check_shape("", None);
}

#[test]
fn codes_of_one_kind_are_built_alike() {
    let code = |word: &str| kind(word, Shape::Code);
    assert_eq!(code("AB-12"), code("CD-34"));
    assert_eq!(code("eu-south-4"), code("us-west-1"));
    assert_ne!(code("AB-12"), code("ABC-1234"));
    assert_eq!(kind("9920041", Shape::Number), kind("a83b0c1", Shape::Hash));
}

fn talk() -> impl Strategy<Value = Vec<String>> {
    let text = prop_oneof![
        "[A-Z][a-z]{1,6}( [a-z]{1,6}| [A-Z]{2}-[0-9]{2}| [0-9]{2,4}){1,8}[.!?]",
        "\\PC{0,30}",
        "(不要|港口|8080|です){1,8}",
    ];
    prop::collection::vec(text, 0..24)
}

proptest! {
    #[test]
    fn every_sentence_has_one_place_and_the_replaced_come_last(said in talk()) {
        let texts: Vec<&str> = said.iter().map(String::as_str).collect();
        let ranked = order(&units(&texts));
        let mut places: Vec<usize> = ranked.iter().map(|ranked| ranked.unit_idx).collect();
        places.sort_unstable();
        prop_assert!(places.into_iter().eq(0..said.len()));
        prop_assert!(ranked.is_sorted_by_key(|ranked| !ranked.standing.is_shown()));
        // The newest word on a thing always stands.
        let newest = ranked.iter().find(|ranked| ranked.unit_idx + 1 == said.len());
        prop_assert!(newest.is_none_or(|newest| newest.standing.is_shown()));
    }
}
