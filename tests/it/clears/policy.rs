//! The rule of rung 2, case by case.

use hippocamp::domain::{NewMessage, Part, Role, Tokens};
use hippocamp::policy::assemble::pressure;
use hippocamp::policy::clear::Room;
use hippocamp::policy::limits::Limits;

use super::kit::*;

/// Says which results a talk loses at a budget, by the places of their rows.
#[track_caller]
fn check_clears(messages: &[NewMessage], limits: &Limits, budget: u64, want: &[u64]) {
    let world = made(messages);
    let plan = plan(&world, limits, budget);
    let found: Vec<u64> = which(&world, plan.as_ref())
        .into_iter()
        .map(|(seq, _)| seq)
        .collect();
    assert_eq!(found, want, "{:?}", pressure(&world.frontier));
}

/// Pressure of a talk and nothing else.
fn held(messages: &[NewMessage]) -> u64 {
    pressure(&made(messages).frontier).get()
}

#[test]
fn technique_t1_a_clear_waits_until_pressure_is_past_sixty_percent_of_the_budget() {
    let talk = reads(6, 2_000);
    // 60 percent of the greater budget is exactly what the talk holds, or one token more.
    let held = held(&talk);
    let at = held * 5 / 3;
    let limits = Limits::default();
    let over = (at..2 * at)
        .find(|budget| Tokens::new(*budget).percent(60).get() >= held)
        .unwrap();
    check_clears(&talk, &limits, over, &[]);
    check_clears(&talk, &limits, over + 2, &[]);
    check_clears(&talk, &limits, over - 2, &[3, 5, 7]);
}

#[test]
fn technique_c4_the_newest_three_results_stay() {
    let limits = Limits::default();
    check_clears(&reads(3, 9_000), &limits, 10_000, &[]);
    check_clears(&reads(4, 9_000), &limits, 10_000, &[3]);
    check_clears(&reads(8, 2_000), &limits, 10_000, &[3, 5, 7, 9, 11]);
}

#[test]
fn what_the_model_has_not_read_stays_and_is_none_of_the_three() {
    let limits = Limits::default();
    // The newest message of the model is the call of the sixth read: its result is not read yet.
    let mut talk = reads(6, 3_000);
    talk.pop();
    check_clears(&talk, &limits, 10_000, &[3, 5]);
    // With no message of the model nothing has been read.
    let unread: Vec<NewMessage> = (0..6)
        .map(|index| NewMessage::tool_result(format!("x{index}"), body(index, 3_000)))
        .collect();
    check_clears(&unread, &limits, 10_000, &[]);
}

#[test]
fn results_of_one_message_are_counted_one_by_one() {
    let ids = ["a", "b", "c", "d", "e"];
    let calls = ids.iter().map(|id| Part::ToolUse {
        call_id: (*id).into(),
        name: "Read".into(),
        arguments: "{}".into(),
    });
    let results = ids.iter().zip(0..).map(|(id, index)| Part::ToolResult {
        call_id: (*id).into(),
        content: body(index, 3_000),
        is_error: false,
    });
    let talk = [
        NewMessage::user("Read five files."),
        NewMessage::new(Role::Assistant, calls.collect()),
        NewMessage::new(Role::User, results.collect()),
        NewMessage::assistant("Done."),
    ];
    let world = made(&talk);
    let plan = plan(&world, &Limits::default(), 10_000);
    let found: Vec<_> = which(&world, plan.as_ref()).into_iter().collect();
    assert_eq!(found, [(3, 0), (3, 1)]);
}

#[test]
fn technique_c5_three_results_are_kept_however_large_and_no_more_however_small() {
    // Elsewhere a count of the newest tokens is kept; here the number of results decides.
    let limits = Limits::default();
    let mut talk = vec![NewMessage::user("Go on.")];
    for (index, tokens) in [5_000, 100, 5_900, 5_900, 5_900].into_iter().enumerate() {
        talk.extend(step(index, "Read", &body(index, tokens)));
    }
    talk.push(NewMessage::assistant("Well."));
    check_clears(&talk, &limits, 25_000, &[3, 5]);
}

#[test]
fn technique_c6_below_the_least_that_a_clear_must_save_nothing_is_done() {
    let talk = reads(5, 2_000);
    let all = plan(&made(&talk), &Limits::default(), 8_000);
    assert_eq!(all, None, "two results of 2,000 tokens are less than 4,096");
    let mut limits = Limits::default();
    limits.clear_least = Tokens::new(1);
    let saved = plan(&made(&talk), &limits, 8_000).unwrap().saved();
    limits.clear_least = saved;
    check_clears(&talk, &limits, 8_000, &[3, 5]);
    limits.clear_least = saved + Tokens::new(1);
    check_clears(&talk, &limits, 8_000, &[]);
}

#[test]
fn technique_c7_results_of_exempt_tools_are_never_cleared() {
    let mut limits = Limits::default();
    limits.clear_exempt.insert("Skill".to_owned());
    let mut talk = vec![NewMessage::user("Go on.")];
    for index in 0..8 {
        let tool = if index % 2 == 0 { "Skill" } else { "Read" };
        talk.extend(step(index, tool, &body(index, 3_000)));
    }
    talk.push(NewMessage::assistant("Well."));
    check_clears(&talk, &limits, 20_000, &[5, 9]);
    limits.clear_exempt.clear();
    check_clears(&talk, &limits, 20_000, &[3, 5, 7, 9, 11]);
}

#[test]
fn technique_c8_the_fresh_tail_is_no_shelter_but_what_is_unread_is() {
    // The whole talk is one turn within the tail of 32 messages; rung 2 keeps only the newest three
    // results and what the model has not read.
    let mut talk = reads(9, 2_000);
    talk.pop();
    talk.extend(step(9, "Read", &body(9, 4_000)));
    check_clears(&talk, &Limits::default(), 30_000, &[3, 5, 7, 9, 11, 13]);
}

#[test]
fn technique_c24_a_body_that_is_no_longer_than_its_line_stays() {
    let mut limits = Limits::default();
    limits.clear_least = Tokens::new(1);
    let mut talk = vec![NewMessage::user("Go on.")];
    for index in 0..6 {
        let body = if index == 1 {
            body(1, 3_000)
        } else {
            "ok".to_owned()
        };
        talk.extend(step(index, "Bash", &body));
    }
    talk.push(NewMessage::assistant("Well."));
    check_clears(&talk, &limits, 1_000, &[5]);
}

#[test]
fn of_a_long_backlog_only_what_a_view_could_show_is_read() {
    let talk = reads(400, 500);
    let world = made(&talk);
    let before = pressure(&world.frontier);
    let limits = Limits::default();
    let found = hippocamp::policy::clear::candidates(
        &world.frontier,
        before,
        &limits,
        Room::of(Tokens::new(8_000), &limits),
    );
    let n_read = found.unwrap().needs().len();
    assert!((40..400).contains(&n_read), "{n_read} of {}", talk.len());
}
