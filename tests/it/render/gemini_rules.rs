//! What Gemini's `generateContent` asks of a body. "Reference" is the page of Content and Part;
//! words in quotes are those of its refusals.

use serde_json::{Value, json};

use super::rule::{Rule, all_different, check_rules, is_base64, is_name, list, speaks, text};

pub(super) const RULES: [Rule; 18] = [
    Rule {
        name: "a body is a system instruction and contents",
        source: "\"Invalid JSON payload received. Unknown name\"; the host adds the others",
        holds: |body| {
            let known = |key: &String| key == "systemInstruction" || key == "contents";
            body.as_object().is_some_and(|body| body.keys().all(known))
        },
    },
    Rule {
        name: "there are contents",
        source: "\"contents is not specified\"",
        holds: |body| !contents(body).is_empty(),
    },
    Rule {
        name: "roles are user and model",
        source: "\"Please use a valid role: user, model.\"",
        holds: |body| {
            let mut all = contents(body).iter();
            all.all(|content| content["role"] == "user" || content["role"] == "model")
        },
    },
    Rule {
        name: "a user begins",
        source: "\"Please ensure that multiturn requests … start with a user role\"",
        holds: |body| {
            contents(body)
                .first()
                .is_none_or(|first| first["role"] == "user")
        },
    },
    Rule {
        name: "speakers alternate, but for words behind responses",
        source: "\"Please ensure that multiturn requests alternate between user and model\"",
        holds: |body| {
            let mut two = contents(body).windows(2);
            two.all(|two| {
                let is_response = !part_of(&two[0], "functionResponse").is_empty();
                two[0]["role"] != two[1]["role"]
                    || (is_response && part_of(&two[1], "functionResponse").is_empty())
            })
        },
    },
    Rule {
        name: "contents have parts, each with one kind of data",
        source: "\"Unable to submit request because it must have a parts field\"; Part.data is a union",
        holds: |body| {
            contents(body).iter().all(|content| {
                let parts = list(&content["parts"]);
                !parts.is_empty() && parts.iter().all(has_one_kind)
            })
        },
    },
    Rule {
        name: "texts say something, or bear a signature",
        source: "\"Unable to submit request because it must have a text parameter\"",
        holds: |body| {
            let mut texts = parts(body).filter(|part| part.get("text").is_some());
            texts.all(|part| {
                speaks(&part["text"]) || (part["text"].is_string() && has_signature(part))
            })
        },
    },
    Rule {
        name: "calls are the model's and come last in its content",
        source: "Function calling guide: the model's content goes back as it came",
        holds: |body| {
            contents(body).iter().all(|content| {
                let is_call = |part: &&Value| part.get("functionCall").is_some();
                let is_other = |part: &&Value| !is_call(part) && !has_signature(part);
                let mut rest = list(&content["parts"])
                    .iter()
                    .skip_while(|part| !is_call(part));
                let is_models = content["role"] == "model" || rest.clone().next().is_none();
                is_models && !rest.any(|part| is_other(&part))
            })
        },
    },
    Rule {
        name: "as many responses as calls, right behind them",
        source: "\"the number of function response parts is equal to the number of function call parts\"",
        holds: |body| pairs(body).all(|(calls, responses)| calls.len() == responses.len()),
    },
    Rule {
        name: "responses bear the ids and names of their calls",
        source: "Reference: FunctionResponse.id, FunctionResponse.name",
        holds: |body| {
            let key = |one: &Value| (text(&one["id"]).to_owned(), text(&one["name"]).to_owned());
            pairs(body).all(|(calls, responses)| {
                calls
                    .into_iter()
                    .map(key)
                    .eq(responses.into_iter().map(key))
            })
        },
    },
    Rule {
        name: "responses stand alone in their content",
        source: "function responses mixed with other parts are not counted as a response turn",
        holds: |body| {
            contents(body).iter().all(|content| {
                let responses = part_of(content, "functionResponse");
                responses.is_empty() || responses.len() == list(&content["parts"]).len()
            })
        },
    },
    Rule {
        name: "ids of calls are all different",
        source: "Reference: FunctionCall.id is unique",
        holds: |body| {
            let calls = contents(body)
                .iter()
                .flat_map(|content| part_of(content, "functionCall"));
            all_different(calls.map(|call| text(&call["id"])))
        },
    },
    Rule {
        name: "names begin with a letter or _ and have at most 64 characters",
        source: "\"Invalid function name. Must start with a letter or an underscore … length of 64\"",
        holds: |body| {
            let mut calls = contents(body)
                .iter()
                .flat_map(|content| part_of(content, "functionCall"));
            calls.all(|call| {
                let name = text(&call["name"]);
                let is_start = |first: char| first.is_ascii_alphabetic() || first == '_';
                is_name(name, 64) && name.starts_with(is_start) && !text(&call["id"]).is_empty()
            })
        },
    },
    Rule {
        name: "args are an object",
        source: "Reference: FunctionCall.args is a Struct; \"Starting an object on a scalar field\"",
        holds: |body| {
            let mut calls = contents(body)
                .iter()
                .flat_map(|content| part_of(content, "functionCall"));
            calls.all(|call| call["args"].is_object())
        },
    },
    Rule {
        name: "a response is an object with an output or an error",
        source: "Reference: FunctionResponse.response is a Struct with `output` or `error`",
        holds: |body| {
            let all = contents(body).iter();
            let mut all = all.flat_map(|content| part_of(content, "functionResponse"));
            all.all(|one| {
                let response = one["response"].as_object();
                response.is_some_and(|fields| {
                    fields.len() == 1
                        && fields.iter().all(|(name, value)| {
                            (name == "output" || name == "error") && speaks(value)
                        })
                })
            })
        },
    },
    Rule {
        name: "media have bytes or a link, and a type that is read",
        source: "\"Unsupported MIME type\"; Reference: Blob.data is base64, FileData.fileUri",
        holds: |body| {
            parts(body).all(|part| {
                let is_known = |mime: &Value| {
                    let (kind, of) = text(mime).split_once('/').unwrap_or_default();
                    !of.contains('*') && ["image", "audio", "video", "application"].contains(&kind)
                };
                let inline = part.get("inlineData");
                let link = part.get("fileData");
                inline.is_none_or(|one| is_known(&one["mimeType"]) && is_base64(text(&one["data"])))
                    && link.is_none_or(|one| {
                        is_known(&one["mimeType"]) && text(&one["fileUri"]).starts_with("https://")
                    })
            })
        },
    },
    Rule {
        name: "thoughts are the model's, signed in base64, and lead to something",
        source: "Thought signatures: on the part that they came with; \"Thought signature is not valid\"",
        holds: |body| {
            contents(body).iter().all(|content| {
                let parts = list(&content["parts"]);
                let mut thoughts = parts.iter().filter(|part| {
                    part.get("thought").is_some() || part.get("thoughtSignature").is_some()
                });
                let is_sound = thoughts.clone().all(has_signature);
                let is_models = content["role"] == "model" || thoughts.next().is_none();
                let ends = parts.last().is_some_and(|last| last["thought"] == true);
                is_sound && is_models && !ends
            })
        },
    },
    Rule {
        name: "the system instruction is texts that say something",
        source: "Reference: systemInstruction, currently text only",
        holds: |body| {
            let Some(system) = body.get("systemInstruction") else {
                return true;
            };
            let parts = list(&system["parts"]);
            !parts.is_empty() && parts.iter().all(|part| speaks(&part["text"]))
        },
    },
];

const KINDS: [&str; 5] = [
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
];

fn has_one_kind(part: &Value) -> bool {
    KINDS
        .iter()
        .filter(|kind| part.get(**kind).is_some())
        .count()
        == 1
}

fn has_signature(part: &Value) -> bool {
    is_base64(text(&part["thoughtSignature"]))
}

fn contents(body: &Value) -> &[Value] {
    list(&body["contents"])
}

fn parts(body: &Value) -> impl Iterator<Item = &Value> {
    contents(body)
        .iter()
        .flat_map(|content| list(&content["parts"]))
}

fn part_of<'a>(content: &'a Value, kind: &str) -> Vec<&'a Value> {
    list(&content["parts"])
        .iter()
        .filter_map(|part| part.get(kind))
        .collect()
}

/// The calls of each content with the responses of the one behind it, from before the first on.
fn pairs(body: &Value) -> impl Iterator<Item = (Vec<&Value>, Vec<&Value>)> {
    let all = contents(body);
    (0..=all.len()).map(move |at| {
        let of = |at: Option<usize>, kind: &str| {
            let content = at.and_then(|at| all.get(at));
            content.map_or_else(Vec::new, |content| part_of(content, kind))
        };
        (
            of(at.checked_sub(1), "functionCall"),
            of(Some(at), "functionResponse"),
        )
    })
}

/// A body that breaks no rule.
fn good() -> Value {
    let call = |id: &str| json!({"functionCall": {"id": id, "name": "Read", "args": {}}});
    let answer = |id: &str| json!({"functionResponse": {"id": id, "name": "Read", "response": {"output": "1"}}});
    json!({
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [
                {"text": "Look."},
                {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
            ]},
            {"role": "model", "parts": [
                {"text": "Hm.", "thought": true, "thoughtSignature": "AAAA"},
                call("a"),
                call("b"),
            ]},
            {"role": "user", "parts": [answer("a"), answer("b")]},
            {"role": "user", "parts": [{"text": "And?"}]},
            {"role": "model", "parts": [{"text": "Done."}]},
        ],
    })
}

/// Each rule with what breaks it, where.
fn bad() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        (
            "a body is a system instruction and contents",
            "",
            json!({"messages": []}),
        ),
        ("there are contents", "/contents", json!([])),
        (
            "roles are user and model",
            "/contents/1/role",
            json!("assistant"),
        ),
        ("a user begins", "/contents/0/role", json!("model")),
        (
            "speakers alternate, but for words behind responses",
            "/contents/4/role",
            json!("user"),
        ),
        (
            "contents have parts, each with one kind of data",
            "/contents/0/parts/1",
            json!({"text": "both", "fileData": {}}),
        ),
        (
            "texts say something, or bear a signature",
            "/contents/4/parts/0/text",
            json!(" "),
        ),
        (
            "calls are the model's and come last in its content",
            "/contents/1/parts/2",
            json!({"text": "x"}),
        ),
        (
            "as many responses as calls, right behind them",
            "/contents/2/parts/1",
            json!({"text": "x"}),
        ),
        (
            "responses bear the ids and names of their calls",
            "/contents/2/parts/1/functionResponse/id",
            json!("a"),
        ),
        (
            "responses stand alone in their content",
            "/contents/2/parts/1",
            json!({"text": "x"}),
        ),
        (
            "ids of calls are all different",
            "/contents/1/parts/2/functionCall/id",
            json!("a"),
        ),
        (
            "names begin with a letter or _ and have at most 64 characters",
            "/contents/1/parts/2/functionCall/name",
            json!("9x"),
        ),
        (
            "args are an object",
            "/contents/1/parts/2/functionCall/args",
            json!("{}"),
        ),
        (
            "a response is an object with an output or an error",
            "/contents/2/parts/0/functionResponse/response",
            json!("1"),
        ),
        (
            "media have bytes or a link, and a type that is read",
            "/contents/0/parts/1/inlineData/mimeType",
            json!("image/*"),
        ),
        (
            "thoughts are the model's, signed in base64, and lead to something",
            "/contents/1/parts/0/thoughtSignature",
            json!("!"),
        ),
        (
            "the system instruction is texts that say something",
            "/systemInstruction/parts",
            json!([]),
        ),
    ]
}

#[test]
fn each_rule_of_gemini_is_broken_by_a_bad_body() {
    check_rules(&RULES, &good(), &bad());
}
