//! What people, models and tools say in a session about a program: prose, code, JSON, logs, diffs.
//! Owns the wording; `talk` owns who says what.

use std::fmt::Write as _;

use super::random::Random;

const VERBS: [&str; 24] = [
    "parse", "merge", "load", "store", "check", "cancel", "retry", "index", "render", "split",
    "count", "sort", "close", "open", "lock", "read", "write", "rename", "trim", "encode",
    "decode", "flush", "validate", "resolve",
];
const NOUNS: [&str; 30] = [
    "invoice", "tide", "berth", "cargo", "crane", "ledger", "manifest", "pilot", "queue",
    "session", "token", "cache", "report", "schema", "worker", "lease", "window", "header",
    "cursor", "batch", "quota", "alarm", "route", "vessel", "customs", "payment", "archive",
    "event", "config", "timeout",
];
const FOLDERS: [&str; 8] = [
    "src",
    "src/api",
    "src/store",
    "src/jobs",
    "tests",
    "web/app",
    "tools",
    "docs",
];
const ENDINGS: [&str; 6] = ["rs", "ts", "py", "sql", "toml", "md"];
/// Files of the program.
const FILES: u64 = 600;
const LEVELS: [&str; 4] = ["INFO", "DEBUG", "WARN", "ERROR"];
const OPENINGS: [&str; 10] = [
    "The reason is that",
    "It looks as if",
    "What happens now is that",
    "I read the code and",
    "In the last run",
    "As far as I can see",
    "The test shows that",
    "After the change",
    "Before we go on,",
    "For the release",
];
const CHINESE: [&str; 6] = [
    "请检查一下这个文件，测试在本地失败了。",
    "修复之后请运行全部测试，并说明原因。",
    "港口的数据每小时更新一次，不要改动表结构。",
    "先看日志，再决定是否需要重试。",
    "这个接口返回的时间应该是世界标准时间。",
    "把结果写成简短的报告，列出改动的文件。",
];

/// The form of a tool's output.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Form {
    #[default]
    Code,
    Json,
    Log,
    Diff,
    Hits,
}

/// Returns a name such as `merge_tide_ledger`.
pub(super) fn name(random: &mut Random) -> String {
    let (verb, noun) = (random.pick(&VERBS), random.pick(&NOUNS));
    match random.below(3) {
        0 => format!("{verb}_{noun}"),
        1 => format!("{verb}_{noun}_{}", random.pick(&NOUNS)),
        _ => format!("{noun}_{}", random.below(400)),
    }
}

/// Returns the path of one of the program's files; sessions come back to them again and again.
pub(super) fn path(random: &mut Random) -> String {
    let mut file = Random::new(random.below(FILES));
    let (folder, ending) = (file.pick(&FOLDERS), file.pick(&ENDINGS));
    let (verb, noun) = (file.pick(&VERBS), file.pick(&NOUNS));
    format!("{folder}/{noun}_{verb}.{ending}")
}

/// Returns sentences of about so many bytes.
pub(super) fn prose(random: &mut Random, bytes: u64) -> String {
    let mut text = String::new();
    while (text.len() as u64) < bytes {
        if !text.is_empty() {
            text.push_str(if random.one_in(6) { "\n\n" } else { " " });
        }
        text.push_str(&sentence(random));
    }
    text
}

fn sentence(random: &mut Random) -> String {
    let (verb, other) = (random.pick(&VERBS), random.pick(&VERBS));
    let (noun, second) = (random.pick(&NOUNS), random.pick(&NOUNS));
    match random.below(7) {
        0 => format!(
            "{} the {noun} does not {verb} the {second}, so `{}` comes back empty.",
            random.pick(&OPENINGS),
            name(random)
        ),
        1 => format!("Please {verb} the {noun} in {} first.", path(random)),
        2 => format!(
            "{} {} {noun}s were left after {} ms.",
            random.pick(&OPENINGS),
            random.below(5_000),
            random.below(90_000)
        ),
        3 => format!("We {verb} each {noun} once and {other} the {second} behind it."),
        4 => format!(
            "`{}` calls `{}` for every {noun}.",
            name(random),
            name(random)
        ),
        5 => format!(
            "{} we should {verb} the {noun} because the {second} is slow.",
            random.pick(&OPENINGS)
        ),
        _ => format!("Then {verb} and {other} the {noun} again, {second} included."),
    }
}

/// Returns a request or an answer in Chinese.
pub(super) fn chinese(random: &mut Random) -> String {
    let n_sentences = random.within(1, 5);
    let mut text = format!("{}：", path(random));
    for _ in 0..n_sentences {
        text.push_str(random.pick(&CHINESE));
    }
    text
}

/// Returns what holds from now on, or what no longer does.
pub(super) fn rule(random: &mut Random) -> String {
    let (noun, path) = (random.pick(&NOUNS), path(random));
    match random.below(4) {
        0 => format!("Never edit {path} without asking me."),
        1 => format!("Always {} the {noun} before a commit.", random.pick(&VERBS)),
        2 => format!("Do not touch the {noun} table in production."),
        _ => format!("You may edit {path} again."),
    }
}

/// Returns a tool's output of about so many bytes.
pub(super) fn output(random: &mut Random, form: Form, bytes: u64) -> String {
    let mut text = String::new();
    let mut line = 1;
    while (text.len() as u64) < bytes {
        text.push_str(&output_line(random, form, line));
        text.push('\n');
        line += 1;
    }
    match form {
        Form::Json => format!("[\n{text}{{}}\n]"),
        _ => text,
    }
}

fn output_line(random: &mut Random, form: Form, line: u64) -> String {
    match form {
        Form::Code => code(random, line),
        Form::Json => format!(
            "  {{\"id\": {}, \"name\": \"{}\", \"hash\": \"{}\", \"done\": {}, \"berths\": [{}, {}]}},",
            1_000 + line,
            name(random),
            random.hexadecimal(),
            random.one_in(2),
            random.below(90),
            random.below(90)
        ),
        Form::Log => format!(
            "2026-01-{:02}T{:02}:{:02}:{:02}Z {:<5} {}: {} {}={} id={}",
            1 + random.below(28),
            random.below(24),
            random.below(60),
            random.below(60),
            random.pick(&LEVELS),
            name(random),
            random.pick(&VERBS),
            random.pick(&NOUNS),
            random.below(10_000),
            random.hexadecimal()
        ),
        Form::Diff => match line % 9 {
            1 => format!("diff --git a/{0} b/{0}", path(random)),
            2 => format!("@@ -{0},7 +{0},8 @@", random.below(900)),
            3 | 6 => format!("-{}", code(random, line)),
            4 | 7 => format!("+{}", code(random, line)),
            _ => format!(" {}", code(random, line)),
        },
        Form::Hits => format!(
            "{}:{}:{}",
            path(random),
            random.below(900),
            code(random, line)
        ),
    }
}

fn code(random: &mut Random, line: u64) -> String {
    match line % 8 {
        0 => String::new(),
        1 => format!(
            "pub fn {}(&mut self, {}: u64) -> Result<(), Error> {{",
            name(random),
            random.pick(&NOUNS)
        ),
        2 => format!("    // {}", sentence(random)),
        7 => "}".to_owned(),
        _ => format!(
            "    let {} = self.{}({}, \"{}\")?;",
            random.pick(&NOUNS),
            name(random),
            random.below(1_000),
            random.pick(&NOUNS)
        ),
    }
}

/// Returns the arguments of a call as JSON, with the tool's name.
pub(super) fn arguments(random: &mut Random) -> (&'static str, String, Form) {
    let mut text = String::new();
    let (tool, form) = match random.below(10) {
        0..4 => {
            field(&mut text, "file_path", &path(random));
            ("Read", Form::Code)
        }
        4..6 => {
            field(&mut text, "pattern", &name(random));
            field(&mut text, "path", random.pick(&FOLDERS));
            ("Grep", Form::Hits)
        }
        6..8 => {
            let command = format!("cargo test {} 2>&1 | tail -n 200", name(random));
            field(&mut text, "command", &command);
            let forms = [Form::Log, Form::Json, Form::Diff];
            ("Bash", random.pick(&forms))
        }
        8 => {
            field(&mut text, "file_path", &path(random));
            let old_bytes = random.within(60, 900);
            let new_bytes = random.within(60, 1_500);
            field(
                &mut text,
                "old_string",
                &output(random, Form::Code, old_bytes),
            );
            field(
                &mut text,
                "new_string",
                &output(random, Form::Code, new_bytes),
            );
            ("Edit", Form::Diff)
        }
        _ => {
            field(&mut text, "file_path", &path(random));
            let bytes = random.within(200, 6_000);
            field(&mut text, "content", &output(random, Form::Code, bytes));
            ("Write", Form::Log)
        }
    };
    (tool, format!("{{{text}}}"), form)
}

/// Appends a field of a JSON object.
fn field(text: &mut String, key: &str, value: &str) {
    let comma = if text.is_empty() { "" } else { ", " };
    let value = serde_json::Value::from(value);
    // Writing to a string cannot fail.
    let _ = write!(text, "{comma}\"{key}\": {value}");
}
