//! The tools as an agent of rig's calls them.

use hippocamp::domain::NewMessage;
use hippocamp::rig::{Pin, ShortCompact, ShortExpand, ShortGrep, tools};
use hippocamp::tools::{OptionalTool, ToolScope, schema_with};
use rig_core::tool::{DynamicTool, ErasedTool, ToolContext, ToolErrorKind, tool_definition};
use serde_json::{Value, json};

use super::{Host, key, with_host};

fn scope() -> ToolScope {
    ToolScope::Session(key("main"))
}

fn named<'a>(tools: &'a [DynamicTool], name: &str) -> &'a DynamicTool {
    tools.iter().find(|tool| tool.name() == name).unwrap()
}

async fn seeded(host: &Host) {
    let said = vec![NewMessage::user("The staging port is 7443.")];
    host.engine.append(&key("main"), said).await.unwrap();
}

#[test]
fn the_tools_are_registered_in_one_call_and_answer() {
    with_host(async |host| {
        seeded(host).await;
        for with in [&[][..], &[OptionalTool::Pin], &OptionalTool::ALL] {
            let tools = tools(&host.engine, &scope(), with);
            let told: Vec<_> = tools.iter().map(DynamicTool::definition).collect();
            let schemas = schema_with(with);
            assert_eq!(told.len(), schemas.len());
            for (told, schema) in told.iter().zip(&schemas) {
                assert_eq!(told.name, schema.name);
                assert_eq!(told.description, schema.description);
                assert_eq!(told.parameters, schema.parameters);
            }
        }
        let tools = tools(&host.engine, &scope(), &[OptionalTool::Pin]);
        let grep = named(&tools, "short_grep");
        let found = grep
            .execute(json!({"pattern": "staging port"}))
            .await
            .unwrap();
        let id = found.as_json().unwrap()["results"][0]["id"].clone();
        let expand = named(&tools, "short_expand");
        let shown = expand.execute(json!({"message_ids": [id]})).await.unwrap();
        assert!(shown.render().contains("7443"), "{}", shown.render());
        let pin = named(&tools, "pin")
            .execute(json!({"text": "Port 7443."}))
            .await;
        assert_eq!(pin.unwrap().as_json().unwrap()["status"], "pinned");
    });
}

#[test]
fn a_model_is_told_how_to_mend_a_call() {
    with_host(async |host| {
        seeded(host).await;
        let tools = tools(&host.engine, &scope(), &[]);
        let grep = named(&tools, "short_grep");
        for (arguments, part) in [
            (json!({"pattern": "x", "limit": 0}), "`limit`"),
            (json!({"pattern": "otter AND"}), "AND"),
            (json!({}), "`pattern`"),
        ] {
            let error = grep.execute(arguments).await.unwrap_err();
            assert_eq!(error.kind(), ToolErrorKind::InvalidArgs);
            let told = error.model_feedback().unwrap();
            assert!(told.contains(part), "{told}");
        }
        let elsewhere = hippocamp::rig::tools(&host.engine, &ToolScope::Session(key("mian")), &[]);
        let error = named(&elsewhere, "short_grep")
            .execute(json!({"pattern": "x"}))
            .await;
        assert!(
            error
                .unwrap_err()
                .model_feedback()
                .unwrap()
                .contains("main")
        );
    });
}

async fn executed(tool: &impl ErasedTool, arguments: Value) -> String {
    let result = tool
        .execute(arguments.to_string(), &mut ToolContext::new())
        .await;
    assert!(result.is_success(), "{:?}", result.error());
    result.output().render()
}

#[test]
fn each_tool_is_a_type_of_its_own_too() {
    with_host(async |host| {
        seeded(host).await;
        let engine = &host.engine;
        let grep = ShortGrep::new(engine, scope());
        assert!(
            executed(&grep, json!({"pattern": "port"}))
                .await
                .contains("7443")
        );
        let expand = ShortExpand::new(engine, scope());
        assert!(
            executed(&expand, json!({"message_ids": [1]}))
                .await
                .contains("messages")
        );
        let pin = Pin::new(engine, scope());
        assert!(
            executed(&pin, json!({"text": "Port 7443."}))
                .await
                .contains("pinned")
        );
        let compact = ShortCompact::new(engine, scope());
        assert!(executed(&compact, json!({})).await.contains("status"));
        let told = [
            tool_definition(&grep),
            tool_definition(&expand),
            tool_definition(&compact),
            tool_definition(&pin),
        ];
        for (told, schema) in told.iter().zip(schema_with(&OptionalTool::ALL)) {
            assert_eq!(
                (told.name.as_str(), &told.parameters),
                (schema.name, &schema.parameters)
            );
            assert_eq!(told.description, schema.description);
        }
        let bad = grep
            .execute("{\"pattern\": 5}".to_owned(), &mut ToolContext::new())
            .await;
        assert!(bad.output().render().contains("`pattern`"));
    });
}
