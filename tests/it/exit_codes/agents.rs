//! Endings of what gives agents their tools.

use super::{Row, check, row, seeded};

const ROWS: &[Row] = &[
    row(&["tools", "--format", "openai"], 0, ""),
    row(&["tools", "--format", "openai-chat", "--strict"], 0, ""),
    row(&["tools", "--format", "gemini", "--strict"], 2, "VALIDATED"),
    row(&["tools"], 2, "--format"),
    row(&["install", "claude-code", "--dry-run"], 0, ""),
    row(&["install", "codex"], 2, "claude-code"),
    row(&["uninstall", "claude-code"], 0, ""),
    row(&["uninstall"], 2, "<AGENT>"),
];

#[test]
fn commands_for_agents_end_as_the_others_do_but_a_hook_that_never_fails() {
    let program = seeded();
    for row in ROWS {
        check(&program, row);
    }
    for words in [&["hook"][..], &["hook", "codex"], &["hook", "claude-code"]] {
        let ended = program.feed(words, "bad");
        assert_eq!(
            (ended.code, ended.stdout.as_str()),
            (Some(0), ""),
            "{ended:?}"
        );
    }
}

#[cfg(feature = "mcp")]
#[test]
fn a_server_ends_with_its_input_or_says_why_it_cannot_begin() {
    let program = seeded();
    assert_eq!(program.run(&["mcp", "--session", "main"]).code, Some(0));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for (words, code, why) in [
        (
            &["mcp", "--http", &address][..],
            6,
            "another port may be free",
        ),
        (&["mcp", "--http", "0.0.0.0:0"], 2, "no token is set"),
        (&["mcp", "--db", "."], 3, ""),
    ] {
        let ended = program.run(words);
        assert_eq!(ended.code, Some(code), "{words:?}: {ended:?}");
        assert!(ended.stderr.contains(why), "{words:?}: {ended:?}");
    }
}
