//! Every statement of the store has a plan that does not grow with the store: each is explained,
//! and one that scans messages, parts, summaries or events is refused unless it is named here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

/// Tables that grow without end.
const LARGE: [&str; 4] = ["message", "part", "summary", "event"];
/// Fewer statements than this, and the search for them has gone blind.
const LEAST: usize = 120;
/// What a statement begins with.
const VERBS: [&str; 5] = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "];

/// Why its checks may scan.
const DOCTOR: &str = "doctor reads everything";

/// The exact scans: file, a piece of the statement, why it may.
const ALLOWED: [(&str, &str, &str); 10] = [
    ("stats/counts.rs", "kind = 'call'", "a sum, on request"),
    ("integrity/calls.rs", "FROM event", DOCTOR),
    (
        "stats/counts.rs",
        "SELECT COUNT(*), MAX(depth) FROM summary",
        "a count, on request",
    ),
    (
        "integrity/ledger.rs",
        "LEFT JOIN part AS p ON p.id BETWEEN",
        DOCTOR,
    ),
    ("integrity/ledger.rs", "FROM part", DOCTOR),
    ("integrity/file.rs", "UNION ALL", DOCTOR),
    ("integrity/measure.rs", "WHERE e.kind = 'calibrate'", DOCTOR),
    ("integrity/clears.rs", "FROM event AS e", DOCTOR),
    ("integrity/pins.rs", "FROM event AS e", DOCTOR),
    ("integrity/recounts.rs", "FROM event AS e", DOCTOR),
];

/// A statement and where it stands.
struct Statement {
    file: String,
    sql: String,
}

/// What a source is made of, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Text(String),
    Word(String),
    Sign(char),
}

/// Cuts Rust into string literals, words and signs; comments and characters are passed over.
fn tokens(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let at = |idx: usize| chars.get(idx).copied().unwrap_or('\0');
    let mut found = Vec::new();
    let mut idx = 0;
    while idx < chars.len() {
        let here = at(idx);
        if here == '/' && at(idx + 1) == '/' {
            while idx < chars.len() && at(idx) != '\n' {
                idx += 1;
            }
        } else if here == '\'' && (at(idx + 1) == '\\' || at(idx + 2) == '\'') {
            idx += if at(idx + 1) == '\\' { 3 } else { 2 };
            while idx < chars.len() && at(idx) != '\'' {
                idx += 1;
            }
            idx += 1;
        } else if here == '"' {
            let (text, end) = literal(&chars, idx + 1);
            found.push(Token::Text(text));
            idx = end;
        } else if here.is_alphabetic() || here == '_' {
            let begin = idx;
            while at(idx).is_alphanumeric() || at(idx) == '_' {
                idx += 1;
            }
            found.push(Token::Word(chars[begin..idx].iter().collect()));
        } else {
            if !here.is_whitespace() {
                found.push(Token::Sign(here));
            }
            idx += 1;
        }
    }
    found
}

/// Reads a string literal up to its closing quote.
fn literal(chars: &[char], mut idx: usize) -> (String, usize) {
    let mut text = String::new();
    while let Some(&here) = chars.get(idx) {
        idx += 1;
        match here {
            '"' => break,
            '\\' => {
                let escaped = chars.get(idx).copied().unwrap_or('\0');
                idx += 1;
                match escaped {
                    '\n' => {
                        while chars.get(idx).is_some_and(|char| char.is_whitespace()) {
                            idx += 1;
                        }
                    }
                    'n' => text.push('\n'),
                    '0' => text.push('\0'),
                    other => text.push(other),
                }
            }
            other => text.push(other),
        }
    }
    (text, idx)
}

/// Finds macros whose body is one literal: lists of columns.
fn columns(tokens: &[Token]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (idx, token) in tokens.iter().enumerate() {
        if *token != Token::Word("macro_rules".to_owned()) {
            continue;
        }
        let rest = &tokens[idx + 1..];
        let name = rest.iter().find_map(|token| match token {
            Token::Word(name) => Some(name.clone()),
            _ => None,
        });
        let body = rest.iter().find_map(|token| match token {
            Token::Text(text) => Some(text.clone()),
            _ => None,
        });
        found.extend(name.zip(body));
    }
    found
}

/// Finds statements: literals, and `concat!` of literals and lists of columns.
fn statements(tokens: &[Token], columns: &BTreeMap<String, String>) -> Vec<String> {
    let mut found = Vec::new();
    let mut idx = 0;
    while idx < tokens.len() {
        match &tokens[idx] {
            Token::Word(word)
                if word == "concat" && tokens.get(idx + 1) == Some(&Token::Sign('!')) =>
            {
                let (text, end) = joined(tokens, idx + 2, columns);
                found.push(text);
                idx = end;
            }
            Token::Text(text) => {
                found.push(text.clone());
                idx += 1;
            }
            _ => idx += 1,
        }
    }
    found.retain(|text| VERBS.iter().any(|verb| text.trim_start().starts_with(verb)));
    found
}

fn joined(tokens: &[Token], mut idx: usize, columns: &BTreeMap<String, String>) -> (String, usize) {
    let mut text = String::new();
    let mut depth = 0;
    while let Some(token) = tokens.get(idx) {
        idx += 1;
        match token {
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            Token::Text(piece) => text.push_str(piece),
            Token::Word(word) => text.push_str(columns.get(word).map_or("", String::as_str)),
            Token::Sign(_) => {}
        }
    }
    (text, idx)
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("tests") || path.ends_with("tests.rs") {
            continue;
        }
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn all_statements() -> Vec<Statement> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store");
    let mut paths = Vec::new();
    sources(&root, &mut paths);
    let cut: Vec<(String, Vec<Token>)> = paths
        .iter()
        .map(|path| {
            let name = path
                .strip_prefix(&root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            (name, tokens(&std::fs::read_to_string(path).unwrap()))
        })
        .collect();
    let columns = cut.iter().flat_map(|(_, tokens)| columns(tokens)).collect();
    let mut found = Vec::new();
    for (file, tokens) in &cut {
        found.extend(
            statements(tokens, &columns)
                .into_iter()
                .map(|sql| Statement {
                    file: file.clone(),
                    sql,
                }),
        );
    }
    found
}

fn schema() -> Connection {
    let conn = Connection::open_in_memory().unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let mut steps: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    steps.sort();
    for step in steps {
        conn.execute_batch(&std::fs::read_to_string(step).unwrap())
            .unwrap();
    }
    conn
}

/// Returns the lines of a statement's plan.
fn plan(conn: &Connection, sql: &str) -> Result<Vec<String>, String> {
    let explain = format!("EXPLAIN QUERY PLAN {sql}");
    let mut statement = conn.prepare(&explain).map_err(|error| error.to_string())?;
    let rows = statement
        .raw_query()
        .mapped(|row| row.get::<_, String>(3))
        .collect::<Vec<_>>();
    rows.into_iter()
        .map(|row| row.map_err(|error| error.to_string()))
        .collect()
}

/// Returns the names under which a statement speaks of a large table.
fn names_of_large(sql: &str) -> BTreeSet<String> {
    let words: Vec<&str> = sql
        .split(|char: char| !(char.is_alphanumeric() || char == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    let mut names = BTreeSet::new();
    for (idx, word) in words.iter().enumerate() {
        if !LARGE.contains(word) {
            continue;
        }
        names.insert((*word).to_owned());
        if words.get(idx + 1) == Some(&"AS") {
            names.extend(words.get(idx + 2).map(|alias| (*alias).to_owned()));
        }
    }
    names
}

/// Returns the lines of a plan that read all of a large table.
fn scans(sql: &str, plan: &[String]) -> Vec<String> {
    let names = names_of_large(sql);
    plan.iter()
        .filter(|line| {
            let scanned = line
                .strip_prefix("SCAN ")
                .and_then(|rest| rest.split(' ').next());
            scanned.is_some_and(|name| names.contains(name))
        })
        .cloned()
        .collect()
}

/// W1, P41.
#[test]
fn no_statement_scans_what_grows() {
    let conn = schema();
    let statements = all_statements();
    let mut unused: BTreeSet<usize> = (0..ALLOWED.len()).collect();
    let mut wrong = Vec::new();
    for Statement { file, sql } in &statements {
        let lines = match plan(&conn, sql) {
            Ok(lines) => lines,
            Err(error) => {
                wrong.push(format!("{file}: {error}: {sql}"));
                continue;
            }
        };
        let found = scans(sql, &lines);
        if found.is_empty() {
            continue;
        }
        let allowed = ALLOWED
            .iter()
            .position(|(in_file, piece, _)| file == in_file && sql.contains(piece));
        match allowed {
            Some(idx) => {
                unused.remove(&idx);
            }
            None => wrong.push(format!("{file}: {found:?}: {sql}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(unused.is_empty(), "no longer needed: {unused:?} of ALLOWED");
    assert!(
        statements.len() >= LEAST,
        "looked at {} statements only",
        statements.len()
    );
}

// A sorter would score every match of a common word before the first is returned.
#[test]
fn a_search_reads_matches_newest_first_without_sorting_them() {
    let conn = schema();
    let mut count = 0;
    for Statement { file, sql } in all_statements() {
        if !sql.contains(" MATCH ") {
            continue;
        }
        count += 1;
        let lines = plan(&conn, &sql).unwrap();
        let sorts = lines.iter().any(|line| line.contains("TEMP B-TREE"));
        let by_index = lines
            .iter()
            .any(|line| line.contains("VIRTUAL TABLE INDEX"));
        assert!(!sorts && by_index, "{file}: {lines:?}: {sql}");
        assert!(!sql.contains("ORDER BY rank"), "{file}: {sql}");
    }
    assert!(count >= 4, "{count}");
}

#[test]
fn statements_are_found_however_they_are_written() {
    let source = r#"
        // "SELECT comment"
        macro_rules! some_columns { () => { "m.id, m.seq" }; }
        const A: &str = "SELECT id \
             FROM message";
        const B: &str = concat!("SELECT ", some_columns!(), " FROM message AS m");
        fn f<'a>(x: &'a str) -> char { let _ = '"'; let _ = "no statement \"SELECT "; '\'' }
        const C: &str = "UPDATE part SET body = 'it''s'";
    "#;
    let tokens = tokens(source);
    let found = statements(&tokens, &columns(&tokens));
    assert_eq!(
        found,
        [
            "SELECT id FROM message",
            "SELECT m.id, m.seq FROM message AS m",
            "UPDATE part SET body = 'it''s'"
        ]
    );
}

#[test]
fn a_scan_is_seen_under_any_name() {
    let conn = schema();
    let check = |sql: &str, want: bool| {
        let lines = plan(&conn, sql).unwrap();
        assert_eq!(!scans(sql, &lines).is_empty(), want, "{sql}: {lines:?}");
    };
    check("SELECT body FROM part", true);
    check("SELECT p.body FROM part AS p WHERE p.message_id = ?1", true);
    check(
        "SELECT m.id FROM message AS m ORDER BY m.id DESC LIMIT 3",
        true,
    );
    check(
        "SELECT COUNT(*) FROM event AS e WHERE e.kind = 'call'",
        true,
    );
    check("SELECT body FROM part WHERE id BETWEEN ?1 AND ?2", false);
    check(
        "SELECT id FROM message WHERE conversation_id = ?1 AND seq > ?2",
        false,
    );
    check("SELECT key FROM session", false);
}
