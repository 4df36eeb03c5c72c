//! Mistakes of the command line. Owns what is said of them beside the parser's own words.
//! May not end the program.

use std::ffi::OsString;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::args::Cli;
use super::failure::Failure;
use crate::tools::schema;

/// Tells a mistake of the parser's, with what to write instead.
pub(super) fn mistake(error: &clap::Error, command: Option<&str>, words: &[OsString]) -> Failure {
    if matches!(
        error.kind(),
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        return Failure::usage("a command is needed").with_hint(
            "`hippocamp --help` lists the commands, `hippocamp demo` shows them at work",
        );
    }
    let rendered = error.render().to_string();
    let message = rendered.trim_start_matches("error: ").trim_end();
    // The parser's text goes on with advice and usage; the first paragraph says what is wrong.
    let (what, rest) = message.split_once("\n\n").unwrap_or((message, ""));
    let line_with = |word: &str| {
        let line = rest
            .lines()
            .map(str::trim)
            .find_map(|line| line.strip_prefix(word));
        line.map(|line| line.trim().to_owned())
    };
    let usage = || line_with("Usage:").map(|usage| format!("usage: {usage}; --help says more"));
    let hint = own_hint(error, words)
        .or_else(|| line_with("tip:").filter(|_| command != Some("hook")))
        .or_else(usage)
        .unwrap_or_else(|| match command {
            Some(command) => format!("`hippocamp {command} --help` says more"),
            None => "`hippocamp --help` says more".to_owned(),
        });
    Failure::usage(what).with_hint(hint)
}

/// Returns advice on mistakes that are often made.
fn own_hint(error: &clap::Error, words: &[OsString]) -> Option<String> {
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && word == "version"
    {
        return Some("`hippocamp --version` prints the version".to_owned());
    }
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidValue)
        && let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg)
        && argument.starts_with("--with ")
        && schema().iter().any(|tool| tool.name == word)
    {
        return Some(format!("{word} is there without being asked for"));
    }
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        _ => return None,
    };
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    if error.kind() == ErrorKind::ArgumentConflict && word.starts_with("--accept") {
        return Some("a proposed pin keeps its words: hippocamp pin --accept p57".to_owned());
    }
    let is_near_one = error.get(ContextKind::SuggestedArg).is_some();
    if error.kind() != ErrorKind::UnknownArgument
        || is_near_one
        || !usage.contains("hippocamp grep")
    {
        return None;
    }
    Some(if is_own_option(word, "grep") {
        format!("{word} stands before --, the pattern behind it: hippocamp grep {word} … -- '-foo'")
    } else if word.starts_with('-') {
        let whole = whole_word(word, words);
        format!(
            "to look for a text that begins with -, put -- before it: hippocamp grep -- '{whole}'"
        )
    } else {
        "the pattern is one argument; quote it: hippocamp grep 'foo bar'".to_owned()
    })
}

/// Returns the word that was typed where the parser names the first letter of it.
fn whole_word(letter: &str, words: &[OsString]) -> String {
    let typed = words.iter().filter_map(|word| word.to_str());
    let mut typed = typed.filter(|word| word.starts_with(letter));
    typed.next().unwrap_or(letter).to_owned()
}

/// Says whether a word is an option that a command has.
fn is_own_option(word: &str, command: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    Cli::command()
        .find_subcommand(command)
        .is_some_and(|command| {
            command.get_arguments().any(|argument| {
                let long = argument.get_long().map(|long| format!("--{long}"));
                let short = argument.get_short().map(|short| format!("-{short}"));
                long.as_deref() == Some(name) || short.as_deref() == Some(name)
            })
        })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[track_caller]
    fn check(words: &[&str], message: &str, hint: &str) {
        let error = Cli::try_parse_from(words).unwrap_err();
        let given: Vec<OsString> = words.iter().map(OsString::from).collect();
        let failure = mistake(&error, given.get(1).and_then(|word| word.to_str()), &given);
        let got = failure.hint.unwrap_or_default();
        assert!(
            failure.message.contains(message),
            "{words:?}: {}",
            failure.message
        );
        assert!(got.contains(hint), "{words:?}: {got}");
    }

    #[test]
    fn mistakes_of_the_command_line_are_told_with_what_to_do() {
        check(&["hippocamp", "grep", "foo", "bar"], "'bar'", "quote it");
        check(&["hippocamp", "grep", "-foo"], "'-f'", "grep -- '-foo'");
        check(
            &["hippocamp", "pin", "--accept", "p9", "words"],
            "'--accept <ID>'",
            "pin --accept p57",
        );
        check(
            &["hippocamp", "grep", "--", "-foo", "--limit", "1"],
            "'--limit'",
            "--limit stands before --",
        );
        check(
            &["hippocamp", "grep", "x", "--limit", "0"],
            "at least 1",
            "",
        );
        check(
            &["hippocamp", "grep", "x", "--limit", "-1"],
            "at least 1",
            "`hippocamp grep --help`",
        );
        check(
            &["hippocamp", "grep", "x", "--limit", "2.5"],
            "at least 1",
            "",
        );
        check(
            &["hippocamp", "grep", "x", "--role", "robot"],
            "`robot` is no role",
            "",
        );
        check(
            &["hippocamp", "grep", "x", "--sesion", "a"],
            "'--sesion'",
            "'--session'",
        );
        check(&["hippocamp", "tree"], "--session", "");
        check(
            &["hippocamp", "tree", "--session", ""],
            "may not be empty",
            "",
        );
        check(
            &["hippocamp", "tree", "--session", "a", "--session", "b"],
            "multiple times",
            "",
        );
        check(&["hippocamp", "expand"], "<ID>", "");
        check(
            &["hippocamp", "context", "--session", "a", "--budget", "0"],
            "at least 1",
            "",
        );
        check(&["hippocamp"], "", "hippocamp --help");
        check(&["hippocamp", "grpe", "x"], "grpe", "grep");
        check(&["hippocamp", "version"], "version", "--version");
    }
}
