//! The server in a host's list of MCP servers: `{"mcpServers": {"hippocamp": {"command": …}}}`.

use serde_json::json;

use super::edit::{Layout, add, spliced, take};
use super::entry::{Caller, Made, SERVER};
use super::file::{Draft, Origin};
use super::hooks::{misplaced, take_if_empty};
use super::scan::{Kind, Node, read};

const LIST: &str = "mcpServers";
const NAME: &str = "hippocamp";

/// Puts the server in, or brings it up to date. One of that name that is somebody else's stays.
///
/// # Errors
/// Where the text is no JSON, or holds something else where servers belong.
pub(super) fn install(draft: &Draft, caller: &Caller) -> Result<Draft, String> {
    let text = &draft.text;
    let root = read(text)?;
    let layout = Layout::of(text, &root);
    let Some(servers) = root.member(LIST) else {
        let made = match draft.origin {
            Origin::Made => Made::File,
            Origin::Found => Made::Object,
        };
        let value = json!({NAME: caller.server(made)});
        return Ok(draft.with(add(text, &layout, &root, Some(LIST), &value)));
    };
    if !matches!(servers.kind, Kind::Object(_)) {
        return Err(misplaced(text, servers, "`mcpServers` is no object"));
    }
    let Some(server) = servers.member(NAME) else {
        let value = caller.server(Made::Nothing);
        return Ok(draft.with(add(text, &layout, servers, Some(NAME), &value)));
    };
    if !caller.is_own_server(server) {
        return Ok(draft.clone());
    }
    Ok(draft.with(brought_up(text, server, caller)))
}

/// Takes the server out, with what was made for it and is empty then.
///
/// # Errors
/// Where the text is no JSON.
pub(super) fn uninstall(draft: &Draft, caller: &Caller) -> Result<Draft, String> {
    let text = &draft.text;
    let root = read(text)?;
    let Some(servers) = root.member(LIST) else {
        return Ok(draft.clone());
    };
    let members = servers.members();
    let own = members
        .iter()
        .rposition(|member| member.name == NAME && caller.is_own_server(&member.value));
    let Some((child_idx, member)) = own.and_then(|idx| Some((idx, members.get(idx)?))) else {
        return Ok(draft.clone());
    };
    let made = Made::of(&member.value, SERVER);
    let mut taken = take(text, servers, child_idx);
    if made >= Made::Object {
        taken = take_if_empty(&taken, &[LIST])?;
    }
    draft.without(taken, made)
}

/// Writes the program and its arguments where they differ, the later one first.
fn brought_up(text: &str, server: &Node, caller: &Caller) -> String {
    let mut changes = Vec::new();
    if let Some(program) = server.member("command")
        && server.text("command") != Some(caller.program.as_str())
    {
        let new = serde_json::Value::from(caller.program.as_str());
        changes.push((program.span.clone(), new));
    }
    if let Some(arguments) = server.member("args") {
        let new = caller.server_arguments();
        let written = text.get(arguments.span.clone()).unwrap_or_default();
        let written: Option<serde_json::Value> = serde_json::from_str(written).ok();
        if written.as_ref() != Some(&new) {
            changes.push((arguments.span.clone(), new));
        }
    }
    changes.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    changes
        .into_iter()
        .fold(text.to_owned(), |text, (span, new)| {
            spliced(&text, span, &new.to_string())
        })
}
