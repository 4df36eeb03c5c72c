//! What a body holds, told again and compared with what its view holds: nothing lost, nothing
//! invented but the few lines that are documented.

use hippocamp::domain::{Part, Role, View, ViewItem, ViewItemKind};
use serde_json::Value;

use super::Provider;
use super::history::{number_of, sent_to};
use super::retold::{Pair, Said, object, payload, retell};
use super::rule::text;

const LEFT_OUT: &str = "[earlier messages left out]";

/// Compares a body with its view.
#[track_caller]
pub(super) fn check(provider: Provider, view: &View, body: Option<&str>) {
    let mut wanted = said_in_view(provider, view);
    let calls = calls_of_view(provider, view);
    let Some(body) = body else {
        assert!(calls.is_empty(), "{provider:?}: no body, but calls");
        assert!(
            wanted.iter().all(|said| said.by == "prompt"),
            "{provider:?}: {wanted:?}"
        );
        return;
    };
    let body = super::parsed(body);
    let (mut found, pairs) = retell(provider, &body);
    if let Some(at) = found.iter().position(|said| said.by != "prompt")
        && found[at].what.starts_with(LEFT_OUT)
        && !wanted.iter().any(|said| said.what.starts_with(LEFT_OUT))
    {
        // The line is there because the view begins with someone else; it may be all that is said
        // before a call.
        let first = wanted.iter().find(|said| said.by != "prompt");
        assert!(
            first.is_none_or(|first| first.by != "user") || !calls.is_empty(),
            "{provider:?}: a line where a user begins: {first:?}"
        );
        found[at].what = found[at].what[LEFT_OUT.len()..]
            .trim_start_matches('\n')
            .to_owned();
        if found[at].what.is_empty() {
            found.remove(at);
        }
    }
    join_neighbours(&mut wanted);
    join_neighbours(&mut found);
    assert_eq!(found, wanted, "{provider:?}: what is said");
    check_pairs(provider, view, &pairs, &calls);
}

#[track_caller]
fn check_pairs(provider: Provider, view: &View, pairs: &[Pair], calls: &[Called]) {
    let made: Vec<Called> = pairs
        .iter()
        .map(|pair| {
            let thoughts = pair.thoughts.clone();
            (pair.name.clone(), pair.arguments.clone(), thoughts)
        })
        .collect();
    assert_eq!(made, calls, "{provider:?}: what is called");
    let mut wanted: Vec<(String, bool)> = view
        .items
        .iter()
        .flat_map(|item| &item.parts)
        .filter_map(|part| match part {
            Part::ToolResult {
                content, is_error, ..
            } if speaks(content) => Some((content.clone(), *is_error)),
            Part::ToolResult { is_error, .. } => Some(("[empty]".to_owned(), *is_error)),
            _ => None,
        })
        .collect();
    let mut found: Vec<(String, bool)> = pairs
        .iter()
        .filter_map(|pair| pair.result.clone().map(|result| (result, pair.is_error)))
        .collect();
    wanted.sort();
    found.sort();
    assert_eq!(found, wanted, "{provider:?}: what came back");
    for pair in pairs {
        // Histories number each call and its own result alike; a shortened one has lost its number.
        let asked = pair.arguments.get("n").and_then(Value::as_u64);
        let answered = pair.result.as_deref().and_then(number_of);
        if let (Some(asked), Some(answered)) = (asked, answered) {
            assert_eq!(asked, answered, "{provider:?}: the result of another call");
        }
    }
}

/// Joins what one speaker says in a row: where a turn ends is the renderer's to say.
fn join_neighbours(said: &mut Vec<Said>) {
    let mut joined: Vec<Said> = Vec::new();
    for one in said.drain(..) {
        match joined.last_mut() {
            Some(last) if last.by == one.by => {
                last.what.push_str("\n\n");
                last.what.push_str(&one.what);
            }
            _ => joined.push(one),
        }
    }
    *said = joined;
}

fn speaks(text: &str) -> bool {
    !text
        .chars()
        .all(|letter| letter.is_whitespace() || letter.is_control())
}

fn said_in_view(provider: Provider, view: &View) -> Vec<Said> {
    let mut said = Vec::new();
    for item in &view.items {
        let by = speaker(provider, item);
        let mut whats: Vec<String> = Vec::new();
        for (at, part) in item.parts.iter().enumerate() {
            whats.extend(what(provider, item, part, at));
        }
        let says_aloud = !whats.is_empty();
        match (item.role, &item.name) {
            (Role::User, Some(name)) if says_aloud && speaks(name) => {
                whats.insert(0, format!("{name} says:"));
            }
            (Role::System, _) if says_aloud && by == "user" => {
                whats.insert(0, "[system message]".to_owned());
            }
            _ => {}
        }
        said.extend(whats.into_iter().map(|what| Said { by, what }));
    }
    said
}

fn speaker(provider: Provider, item: &ViewItem) -> &'static str {
    match (item.role, provider) {
        _ if item.kind == ViewItemKind::System => "prompt",
        (Role::Assistant, _) => "assistant",
        (Role::System, Provider::OpenAiChat | Provider::OpenAiResponses) => "system",
        _ => "user",
    }
}

/// What a part says, if it says anything here.
fn what(provider: Provider, item: &ViewItem, part: &Part, at: usize) -> Option<String> {
    let is_users = speaker(provider, item) == "user";
    match part {
        Part::Opaque { json } if json.contains("\"refusal\"") => {
            let block: Value = serde_json::from_str(json).unwrap();
            Some(text(&block["refusal"]).to_owned())
        }
        Part::Text { text } | Part::Opaque { json: text }
            if speaks(text) && !text.contains("redacted_thinking") =>
        {
            let is_trimmed = provider == Provider::Anthropic && item.role == Role::Assistant;
            let blank = |letter: char| letter.is_whitespace() || letter.is_control();
            Some(if is_trimmed {
                text.trim_end_matches(blank).to_owned()
            } else {
                text.clone()
            })
        }
        Part::Media { uri, mime } => {
            let is_sent = is_users && sent_to(provider).contains(&uri.as_str());
            Some(match (is_sent, uri.starts_with("data:"), item.id) {
                (true, ..) => format!("medium {}", payload(uri)),
                (false, false, _) => format!("[{mime} at {uri}]"),
                (false, true, Some(id)) => format!("[{mime} left out; message {id} holds it]"),
                (false, true, None) => format!("[{mime} left out]"),
            })
        }
        _ => match leads_to(provider, item, at) {
            Some(Next::Call) if provider != Provider::Anthropic => None,
            Some(_) => thought(provider, part),
            None => None,
        },
    }
}

/// What reasoning says that its own provider takes.
fn thought(provider: Provider, part: &Part) -> Option<String> {
    match part {
        Part::Reasoning {
            text: words,
            signature: Some(signature),
        } if !signature.is_empty() => {
            let whole: Option<Value> = serde_json::from_str(signature).ok();
            match (provider, whole) {
                (Provider::OpenAiResponses, Some(item)) if item["type"] == "reasoning" => {
                    Some(format!("kept {item}"))
                }
                (Provider::Gemini, Some(part)) if part["thoughtSignature"].is_string() => {
                    Some(format!("thought  {}", text(&part["thoughtSignature"])))
                }
                // No encrypted content, but an item that the provider would have to know.
                (Provider::OpenAiResponses, Some(_)) => None,
                // No base64.
                (Provider::Gemini, _) if signature.contains(['{', '!']) => None,
                _ => Some(format!("thought {words} {signature}")),
            }
        }
        Part::Opaque { json } if json.contains("redacted_thinking") => {
            let block: Value = serde_json::from_str(json).unwrap();
            let is_known = provider == Provider::Anthropic;
            is_known.then(|| format!("redacted {}", text(&block["data"])))
        }
        _ => None,
    }
}

/// What reasoning leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Words,
    Call,
}

/// Says what reasoning at a place leads to, where it is the provider's own.
fn leads_to(provider: Provider, item: &ViewItem, at: usize) -> Option<Next> {
    let (names, families): (&[&str], &[&str]) = match provider {
        Provider::OpenAiChat => (&[], &[]),
        Provider::OpenAiResponses => (&["openai"], &["gpt"]),
        Provider::Anthropic => (&["anthropic"], &["claude"]),
        Provider::Gemini => (&["google"], &["gemini"]),
    };
    let is_signed_here = item.role == Role::Assistant
        && match (item.provider.as_deref(), item.model.as_deref()) {
            (Some(name), _) => names.contains(&name),
            (None, Some(model)) => families.iter().any(|family| model.starts_with(family)),
            (None, None) => provider == Provider::Anthropic,
        };
    let mut behind = item.parts.iter().skip(at + 1);
    let next = behind.find_map(|part| match part {
        Part::Text { text } => speaks(text).then_some(Next::Words),
        Part::Opaque { json } => {
            (speaks(json) && !json.contains("redacted_thinking")).then_some(Next::Words)
        }
        Part::Media { .. } => Some(Next::Words),
        Part::ToolUse { .. } => Some(Next::Call),
        _ => None,
    });
    next.filter(|_| is_signed_here)
}

/// A call's name, its arguments and the reasoning right before it.
type Called = (String, Value, Vec<String>);

fn calls_of_view(provider: Provider, view: &View) -> Vec<Called> {
    let mut calls = Vec::new();
    for item in &view.items {
        let mut thoughts = Vec::new();
        for (at, part) in item.parts.iter().enumerate() {
            let leads_to_call = leads_to(provider, item, at) == Some(Next::Call);
            if provider != Provider::Anthropic && leads_to_call {
                thoughts.extend(thought(provider, part));
            }
            if let Part::ToolUse {
                name, arguments, ..
            } = part
            {
                let name = lawful(provider, name);
                calls.push((name, object(arguments), std::mem::take(&mut thoughts)));
            }
        }
    }
    calls
}

fn lawful(provider: Provider, name: &str) -> String {
    if provider == Provider::Gemini && name.starts_with(['9', '-']) {
        return format!("_{name}");
    }
    let letters = name.chars().map(|letter| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => letter,
        _ => '_',
    });
    let name: String = letters.take(64).collect();
    if name.is_empty() {
        "_".to_owned()
    } else {
        name
    }
}
