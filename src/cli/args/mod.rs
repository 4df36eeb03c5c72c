//! The command line. Owns its words; each command shows an example.
//! May not do anything.

mod agent;
mod body;
mod compact;
mod find;
#[cfg(feature = "mcp")]
mod mcp;
mod pins;
mod tools;
mod upkeep;
mod value;

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand};

pub(crate) use self::agent::{Agent, HookArgs, InstallArgs, ScopeOfAgent};
pub(crate) use self::body::{BodyFormat, ViewFormat};
pub(crate) use self::compact::CompactArgs;
pub(crate) use self::find::{ExpandArgs, GrepArgs, ScopeArg};
#[cfg(feature = "mcp")]
pub(crate) use self::mcp::{McpArgs, ToolArg};
pub(crate) use self::pins::{PinArgs, PinsArgs, UnpinArgs};
pub(crate) use self::tools::ToolsArgs;
pub(crate) use self::upkeep::{
    BackupArgs, CompletionsArgs, DoctorArgs, ExportArgs, ExportFormat, ManArgs, SessionFilter,
    SessionsArgs,
};
use self::value::{seq, session_key, tokens};
use super::help::{
    EVENTS_HELP, EXPORT_HELP, HOOK_HELP, IMPORT_HELP, INSTALL_HELP, MESSAGE_HELP, PATTERN_HELP,
    PIN_HELP, REPAIR_HELP, STATUS_HELP, TOOLS_HELP,
};
use crate::domain::{Seq, SessionKey, Tokens};

/// Conversation memory for agents: every message kept for ever, a view that fits the window,
/// anything found again.
#[derive(Debug, Parser)]
#[command(
    name = "hippocamp",
    version,
    about,
    max_term_width = 100,
    arg_required_else_help = false,
    after_help = "Examples:\n  hippocamp demo                         the whole story in a few seconds\n  \
                  hippocamp import                       take in your agent's transcripts\n  \
                  hippocamp grep 'retry AND timeout'     find what was said"
)]
pub(crate) struct Cli {
    /// What holds for every command.
    #[command(flatten)]
    pub(crate) global: Global,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Stands above what holds for every command, below the command's own.
const EVERY_COMMAND: &str = "For every command";

/// What holds for every command.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// The store [default: hippocamp/hippocamp.db in the data directory]
    #[arg(long, global = true, help_heading = EVERY_COMMAND, value_name = "PATH")]
    pub(crate) db: Option<PathBuf>,
    /// The configuration file [default: hippocamp/config.toml in the config directory]
    #[arg(long, global = true, help_heading = EVERY_COMMAND, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,
    /// The model's window in tokens [default: 128000]
    #[arg(long, global = true, help_heading = EVERY_COMMAND, value_name = "N", allow_negative_numbers = true)]
    pub(crate) window: Option<String>,
    /// Print one JSON object instead of text
    #[arg(long, global = true, help_heading = EVERY_COMMAND)]
    pub(crate) json: bool,
    /// Say more on stderr (twice: everything)
    #[arg(short, long, global = true, help_heading = EVERY_COMMAND, action = ArgAction::Count, conflicts_with = "quiet")]
    pub(crate) verbose: u8,
    /// Say nothing on stderr but errors
    #[arg(short, long, global = true, help_heading = EVERY_COMMAND)]
    pub(crate) quiet: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Replay a long coding story and show what comes of it
    #[command(after_help = "Example:\n  hippocamp demo")]
    Demo,
    /// Take in transcripts, and folders of them
    #[command(after_help = IMPORT_HELP)]
    Import(ImportArgs),
    /// Write a conversation out as it was stored
    #[command(after_help = EXPORT_HELP)]
    Export(ExportArgs),
    /// Begin a branch after a message
    #[command(after_help = "Example:\n  hippocamp fork --session main --at 42")]
    Fork(ForkArgs),
    /// Store messages from stdin, one JSON object a line, and nothing else
    #[command(after_help = MESSAGE_HELP)]
    Append(AppendArgs),
    /// Store one turn's messages from stdin and compact what is due
    #[command(
        after_help = "Messages have the form that `hippocamp append --help` shows.\n\nExamples:\n  \
                      echo '{\"role\":\"user\",\"content\":\"hello\"}' | hippocamp turn --session main\n  \
                      hippocamp turn --session main --from openai-chat < answer.json"
    )]
    Turn(TurnArgs),
    /// Print what the model would see
    #[command(after_help = "Examples:\n  hippocamp context --session main\n  \
                      hippocamp context --session main --budget 8000 --json")]
    Context(ContextArgs),
    /// Summarise what is due now, or until the view is under a budget
    #[command(after_help = "Examples:\n  hippocamp compact --session main\n  \
                      hippocamp compact --session main --until-under 20000\n  \
                      hippocamp compact --session main --focus 'the migration plan'\n\n\
                      --stdin shortens what stands on stdin, with no store. It reads and writes\n\
                      {\"messages\":[{\"role\",\"content\"}],\"round\":1,\"budget_chars\":N}\n\
                      and keeps lines and sentences of the talk within N characters, each\n\
                      message counted as `[role] content` and a line break; without a\n\
                      budget, 30 % of its size. One message gives one of the same role.")]
    Compact(CompactArgs),
    /// Find messages and summaries
    #[command(after_help = PATTERN_HELP)]
    Grep(GrepArgs),
    /// Show messages and summaries whole
    #[command(
        after_help = "Ids are those that grep, tree and context show: 42 is a message, s12 a summary.\n\
                      A summary is shown with what it was made from.\n\n\
                      Examples:\n  hippocamp expand 42 43 --tool-results\n  hippocamp expand s12"
    )]
    Expand(ExpandArgs),
    /// Keep a fact in every view, word for word
    #[command(after_help = PIN_HELP)]
    Pin(PinArgs),
    /// Retire a pin
    #[command(after_help = "Example:\n  hippocamp unpin p57")]
    Unpin(UnpinArgs),
    /// List the pins of a conversation
    #[command(after_help = "Examples:\n  hippocamp pins --session main\n  \
                      hippocamp pins --session main --all --json")]
    Pins(PinsArgs),
    /// Draw the tree of summaries
    #[command(after_help = "Example:\n  hippocamp tree --session main")]
    Tree(SessionArgs),
    /// List the conversations
    #[command(
        after_help = "Examples:\n  hippocamp sessions\n  hippocamp sessions --project shop --since 2026-01-01"
    )]
    Sessions(SessionsArgs),
    /// Count what is stored and draw the token curve
    #[command(after_help = "Examples:\n  hippocamp stats\n  hippocamp stats --session main")]
    Stats(StatsArgs),
    /// Say how full views are, and how far the search index and the models are
    #[command(after_help = STATUS_HELP)]
    Status,
    /// List what the engine did in a conversation
    #[command(after_help = EVENTS_HELP)]
    Events(SessionArgs),
    /// Check the store
    #[command(after_help = REPAIR_HELP)]
    Doctor(DoctorArgs),
    /// Copy the store to a new file while others go on writing
    #[command(after_help = "Example:\n  hippocamp backup before-the-move.db")]
    Backup(BackupArgs),
    /// Make the search index anew
    #[command(
        after_help = "Searches meanwhile find what they can and say if it is not all.\n\n\
                      Example:\n  hippocamp reindex"
    )]
    Reindex,
    /// Print what a provider is told of the agent's tools
    #[command(after_help = TOOLS_HELP)]
    Tools(ToolsArgs),
    /// Give an agent the tools, over the Model Context Protocol
    #[cfg(feature = "mcp")]
    #[command(after_help = super::help::MCP_HELP)]
    Mcp(McpArgs),
    /// Take in what a coding agent says at an event; called by the agent itself
    #[command(after_help = HOOK_HELP)]
    Hook(HookArgs),
    /// Tell a coding agent of hippocamp: its hooks and the MCP server
    #[command(after_help = INSTALL_HELP)]
    Install(InstallArgs),
    /// Take out of a coding agent's settings what `install` put in
    #[command(
        after_help = "Examples:\n  hippocamp uninstall claude-code --dry-run\n  \
                      hippocamp uninstall claude-code --scope project"
    )]
    Uninstall(InstallArgs),
    /// Show each setting and where it came from
    #[command(after_help = "Example:\n  hippocamp config")]
    Config,
    /// Print a shell's completions
    #[command(after_help = "Example:\n  hippocamp completions zsh > ~/.zfunc/_hippocamp")]
    Completions(CompletionsArgs),
    /// Print a manual page
    #[command(
        after_help = "Examples:\n  hippocamp man | man -l -\n  hippocamp man grep | man -l -"
    )]
    Man(ManArgs),
}

/// A conversation by name.
#[derive(Debug, Args)]
pub(crate) struct SessionArgs {
    /// The conversation's key, or its beginning
    #[arg(long, value_name = "KEY", value_parser = session_key)]
    pub(crate) session: SessionKey,
}

/// `import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Files and folders
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The format of all of them, instead of finding it out
    #[arg(long, value_name = "F")]
    pub(crate) format: Option<String>,
    /// Say what would be stored and store nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Go on until Ctrl-C and take in what is written meanwhile
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) watch: bool,
}

/// `fork`.
#[derive(Debug, Args)]
pub(crate) struct ForkArgs {
    /// The conversation's key, or its beginning
    #[arg(long, value_name = "KEY", value_parser = session_key)]
    pub(crate) session: SessionKey,
    /// The last message the branch shares
    #[arg(long, value_name = "SEQ", value_parser = seq, allow_negative_numbers = true)]
    pub(crate) at: Seq,
    /// A key of its own; without one the session's key moves to the branch
    #[arg(long = "as", value_name = "KEY", value_parser = session_key)]
    pub(crate) new_session: Option<SessionKey>,
}

/// `append`.
#[derive(Debug, Args)]
pub(crate) struct AppendArgs {
    /// The conversation's key
    #[arg(long, value_name = "KEY", value_parser = session_key)]
    pub(crate) session: SessionKey,
    /// Stdin is the whole history: store what is new, branch where it differs
    #[arg(long)]
    pub(crate) sync: bool,
    /// Stdin is a body of a model's interface, a request, an answer or one message: openai-chat,
    /// openai-responses, anthropic, gemini
    #[arg(long, value_name = "FORMAT", value_enum, hide_possible_values = true)]
    pub(crate) from: Option<BodyFormat>,
}

/// `turn`.
#[derive(Debug, Args)]
pub(crate) struct TurnArgs {
    /// The conversation's key
    #[arg(long, value_name = "KEY", value_parser = session_key)]
    pub(crate) session: SessionKey,
    /// Stdin is a body of a model's interface, as `append --from` takes it: openai-chat,
    /// openai-responses, anthropic, gemini
    #[arg(long, value_name = "FORMAT", value_enum, hide_possible_values = true)]
    pub(crate) from: Option<BodyFormat>,
    /// Do not wait for summaries of summaries
    #[arg(long)]
    pub(crate) no_wait: bool,
}

/// `context`.
#[derive(Debug, Args)]
pub(crate) struct ContextArgs {
    /// The conversation's key, or its beginning
    #[arg(long, value_name = "KEY", value_parser = session_key)]
    pub(crate) session: SessionKey,
    /// What the view may hold, in tokens [default: the conversation's window]
    #[arg(long, value_name = "N", value_parser = tokens, allow_negative_numbers = true)]
    pub(crate) budget: Option<Tokens>,
    /// How it is printed: text, for people, or the body of a model's interface: openai-chat,
    /// openai-responses, anthropic, gemini
    #[arg(long, value_enum, default_value = "text", hide_possible_values = true)]
    pub(crate) format: ViewFormat,
}

/// `stats`.
#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// Only this conversation, by its key or its beginning; without it the curve is of the newest
    #[arg(long, value_name = "KEY", value_parser = session_key)]
    pub(crate) session: Option<SessionKey>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed_and_each_command_has_an_example() {
        let mut command = Cli::command();
        command.build();
        command.clone().debug_assert();
        for sub in command
            .get_subcommands()
            .filter(|sub| sub.get_name() != "help")
        {
            let help = sub
                .get_after_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            assert!(help.contains("Example"), "{}", sub.get_name());
            assert!(sub.get_about().is_some(), "{}", sub.get_name());
        }
    }

    #[test]
    fn help_is_one_and_fits_a_terminal_of_80_columns() {
        let mut command = Cli::command().term_width(80);
        command.build();
        let names: Vec<String> = command
            .get_subcommands()
            .map(|sub| sub.get_name().to_owned())
            .filter(|name| name != "help")
            .collect();
        let listing = command.render_long_help().to_string();
        for name in &names {
            let about = listing.lines().find(|line| line.trim().starts_with(name));
            assert!(about.is_some_and(|about| about.len() <= 80), "{name}");
        }
        for (name, sub) in names.iter().zip(command.get_subcommands()) {
            let help = |flag: &str| {
                let words = ["hippocamp", name, flag];
                let error = Cli::command().try_get_matches_from(words).unwrap_err();
                error.to_string()
            };
            assert_eq!(help("--help"), help("-h"), "{name} has a longer help");
            let after = sub.get_after_help().map(ToString::to_string);
            for line in after.unwrap_or_default().lines() {
                assert!(line.len() <= 80, "broken by the terminal: {line}");
            }
        }
    }
}
