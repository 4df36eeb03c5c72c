//! The commands. Owns the order: everything is planned before anything is written.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::diff::diff;
use super::entry::Caller;
use super::file::{Draft, Fate, Origin, check_writable, load, save, sweep};
use super::place::{Places, claude_code};
use super::{hooks, servers};
use crate::cli::args::{Agent, Global, InstallArgs, ScopeOfAgent};
use crate::cli::config::{self, Environment};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::reply::Reply;
use crate::domain::Clock;
use crate::engine::SystemClock;

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    Install,
    Uninstall,
}

/// One file, before and after.
struct Change {
    path: PathBuf,
    before: Option<String>,
    draft: Draft,
}

/// Plans a task and carries it out, or only shows it.
pub(crate) fn run(task: Task, args: &InstallArgs, global: &Global) -> Result<Reply, Failure> {
    let Agent::ClaudeCode = args.agent;
    let environment = config::read_environment();
    let project = std::env::current_dir()
        .map_err(|error| failed(format!("the current folder is not known: {error}")))?;
    let places = claude_code(
        args.scope,
        environment.home.as_deref(),
        environment.claude_config_dir.as_deref(),
        &project,
    );
    let Some(places) = places else {
        return Err(Failure::usage("there is no home folder")
            .with_hint("set HOME or CLAUDE_CONFIG_DIR, or use --scope project"));
    };
    let caller = caller(global, &environment, &project)?;
    let changes = plan(task, &places, &caller)?;
    if !args.dry_run {
        for path in [&places.settings, &places.servers] {
            sweep(path, SystemClock.now());
        }
        for change in changes.iter().filter(|change| change.is_any()) {
            save(&change.path, change.before.as_deref(), &change.draft).map_err(|why| {
                failed(format!("{} was not written: {why}", change.path.display()))
            })?;
        }
    }
    Ok(reply(task, args, &changes))
}

fn failed(message: String) -> Failure {
    Failure::new(Exit::Failed, "io", message)
}

/// Returns how this program is called: by its absolute path, on the store that was named.
fn caller(global: &Global, environment: &Environment, project: &Path) -> Result<Caller, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| failed(format!("this program's own path is not known: {error}")))?;
    let text = |path: &Path| {
        path.to_str().map(str::to_owned).ok_or_else(|| {
            Failure::usage(format!(
                "{} is no UTF-8, as settings have to be",
                path.display()
            ))
        })
    };
    let mut flags = Vec::new();
    // The agent may be started where the variables are not set, and in any folder.
    for (flag, path, variable) in [
        ("--db", &global.db, "DB"),
        ("--config", &global.config, "CONFIG"),
    ] {
        let set = environment.variables.get(variable).map(PathBuf::from);
        if let Some(path) = path.clone().or(set) {
            flags.extend([flag.to_owned(), text(&project.join(path))?]);
        }
    }
    Ok(Caller {
        program: text(&program)?,
        flags,
    })
}

fn plan(task: Task, places: &Places, caller: &Caller) -> Result<Vec<Change>, Failure> {
    type Step = fn(&Draft, &Caller) -> Result<Draft, String>;
    let steps: [(&PathBuf, Step); 2] = match task {
        Task::Install => [
            (&places.settings, hooks::install),
            (&places.servers, servers::install),
        ],
        Task::Uninstall => [
            (&places.settings, hooks::uninstall),
            (&places.servers, servers::uninstall),
        ],
    };
    // A program without the server takes it out, and puts none in.
    let n_steps = match task {
        Task::Install if cfg!(not(feature = "mcp")) => 1,
        _ => steps.len(),
    };
    let changes = steps.into_iter().take(n_steps).map(|(path, step)| {
        let refused = |why| {
            Failure::usage(format!("{}: {why}", path.display()))
                .with_hint("nothing was changed; mend the file and run it again")
        };
        let before = load(path).map_err(refused)?;
        let draft = Draft::of(before.as_deref());
        let draft = match (task, &before) {
            (Task::Uninstall, None) => draft,
            _ => step(&draft, caller).map_err(refused)?,
        };
        let change = Change {
            path: path.clone(),
            before,
            draft,
        };
        if change.is_any() {
            check_writable(path).map_err(refused)?;
        }
        Ok(change)
    });
    changes.collect()
}

impl Change {
    fn is_any(&self) -> bool {
        self.draft.fate == Fate::Goes
            || match &self.before {
                Some(before) => *before != self.draft.text,
                None => self.draft != Draft::of(None),
            }
    }

    fn word(&self) -> &'static str {
        match (self.is_any(), self.draft.fate, self.draft.origin) {
            (false, ..) => "unchanged",
            (true, Fate::Goes, _) => "removed",
            (true, Fate::Stays, Origin::Made) => "made",
            (true, Fate::Stays, Origin::Found) => "edited",
        }
    }

    fn diff(&self) -> String {
        if !self.is_any() {
            return String::new();
        }
        let after = match self.draft.fate {
            Fate::Stays => self.draft.text.as_str(),
            Fate::Goes => "",
        };
        let before = self.before.as_deref().unwrap_or_default();
        diff(&self.path.display().to_string(), before, after)
    }
}

fn reply(task: Task, args: &InstallArgs, changes: &[Change]) -> Reply {
    let files: Vec<Value> = changes
        .iter()
        .map(|change| {
            json!({
                "path": change.path.to_string_lossy(),
                "change": change.word(),
                "diff": change.diff(),
            })
        })
        .collect();
    let scope = match args.scope {
        ScopeOfAgent::User => "user",
        ScopeOfAgent::Project => "project",
    };
    let json = json!({
        "agent": "claude-code",
        "scope": scope,
        "dry_run": args.dry_run,
        "files": files,
    });
    let text: String = changes.iter().map(Change::diff).collect();
    let note = match (changes.iter().any(Change::is_any), args.dry_run, task) {
        (false, _, Task::Install) => "everything is there already",
        (false, _, Task::Uninstall) => "there is nothing of hippocamp",
        (true, true, _) => "nothing was written",
        (true, false, Task::Install) => "restart Claude Code to use it",
        (true, false, Task::Uninstall) => "a Claude Code that runs goes on with it until it ends",
    };
    Reply::new(json, crate::render::text::safe(&text)).with_note(note)
}
