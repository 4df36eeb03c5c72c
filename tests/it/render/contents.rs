//! What a body holds, told again and compared with what its view holds: nothing lost, nothing
//! invented but the few lines that are documented.

use hippocamp::domain::{Part, Role, View, ViewItem, ViewItemKind};
use serde_json::{Value, json};

use super::Provider;
use super::history::number_of;
use super::rule::{list, messages, text};

const LEFT_OUT: &str = "[earlier messages left out]";
const MISSING: &str = "[no result was recorded]";

/// Something said, in the order in which it was said.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Said {
    by: &'static str,
    what: String,
}

/// A call and, where it has one, its result.
#[derive(Debug, Clone, PartialEq)]
struct Pair {
    name: String,
    arguments: Value,
    result: Option<String>,
    is_error: bool,
}

/// Compares a body with its view.
#[track_caller]
pub(super) fn check(provider: Provider, view: &View, body: Option<&str>) {
    let mut wanted = said_in_view(provider, view);
    let calls = calls_of_view(view);
    let Some(body) = body else {
        assert!(calls.is_empty(), "{provider:?}: no body, but calls");
        assert!(
            wanted.iter().all(|said| said.by == "prompt"),
            "{provider:?}: {wanted:?}"
        );
        return;
    };
    let body = super::parsed(body);
    let (mut found, pairs) = match provider {
        Provider::OpenAiChat => read_openai(&body),
        Provider::Anthropic => read_anthropic(&body),
    };
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
fn check_pairs(provider: Provider, view: &View, pairs: &[Pair], calls: &[(String, Value)]) {
    let made: Vec<(String, Value)> = pairs
        .iter()
        .map(|pair| (pair.name.clone(), pair.arguments.clone()))
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
        (Role::System, Provider::OpenAiChat) => "system",
        _ => "user",
    }
}

/// What a part says, if it says anything here.
fn what(provider: Provider, item: &ViewItem, part: &Part, at: usize) -> Option<String> {
    let is_users = speaker(provider, item) == "user";
    match part {
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
            let is_sent = is_users
                && match provider {
                    Provider::OpenAiChat => super::history::SENT_TO_OPENAI.contains(&uri.as_str()),
                    Provider::Anthropic => {
                        super::history::SENT_TO_ANTHROPIC.contains(&uri.as_str())
                    }
                };
            Some(match (is_sent, uri.starts_with("data:"), item.id) {
                (true, ..) => format!("medium {}", payload(uri)),
                (false, false, _) => format!("[{mime} at {uri}]"),
                (false, true, Some(id)) => format!("[{mime} left out; message {id} holds it]"),
                (false, true, None) => format!("[{mime} left out]"),
            })
        }
        Part::Reasoning {
            text,
            signature: Some(signature),
        } if !signature.is_empty() && leads_on(provider, item, at) => {
            Some(format!("thought {text} {signature}"))
        }
        Part::Opaque { json } if json.contains("redacted_thinking") => {
            let block: Value = serde_json::from_str(json).unwrap();
            leads_on(provider, item, at).then(|| format!("redacted {}", text(&block["data"])))
        }
        _ => None,
    }
}

/// Says whether reasoning at a place is Anthropic's and has something behind it in its message.
fn leads_on(provider: Provider, item: &ViewItem, at: usize) -> bool {
    let is_signed_here = provider == Provider::Anthropic
        && item.role == Role::Assistant
        && item
            .provider
            .as_deref()
            .is_none_or(|provider| provider == "anthropic")
        && (item.provider.is_some()
            || item
                .model
                .as_deref()
                .is_none_or(|model| model.starts_with("claude")));
    let mut behind = item.parts.iter().skip(at + 1);
    is_signed_here
        && behind.any(|part| match part {
            Part::Text { text } => speaks(text),
            Part::Opaque { json } => speaks(json) && !json.contains("redacted_thinking"),
            Part::ToolUse { .. } | Part::Media { .. } => true,
            _ => false,
        })
}

fn calls_of_view(view: &View) -> Vec<(String, Value)> {
    let parts = view.items.iter().flat_map(|item| &item.parts);
    parts
        .filter_map(|part| match part {
            Part::ToolUse {
                name, arguments, ..
            } => Some((lawful(name), object(arguments))),
            _ => None,
        })
        .collect()
}

fn lawful(name: &str) -> String {
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

fn object(arguments: &str) -> Value {
    match serde_json::from_str::<Value>(arguments) {
        Ok(value) if value.is_object() => value,
        _ if arguments.trim().is_empty() => json!({}),
        _ => json!({ "arguments": arguments }),
    }
}

fn payload(uri: &str) -> &str {
    uri.rsplit_once(',').map_or(uri, |(_, data)| data)
}

fn result_of(content: &str) -> Option<String> {
    (content != MISSING).then(|| content.to_owned())
}

fn read_anthropic(body: &Value) -> (Vec<Said>, Vec<Pair>) {
    let mut said: Vec<Said> = list(&body["system"])
        .iter()
        .map(|block| Said {
            by: "prompt",
            what: text(&block["text"]).to_owned(),
        })
        .collect();
    let mut pairs: Vec<(String, Pair)> = Vec::new();
    for message in messages(body) {
        let by = if message["role"] == "user" {
            "user"
        } else {
            "assistant"
        };
        for block in list(&message["content"]) {
            let field = |name: &str| text(&block[name]).to_owned();
            let what = match text(&block["type"]) {
                "text" => field("text"),
                "thinking" => format!("thought {} {}", field("thinking"), field("signature")),
                "redacted_thinking" => format!("redacted {}", field("data")),
                "tool_use" => {
                    let pair = Pair {
                        name: field("name"),
                        arguments: block["input"].clone(),
                        result: None,
                        is_error: false,
                    };
                    pairs.push((field("id"), pair));
                    continue;
                }
                "tool_result" => {
                    let id = field("tool_use_id");
                    let (_, pair) = pairs.iter_mut().find(|(call, _)| *call == id).unwrap();
                    pair.result = result_of(&field("content"));
                    pair.is_error = block["is_error"] == true;
                    continue;
                }
                _ => {
                    let source = &block["source"];
                    format!("medium {}{}", text(&source["data"]), text(&source["url"]))
                }
            };
            said.push(Said { by, what });
        }
    }
    (said, pairs.into_iter().map(|(_, pair)| pair).collect())
}

fn read_openai(body: &Value) -> (Vec<Said>, Vec<Pair>) {
    let mut said = Vec::new();
    let mut pairs: Vec<(String, Pair)> = Vec::new();
    for (at, message) in messages(body).iter().enumerate() {
        let by = match text(&message["role"]) {
            "system" if at == 0 => "prompt",
            "system" => "system",
            "assistant" => "assistant",
            "user" => "user",
            _ => {
                let id = text(&message["tool_call_id"]);
                let (_, pair) = pairs.iter_mut().find(|(call, _)| call == id).unwrap();
                let content = text(&message["content"]);
                let failed = content.strip_prefix("[failed]\n");
                pair.is_error = failed.is_some();
                pair.result = result_of(failed.unwrap_or(content));
                continue;
            }
        };
        let content = &message["content"];
        let words = content.as_str().map(str::to_owned);
        let parts = list(content).iter().map(part_of_openai);
        said.extend(words.into_iter().chain(parts).map(|what| Said { by, what }));
        for call in list(&message["tool_calls"]) {
            let pair = Pair {
                name: text(&call["function"]["name"]).to_owned(),
                arguments: object(text(&call["function"]["arguments"])),
                result: None,
                is_error: false,
            };
            pairs.push((text(&call["id"]).to_owned(), pair));
        }
    }
    (said, pairs.into_iter().map(|(_, pair)| pair).collect())
}

fn part_of_openai(part: &Value) -> String {
    match text(&part["type"]) {
        "text" => text(&part["text"]).to_owned(),
        "image_url" => format!("medium {}", payload(text(&part["image_url"]["url"]))),
        "input_audio" => format!("medium {}", text(&part["input_audio"]["data"])),
        _ => format!("medium {}", payload(text(&part["file"]["file_data"]))),
    }
}
