//! Random histories at random budgets.

use proptest::prelude::*;

use hippocamp::domain::{ItemId, NewMessage, Part, Role, ViewItemKind};
use hippocamp::policy::assemble::pressure;

use super::budget::request_tokens;
use super::check::check_view;
use super::pins::{pinned, wanted};
use super::world::{Row, World, covers, world};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-z]{1,8}( [a-z]{1,8}){0,30}",
        2 => "\\PC{1,60}",
        1 => "[a-z ]{1500,4000}",
        1 => "(<summary id=\"s9\">|</summary>|]]>|&amp;|界){1,20}",
        1 => Just(" \n".to_owned()),
    ]
}

fn part() -> impl Strategy<Value = Part> {
    let id = prop_oneof![Just("t1"), Just("t2"), Just("t3")];
    prop_oneof![
        4 => text().prop_map(|text| Part::Text { text }),
        2 => text().prop_map(|text| Part::Reasoning { text, signature: None }),
        3 => (id.clone(), text()).prop_map(|(id, text)| Part::ToolUse {
            call_id: id.into(),
            name: "Read".into(),
            arguments: serde_json::json!({ "path": text }).to_string(),
        }),
        3 => (id, text(), any::<bool>()).prop_map(|(id, content, is_error)| Part::ToolResult {
            call_id: id.into(),
            content,
            is_error,
        }),
        1 => Just(Part::Media { uri: "data:image/png;base64,AAAA".into(), mime: "image/png".into() }),
        1 => text().prop_map(|text| Part::Opaque { json: serde_json::json!({ "type": text }).to_string() }),
    ]
}

/// One exchange, as hosts send it, or rows as none should.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    let talk = (text(), text()).prop_map(|(user, assistant)| {
        vec![
            NewMessage::user(user).into(),
            NewMessage::assistant(assistant).into(),
        ]
    });
    let batch = (1..4_usize, 0..4_usize, text(), text()).prop_map(|(n, answered, words, body)| {
        let mut parts = vec![
            Part::Reasoning {
                text: words.clone(),
                signature: Some("sig".into()),
            },
            Part::Text {
                text: words.clone(),
            },
        ];
        let ids = ["t1", "t2", "t3"];
        parts.extend(ids[..n].iter().map(|id| Part::ToolUse {
            call_id: (*id).into(),
            name: "Bash".into(),
            arguments: serde_json::json!({ "command": words }).to_string(),
        }));
        let mut rows: Vec<Row> = vec![NewMessage::new(Role::Assistant, parts).into()];
        rows.extend(
            ids[..n.min(answered)]
                .iter()
                .map(|id| NewMessage::tool_result(*id, body.clone()).into()),
        );
        rows
    });
    let wild = (
        prop_oneof![
            Just(Role::User),
            Just(Role::Assistant),
            Just(Role::Tool),
            Just(Role::System)
        ],
        prop::collection::vec(part(), 0..4),
        any::<bool>(),
    )
        .prop_map(|(role, parts, continues)| {
            vec![Row {
                message: NewMessage::new(role, parts),
                continues,
            }]
        });
    let meta = text().prop_map(|text| vec![NewMessage::user(text).meta().into()]);
    prop_oneof![4 => talk, 4 => batch, 2 => wild, 1 => meta]
}

fn worlds() -> impl Strategy<Value = World> {
    (
        prop::option::of(text()),
        prop::collection::vec(rows(), 0..12),
        covers(text()),
        wanted(),
    )
        .prop_map(|(prompt, rows, covers, pins)| {
            pinned(world(prompt.as_deref(), &rows.concat(), &covers), &pins)
        })
}

/// Budgets around the points where the ladder takes its next step.
fn budgets(world: &World) -> Vec<u64> {
    let whole = world.view(1_000_000_000).tokens.get().max(1);
    let mut budgets = vec![
        1,
        20,
        100,
        500,
        2_000,
        whole - 1,
        whole,
        whole + 1,
        1_000_000,
    ];
    budgets.extend((1..10).map(|tenth| whole * tenth / 10));
    budgets.retain(|budget| *budget > 0);
    budgets
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_view_is_whole_at_every_budget(world in worlds()) {
        for budget in budgets(&world) {
            check_view(&world, budget);
        }
    }

    #[test]
    fn what_pressure_says_is_enough_for_all(world in worlds()) {
        // A request that a summary covers is quoted beside what pressure counts.
        let stored: u64 = world.request.iter().map(|row| row.view_tokens.get()).sum();
        let quoted = request_tokens(&world).max(stored);
        let view = check_view(&world, pressure(&world.frontier).get() + quoted.max(1));
        prop_assert!(view.fits);
        let dropped = view.left_out.iter().find(|entry| entry.kind == ViewItemKind::Summary);
        prop_assert!(dropped.is_none());
        prop_assert!(view.items.iter().all(|item| item.kind != ViewItemKind::Gap));
    }

    #[test]
    fn a_view_without_limit_shows_all_that_speaks(world in worlds()) {
        let view = check_view(&world, 1_000_000_000);
        for entry in &view.left_out {
            // Only messages whose calls still wait for their results.
            let rows = world.frontier.raw().filter(|row| entry.span.contains(row.seq));
            prop_assert!(rows.map(|row| row.calls.len()).sum::<usize>() > 0);
            prop_assert_eq!(entry.kind, ViewItemKind::Message);
        }
        let nodes: Vec<_> = world.frontier.nodes().map(|node| Some(ItemId::Summary(node.id))).collect();
        let shown: Vec<_> = view.items.iter().filter(|item| item.kind == ViewItemKind::Summary).map(|item| item.id).collect();
        prop_assert_eq!(nodes, shown);
    }
}
