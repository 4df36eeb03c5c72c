//! Squeezing, case by case and as properties.

use proptest::prelude::*;

use super::*;

fn talk(said: &[(&str, &str)]) -> Vec<Spoken> {
    let said = said.iter();
    said.map(|(role, content)| Spoken::new(*role, *content))
        .collect()
}

fn size(messages: &[Spoken]) -> usize {
    messages.iter().map(Spoken::size).sum()
}

fn harbour() -> Vec<Spoken> {
    talk(&[
        ("user", "The lighthouse looked fine again today."),
        ("assistant", "All right."),
        ("user", "Never moor a ferry at berth B17 after dusk."),
        ("assistant", "All right."),
        ("user", "The permit has number KXQ-4471."),
        ("assistant", "All right."),
        ("user", "It rained all night long."),
        ("assistant", "All right."),
        ("user", "They reissued the permit as ZRT-9002."),
        ("assistant", "All right."),
    ])
}

#[test]
fn a_talk_that_fits_is_returned_as_it_is() {
    let talk = harbour();
    assert_eq!(squeeze(&talk, size(&talk)), talk);
    assert_eq!(squeeze(&[], 0), []);
}

#[test]
fn facts_stay_and_stale_values_and_habits_go() {
    let kept = squeeze(&harbour(), 110);
    assert_eq!(
        kept,
        talk(&[(
            "user",
            "Never moor a ferry at berth B17 after dusk.\nThey reissued the permit as ZRT-9002."
        )])
    );
}

#[test]
fn a_later_round_keeps_the_role_of_the_message_and_of_its_lines() {
    let text = "[user] Never moor a ferry at berth B17 after dusk.\nIt rained.\n[assistant] The \
                tide table is saved as tides/may.md.\nThere was much to see there all day long.";
    let earlier = talk(&[("system", text)]);
    let kept = squeeze(&earlier, 120);
    let expected = "[user] Never moor a ferry at berth B17 after dusk.\n[assistant] The tide \
                    table is saved as tides/may.md.";
    assert_eq!(kept, talk(&[("system", expected)]));
    assert_eq!(squeeze(&kept, 120), kept);
}

#[test]
fn roles_put_into_brackets_twice_are_read_once() {
    let twice = talk(&[(
        "system",
        "[system] [user] Keep B17 free.\nIt rained a lot there.",
    )]);
    let kept = squeeze(&twice, 50);
    assert_eq!(kept, talk(&[("system", "[user] Keep B17 free.")]));
}

#[test]
fn what_a_user_and_an_agent_both_say_is_said_once_by_the_user() {
    let both = talk(&[
        ("user", "The permit has number KXQ-4471."),
        ("assistant", "The permit has number KXQ-4471."),
        ("user", "It rained all night long and a bit in the morning."),
    ]);
    let expected = talk(&[("user", "The permit has number KXQ-4471.")]);
    assert_eq!(squeeze(&both, 60), expected);
}

#[test]
fn where_no_line_fits_the_best_is_shortened_with_a_mark() {
    let kept = squeeze(&harbour(), 30);
    let line = kept.first().map(|only| only.content.as_str());
    assert!(
        line.is_some_and(|line| line.ends_with('…') && line.len() > 8),
        "{kept:?}"
    );
    assert_eq!(squeeze(&harbour(), 7), []);
    assert_eq!(squeeze(&harbour(), 0), []);
}

#[test]
fn roles_unknown_here_are_kept() {
    let strange = talk(&[
        ("oracle", "The tide turns at 10:30."),
        ("oracle", "Hm, well."),
    ]);
    let expected = talk(&[("oracle", "The tide turns at 10:30.")]);
    assert_eq!(squeeze(&strange, 40), expected);
}

fn any_talk() -> impl Strategy<Value = Vec<Spoken>> {
    let text = prop_oneof![
        4 => "([A-Z][a-z]{1,9}( [a-z0-9_]{1,9}){1,9}[.!?] ?){1,8}",
        2 => "(\\PC{0,40}\n){0,6}",
        1 => "(不要|界|修复。|かな|👩‍👩‍👧|never ){1,60}",
        1 => "(\\[user\\] |\\[tool\\] |[a-z]{1,9} |\n){0,20}",
        1 => "[a-zA-Z0-9+/]{1,1200}",
    ];
    let role = prop_oneof!["user", "assistant", "tool", "system", "oracle"];
    prop::collection::vec((role, text), 0..12).prop_map(|said| {
        said.into_iter()
            .map(|(role, text)| Spoken::new(role, text))
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn the_budget_holds_and_nothing_is_made_up(talk in any_talk(), budget in 0..1500_usize) {
        let kept = squeeze(&talk, budget);
        prop_assert!(size(&kept) <= budget, "{} of {budget}", size(&kept));
        prop_assert_eq!(&kept, &squeeze(&talk, budget));
        prop_assert_eq!(&kept, &squeeze(&kept, budget));
        if size(&talk) <= budget {
            prop_assert_eq!(&kept, &talk);
            return Ok(());
        }
        for line in kept.iter().flat_map(|spoken| spoken.content.lines()) {
            let line = line.trim_end_matches('…').trim_end();
            let bare = line.split_once("] ").map_or(line, |(_, bare)| bare);
            let is_said = talk.iter().any(|spoken| spoken.content.contains(bare));
            prop_assert!(is_said, "{line}");
        }
        let outer = talk.first().filter(|_| talk.len() == 1).map(|only| &only.role);
        if let Some(outer) = outer {
            prop_assert!(kept.len() < 2 && kept.iter().all(|spoken| &spoken.role == outer));
        }
    }

    #[test]
    fn the_newest_value_stays_and_the_old_ones_go(
        values in prop::collection::btree_set(1000..9999_u32, 2..5),
        filler in prop::collection::vec("[a-z]{3,8}( [a-z]{3,8}){5,9}\\.", 8..16),
    ) {
        let mut talk = Vec::new();
        let mut values: Vec<u32> = values.into_iter().collect();
        values.rotate_left(1);
        let every = filler.len().div_ceil(values.len());
        for (at, chat) in filler.iter().enumerate() {
            talk.push(Spoken::new("user", chat.clone()));
            if let (0, Some(value)) = (at % every, values.get(at / every)) {
                talk.push(Spoken::new("user", format!("The ferry permit is {value}.")));
            }
        }
        let said: Vec<u32> = values.iter().copied().take(filler.len().div_ceil(every)).collect();
        let kept = squeeze(&talk, size(&talk) / 3);
        let text: Vec<&str> = kept.iter().map(|spoken| spoken.content.as_str()).collect();
        let text = text.join("\n");
        for (at, value) in said.iter().enumerate() {
            let is_newest = at + 1 == said.len();
            prop_assert_eq!(text.contains(&format!("is {value}.")), is_newest, "{}", text);
        }
    }
}
