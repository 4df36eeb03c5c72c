//! The agent's tools against a real store, as a host would call them.

mod cases;
mod declared;
mod optional;

use hippocamp::domain::{NewMessage, Role, SessionKey, Timestamp};
use hippocamp::engine::Engine;
use hippocamp::tools::{ToolError, ToolScope, dispatch, schema};
use serde_json::{Value, json};
use tempfile::TempDir;

struct Host {
    engine: Engine,
    _folder: TempDir,
}

fn key(text: &str) -> SessionKey {
    SessionKey::new(text).unwrap()
}

fn bound(text: &str) -> ToolScope {
    ToolScope::Session(key(text))
}

impl Host {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::builder(folder.path().join("t.db")).build().unwrap();
        Self {
            engine,
            _folder: folder,
        }
    }

    async fn say(&self, session: &str, messages: Vec<NewMessage>) -> Vec<i64> {
        let appended = self.engine.append(&key(session), messages).await.unwrap();
        appended.rows.iter().map(|row| row.id.get()).collect()
    }

    async fn grep(&self, scope: &ToolScope, arguments: Value) -> Value {
        let answer = dispatch(&self.engine, scope, "short_grep", arguments.clone()).await;
        answer.unwrap_or_else(|error| panic!("{arguments}: {error}"))
    }

    async fn expand(&self, scope: &ToolScope, arguments: Value) -> Value {
        let answer = dispatch(&self.engine, scope, "short_expand", arguments.clone()).await;
        answer.unwrap_or_else(|error| panic!("{arguments}: {error}"))
    }

    async fn refused(&self, scope: &ToolScope, name: &str, arguments: Value) -> ToolError {
        dispatch(&self.engine, scope, name, arguments)
            .await
            .unwrap_err()
    }
}

/// Runs `work` on a runtime of its own.
fn with_host(work: impl AsyncFnOnce(&Host)) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let host = Host::new();
        work(&host).await;
        host.engine.shutdown().await.unwrap();
    });
}

#[test]
fn every_example_of_a_description_runs() {
    with_host(async |host| {
        host.say(
            "main",
            vec![NewMessage::user("the staging bucket name is otter")],
        )
        .await;
        for tool in schema() {
            for example in tool
                .description
                .lines()
                .filter(|line| line.starts_with('{'))
            {
                let arguments: Value = serde_json::from_str(example).unwrap();
                let answer = dispatch(&host.engine, &bound("main"), tool.name, arguments).await;
                let answer = answer.unwrap_or_else(|error| panic!("{example}: {error}"));
                assert!(answer.is_object());
            }
        }
        let answer = host
            .grep(&bound("main"), json!({"pattern": "staging bucket name"}))
            .await;
        assert_eq!(answer["total"], 1);
    });
}

#[test]
fn every_promised_field_is_there() {
    with_host(async |host| {
        let ids = host.say("main", vec![NewMessage::user("an otter")]).await;
        let answer = host.grep(&bound("main"), json!({"pattern": "otter"})).await;
        let fields = [
            "results",
            "total",
            "total_capped",
            "limit",
            "match",
            "read_as",
            "complete",
            "cursor",
            "hint",
        ];
        assert!(
            fields.iter().all(|field| answer.get(field).is_some()),
            "{answer}"
        );
        let result = &answer["results"][0];
        assert_eq!(result["id"], ids[0].to_string());
        assert_eq!(result["seq"], 1);
        assert_eq!(result["kind"], "text");
        assert_eq!(result["role"], "user");
        assert_eq!(result["depth"], Value::Null);
        assert_eq!(result["conversation"], "main");
        assert_eq!(result["standing"], "in_view");
        assert!(result["rank"].as_f64().unwrap() < 0.0);
        assert!(result["time"].as_str().unwrap().ends_with('Z'));
        assert!(result["snippet"].as_str().unwrap().contains("otter"));
    });
}

#[test]
fn a_bound_call_stays_in_its_conversation() {
    with_host(async |host| {
        let one = host.say("one", vec![NewMessage::user("otter one")]).await;
        let two = host.say("two", vec![NewMessage::user("otter two")]).await;
        let answer = host.grep(&bound("one"), json!({"pattern": "otter"})).await;
        assert_eq!(answer["total"], 1);
        let everywhere = json!({"pattern": "otter", "all_conversations": true});
        let answer = host.grep(&bound("one"), everywhere.clone()).await;
        assert_eq!(answer["total"], 2);
        let answer = host
            .expand(&bound("one"), json!({"message_ids": [one[0], two[0]]}))
            .await;
        assert_eq!(answer["missing"], json!([two[0].to_string()]));
        assert_eq!(answer["messages"].as_array().unwrap().len(), 1);
        let all = json!({"message_ids": [one[0], two[0]], "all_conversations": true});
        let answer = host.expand(&bound("one"), all).await;
        assert_eq!(answer["messages"].as_array().unwrap().len(), 2);
        let error = host
            .refused(&ToolScope::Unbound, "short_grep", json!({"pattern": "x"}))
            .await;
        assert!(matches!(error, ToolError::Unbound));
        assert_eq!(host.grep(&ToolScope::Unbound, everywhere).await["total"], 2);
        let error = host
            .refused(&bound("tow"), "short_grep", json!({"pattern": "x"}))
            .await;
        assert!(error.to_string().contains("tow"), "{error}");
    });
}

#[test]
fn filters_act_before_the_limit() {
    with_host(async |host| {
        let old = NewMessage::text(Role::Assistant, "poplar needle")
            .at(Timestamp::parse("2020-01-01").unwrap());
        host.say("this", vec![old]).await;
        let newer = (0..60)
            .map(|n| NewMessage::user(format!("poplar {n}")))
            .collect();
        host.say("other", newer).await;
        let scope = bound("this");
        for arguments in [
            json!({"pattern": "poplar", "limit": 5}),
            json!({"pattern": "poplar", "limit": 5, "all_conversations": true, "role": "assistant"}),
            json!({"pattern": "poplar", "limit": 5, "all_conversations": true, "before": "2021-01-01"}),
            json!({"pattern": "%poplar%", "limit": 5, "all_conversations": true, "role": "assistant"}),
        ] {
            let answer = host.grep(&scope, arguments).await;
            assert_eq!(answer["total"], 1, "{answer}");
            assert_eq!(answer["results"][0]["snippet"], "poplar needle");
        }
        let all = json!({"pattern": "poplar", "limit": 5, "all_conversations": true});
        let answer = host.grep(&scope, all).await;
        assert_eq!(answer["total"], 61);
        assert_eq!(answer["results"].as_array().unwrap().len(), 5);
    });
}

#[test]
fn a_limit_is_capped_and_says_so() {
    with_host(async |host| {
        host.say("main", vec![NewMessage::user("otter")]).await;
        let arguments = json!({"pattern": "otter", "limit": 1_000_000_000});
        let answer = host.grep(&bound("main"), arguments).await;
        assert_eq!(answer["limit"], 200);
        assert!(answer["hint"].as_str().unwrap().contains("200"), "{answer}");
    });
}

#[test]
fn times_are_instants_and_a_range_that_ends_first_is_empty() {
    with_host(async |host| {
        let times = [
            "2026-01-01T23:30:00Z",
            "2026-01-02T00:00:00Z",
            "2026-01-02T08:59:59+09:00",
            "2026-01-02T23:59:59.999Z",
            "2026-01-03T00:00:00Z",
        ];
        let messages =
            times.map(|time| NewMessage::user("willow").at(Timestamp::parse(time).unwrap()));
        host.say("main", messages.into()).await;
        let seqs = async |filter: Value| {
            let mut arguments = json!({"pattern": "willow"});
            arguments
                .as_object_mut()
                .unwrap()
                .extend(filter.as_object().unwrap().clone());
            let answer = host.grep(&bound("main"), arguments).await;
            let results = answer["results"].as_array().unwrap().clone();
            let mut seqs: Vec<u64> = results
                .iter()
                .map(|result| result["seq"].as_u64().unwrap())
                .collect();
            seqs.sort_unstable();
            seqs
        };
        assert_eq!(
            seqs(json!({"since": "2026-01-02T00:00:00Z"})).await,
            [2, 4, 5]
        );
        assert_eq!(
            seqs(json!({"since": "2026-01-02T09:00:00+09:00"})).await,
            [2, 4, 5]
        );
        assert_eq!(
            seqs(json!({"before": "2026-01-02T00:00:00Z"})).await,
            [1, 3]
        );
        assert_eq!(
            seqs(json!({"since": "2026-01-02", "before": "2026-01-03"})).await,
            [2, 4]
        );
        assert_eq!(
            seqs(json!({"since": "2026-01-03", "before": "2026-01-02"})).await,
            [0; 0]
        );
    });
}

#[test]
fn missing_ids_are_named_and_text_comes_back_as_it_was() {
    with_host(async |host| {
        let text = "a < b & \"c\"\r\n\u{0} 👩‍👩‍👧  ";
        let call = NewMessage::tool_use("c1", "run", r#"{"z":1,"a":12345678901234567890123}"#);
        let result = NewMessage::tool_result("c1", "done ".repeat(50));
        let ids = host
            .say("main", vec![NewMessage::user(text), call, result])
            .await;
        let arguments =
            json!({"message_ids": [ids[0].to_string(), ids[0], "999999", "99999999999999999999"]});
        let answer = host.expand(&bound("main"), arguments).await;
        assert_eq!(answer["missing"], json!(["999999", "99999999999999999999"]));
        assert_eq!(answer["messages"].as_array().unwrap().len(), 1);
        assert_eq!(answer["messages"][0]["parts"][0]["text"], text);
        let answer = host
            .expand(&bound("main"), json!({"message_ids": ids}))
            .await;
        let arguments = &answer["messages"][1]["parts"][0]["arguments"];
        assert_eq!(arguments, r#"{"z":1,"a":12345678901234567890123}"#);
        let body = &answer["messages"][2]["parts"][0];
        assert_eq!(
            (&body["content"], &body["omitted_bytes"]),
            (&Value::Null, &json!(250))
        );
        let whole = json!({"message_ids": ids, "include_tool_results": true});
        let answer = host.expand(&bound("main"), whole).await;
        assert_eq!(
            answer["messages"][2]["parts"][0]["content"],
            "done ".repeat(50)
        );
    });
}

#[test]
fn a_large_message_comes_in_pages() {
    with_host(async |host| {
        let words: Vec<String> = (0..20_000).map(|n| format!("word{n}")).collect();
        let text = words.join(" ");
        let ids = host.say("main", vec![NewMessage::user(text.clone())]).await;
        let (mut whole, mut cursor) = (String::new(), Value::Null);
        for _ in 0..100 {
            let arguments = json!({"message_ids": ids, "cursor": cursor, "max_tokens": 4000});
            let answer = host.expand(&bound("main"), arguments).await;
            assert!(answer["tokens"].as_u64().unwrap() <= 4000);
            whole.push_str(answer["messages"][0]["parts"][0]["text"].as_str().unwrap());
            cursor = answer["cursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        assert_eq!(whole, text);
    });
}

#[test]
fn unusable_calls_are_refused_in_words() {
    with_host(async |host| {
        host.say("main", vec![NewMessage::user("otter")]).await;
        for (name, arguments, part) in [
            ("grep", json!({}), "no tool `grep`"),
            ("short_grep", json!({"pattern": "otter AND"}), ""),
            ("short_grep", json!({"pattern": "x", "bogus": 1}), "bogus"),
            (
                "short_grep",
                json!({"pattern": "x", "cursor": "nonsense"}),
                "cursor",
            ),
            (
                "short_expand",
                json!({"message_ids": [1], "cursor": "nonsense"}),
                "cursor",
            ),
            ("short_expand", json!([]), "one JSON object"),
        ] {
            let error = host
                .refused(&bound("main"), name, arguments)
                .await
                .to_string();
            assert!(error.contains(part), "{error}");
            assert!(
                !error.to_lowercase().contains("sql") && !error.contains("fts5"),
                "{error}"
            );
        }
    });
}
