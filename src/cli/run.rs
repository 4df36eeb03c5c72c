//! From the command line to the exit code. Owns the order: words, settings, logs, work, answer.

use std::ffi::OsString;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use serde_json::json;
use tracing_subscriber::EnvFilter;

use super::args::{Cli, Command, Global};
use super::commands;
use super::config::{self, Flags, Settings};
use super::exit::Exit;
use super::failure::Failure;
use super::hook;
use super::install::{self, Task};
use super::interrupt;
use super::mistake::mistake;
use super::terminal::{Form, Talk, print_failure, print_note, print_reply, print_text};
use crate::engine::{SCHEMA_VERSION, sqlite_version};

/// Runs the program and returns its exit code.
#[must_use]
pub fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let form = asked_form(&words);
    guarded(form, || run(words, form)).into()
}

/// Runs `work`; a panic becomes an error like others, with an ending of its own.
fn guarded(form: Form, work: impl FnOnce() -> Exit) -> Exit {
    std::panic::set_hook(Box::new(move |info| {
        let message = format!("hippocamp met a fault of its own: {info}");
        let failure = Failure::new(Exit::Failed, "panic", message)
            .with_hint("what was acknowledged is stored; please report this");
        print_failure(&failure, form);
    }));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Exit::Failed)
}

fn run(words: Vec<OsString>, form: Form) -> Exit {
    let words = without_help_of_help(words);
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) => return answer_parser(&error, &words, form),
    };
    let talk = if cli.global.quiet {
        Talk::Quiet
    } else {
        Talk::Usual
    };
    if let Command::Hook(_) = &cli.command {
        return hook::run(&flags(&cli.global));
    }
    let answer = match &cli.command {
        Command::Install(args) => Some(install::run(Task::Install, args, &cli.global)),
        Command::Uninstall(args) => Some(install::run(Task::Uninstall, args, &cli.global)),
        command => commands::without_settings(command),
    };
    if let Some(answer) = answer {
        return match answer {
            Ok(reply) => print_reply(&reply, form, talk),
            Err(failure) => {
                print_failure(&failure, form);
                failure.exit
            }
        };
    }
    let settings = match load_settings(&cli.global) {
        Ok(settings) => settings,
        Err(failure) => {
            print_failure(&failure, form);
            return failure.exit;
        }
    };
    if let Err(failure) = start_logs(&cli.global, &settings, form) {
        print_failure(&failure, form);
        return failure.exit;
    }
    // Without a handler the signal ends the process all the same, with another code.
    let _ = ctrlc::set_handler(interrupt::on_signal);
    match commands::run(cli.command, &settings, form, talk) {
        Ok(mut reply) => {
            reply.notes.splice(0..0, warnings(&settings));
            print_reply(&reply, form, talk)
        }
        Err(failure) => {
            // With `--json` an error is all that stderr holds.
            if form == Form::Text && talk == Talk::Usual {
                warnings(&settings).for_each(|warning| print_note(&warning));
            }
            print_failure(&failure, form);
            failure.exit
        }
    }
}

fn warnings(settings: &Settings) -> impl Iterator<Item = String> {
    let warnings = settings.warnings.iter();
    warnings.map(|warning| format!("warning: {warning}"))
}

/// Finds `--json` before anything is parsed, so that errors of the parser obey it too.
fn asked_form(words: &[OsString]) -> Form {
    let is_asked = words
        .iter()
        .skip(1)
        .take_while(|word| *word != "--")
        .any(|word| word == "--json");
    if is_asked { Form::Json } else { Form::Text }
}

/// Takes the flag from `help --help`: the help of `help` is that of the program.
fn without_help_of_help(mut words: Vec<OsString>) -> Vec<OsString> {
    let is_flag = |word: &OsString| word == "--help" || word == "-h";
    let help_idx = words.iter().position(|word| word == "help");
    if let Some(help_idx) = help_idx
        && words.get(help_idx + 1).is_some_and(is_flag)
        && asked_command(words.get(..help_idx).unwrap_or_default()).is_none()
    {
        words.remove(help_idx + 1);
    }
    words
}

/// Finds the command's name among the words, for advice where they cannot be parsed.
fn asked_command(words: &[OsString]) -> Option<String> {
    let cli = Cli::command();
    let known = |word: &OsString| cli.find_subcommand(word).map(clap::Command::get_name);
    words.iter().skip(1).find_map(known).map(str::to_owned)
}

fn flags(global: &Global) -> Flags {
    Flags {
        db: global.db.clone(),
        config: global.config.clone(),
        window: global.window.clone(),
    }
}

fn load_settings(global: &Global) -> Result<Settings, Failure> {
    let flags = flags(global);
    let environment = config::read_environment();
    let file = config::read_file(&flags, &environment)?;
    config::resolve(&flags, &environment, &file)
}

/// Starts logs on stderr. With `--json` there are none unless asked for, since programs read
/// stderr too.
fn start_logs(global: &Global, settings: &Settings, form: Form) -> Result<(), Failure> {
    let usual = match form {
        Form::Text => "warn",
        Form::Json => "off",
    };
    let level = match (global.quiet, global.verbose) {
        (true, _) => Some("error"),
        (false, 0) => None,
        (false, 1) => Some("info"),
        (false, _) => Some("trace"),
    };
    let filter = level.or(settings.log.as_deref()).unwrap_or(usual);
    let filter: EnvFilter = filter.parse().map_err(|error| {
        Failure::new(
            Exit::Usage,
            "config",
            format!("HIPPOCAMP_LOG: `{filter}` is no filter: {error}"),
        )
        .with_hint("write a level (error, warn, info, debug, trace) or hippocamp::engine=debug")
    })?;
    tracing_subscriber::fmt()
        .with_env_filter(without_bodies(filter))
        .with_writer(|| anstream::AutoStream::auto(io::stderr()))
        .with_target(false)
        .init();
    Ok(())
}

/// Silences the crates beneath the model clients and the server, whatever the filter says: their logs
/// hold requests and answers whole, and keys in headers.
fn without_bodies(filter: EnvFilter) -> EnvFilter {
    let silent = [
        "axum",
        "genai",
        "h2",
        "hyper",
        "hyper_util",
        "reqwest",
        "rmcp",
        "rustls",
    ];
    let directives = silent
        .iter()
        .filter_map(|name| format!("{name}=off").parse().ok());
    directives.fold(filter, EnvFilter::add_directive)
}

/// Answers what the parser calls an error: help, the version, or a mistake.
fn answer_parser(error: &clap::Error, words: &[OsString], form: Form) -> Exit {
    match error.kind() {
        ErrorKind::DisplayVersion => answer_text(&version(form)),
        ErrorKind::DisplayHelp => answer_text(&error.render().ansi().to_string()),
        _ => {
            let command = asked_command(words);
            let failure = mistake(error, command.as_deref(), words);
            print_failure(&failure, form);
            if command.as_deref() == Some("hook") {
                return hook::misused(&failure);
            }
            Exit::Usage
        }
    }
}

fn version(form: Form) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let (schema, sqlite) = (SCHEMA_VERSION, sqlite_version());
    match form {
        Form::Text => format!("hippocamp {version} (schema {schema}, SQLite {sqlite})\n"),
        Form::Json => {
            let object = json!({"version": version, "schema": schema, "sqlite": sqlite});
            format!("{object}\n")
        }
    }
}

fn answer_text(text: &str) -> Exit {
    match print_text(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Exit::Failed,
        _ => Exit::Done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_found_before_anything_is_parsed() {
        let form =
            |words: &[&str]| asked_form(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(form(&["hippocamp", "--json", "bogus"]), Form::Json);
        assert_eq!(form(&["hippocamp", "grep", "--", "--json"]), Form::Text);
        assert_eq!(form(&["--json"]), Form::Text);
    }

    #[test]
    fn a_fault_of_our_own_ends_as_a_failure() {
        let exit = guarded(Form::Json, || -> Exit {
            panic!("a fault made for this test")
        });
        let _ = std::panic::take_hook();
        assert_eq!(exit.code(), 6);
    }
}
