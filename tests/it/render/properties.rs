//! Random histories, cuts and budgets.

use hippocamp::domain::{Estimator, NewMessage, TokenCounter, View, ViewItemKind};
use proptest::prelude::*;
use serde_json::Value;

use super::history::{histories, words};
use super::rule::{list, text};
use super::{PROVIDERS, Provider, check_bodies, check_rules, parsed, turns};
use crate::view::world::{Row, World, covers, world};

/// Budgets from nothing to more than enough, around the points where the view is cut further.
fn budgets(world: &World) -> Vec<u64> {
    let whole = world.view(1_000_000_000).tokens.get().max(1);
    let mut budgets = vec![1, 60, 300, 1_000, whole, 1_000_000];
    budgets.extend((1..8).map(|eighth| (whole * eighth / 8).max(1)));
    budgets
}

/// Fields that hold no text for the model.
const NO_TEXTS: [&str; 12] = [
    "data",
    "url",
    "image_url",
    "file_data",
    "file_url",
    "fileUri",
    "mimeType",
    "signature",
    "encrypted_content",
    "thoughtSignature",
    "role",
    "type",
];

/// The texts that a body sends, whatever carries them.
fn leaves<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(values) => values.iter().for_each(|value| leaves(value, found)),
        Value::Object(fields) => {
            // A picture costs what a picture costs, and a signature is no text of the model's.
            let texts = fields
                .iter()
                .filter(|(name, _)| !NO_TEXTS.contains(&name.as_str()));
            texts.for_each(|(_, value)| leaves(value, found));
        }
        _ => {}
    }
}

fn tokens_of(body: &str) -> u64 {
    let body = parsed(body);
    let mut found = Vec::new();
    leaves(&body, &mut found);
    found.iter().map(|text| Estimator.count(text).get()).sum()
}

/// A body of what was said later begins as the body of what was said before.
fn check_prefix(provider: Provider, before: &View, after: &View) {
    let (Some(before), Some(after)) = (provider.body(before), provider.body(after)) else {
        return;
    };
    let (before, after) = (parsed(&before), parsed(&after));
    let (prompt, content) = match provider {
        Provider::OpenAiChat | Provider::Anthropic => ("system", "content"),
        Provider::OpenAiResponses => ("instructions", "content"),
        Provider::Gemini => ("systemInstruction", "parts"),
    };
    assert_eq!(before.get(prompt), after.get(prompt));
    let (before, after) = (turns(provider, &before), turns(provider, &after));
    let (last, whole) = before.split_last().unwrap();
    assert_eq!(whole, &after[..whole.len()], "{provider:?}");
    // The last message may go on: its beginning stays.
    let goes_on = &after[whole.len()];
    assert_eq!(last["role"], goes_on["role"], "{provider:?}");
    let (last, goes_on) = (&last[content], &goes_on[content]);
    match last.as_str() {
        Some(words) if goes_on.is_string() => assert!(text(goes_on).starts_with(words)),
        Some(words) => assert!(words.starts_with(text(&list(goes_on)[0]["text"]))),
        None => assert!(list(goes_on).starts_with(list(last))),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_interface_refuses_a_body_and_each_holds_what_its_view_holds(
        prompt in prop::option::of(words()),
        rows in histories(12),
        covers in covers(words()),
    ) {
        let world = world(prompt.as_deref(), &rows, &covers);
        for budget in budgets(&world) {
            check_bodies(&world.view(budget));
        }
    }

    #[test]
    fn a_view_with_any_items_taken_out_makes_bodies_that_no_interface_refuses(
        prompt in prop::option::of(words()),
        rows in histories(10),
        covers in covers(words()),
        stays in prop::collection::vec(any::<bool>(), 60),
    ) {
        let world = world(prompt.as_deref(), &rows, &covers);
        let mut view = world.view(1_000_000_000);
        let mut stays = stays.into_iter();
        view.items.retain(|_| stays.next().unwrap_or(true));
        check_rules(&view);
    }

    #[test]
    fn a_view_counts_at_least_what_its_bodies_say(
        prompt in prop::option::of(words()),
        rows in histories(10),
        covers in covers(words()),
    ) {
        let world = world(prompt.as_deref(), &rows, &covers);
        for budget in budgets(&world) {
            let view = world.view(budget);
            for provider in PROVIDERS {
                let said = provider.body(&view).map_or(0, |body| tokens_of(&body));
                prop_assert!(
                    said <= view.tokens.get(),
                    "{provider:?} says {said} tokens, the view counts {}", view.tokens
                );
            }
        }
    }

    #[test]
    fn a_body_begins_with_the_bytes_of_the_one_before(
        prompt in prop::option::of(words()),
        rows in histories(8),
        covers in covers(words()),
        next in prop::collection::vec((words(), words()), 1..4),
    ) {
        // Reasoning leaves the view with its turn, and late results go to their calls: histories
        // without either, ended by an answer.
        let mut rows: Vec<Row> = rows;
        for row in &mut rows {
            row.message.parts.retain(|part| !matches!(
                part,
                hippocamp::domain::Part::Reasoning { .. } | hippocamp::domain::Part::Opaque { .. }
            ));
        }
        let said = |word: &str| Row::from(NewMessage::user(format!("so {word}")));
        rows.push(said("it is"));
        let before = world(prompt.as_deref(), &rows, &covers);
        for (user, assistant) in next {
            rows.push(said(&user));
            rows.push(NewMessage::assistant(assistant).into());
        }
        let after = world(prompt.as_deref(), &rows, &covers);
        let (before, after) = (before.view(1_000_000_000), after.view(1_000_000_000));
        // A request that a summary covers is quoted only until there is a newer one.
        prop_assume!(before.items.iter().all(|item| item.kind != ViewItemKind::Request));
        for provider in PROVIDERS {
            check_prefix(provider, &before, &after);
        }
    }
}
