//! What a refusal over HTTP says beside the SDK's words.

use std::process::Command;

use serde_json::Value;

use super::http::{Server, TOKEN};
use super::with_alpha;
use crate::architecture::root;

#[test]
fn a_refusal_says_what_to_send_instead() {
    let program = with_alpha();
    let server = Server::start(&program, &[], &[]);
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.as_bytes();
    let gone = [("Mcp-Session-Id", "gone")];
    let evil = [("Host", "evil.example")];
    for (headers, status, words) in [
        (&[][..], 400, "Send `initialize` first"),
        (
            &[("Hippocamp-Session", "main")],
            400,
            "it names a conversation",
        ),
        (&gone, 404, "begin again with `initialize`"),
        (&evil, 403, "--allow-host"),
        (&[("Accept", "application/json")], 406, "text/event-stream"),
    ] {
        let (got, said) = server.ask("POST", headers, list);
        assert_eq!(got, status, "{said}");
        assert!(said.contains(words), "{said}");
    }
    server.end();
}

/// The page's own words, sent to a server on another port.
#[cfg(unix)]
#[test]
fn the_requests_of_the_readme_are_answered() {
    if Command::new("curl").arg("--version").output().is_err() {
        println!("SKIPPED the_requests_of_the_readme_are_answered: there is no curl");
        return;
    }
    let page = std::fs::read_to_string(root().join("README.md")).unwrap();
    let mut blocks = page.split("```sh\n").skip(1);
    let block = blocks.find(|block| block.starts_with("post() {")).unwrap();
    let block = block.split("```").next().unwrap();
    let program = with_alpha();
    let server = Server::start(&program, &[], &[("HIPPOCAMP_MCP_TOKEN", TOKEN)]);
    let asked = block.replace("127.0.0.1:8000", &server.address);
    assert_ne!(asked, block);
    let asked = asked.replace("staging port", "alpha listens");
    let mut shell = program.process_of("sh");
    shell.args(["-c", &asked]).env("HIPPOCAMP_MCP_TOKEN", TOKEN);
    let output = shell.output().unwrap();
    server.end();
    let told = String::from_utf8(output.stdout).unwrap();
    let told: Value = serde_json::from_str(told.trim()).unwrap_or_else(|error| {
        panic!(
            "{error}: {told:?} {:?}",
            String::from_utf8_lossy(&output.stderr)
        )
    });
    let results = &told["result"]["structuredContent"]["results"];
    assert_eq!(
        results[0]["snippet"], "alpha listens on port 8443",
        "{told}"
    );
}
