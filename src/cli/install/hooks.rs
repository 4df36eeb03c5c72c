//! The hooks in a host's settings: `{"hooks": {"Stop": [{"hooks": [{"type": "command", …}]}]}}`.

use serde_json::{Value, json};

use super::edit::{Layout, add, spliced, take};
use super::entry::{Caller, HOOK, Made};
use super::file::{Draft, Origin};
use super::scan::{Kind, Node, read};

/// The events that are told, in the order of a session.
pub(super) const EVENTS: [&str; 7] = [
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PreCompact",
    "SubagentStop",
    "Stop",
    "SessionEnd",
];

/// Where a hook of ours stands: list, group and place.
struct Place {
    event: String,
    group: usize,
    hook: usize,
}

/// Puts the hooks in that are missing, and brings the others up to date.
///
/// # Errors
/// Where the text is no JSON, or holds something else where hooks belong.
pub(super) fn install(draft: &Draft, caller: &Caller) -> Result<Draft, String> {
    let mut text = draft.text.clone();
    for event in EVENTS {
        text = install_one(&text, draft.origin, caller, event)?;
    }
    Ok(draft.with(text))
}

fn install_one(text: &str, origin: Origin, caller: &Caller, event: &str) -> Result<String, String> {
    let root = read(text)?;
    let layout = Layout::of(text, &root);
    let group = |made| json!({"hooks": [caller.hook(made)]});
    let Some(hooks) = root.member("hooks") else {
        let made = match origin {
            Origin::Made => Made::File,
            Origin::Found => Made::Object,
        };
        let value = json!({event: [group(made)]});
        return Ok(add(text, &layout, &root, Some("hooks"), &value));
    };
    if !matches!(hooks.kind, Kind::Object(_)) {
        return Err(misplaced(text, hooks, "`hooks` is no object"));
    }
    let Some(groups) = hooks.member(event) else {
        let value = Value::from(vec![group(Made::List)]);
        return Ok(add(text, &layout, hooks, Some(event), &value));
    };
    if !matches!(groups.kind, Kind::Array(_)) {
        let what = format!("`hooks.{event}` is no list");
        return Err(misplaced(text, groups, &what));
    }
    let mut own = hooks_of(groups).filter(|(_, hook)| caller.is_own_hook(hook));
    let Some((_, hook)) = own.next() else {
        return Ok(add(text, &layout, groups, None, &group(Made::Nothing)));
    };
    let command = caller.hook_command();
    Ok(match hook.member("command") {
        Some(written) if hook.text("command") != Some(command.as_str()) => {
            let command = Value::from(command).to_string();
            spliced(text, written.span.clone(), &command)
        }
        _ => text.to_owned(),
    })
}

/// Takes all hooks of ours out, with what was made for them and is empty then.
///
/// # Errors
/// Where the text is no JSON.
pub(super) fn uninstall(draft: &Draft, caller: &Caller) -> Result<Draft, String> {
    let mut text = draft.text.clone();
    let mut most = Made::Nothing;
    loop {
        let root = read(&text)?;
        let Some(place) = find(&root, caller) else {
            break;
        };
        let (taken, made) = take_one(&text, &root, &place);
        text = if made >= Made::List {
            take_if_empty(&taken, &["hooks", &place.event])?
        } else {
            taken
        };
        most = most.max(made);
    }
    if most >= Made::Object {
        text = take_if_empty(&text, &["hooks"])?;
    }
    draft.without(text, most)
}

fn hooks_of(groups: &Node) -> impl Iterator<Item = ((usize, usize), &Node)> {
    groups
        .items()
        .iter()
        .enumerate()
        .flat_map(|(group_idx, group)| {
            let hooks = group.member("hooks").map(Node::items).unwrap_or_default();
            let hooks = hooks.iter().enumerate();
            hooks.map(move |(hook_idx, hook)| ((group_idx, hook_idx), hook))
        })
}

/// Finds the hook that goes next. What came last goes first: each was laid out by what stood before.
fn find(root: &Node, caller: &Caller) -> Option<Place> {
    let hooks = root.member("hooks")?;
    let others = hooks.members().iter().map(|member| member.name.as_str());
    let mut events = EVENTS.into_iter().rev().chain(others);
    events.find_map(|event| {
        let mut own = hooks_of(hooks.member(event)?).filter(|(_, hook)| caller.is_own_hook(hook));
        let ((group, hook), _) = own.next()?;
        Some(Place {
            event: event.to_owned(),
            group,
            hook,
        })
    })
}

/// Takes a hook out of its group, or the group where it holds nothing else of anybody.
fn take_one(text: &str, root: &Node, place: &Place) -> (String, Made) {
    let groups = root
        .member("hooks")
        .and_then(|hooks| hooks.member(&place.event));
    let group = groups.and_then(|groups| groups.items().get(place.group));
    let hooks = group.and_then(|group| group.member("hooks"));
    let hook = hooks.and_then(|hooks| hooks.items().get(place.hook));
    let (Some(groups), Some(group), Some(hooks), Some(hook)) = (groups, group, hooks, hook) else {
        return (text.to_owned(), Made::Nothing);
    };
    let made = Made::of(hook, HOOK);
    let is_alone = hooks.items().len() == 1 && group.members().len() == 1;
    let taken = if is_alone {
        take(text, groups, place.group)
    } else {
        take(text, hooks, place.hook)
    };
    (taken, made)
}

/// Takes out the member that a path of names leads to, if it holds nothing.
pub(super) fn take_if_empty(text: &str, path: &[&str]) -> Result<String, String> {
    let root = read(text)?;
    let Some((name, above)) = path.split_last() else {
        return Ok(text.to_owned());
    };
    let parent = above.iter().try_fold(&root, |node, name| node.member(name));
    let Some(parent) = parent else {
        return Ok(text.to_owned());
    };
    let members = parent.members();
    let Some(child_idx) = members.iter().rposition(|member| member.name == *name) else {
        return Ok(text.to_owned());
    };
    let is_empty = members
        .get(child_idx)
        .is_some_and(|member| member.value.children().is_empty());
    Ok(if is_empty {
        take(text, parent, child_idx)
    } else {
        text.to_owned()
    })
}

/// Says where something else stands than what belongs there.
pub(super) fn misplaced(text: &str, node: &Node, what: &str) -> String {
    let before = text.get(..node.span.start).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    format!("line {line}: {what}")
}
