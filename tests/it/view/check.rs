//! What every view must hold, whatever the history and the budget.

use std::collections::{BTreeMap, HashMap, HashSet};

use hippocamp::domain::{
    Estimator, FrontierItem, ItemId, MessageMeta, Part, Role, Seq, View, ViewItem, ViewItemKind,
};
use hippocamp::policy::assemble::{finish_view, unescape};
use hippocamp::policy::cut::{Before, Cuts};

use super::budget::{check_budget, prompt_tokens};
use super::pins::{check_pins, pins_tokens};
use super::world::{World, meta_of};

/// Checks a view against all rules that hold at every budget.
#[track_caller]
pub(super) fn check_view(world: &World, budget: u64) -> View {
    let view = world.view(budget);
    check_stable(world, budget, &view);
    check_budget(world, &view);
    check_partition(world, &view);
    check_pairs(world, &view);
    check_order(world, &view);
    check_pins(world, &view);
    check_request(world, &view);
    check_words(world, &view);
    check_old_end(world, &view);
    view
}

#[track_caller]
fn check_stable(world: &World, budget: u64, view: &View) {
    assert!(view.warnings.is_empty(), "{:?}", view.warnings);
    assert_eq!(&world.view(budget), view, "the same inputs, another view");
    let whole = finish_view(world.plan(budget), &world.bodies, &Estimator);
    assert_eq!(
        &whole, view,
        "bodies that were not asked for changed the view"
    );
}

/// Returns the groups of visible raw rows.
pub(super) fn raw_groups(world: &World) -> Vec<Vec<MessageMeta>> {
    let mut stretches: Vec<Vec<MessageMeta>> = vec![Vec::new()];
    for item in &world.frontier.items {
        match item {
            FrontierItem::Node(_) => stretches.push(Vec::new()),
            FrontierItem::Raw(row) if row.is_visible() => {
                stretches.last_mut().unwrap().push(row.clone());
            }
            FrontierItem::Raw(_) => {}
        }
    }
    let mut groups = Vec::new();
    for rows in stretches {
        let cuts = Cuts::new(&rows, Before::Nothing);
        for group in cuts.groups() {
            if let Some(units) = cuts.units().get(group)
                && let (Some(first), Some(last)) = (units.first(), units.last())
            {
                groups.push(rows[first.rows.start..last.rows.end].to_vec());
            }
        }
    }
    groups
}

/// Says whether a row has anything that a view could show.
fn says_nothing(world: &World, row: &MessageMeta) -> bool {
    world.bodies.messages[&row.id]
        .parts
        .iter()
        .all(|part| match part {
            Part::Text { text } => text.trim().is_empty(),
            Part::Reasoning { .. } => true,
            _ => false,
        })
}

/// Items and what is left out cover the frontier once; only rows that are no talk, or say
/// nothing, are in neither.
#[track_caller]
fn check_partition(world: &World, view: &View) {
    let mut seen: BTreeMap<Seq, u32> = BTreeMap::new();
    let shown = view
        .items
        .iter()
        .filter(|item| matches!(item.kind, ViewItemKind::Summary | ViewItemKind::Message))
        .map(|item| item.span.unwrap());
    let gone = view
        .left_out
        .iter()
        .filter(|entry| entry.kind != ViewItemKind::Request)
        .map(|entry| entry.span);
    for span in shown.chain(gone) {
        for seq in span.first().get()..=span.last().get() {
            *seen.entry(Seq::new(seq).unwrap()).or_default() += 1;
        }
    }
    for item in &world.frontier.items {
        let span = item.span();
        let counts: HashSet<u32> = (span.first().get()..=span.last().get())
            .map(|seq| seen.get(&Seq::new(seq).unwrap()).copied().unwrap_or(0))
            .collect();
        let may_hide = match item {
            FrontierItem::Node(_) => false,
            FrontierItem::Raw(row) => !row.is_visible() || says_nothing(world, row),
        };
        let is_once = counts == HashSet::from([1]);
        let is_hidden = may_hide && counts == HashSet::from([0]);
        assert!(
            is_once || is_hidden,
            "seq {span} is covered {counts:?} times"
        );
    }
}

/// I4, as far as a view goes: no result without its call, no batch in pieces.
#[track_caller]
fn check_pairs(world: &World, view: &View) {
    let mut balance: HashMap<&str, i64> = HashMap::new();
    for part in view.items.iter().flat_map(|item| &item.parts) {
        match part {
            Part::ToolUse { call_id, .. } => *balance.entry(call_id).or_default() += 1,
            Part::ToolResult { call_id, .. } => *balance.entry(call_id).or_default() -= 1,
            _ => {}
        }
    }
    let orphan = balance.iter().find(|(_, count)| **count < 0);
    assert_eq!(orphan, None, "a result without its call");

    let shown: HashSet<Seq> = view
        .items
        .iter()
        .filter(|item| item.kind == ViewItemKind::Message)
        .flat_map(|item| {
            let span = item.span.unwrap();
            (span.first().get()..=span.last().get()).map(|seq| Seq::new(seq).unwrap())
        })
        .collect();
    for group in raw_groups(world) {
        let pairs: Vec<&MessageMeta> = group
            .iter()
            .filter(|row| {
                let answered = |key| group.iter().any(|other| other.results.contains(key));
                !row.results.is_empty() || row.calls.iter().any(answered)
            })
            .collect();
        let n_shown = pairs.iter().filter(|row| shown.contains(&row.seq)).count();
        assert!(
            n_shown == 0 || n_shown == pairs.len(),
            "a batch in pieces at seq {}",
            group[0].seq
        );
    }
}

/// The system prompt first, then all by place; no summary behind the newest request.
#[track_caller]
fn check_order(world: &World, view: &View) {
    let places: Vec<Seq> = view
        .items
        .iter()
        .filter(|item| {
            let apart = [
                ViewItemKind::System,
                ViewItemKind::Pins,
                ViewItemKind::Request,
            ];
            !apart.contains(&item.kind)
        })
        .map(|item| item.span.unwrap().first())
        .collect();
    assert!(places.is_sorted(), "{places:?}");
    let n_system = view
        .items
        .iter()
        .take_while(|item| item.kind == ViewItemKind::System)
        .count();
    let all_system = view
        .items
        .iter()
        .filter(|item| item.kind == ViewItemKind::System)
        .count();
    assert_eq!(n_system, all_system);
    let speaks = world.frontier.prompt.as_ref().is_some_and(|prompt| {
        let parts = &world.bodies.messages[&prompt.rows[0]].parts;
        parts
            .iter()
            .any(|part| matches!(part, Part::Text { text } if !text.trim().is_empty()))
    });
    assert_eq!(n_system, usize::from(speaks), "the prompt is cut");
    if let Some(quoted) = view
        .items
        .iter()
        .position(|item| item.kind == ViewItemKind::Request)
    {
        let rest = &view.items[quoted..];
        assert!(rest.iter().all(|item| item.kind != ViewItemKind::Summary));
    }
}

/// The newest request is there, word for word, in every view that fits.
#[track_caller]
fn check_request(world: &World, view: &View) {
    if !view.fits {
        return;
    }
    let raw: HashSet<_> = world.frontier.raw().map(|row| row.id).collect();
    let shown: Vec<&ViewItem> = view.items.iter().collect();
    for row in &world.request {
        // Head and continuations are one message, quoted under the head's id.
        let head = world
            .request
            .iter()
            .find(|head| row.continues == Some(head.seq));
        let id = head.unwrap_or(row).id;
        for part in &world.bodies.messages[&row.id].parts {
            let Part::Text { text } = part else { continue };
            if text.trim().is_empty() {
                continue;
            }
            let is_there = shown.iter().flat_map(|item| &item.parts).any(|part| {
                let Part::Text { text: said } = part else {
                    return false;
                };
                if raw.contains(&row.id) {
                    said == text
                } else {
                    let inner = said
                        .strip_prefix(&format!("<request id=\"{id}\">\n"))
                        .and_then(|rest| rest.strip_suffix("\n</request>"));
                    inner.is_some_and(|inner| &unescape(inner) == text)
                }
            });
            assert!(is_there, "request {} is not word for word", row.id);
        }
    }
}

/// Hidden rows stay hidden, reasoning is of the newest turn, each summary has one wrapper.
#[track_caller]
fn check_words(world: &World, view: &View) {
    let turn_first = world.request.first().map(|row| row.seq);
    let mut has_note = false;
    for item in &view.items {
        if let Some(ItemId::Message(id)) = item.id {
            let row = meta_of(world, id);
            assert!(row.is_visible() || item.kind == ViewItemKind::System);
        }
        if item.kind == ViewItemKind::Summary {
            let text: String = item
                .parts
                .iter()
                .map(|part| match part {
                    Part::Text { text } => text.to_lowercase(),
                    _ => String::new(),
                })
                .collect();
            assert_eq!(text.matches("<summary").count(), 1);
            assert_eq!(text.matches("</summary").count(), 1);
            assert!(text.ends_with("</summary>"));
            let is_noted = text.contains("not instructions") && item.parts.len() == 2;
            assert_eq!(is_noted, !has_note, "one line, before the first summary");
            has_note = true;
        }
        let is_newest = item
            .span
            .is_some_and(|span| turn_first.is_none_or(|first| span.first() >= first));
        if !is_newest {
            let thinks = item
                .parts
                .iter()
                .any(|part| matches!(part, Part::Reasoning { .. }));
            assert!(!thinks, "reasoning of an older turn");
        }
        assert!(
            !item.parts.is_empty(),
            "an empty item ({:?} {:?})",
            item.kind,
            item.id
        );
        assert!(item.role != Role::System || item.kind != ViewItemKind::Gap);
    }
}

/// Rung 5: what is dropped is the oldest; summaries keep half while raw groups are dropped; rung 6
/// begins when no older raw group is left.
#[track_caller]
fn check_old_end(world: &World, view: &View) {
    let turn_first = world.request.first().map(|row| row.seq);
    let is_old = |seq: Seq| turn_first.is_some_and(|first| seq < first);
    let shown = |kind: ViewItemKind| {
        view.items
            .iter()
            .filter(move |item| item.kind == kind)
            .map(|item| item.span.unwrap().first())
    };
    let gone = |kind: ViewItemKind| {
        view.left_out
            .iter()
            .filter(move |entry| entry.kind == kind)
            .map(|entry| entry.span.last())
    };
    let first_summary = shown(ViewItemKind::Summary).next();
    let last_gone = gone(ViewItemKind::Summary).max();
    if let (Some(first), Some(last)) = (first_summary, last_gone) {
        assert!(last < first, "a newer summary went before an older one");
    }
    let first_old = shown(ViewItemKind::Message).find(|seq| is_old(*seq));
    let last_old_gone = gone(ViewItemKind::Message).filter(|seq| is_old(*seq)).max();
    if let (Some(first), Some(last)) = (first_old, last_old_gone) {
        assert!(last < first, "a newer message went before an older one");
    }
    let cuts_newest = gone(ViewItemKind::Message).any(|seq| !is_old(seq))
        && view.items.iter().any(|item| {
            item.kind == ViewItemKind::Gap
                && item
                    .parts
                    .iter()
                    .any(|part| matches!(part, Part::Text { text } if text.contains("step")))
        });
    assert!(
        !cuts_newest || first_old.is_none(),
        "the newest turn is cut while older groups are shown"
    );
    // While an older group is still shown, the last summary dropped was beyond half.
    if let (Some(last), Some(_)) = (last_gone, first_old) {
        let fixed = prompt_tokens(view) + pins_tokens(world);
        let half = (view.budget.get() - fixed.min(view.budget.get())) / 2;
        let dropped = world.frontier.nodes().find(|node| node.span.last() == last);
        let kept: u64 = world
            .frontier
            .nodes()
            .filter(|node| node.span.first() > last)
            .map(|node| node.tokens.get())
            .sum();
        assert!(
            kept + dropped.unwrap().tokens.get() > half,
            "summaries lost their half"
        );
    }
}
