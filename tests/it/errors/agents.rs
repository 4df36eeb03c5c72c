//! What is said where an agent cannot be given its tools.

use super::{check, plain, seeded, with};

#[cfg(feature = "mcp")]
const HTTP: &[&str] = &["mcp", "--http", "127.0.0.1:0"];

#[cfg(feature = "mcp")]
#[test]
fn a_server_that_cannot_be_begun() {
    let program = seeded();
    program.write("short.txt", "0123456789\n");
    program.write("blank.txt", "0123456789 0123456789\n");
    program.write("text.db", "no database at all, only a few words of text\n");
    program.write("folder/x", "x");
    program.write("servers/.claude.json", "{\n  \"mcpServers\": \"none\"\n}\n");
    check(
        "mcp.txt",
        &program,
        &[
            plain(&["mcp", "main"]),
            plain(&["mcp", "--session"]),
            plain(&["mcp", "--session", ""]),
            plain(&["mcp", "--session", "main", "--session", "mainland"]),
            plain(&["mcp", "--with", "short_grep"]),
            plain(&["mcp", "--with", "pin,"]),
            plain(&["mcp", "--confine=yes"]),
            plain(&["mcp", "--port", "8000"]),
            plain(&["mcp", "--http", "8000"]),
            plain(&["mcp", "--http", "127.0.0.1"]),
            plain(&["mcp", "--http", "http://127.0.0.1:8000"]),
            plain(&["mcp", "--http", "127.0.0.1:65536"]),
            plain(&["mcp", "--http", "0.0.0.0:0"]),
            plain(&["mcp", "--http", "[::]:0"]),
            plain(&["mcp", "--token-file", "short.txt"]),
            plain(&["mcp", "--allow-host", "app.example"]),
            plain(&[
                "mcp",
                "--http",
                "127.0.0.1:0",
                "--token-file",
                "nowhere.txt",
            ]),
            plain(&["mcp", "--http", "127.0.0.1:0", "--token-file", "folder"]),
            plain(&["mcp", "--http", "127.0.0.1:0", "--token-file", "short.txt"]),
            plain(&["mcp", "--http", "127.0.0.1:0", "--token-file", "blank.txt"]),
            with(&[("HIPPOCAMP_MCP_TOKEN", "secret")], HTTP),
            plain(&[
                "mcp",
                "--http",
                "127.0.0.1:0",
                "--allow-host",
                "https://app.example",
            ]),
            plain(&[
                "mcp",
                "--http",
                "127.0.0.1:0",
                "--allow-origin",
                "app.example",
            ]),
            plain(&["mcp", "--config", "nowhere.toml"]),
            plain(&["mcp", "--window", "0"]),
            plain(&["mcp", "--db", "text.db"]),
            with(&[(FOLDER, "servers")], INSTALL),
        ],
    );
}

const INSTALL: &[&str] = &["install", "claude-code"];
const UNINSTALL: &[&str] = &["uninstall", "claude-code"];
const FOLDER: &str = "CLAUDE_CONFIG_DIR";

#[test]
fn settings_of_an_agent_that_cannot_be_edited() {
    let program = seeded();
    for (folder, settings) in [
        ("broken", "{\n  \"hooks\": "),
        ("list", "[]\n"),
        ("hooks", "{\n  \"hooks\": []\n}\n"),
        ("stop", "{\"hooks\": {\"Stop\": {\"command\": \"x\"}}}\n"),
    ] {
        program.write(&format!("{folder}/settings.json"), settings);
    }
    program.write("folder/settings.json/x", "x");
    let latin = program.write("latin/settings.json", "");
    std::fs::write(latin, b"{\"a\": \"\xe9\"}").unwrap();
    check(
        "agents.txt",
        &program,
        &[
            plain(&["install"]),
            plain(&["install", "codex"]),
            plain(&["install", "claude-code", "codex"]),
            plain(&["install", "claude-code", "--scope", "local"]),
            plain(&["install", "claude-code", "--dryrun"]),
            with(&[(FOLDER, "broken")], INSTALL),
            with(&[(FOLDER, "broken")], UNINSTALL),
            with(&[(FOLDER, "list")], INSTALL),
            with(&[(FOLDER, "hooks")], INSTALL),
            with(&[(FOLDER, "stop")], INSTALL),
            with(&[(FOLDER, "folder")], INSTALL),
            with(&[(FOLDER, "latin")], INSTALL),
            plain(&["uninstall"]),
            plain(&["uninstall", "codex"]),
            plain(&["uninstall", "claude-code", "--scope", "local"]),
            plain(&["hook"]),
            plain(&["hook", "codex"]),
            plain(&["hook", "claude-code", "Stop"]),
            plain(&["hook", "claude-code", "--bogus"]),
        ],
    );
}
