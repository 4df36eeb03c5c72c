//! `tools`: what a provider is told, printed for hosts in any language.

use hippocamp::tools::{OptionalTool, ToolFormat, declare, schema_with};
use serde_json::Value;

use crate::program::Program;

#[track_caller]
fn check_printed(words: &[&str], with: &[OptionalTool], format: ToolFormat) {
    let program = Program::new();
    // No store, and settings that cannot be read: neither is needed.
    program.write("config/hippocamp/config.toml", "nonsense = 1\n");
    let words = [&["tools"], words].concat();
    let ended = program.run(&words);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let printed: Value = serde_json::from_str(&ended.stdout).unwrap();
    let want = declare(&schema_with(with), format);
    assert_eq!(printed, want);
    assert_eq!(ended.stdout.lines().count(), 1);
    assert_eq!(program.json(&words)["tools"], want);
    assert!(!program.path("x.db").exists());
}

#[test]
fn what_is_printed_is_what_the_library_declares() {
    for name in ["openai", "openai-responses", "anthropic", "gemini"] {
        let format: ToolFormat = name.parse().unwrap();
        check_printed(&["--format", name], &[], format);
        let with = ["--format", name, "--with", "short_compact,pin"];
        check_printed(&with, &OptionalTool::ALL, format);
        check_printed(
            &["--format", name, "--with", "pin"],
            &[OptionalTool::Pin],
            format,
        );
        if let Ok(strict) = format.strict() {
            check_printed(&["--format", name, "--strict"], &[], strict);
        }
    }
}

#[test]
fn what_cannot_be_printed_is_refused_by_name() {
    for (words, part) in [
        (&["tools"][..], "--format"),
        (&["tools", "--format", "bogus"], "openai-responses"),
        (&["tools", "--format", "gemini", "--strict"], "VALIDATED"),
        (&["tools", "--format", "openai", "--with", "grep"], "`grep`"),
        (
            &["tools", "--format", "openai", "--with", ""],
            "short_compact",
        ),
    ] {
        let ended = Program::new().run(words);
        assert_eq!(
            (ended.code, ended.stdout.as_str()),
            (Some(2), ""),
            "{words:?}"
        );
        assert!(ended.stderr.contains(part), "{words:?}: {}", ended.stderr);
    }
}
