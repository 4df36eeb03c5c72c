//! Completions and manual pages, made from the command line's own words.
//! Needs no store and no settings, so that a broken one keeps nobody from reading.

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use serde_json::{Value, json};

use super::args::Cli;
use super::exit::Exit;
use super::failure::Failure;
use super::reply::Reply;

const NAME: &str = "hippocamp";

/// Returns a shell's completions.
pub(super) fn completions(shell: Shell) -> Reply {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), NAME, &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    Reply::new(
        json!({"shell": shell.to_string(), "script": script}),
        script,
    )
}

/// Returns the manual page of the program, or of one command.
///
/// # Errors
/// Usage if there is no such command.
pub(super) fn manual(command: Option<&str>) -> Result<Reply, Failure> {
    let mut cli = Cli::command();
    // Gives each command what holds for every one.
    cli.build();
    let page = match command {
        None => cli,
        Some(name) => page_of(&cli, name)?,
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page)
        .render(&mut text)
        .map_err(|error| Failure::new(Exit::Failed, "io", format!("cannot write it: {error}")))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok(Reply::new(
        json!({"command": command.map_or(Value::Null, Value::from), "page": text}),
        text,
    ))
}

fn page_of(cli: &Command, name: &str) -> Result<Command, Failure> {
    let found = cli.find_subcommand(name).cloned().ok_or_else(|| {
        Failure::usage(format!("there is no command `{name}`"))
            .with_hint("`hippocamp --help` lists the commands")
    })?;
    // Clap keeps names for ever; a process makes one page.
    let title: &'static str = Box::leak(format!("{NAME}-{name}").into_boxed_str());
    Ok(found.name(title).display_name(title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_and_a_completion() {
        let script = completions(Shell::Bash).text;
        let mut n_commands = 0;
        for command in Cli::command().get_subcommands() {
            let name = command.get_name();
            let page = manual(Some(name)).unwrap().text;
            assert!(page.contains(&format!(".TH hippocamp-{name} 1")), "{page}");
            assert!(script.contains(name), "{name}");
            n_commands += 1;
        }
        assert!(n_commands >= 20, "{n_commands}");
        assert!(manual(None).unwrap().text.contains("hippocamp\\-grep(1)"));
        assert_eq!(manual(Some("bogus")).unwrap_err().exit, Exit::Usage);
    }
}
