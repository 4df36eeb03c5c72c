//! What stands in place of a body.

use hippocamp::domain::{NewMessage, Part, Role, Tokens, View, ViewItem};
use hippocamp::policy::limits::Limits;

use super::kit::*;
use crate::view::world::World;

/// The results that a view shows, in order, with their error flags.
fn shown(view: &View) -> Vec<(&str, bool)> {
    let parts = view.items.iter().flat_map(|item| &item.parts);
    parts
        .filter_map(|part| match part {
            Part::ToolResult {
                content, is_error, ..
            } => Some((content.as_str(), *is_error)),
            _ => None,
        })
        .collect()
}

/// A world of a talk, and the same after its clear at `budget`.
fn before_and_after(talk: &[NewMessage], budget: u64) -> (World, World) {
    let before = made(talk);
    let plan = plan(&before, &Limits::default(), budget).expect("something to clear");
    let after = cleared(&before, &plan);
    (before, after)
}

#[test]
fn technique_c3_a_cleared_result_keeps_its_call_its_place_and_its_flag() {
    let mut talk = reads(5, 4_000);
    if let Part::ToolResult { is_error, .. } = &mut talk[2].parts[0] {
        *is_error = true;
    }
    let (before, after) = before_and_after(&talk, 20_000);
    let (before, after) = (before.view(1_000_000), after.view(1_000_000));
    let calls = |view: &View| -> Vec<Part> {
        let parts = view.items.iter().flat_map(|item| item.parts.clone());
        parts
            .filter(|part| matches!(part, Part::ToolUse { .. }))
            .collect()
    };
    assert_eq!(calls(&before), calls(&after));
    let spans = |view: &View| -> Vec<_> { view.items.iter().map(|item| item.span).collect() };
    assert_eq!(spans(&before), spans(&after));
    let keys = |view: &View| -> Vec<_> {
        view.items
            .iter()
            .flat_map(|item| item.keys.clone())
            .collect()
    };
    assert_eq!(keys(&before), keys(&after));
    let flags = |view: &View| -> Vec<bool> { shown(view).iter().map(|(_, flag)| *flag).collect() };
    assert_eq!(flags(&before), [true, false, false, false, false]);
    assert_eq!(flags(&before), flags(&after));
    let bodies = shown(&after);
    assert!(
        bodies[..2]
            .iter()
            .all(|(body, _)| body.starts_with("[Read result cleared"))
    );
    assert_eq!(bodies[2..], shown(&before)[2..]);
}

#[test]
fn technique_c9_the_line_says_what_it_was_and_how_to_get_it_back() {
    let mut talk = vec![NewMessage::user("Go on.")];
    talk.extend(step(0, "Bash", &body(0, 5_000)));
    talk.extend(step(1, "mcp__files__read", &"one long line ".repeat(800)));
    // A result whose call is not known.
    talk.push(NewMessage::tool_result("lost", body(2, 2_000)));
    for index in 3..6 {
        talk.extend(step(index, "Read", "short"));
    }
    talk.push(NewMessage::assistant("Well."));
    if let Part::ToolResult { is_error, .. } = &mut talk[2].parts[0] {
        *is_error = true;
    }
    let (_, after) = before_and_after(&talk, 12_000);
    let view = after.view(1_000_000);
    let lines: Vec<&str> = shown(&view).iter().take(2).map(|(body, _)| *body).collect();
    assert_eq!(
        lines,
        [
            "[Bash result cleared: 5019 tokens, 501 lines, failed; \
             short_expand message 30 with include_tool_results shows it]",
            "[mcp__files__read result cleared: 2504 tokens; \
             short_expand message 50 with include_tool_results shows it]",
        ]
    );
    let text = crate::view::world::words(&view);
    assert!(
        text.contains("[tool result cleared: 2010 tokens, 201 lines; short_expand message 60"),
        "{text}"
    );
}

#[test]
fn technique_c10_an_older_copy_names_the_newest_that_stays_whole() {
    let same = body(7, 3_000);
    let mut talk = vec![NewMessage::user("Go on.")];
    for index in 0..6 {
        let text = if index % 2 == 0 {
            same.clone()
        } else {
            body(index, 3_000)
        };
        talk.extend(step(index, "Read", &text));
    }
    talk.push(NewMessage::assistant("Well."));
    let (before, after) = before_and_after(&talk, 12_000);
    let view = after.view(1_000_000);
    let bodies = shown(&view);
    // The fifth read, message 110, says what the first and the third said.
    assert!(
        bodies[0].0.contains(", the same as in message 110; "),
        "{bodies:?}"
    );
    assert!(
        bodies[2].0.contains(", the same as in message 110; "),
        "{bodies:?}"
    );
    assert!(!bodies[1].0.contains("the same as"), "{bodies:?}");
    assert_eq!(
        bodies[4],
        shown(&before.view(1_000_000))[4],
        "the newest copy is whole"
    );
}

#[test]
fn a_result_that_says_the_same_but_failed_is_no_copy() {
    let same = body(7, 4_500);
    let mut talk = vec![NewMessage::user("Go on.")];
    for index in 0..4 {
        talk.extend(step(index, "Read", &same));
    }
    talk.push(NewMessage::assistant("Well."));
    if let Part::ToolResult { is_error, .. } = &mut talk[2].parts[0] {
        *is_error = true;
    }
    let (_, after) = before_and_after(&talk, 12_000);
    let view = after.view(1_000_000);
    assert!(!shown(&view)[0].0.contains("the same as"));
}

#[test]
fn technique_c13_pictures_of_a_cleared_result_go_with_it_and_are_counted() {
    let picture = |n: usize| Part::Media {
        uri: format!("data:image/png;base64,{n}"),
        mime: "image/png".into(),
    };
    let mut talk = vec![NewMessage::user("Look at the screen.")];
    for index in 0..7 {
        let mut pair = step(index, "Screen", "a picture");
        pair[1].parts.extend([
            picture(index),
            Part::Text {
                text: format!("note {index}"),
            },
        ]);
        talk.extend(pair);
    }
    talk.push(NewMessage::assistant("Well."));
    let (before, after) = before_and_after(&talk, 12_000);
    let (before, after) = (before.view(1_000_000), after.view(1_000_000));
    let pictures = |view: &View| -> Vec<Part> {
        let parts = view.items.iter().flat_map(|item| item.parts.clone());
        parts
            .filter(|part| matches!(part, Part::Media { .. }))
            .collect()
    };
    assert_eq!(pictures(&before).len(), 7);
    assert_eq!(pictures(&after), [picture(4), picture(5), picture(6)]);
    assert!(after.tokens + Tokens::new(4 * 1_500) < before.tokens);
    // Words beside a result are none of its pieces.
    let text = crate::view::world::words(&after);
    assert!((0..7).all(|n| text.contains(&format!("note {n}"))));
}

#[test]
fn technique_z13_no_item_of_a_view_ever_grows_by_a_clear() {
    let (before, after) = before_and_after(&reads(9, 1_500), 12_000);
    let (before, after) = (before.view(1_000_000), after.view(1_000_000));
    let cost = |item: &ViewItem| item.tokens;
    let pairs = before.items.iter().zip(&after.items);
    assert!(pairs.clone().all(|(old, new)| cost(new) <= cost(old)));
    let saved: u64 = pairs
        .map(|(old, new)| (cost(old).get()) - cost(new).get())
        .sum();
    assert_eq!(saved, before.tokens.get() - after.tokens.get());
}

#[test]
fn a_line_is_never_made_a_line_of_itself() {
    // Rung 6 makes lines of older bodies of the newest turn; what is a line already says more.
    let (_, after) = before_and_after(&reads(9, 1_500), 12_000);
    let view = after.view(3_300);
    let lines: Vec<&str> = shown(&view).iter().map(|(body, _)| *body).collect();
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("[result left out, ")),
        "{lines:?}"
    );
    assert!(lines[0].starts_with("[Read result cleared: "), "{lines:?}");
}

#[test]
fn names_of_tools_cannot_break_out_of_the_line() {
    let name = "Read]\n\u{1b}[31m".to_owned() + &"x".repeat(500);
    let mut talk = vec![NewMessage::user("Go on.")];
    for index in 0..5 {
        talk.extend(step(index, &name, &body(index, 4_000)));
    }
    talk.push(NewMessage::text(Role::Assistant, "Well."));
    let (_, after) = before_and_after(&talk, 12_000);
    let view = after.view(1_000_000);
    let (line, _) = shown(&view)[0];
    assert!(
        !line.contains(char::is_control) && line.len() < 200,
        "{line}"
    );
}
