//! The shared cases of the tools: `last`, limits, bad values, forms of ids.

use std::path::Path;

use hippocamp::domain::NewMessage;
use hippocamp::tools::{ExpandArgs, GrepArgs, Last, dispatch};
use serde_json::{Value, json};

use super::{bound, with_host};
use crate::shared::shared;

fn read(folder: &Path, name: &str) -> Value {
    let text = std::fs::read_to_string(folder.join("cases").join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn last_is_read_as_the_case_says() {
    let Some(folder) = shared("last_is_read_as_the_case_says") else {
        return;
    };
    let case = read(&folder, "B050_last_values.json");
    let good = case["ok"].as_object().unwrap();
    let bad = case["error"].as_array().unwrap();
    assert!(good.len() >= 4 && bad.len() >= 10);
    for text in good.keys() {
        assert!(text.parse::<Last>().is_ok(), "{text}");
        GrepArgs::try_from(json!({"pattern": "x", "last": text})).unwrap();
    }
    for text in bad {
        let error = GrepArgs::try_from(json!({"pattern": "x", "last": text})).unwrap_err();
        assert!(
            error.to_string().contains("m is a month"),
            "{text}: {error}"
        );
    }
}

#[test]
fn limits_and_bad_values_are_taken_as_the_case_says() {
    let Some(folder) = shared("limits_and_bad_values_are_taken_as_the_case_says") else {
        return;
    };
    let case = read(&folder, "B126_filters_and_limits.json");
    for (limit, want) in case["limits"].as_object().unwrap() {
        let limit: Value = serde_json::from_str(limit).unwrap();
        let args = GrepArgs::try_from(json!({"pattern": "x", "limit": limit}));
        match (want, args) {
            (Value::Number(want), Ok(args)) => assert_eq!(Some(args.limit), want.as_u64()),
            (Value::String(want), args) => {
                let is_taken = ["capped", "7 or error", "default"].contains(&want.as_str());
                assert_eq!(args.is_ok(), is_taken, "{limit}: {want}");
            }
            (want, args) => panic!("{limit}: {want} {args:?}"),
        }
    }
    for values in case["bad_values"].as_array().unwrap() {
        let mut arguments = json!({"pattern": "x"});
        arguments
            .as_object_mut()
            .unwrap()
            .extend(values.as_object().unwrap().clone());
        let error = GrepArgs::try_from(arguments).unwrap_err().to_string();
        let name = values.as_object().unwrap().keys().next().unwrap();
        assert!(error.contains(&format!("`{name}`")), "{values}: {error}");
    }
}

#[test]
fn ids_are_taken_as_the_case_says() {
    let Some(folder) = shared("ids_are_taken_as_the_case_says") else {
        return;
    };
    let calls = read(&folder, "B135_expand_ids.json")["calls"].clone();
    with_host(async |host| {
        let messages = (1..=12)
            .map(|n| NewMessage::user(format!("row {n}")))
            .collect();
        let ids = host.say("main", messages).await;
        for id in [10, 11, 12] {
            assert!(ids.contains(&id), "{ids:?}");
        }
        for call in calls.as_array().unwrap() {
            let ids = match &call["message_ids"] {
                Value::String(text) if call.get("generate").is_some() => {
                    assert_eq!(text, "range(1,40000)");
                    json!((1..40_000).collect::<Vec<u32>>())
                }
                ids => ids.clone(),
            };
            let arguments = json!({"message_ids": ids});
            let answer = dispatch(&host.engine, &bound("main"), "short_expand", arguments).await;
            let what = format!("{call}");
            match &call["want"] {
                Value::Number(want) => {
                    let shown = answer.unwrap()["messages"].as_array().unwrap().len() as u64;
                    assert_eq!(Some(shown), want.as_u64(), "{what}");
                }
                Value::String(want) if want.starts_with("error") => {
                    assert!(answer.is_err(), "{what}");
                }
                Value::String(want) if want.starts_with("1 row") => {
                    let answer = answer.unwrap();
                    assert_eq!(answer["messages"].as_array().unwrap().len(), 1);
                    assert_eq!(answer["missing"], json!(["999999"]));
                }
                Value::String(want) if want.starts_with("answered") => {
                    let answer = answer.unwrap();
                    assert_eq!(answer["missing"].as_array().unwrap().len(), 39_999 - 12);
                }
                Value::String(want) if want.starts_with("1 or error") => {
                    if let Ok(answer) = answer {
                        assert_eq!(answer["messages"].as_array().unwrap().len(), 1, "{what}");
                    }
                }
                Value::String(want) if want.starts_with("2 or error") => {
                    assert_eq!(
                        answer.unwrap()["messages"].as_array().unwrap().len(),
                        2,
                        "{what}"
                    );
                }
                other => panic!("{other}"),
            }
        }
    });
    let error = ExpandArgs::try_from(json!({"message_ids": ["0", "-1"]})).unwrap_err();
    assert!(error.to_string().contains("\"-1\""), "{error}");
}
