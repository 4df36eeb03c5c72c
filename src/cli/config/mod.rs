//! Settings: flag, then `HIPPOCAMP_<KEY>`, then the configuration file, then the default.
//! The only file that reads the environment.

mod file;
mod models;
mod told;
mod value;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use directories::BaseDirs;

pub(crate) use file::FileValues;
pub(crate) use models::ProviderVariables;
pub(crate) use told::{FilePlace, Told};

use super::failure::Failure;
use crate::domain::{Tokens, Window};
use crate::engine::{AutoPins, LeafMode};
use crate::import::{KnownPlace, known_places};
use crate::policy::limits::Limits;
use crate::policy::redact::Patterns;
use crate::providers::{ModelName, VARIABLES};

/// The keys of the configuration file, in the order they are documented.
pub(crate) const KEYS: [&str; 11] = [
    "db",
    "context_window",
    "summarize_token_percent",
    "summarize_message_threshold",
    "leaf_from_percent",
    "leaf",
    "model",
    "fallback_models",
    "auto_pins",
    "tool_result_cap",
    "redact",
];
/// Variables beside `HIPPOCAMP_<KEY>`.
const OTHER_VARIABLES: [&str; 5] = ["CONFIG", "LOG", "SHARED", "API_KEY", "BASE_URL"];
/// The variable with the token of the MCP server.
pub(crate) const MCP_TOKEN: &str = "HIPPOCAMP_MCP_TOKEN";
/// Variables that are secrets: they are kept apart and never shown.
const SECRETS: [&str; 2] = ["API_KEY", "MCP_TOKEN"];
const PREFIX: &str = "HIPPOCAMP_";
/// What a model's window is unless told: the smallest of those in common use.
const CONTEXT_WINDOW: u64 = 128_000;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A flag of the command line.
    Flag(&'static str),
    /// An environment variable.
    Variable(String),
    /// A line of a file.
    Line(PathBuf, usize),
    /// A place in a JSON file.
    Json(PathBuf, String),
}

impl Origin {
    /// Returns one word for where it is.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Flag(_) => "flag",
            Self::Variable(_) => "environment",
            Self::Line(..) | Self::Json(..) => "file",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) => formatter.write_str(name),
            Self::Variable(name) => formatter.write_str(name),
            Self::Line(path, line) => write!(formatter, "{} line {line}", path.display()),
            Self::Json(path, place) => write!(formatter, "{} at {place}", path.display()),
        }
    }
}

/// A value as text, and where it came from.
pub(crate) type Sourced = (String, Origin);

/// What the command line says of settings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Flags {
    /// `--db`.
    pub(crate) db: Option<PathBuf>,
    /// `--config`.
    pub(crate) config: Option<PathBuf>,
    /// `--window`.
    pub(crate) window: Option<String>,
}

/// What is taken from the environment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Environment {
    /// Variables that begin with `HIPPOCAMP_`, without that, and not empty.
    pub(crate) variables: BTreeMap<String, String>,
    /// Variables whose value is no UTF-8.
    pub(crate) unreadable: Vec<String>,
    /// The directory that holds `hippocamp/config.toml`.
    pub(crate) config_dir: Option<PathBuf>,
    /// The directory that holds `hippocamp/hippocamp.db`.
    pub(crate) data_dir: Option<PathBuf>,
    /// The directory that holds `hippocamp/hook.log`.
    pub(crate) state_dir: Option<PathBuf>,
    /// The home folder.
    pub(crate) home: Option<PathBuf>,
    /// Where Claude Code keeps its settings, if that was moved.
    pub(crate) claude_config_dir: Option<PathBuf>,
    /// Where agents keep their transcripts.
    pub(crate) places: Vec<KnownPlace>,
    /// Keys and addresses of models' providers, and the token of the MCP server.
    pub(crate) providers: ProviderVariables,
}

/// Which window a command goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WindowChoice {
    /// Named on the command line.
    Asked(Window),
    /// From the environment, the file or the default.
    Configured(Window),
}

impl WindowChoice {
    pub(crate) const fn window(self) -> Window {
        match self {
            Self::Asked(window) | Self::Configured(window) => window,
        }
    }
}

/// What a command goes by.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    /// The store.
    pub(crate) db: PathBuf,
    /// The model's window.
    pub(crate) window: WindowChoice,
    /// The numbers of the planners.
    pub(crate) limits: Limits,
    /// Where leaves are written.
    pub(crate) leaf: LeafMode,
    /// What constraints become that are found.
    pub(crate) auto_pins: AutoPins,
    /// What is replaced in texts for a model.
    pub(crate) redact: Patterns,
    /// The models that summarise, the first one first; none for the local floor.
    pub(crate) models: Vec<ModelName>,
    /// Keys and addresses of their providers, and the token of the MCP server.
    pub(crate) providers: ProviderVariables,
    /// The filter of logs, where one is named.
    pub(crate) log: Option<String>,
    /// The home folder.
    pub(crate) home: Option<PathBuf>,
    /// Where agents keep their transcripts.
    pub(crate) places: Vec<KnownPlace>,
    /// What is odd, but no error.
    pub(crate) warnings: Vec<String>,
    /// Each key with its value and where it came from.
    pub(crate) told: Vec<Told>,
    /// The configuration file.
    pub(crate) file: FilePlace,
}

/// Reads the process's environment.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the environment"
)]
pub(crate) fn read_environment() -> Environment {
    let mut environment = Environment::default();
    for (name, value) in std::env::vars_os() {
        let Some(name) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else {
            continue;
        };
        match value.into_string() {
            Ok(value) if value.is_empty() || SECRETS.contains(&name) => {}
            Ok(value) => {
                environment.variables.insert(name.to_owned(), value);
            }
            Err(_) => environment.unreadable.push(name.to_owned()),
        }
    }
    let apart: Vec<&str> = VARIABLES.into_iter().chain([MCP_TOKEN]).collect();
    let set = |name| {
        std::env::var(name)
            .ok()
            .filter(|value| name != MCP_TOKEN || !value.is_empty())
    };
    environment.providers = ProviderVariables::read(&apart, set);
    // A home that depends on where one stands is none.
    let base = BaseDirs::new().filter(|base| base.home_dir().is_absolute());
    environment.config_dir = base.as_ref().map(|base| base.config_dir().to_owned());
    environment.data_dir = base.as_ref().map(|base| base.data_dir().to_owned());
    // Not every system has a folder for what a program notes down.
    environment.state_dir = base.as_ref().map(|base| {
        let state = base.state_dir().unwrap_or_else(|| base.data_local_dir());
        state.to_owned()
    });
    environment.home = base.as_ref().map(|base| base.home_dir().to_owned());
    let claude = std::env::var_os("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty());
    environment.claude_config_dir = claude.map(PathBuf::from);
    environment.places = known_places(environment.home.as_deref(), &|name| std::env::var_os(name));
    environment
}

/// Reads the configuration file that applies, if there is one.
///
/// # Errors
/// Usage, naming the file and the line, if it was asked for and is not there, or says what it
/// cannot.
pub(crate) fn read_file(flags: &Flags, environment: &Environment) -> Result<FileValues, Failure> {
    let asked = flags
        .config
        .clone()
        .or_else(|| environment.variables.get("CONFIG").map(PathBuf::from));
    if let Some(path) = asked {
        let text = file::load(&path).map_err(|error| {
            file::refused(format!(
                "cannot read the configuration file {}: {error}",
                path.display()
            ))
        })?;
        return file::parse(&path, &text);
    }
    let Some(folder) = &environment.config_dir else {
        return Ok(FileValues::default());
    };
    let path = folder.join("hippocamp").join("config.toml");
    match file::load(&path) {
        Ok(text) => file::parse(&path, &text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(FileValues::missing(path)),
        Err(error) => Err(file::refused(format!(
            "cannot read the configuration file {}: {error}",
            path.display()
        ))),
    }
}

/// Decides every setting.
///
/// # Errors
/// Usage, naming where a bad value came from and the right form.
pub(crate) fn resolve(
    flags: &Flags,
    environment: &Environment,
    file: &FileValues,
) -> Result<Settings, Failure> {
    if let Some(name) = environment.unreadable.first() {
        return Err(file::refused(format!("{PREFIX}{name} is no UTF-8")));
    }
    let pick = |key: &'static str| -> Option<Sourced> { pick(key, flags, environment, file) };
    let mut limits = Limits::default();
    let context = value::number(pick("context_window"), "context_window", 1, u64::MAX)?;
    let window = Window::of(Tokens::new(context.unwrap_or(CONTEXT_WINDOW)))
        .map_err(|error| file::refused(error.to_string()))?;
    let (low, high) = (1, 100);
    if let Some(percent) = value::number(
        pick("summarize_token_percent"),
        "summarize_token_percent",
        low,
        high,
    )? {
        limits.summarize_token_percent = percent;
    }
    if let Some(messages) = value::number(
        pick("summarize_message_threshold"),
        "summarize_message_threshold",
        0,
        u64::MAX,
    )? {
        limits.summarize_message_threshold = messages;
    }
    if let Some(percent) = value::number(pick("leaf_from_percent"), "leaf_from_percent", 0, high)? {
        limits.leaf_from_percent = percent;
    }
    if let Some(tokens) = value::number(pick("tool_result_cap"), "tool_result_cap", 1, u64::MAX)? {
        limits.tool_result_cap = Tokens::new(tokens);
    }
    let leaf = value::leaf_mode(pick("leaf"))?.unwrap_or_default();
    let auto_pins = match value::flag(pick("auto_pins"), "auto_pins")? {
        Some(false) => AutoPins::Proposed,
        Some(true) | None => AutoPins::Live,
    };
    let redact = value::redact(pick("redact"))?.unwrap_or_default();
    let models = models::choose(pick("model"), pick("fallback_models"))?;
    let db = choose_db(flags, pick("db"), environment)?;
    let decided = told::Decided {
        db: &db,
        window,
        limits: &limits,
        leaf,
        auto_pins,
        redact: &redact,
    };
    let told = told::tell(flags, &decided, pick);
    Ok(Settings {
        db,
        window: match flags.window {
            Some(_) => WindowChoice::Asked(window),
            None => WindowChoice::Configured(window),
        },
        limits,
        leaf,
        auto_pins,
        redact,
        models,
        providers: environment.providers.clone(),
        log: environment.variables.get("LOG").cloned(),
        home: environment.home.clone(),
        places: environment.places.clone(),
        warnings: warnings(environment),
        told,
        file: file.place.clone(),
    })
}

/// Returns the value of a key that wins.
fn pick(
    key: &'static str,
    flags: &Flags,
    environment: &Environment,
    file: &FileValues,
) -> Option<Sourced> {
    let flag = match key {
        "context_window" => flags
            .window
            .as_ref()
            .map(|window| (window.clone(), Origin::Flag("--window"))),
        _ => None,
    };
    flag.or_else(|| {
        let variable = key.to_uppercase();
        let value = environment.variables.get(&variable)?;
        Some((
            value.clone(),
            Origin::Variable(format!("{PREFIX}{variable}")),
        ))
    })
    .or_else(|| file.get(key).cloned())
}

fn choose_db(
    flags: &Flags,
    named: Option<Sourced>,
    environment: &Environment,
) -> Result<PathBuf, Failure> {
    if let Some(path) = &flags.db {
        return Ok(path.clone());
    }
    if let Some((path, origin)) = named {
        if path.is_empty() {
            return Err(file::refused(format!(
                "{origin}: `db` must be the path of a file, not empty"
            )));
        }
        return Ok(PathBuf::from(path));
    }
    environment
        .data_dir
        .as_deref()
        .map(default_db)
        .ok_or_else(|| {
            file::refused("there is no home directory, so no default store")
                .with_hint("name one with --db PATH")
        })
}

fn default_db(data_dir: &Path) -> PathBuf {
    data_dir.join("hippocamp").join("hippocamp.db")
}

fn warnings(environment: &Environment) -> Vec<String> {
    let unknown = environment
        .variables
        .keys()
        .filter(|name| !OTHER_VARIABLES.contains(&name.as_str()))
        .filter(|name| !KEYS.iter().any(|key| key.to_uppercase() == **name))
        .map(|name| format!("{PREFIX}{name} is not a variable of hippocamp and has no effect"));
    unknown.collect()
}

#[cfg(test)]
mod tests;
