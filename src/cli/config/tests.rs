//! Precedence, keys and complaints, without a file or a variable.

use super::*;
use crate::policy::redact::Sort;

fn environment(variables: &[(&str, &str)]) -> Environment {
    Environment {
        variables: variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        data_dir: Some(PathBuf::from("/data")),
        ..Environment::default()
    }
}

fn toml(text: &str) -> FileValues {
    file::parse(Path::new("/c/config.toml"), text).unwrap()
}

#[track_caller]
fn check_file_refused(text: &str, part: &str) {
    let path = Path::new("/c/config.toml");
    let result = file::parse(path, text)
        .and_then(|file| resolve(&Flags::default(), &environment(&[]), &file));
    let failure = result.unwrap_err();
    assert_eq!(failure.exit.code(), 2);
    assert!(
        failure.message.contains(part),
        "{text}: {}",
        failure.message
    );
}

fn window_of(settings: &Settings) -> u64 {
    settings.window.window().context().get()
}

#[test]
fn flag_then_variable_then_file_then_default() {
    let file = toml("context_window = 3000\ndb = \"/file.db\"");
    let variables = environment(&[("CONTEXT_WINDOW", "2000"), ("DB", "/variable.db")]);
    let flags = Flags {
        window: Some("1000".to_owned()),
        db: Some(PathBuf::from("/flag.db")),
        config: None,
    };
    let none = (Flags::default(), environment(&[]), FileValues::default());
    for (flags, variables, file, window, db) in [
        (&flags, &variables, &file, 1000, "/flag.db"),
        (&none.0, &variables, &file, 2000, "/variable.db"),
        (&none.0, &none.1, &file, 3000, "/file.db"),
        (
            &none.0,
            &none.1,
            &none.2,
            128_000,
            "/data/hippocamp/hippocamp.db",
        ),
    ] {
        let settings = resolve(flags, variables, file).unwrap();
        assert_eq!(window_of(&settings), window);
        assert_eq!(settings.db, PathBuf::from(db));
    }
}

#[test]
fn only_a_flag_asks_for_a_window() {
    let flags = Flags {
        window: Some("1000".to_owned()),
        ..Flags::default()
    };
    let settings = resolve(&flags, &environment(&[]), &FileValues::default()).unwrap();
    assert!(matches!(settings.window, WindowChoice::Asked(_)));
    let variables = environment(&[("CONTEXT_WINDOW", "1000")]);
    let settings = resolve(&Flags::default(), &variables, &FileValues::default()).unwrap();
    assert!(matches!(settings.window, WindowChoice::Configured(_)));
}

#[test]
fn every_key_of_a_file_is_read() {
    let file = toml(
        "db = '/x.db'\ncontext_window = 8_000\nsummarize_token_percent = 60\n\
         summarize_message_threshold = 5\nleaf_from_percent = 50\nleaf = 'deferred'\n\
         model = 'ollama/m'\nfallback_models = ['openai/a', 'gemini/b']\nauto_pins = false\ntool_result_cap = 100\n\
         redact = ['keys', 'email']\n",
    );
    let settings = resolve(&Flags::default(), &environment(&[]), &file).unwrap();
    assert_eq!(window_of(&settings), 8000);
    assert_eq!(settings.limits.summarize_token_percent, 60);
    assert_eq!(settings.limits.summarize_message_threshold, 5);
    assert_eq!(settings.limits.leaf_from_percent, 50);
    assert_eq!(settings.limits.tool_result_cap, Tokens::new(100));
    assert_eq!(settings.leaf, LeafMode::Deferred);
    assert_eq!(settings.auto_pins, AutoPins::Proposed);
    assert_eq!(settings.redact.sorts(), [Sort::Keys, Sort::Email]);
    let models: Vec<String> = settings.models.iter().map(ToString::to_string).collect();
    assert_eq!(models, ["ollama/m", "openai/a", "gemini/b"]);
    assert_eq!(settings.warnings.len(), 0, "{:?}", settings.warnings);
}

#[test]
fn an_unknown_key_is_named_with_its_line() {
    check_file_refused(
        "# one\n\ncontext_windows = 5\n",
        "line 3: unknown key `context_windows`",
    );
    check_file_refused("[agents]\nx = 1\n", "line 1: unknown key `agents`");
    check_file_refused("db = \"/x\"\nleaf = = 1\n", "line 2");
    check_file_refused("db = \"/x\"\ndb = \"/y\"\n", "line 2");
}

#[test]
fn a_bad_value_is_named_with_its_line_and_form() {
    check_file_refused(
        "context_window = 0",
        "line 1: `context_window` must be a whole number of",
    );
    check_file_refused("context_window = -5", "not `-5`");
    check_file_refused("context_window = 2.5", "not `2.5`");
    check_file_refused("context_window = 'big'", "not `big`");
    check_file_refused(
        "\nsummarize_token_percent = 101",
        "line 2: `summarize_token_percent`",
    );
    check_file_refused("leaf = 'sometimes'", "every_turn or deferred");
    check_file_refused("auto_pins = 'yes'", "true or false");
    check_file_refused(
        "redact = ['keys', 'names']",
        "lists some of keys, email, phone, card, national_id, or is none, not `keys,names`",
    );
    check_file_refused("redact = true", "not `true`");
    check_file_refused(
        "model = 'small'",
        "line 1: `model`: `small` names no model: write provider/name",
    );
    check_file_refused(
        "model = 'ollama/a'\nfallback_models = ['x/y']",
        "line 2: `fallback_models`: `x/y`",
    );
    check_file_refused(
        "fallback_models = ['ollama/a']",
        "asked after `model`, which is not set",
    );
    check_file_refused("db = {a = 1}", "`db` must be");
    check_file_refused("db = ''", "`db` must be the path of a file");
}

#[test]
fn a_bad_variable_or_flag_is_named() {
    let variables = environment(&[("LEAF_FROM_PERCENT", "lots")]);
    let failure = resolve(&Flags::default(), &variables, &FileValues::default()).unwrap_err();
    assert!(
        failure.message.starts_with("HIPPOCAMP_LEAF_FROM_PERCENT"),
        "{failure:?}"
    );
    let flags = Flags {
        window: Some("-1".to_owned()),
        ..Flags::default()
    };
    let failure = resolve(&flags, &environment(&[]), &FileValues::default()).unwrap_err();
    assert!(failure.message.starts_with("--window"), "{failure:?}");
}

#[test]
fn an_unknown_variable_warns() {
    let variables = environment(&[
        ("CONTEXT", "5"),
        ("LEAF", "deferred"),
        ("LOG", "info"),
        ("SHARED", "/s"),
        ("CONFIG", "x"),
    ]);
    let settings = resolve(&Flags::default(), &variables, &FileValues::default()).unwrap();
    let want = ["HIPPOCAMP_CONTEXT is not a variable of hippocamp and has no effect"];
    assert_eq!(settings.warnings, want);
    assert_eq!(settings.log.as_deref(), Some("info"));
}

#[test]
fn the_four_knobs_of_another_programs_file_are_read() {
    let text = r#"{"agents": {"defaults": {"context_window": 64000, "workspace": "/w",
        "summarize_token_percent": 70, "summarize_message_threshold": 30,
        "leaf_from_percent": 40, "model": "x"}}, "channels": {}}"#;
    let file = file::parse(Path::new("/p/config.json"), text).unwrap();
    let settings = resolve(&Flags::default(), &environment(&[]), &file).unwrap();
    assert_eq!(window_of(&settings), 64_000);
    assert_eq!(settings.limits.summarize_token_percent, 70);
    assert_eq!(settings.limits.summarize_message_threshold, 30);
    assert_eq!(settings.limits.leaf_from_percent, 40);
    assert_eq!(settings.warnings, Vec::<String>::new());
    check_file_refused(
        r#"{"agents": {"defaults": {"context_window": "big"}}}"#,
        "agents.defaults.context_window",
    );
    check_file_refused("{\"agents\": \n oops}", "line 2");
}

#[test]
fn a_missing_file_is_an_error_only_where_it_was_asked_for() {
    let flags = Flags {
        config: Some(PathBuf::from("/nowhere/at/all.toml")),
        ..Flags::default()
    };
    let failure = read_file(&flags, &environment(&[])).unwrap_err();
    assert!(failure.message.contains("/nowhere/at/all.toml"));
    let variables = environment(&[("CONFIG", "/nowhere/else.toml")]);
    assert!(read_file(&Flags::default(), &variables).is_err());
    let mut without = environment(&[]);
    without.config_dir = Some(PathBuf::from("/nowhere"));
    let file = read_file(&Flags::default(), &without).unwrap();
    assert!(KEYS.iter().all(|key| file.get(key).is_none()));
    let path = PathBuf::from("/nowhere/hippocamp/config.toml");
    assert_eq!(file.place, FilePlace::Missing(path));
}

#[test]
fn each_key_is_told_with_where_it_came_from() {
    let flags = Flags {
        window: Some("4000".to_owned()),
        ..Flags::default()
    };
    let environment = environment(&[("LEAF", "deferred"), ("MODEL", "ollama/small")]);
    let text = "tool_result_cap = 5\n\ndb = 'a.db'\n";
    let file = file::parse(Path::new("c.toml"), text).unwrap();
    let told = resolve(&flags, &environment, &file).unwrap().told;
    assert_eq!(told.iter().map(|told| told.key).collect::<Vec<_>>(), KEYS);
    let check = |key: &str, value: Option<&str>, from: Option<&str>| {
        let told = told.iter().find(|told| told.key == key).unwrap();
        let origin = told.origin.as_ref().map(ToString::to_string);
        assert_eq!(
            (told.value.as_deref(), origin.as_deref()),
            (value, from),
            "{key}"
        );
    };
    check("context_window", Some("4000"), Some("--window"));
    check("leaf", Some("deferred"), Some("HIPPOCAMP_LEAF"));
    check("model", Some("ollama/small"), Some("HIPPOCAMP_MODEL"));
    check("tool_result_cap", Some("5"), Some("c.toml line 1"));
    check("db", Some("a.db"), Some("c.toml line 3"));
    check("summarize_token_percent", Some("75"), None);
    check("redact", Some("keys"), None);
}

#[test]
fn without_a_home_a_store_must_be_named() {
    let failure = resolve(
        &Flags::default(),
        &Environment::default(),
        &FileValues::default(),
    );
    assert!(failure.unwrap_err().hint.unwrap().contains("--db"));
}

#[test]
fn a_file_that_does_not_end_is_not_read_to_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    std::fs::write(&path, "#".repeat(1 << 20)).unwrap();
    assert_eq!(file::load(&path).unwrap().len(), 1 << 20);
    std::fs::write(&path, "#".repeat((1 << 20) + 1)).unwrap();
    let error = file::load(&path).unwrap_err().to_string();
    assert_eq!(error, "it is longer than 1048576 bytes");
    #[cfg(unix)]
    assert!(file::load(Path::new("/dev/zero")).is_err());
}
