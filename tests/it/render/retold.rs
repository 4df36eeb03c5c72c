//! Bodies told again: what is said by whom, and each call with what came back.

use serde_json::{Value, json};

use super::Provider;
use super::rule::{list, messages, text};

const MISSING: &str = "[no result was recorded]";

/// Something said, in the order in which it was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) by: &'static str,
    pub(super) what: String,
}

/// A call and, where it has one, its result.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pair {
    pub(super) name: String,
    pub(super) arguments: Value,
    /// The reasoning right before it, where the interface has it there.
    pub(super) thoughts: Vec<String>,
    pub(super) result: Option<String>,
    pub(super) is_error: bool,
}

/// Reads what a body says.
pub(super) fn retell(provider: Provider, body: &Value) -> (Vec<Said>, Vec<Pair>) {
    match provider {
        Provider::OpenAiChat => read_openai(body),
        Provider::OpenAiResponses => read_input(body),
        Provider::Anthropic => read_anthropic(body),
        Provider::Gemini => read_contents(body),
    }
}

pub(super) fn payload(uri: &str) -> &str {
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
                        thoughts: Vec::new(),
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
                thoughts: Vec::new(),
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

pub(super) fn object(arguments: &str) -> Value {
    match serde_json::from_str::<Value>(arguments) {
        Ok(value) if value.is_object() => value,
        _ if arguments.trim().is_empty() => json!({}),
        _ => json!({ "arguments": arguments }),
    }
}

fn read_input(body: &Value) -> (Vec<Said>, Vec<Pair>) {
    let prompt = body["instructions"].as_str().map(|words| Said {
        by: "prompt",
        what: words.to_owned(),
    });
    let mut said: Vec<Said> = prompt.into_iter().collect();
    let mut pairs: Vec<(String, Pair)> = Vec::new();
    let mut thoughts: Vec<String> = Vec::new();
    for item in list(&body["input"]) {
        let by = match text(&item["role"]) {
            "system" => "system",
            "user" => "user",
            _ => "assistant",
        };
        match text(&item["type"]) {
            "reasoning" => thoughts.push(thought_of_item(item)),
            "function_call" => {
                let pair = Pair {
                    name: text(&item["name"]).to_owned(),
                    arguments: object(text(&item["arguments"])),
                    thoughts: std::mem::take(&mut thoughts),
                    result: None,
                    is_error: false,
                };
                pairs.push((text(&item["call_id"]).to_owned(), pair));
            }
            "function_call_output" => {
                let id = text(&item["call_id"]);
                let (_, pair) = pairs.iter_mut().find(|(call, _)| call == id).unwrap();
                let output = text(&item["output"]);
                let failed = output.strip_prefix("[failed]\n");
                pair.is_error = failed.is_some();
                pair.result = result_of(failed.unwrap_or(output));
            }
            _ => {
                let words = list(&item["content"]).iter().map(word_of_item);
                let whats = thoughts.drain(..).chain(words);
                said.extend(whats.map(|what| Said { by, what }));
            }
        }
    }
    assert!(thoughts.is_empty(), "reasoning that leads nowhere");
    (said, pairs.into_iter().map(|(_, pair)| pair).collect())
}

fn thought_of_item(item: &Value) -> String {
    if item.get("id").is_some() {
        return format!("kept {item}");
    }
    let words: Vec<&str> = list(&item["summary"])
        .iter()
        .map(|piece| text(&piece["text"]))
        .collect();
    format!(
        "thought {} {}",
        words.concat(),
        text(&item["encrypted_content"])
    )
}

fn word_of_item(block: &Value) -> String {
    match text(&block["type"]) {
        "input_text" | "output_text" => text(&block["text"]).to_owned(),
        "refusal" => text(&block["refusal"]).to_owned(),
        "input_image" => format!("medium {}", payload(text(&block["image_url"]))),
        _ => {
            let url = block["file_data"].as_str().or(block["file_url"].as_str());
            format!("medium {}", payload(url.unwrap_or_default()))
        }
    }
}

fn read_contents(body: &Value) -> (Vec<Said>, Vec<Pair>) {
    let prompt = list(&body["systemInstruction"]["parts"]).iter();
    let mut said: Vec<Said> = prompt
        .map(|part| Said {
            by: "prompt",
            what: text(&part["text"]).to_owned(),
        })
        .collect();
    let mut pairs: Vec<(String, Pair)> = Vec::new();
    for content in list(&body["contents"]) {
        let by = if content["role"] == "user" {
            "user"
        } else {
            "assistant"
        };
        let mut thoughts: Vec<String> = Vec::new();
        for part in list(&content["parts"]) {
            let words = text(&part["text"]);
            if let Some(signature) = part["thoughtSignature"].as_str() {
                let of_thought = if part["thought"] == true { words } else { "" };
                thoughts.push(format!("thought {of_thought} {signature}"));
            }
            if let Some(call) = part.get("functionCall") {
                let pair = Pair {
                    name: text(&call["name"]).to_owned(),
                    arguments: call["args"].clone(),
                    thoughts: std::mem::take(&mut thoughts),
                    result: None,
                    is_error: false,
                };
                pairs.push((text(&call["id"]).to_owned(), pair));
                continue;
            }
            if let Some(answer) = part.get("functionResponse") {
                let id = text(&answer["id"]);
                let (_, pair) = pairs.iter_mut().find(|(call, _)| call == id).unwrap();
                let failed = answer["response"]["error"].as_str();
                pair.is_error = failed.is_some();
                pair.result = result_of(failed.unwrap_or(text(&answer["response"]["output"])));
                continue;
            }
            if part["thought"] == true || (part.get("text").is_some() && words.is_empty()) {
                continue;
            }
            let data = text(&part["inlineData"]["data"]);
            let uri = text(&part["fileData"]["fileUri"]);
            let what = match part["text"].as_str() {
                Some(words) => words.to_owned(),
                None => format!("medium {data}{uri}"),
            };
            let whats = thoughts.drain(..).chain([what]);
            said.extend(whats.map(|what| Said { by, what }));
        }
        assert!(thoughts.is_empty(), "reasoning that leads nowhere");
    }
    (said, pairs.into_iter().map(|(_, pair)| pair).collect())
}
