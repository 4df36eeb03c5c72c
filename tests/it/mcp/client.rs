//! The official Rust client against the server: list, call, error, page.

use rmcp::model::{CallToolRequestParams, CallToolResult, ErrorCode};
use rmcp::service::{RunningService, ServiceError};
use rmcp::transport::TokioChildProcess;
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Value, json};

use super::{check_clean, with_alpha};
use crate::program::{Program, line};

pub(crate) type Client = RunningService<RoleClient, ()>;

/// Starts the server as a process of the client's.
pub(crate) async fn start(program: &Program, words: &[&str]) -> Client {
    let mut command = program.process();
    command.arg("mcp").args(words);
    let command = tokio::process::Command::from(command);
    ().serve(TokioChildProcess::new(command).unwrap())
        .await
        .unwrap()
}

/// Calls a tool.
pub(crate) async fn call(
    client: &Client,
    name: &'static str,
    arguments: Value,
) -> Result<CallToolResult, ServiceError> {
    let arguments = arguments.as_object().unwrap().clone();
    client
        .call_tool(CallToolRequestParams::new(name).with_arguments(arguments))
        .await
}

/// Lists the tools, calls them, meets both kinds of errors, and turns pages.
pub(crate) async fn check_session(client: &Client) {
    let info = client.peer_info().unwrap();
    assert!(info.instructions.as_ref().unwrap().contains("short_grep"));
    let tools = client.list_all_tools().await.unwrap();
    assert!(tools.iter().any(|tool| tool.name == "short_grep"));

    let found = call(
        client,
        "short_grep",
        json!({"pattern": "alpha", "limit": 1}),
    )
    .await
    .unwrap();
    let first = found.structured_content.unwrap();
    assert_eq!(first["total"], 2);
    let next = json!({"pattern": "alpha", "limit": 1, "cursor": first["cursor"]});
    let second = call(client, "short_grep", next)
        .await
        .unwrap()
        .structured_content
        .unwrap();
    assert_eq!(second["results"].as_array().unwrap().len(), 1);
    assert_ne!(first["results"][0]["id"], second["results"][0]["id"]);
    assert_eq!(second["cursor"], Value::Null);

    let ids = json!({"message_ids": [first["results"][0]["id"]]});
    let shown = call(client, "short_expand", ids)
        .await
        .unwrap()
        .structured_content
        .unwrap();
    assert!(
        shown["messages"][0]["parts"][0]["text"]
            .as_str()
            .unwrap()
            .contains("8443")
    );

    let refused = call(client, "short_grep", json!({"pattern": "("}))
        .await
        .unwrap();
    assert_eq!(refused.is_error, Some(true));
    match call(client, "no_such_tool", json!({})).await {
        Err(ServiceError::McpError(error)) => assert_eq!(error.code, ErrorCode::INVALID_PARAMS),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rust_client_lists_calls_and_pages_over_pipes() {
    let program = with_alpha();
    let mut client = start(&program, &["--session", "main"]).await;
    check_session(&client).await;
    client.close().await.unwrap();
    check_clean(&program);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_clients_share_a_store() {
    let program = with_alpha();
    let one = start(&program, &["--session", "main", "--with", "pin"]);
    let other = start(&program, &["--session", "other", "--with", "pin"]);
    let (mut one, mut other) = tokio::join!(one, other);
    for number in 0..20 {
        let pin = |who: &str| json!({"text": format!("{who} keeps {number}"), "kind": "fact"});
        let (a, b) = tokio::join!(
            call(&one, "pin", pin("one")),
            call(&other, "pin", pin("other"))
        );
        for pinned in [a.unwrap(), b.unwrap()] {
            assert_eq!(pinned.structured_content.unwrap()["status"], "pinned");
        }
        program.append("main", &line("user", &format!("beta {number}")));
    }
    let found = call(&one, "short_grep", json!({"pattern": "beta"}))
        .await
        .unwrap();
    assert_eq!(found.structured_content.unwrap()["total"], 20);
    one.close().await.unwrap();
    other.close().await.unwrap();
    assert_eq!(
        program.json(&["pins", "--session", "main"])["pins"]
            .as_array()
            .unwrap()
            .len(),
        20
    );
    check_clean(&program);
}
