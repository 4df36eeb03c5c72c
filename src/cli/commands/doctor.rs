//! `doctor`: every check of the store, by name; with `--repair` what is derived is made anew.
//! May not touch what was said: a check of rows that fails is told and stays.

use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use serde_json::{Value, json};

use super::backup::copy;
use super::reindex::show;
use crate::cli::args::DoctorArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::paint::{BAD, GOOD, count, painted, push, safe_line};
use crate::cli::reply::Reply;
use crate::domain::{Check, Timestamp};
use crate::engine::{Engine, Repair};

/// What became of the damage that can be repaired.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Repairs {
    /// Nobody asked.
    NotAsked,
    /// It was only told.
    Shown(Vec<Repair>),
    /// It was done, after a copy of the store.
    Applied(Vec<Repair>, PathBuf),
}

pub(super) async fn run(
    engine: &Engine,
    args: &DoctorArgs,
    store: &Path,
    bar: ProgressBar,
) -> Result<Reply, Failure> {
    let checks = engine.doctor().await?;
    if !args.repair {
        return Ok(reply(&checks, &Repairs::NotAsked));
    }
    let repairs = possible(&checks);
    if !args.yes || repairs.is_empty() {
        return Ok(reply(&checks, &Repairs::Shown(repairs)));
    }
    let saved = copy_path(store, engine.now());
    copy(engine, &saved, bar.clone()).await?;
    let repaired = engine
        .repair(&repairs, |progress| show(&bar, progress))
        .await;
    bar.finish_and_clear();
    repaired.map_err(|error| {
        let failure = Failure::from(error);
        failure.with_hint(format!("the store before is {}", saved.display()))
    })?;
    let checks = engine.doctor().await?;
    Ok(reply(&checks, &Repairs::Applied(repairs, saved)))
}

/// Returns what would mend the checks that failed.
fn possible(checks: &[Check]) -> Vec<Repair> {
    let failed = checks.iter().filter(|check| !check.is_ok);
    let mut repairs: Vec<Repair> = failed
        .filter_map(|check| Repair::of_check(&check.name))
        .collect();
    repairs.sort_unstable();
    repairs.dedup();
    repairs
}

/// Names the copy for the store and the moment.
fn copy_path(store: &Path, now: Timestamp) -> PathBuf {
    let moment: String = now
        .to_string()
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    let mut path = store.as_os_str().to_owned();
    path.push(format!(".before-repair-{moment}"));
    path.into()
}

fn reply(checks: &[Check], repairs: &Repairs) -> Reply {
    let is_ok = checks.iter().all(|check| check.is_ok);
    let exit = if is_ok { Exit::Done } else { Exit::Damage };
    let text = checks_text(checks) + &repairs_text(checks, repairs);
    Reply::new(to_json(checks, repairs), text).with_exit(exit)
}

fn to_json(checks: &[Check], repairs: &Repairs) -> Value {
    let listed: Vec<Value> = checks
        .iter()
        .map(|check| json!({"name": check.name, "ok": check.is_ok, "detail": check.detail}))
        .collect();
    let names = |repairs: &[Repair]| -> Vec<&str> {
        repairs.iter().map(|repair| repair.as_str()).collect()
    };
    let (repairs, copy) = match repairs {
        Repairs::NotAsked => (Value::Null, Value::Null),
        Repairs::Shown(repairs) => (names(repairs).into(), Value::Null),
        Repairs::Applied(repairs, copy) => (names(repairs).into(), copy.to_string_lossy().into()),
    };
    json!({
        "ok": checks.iter().all(|check| check.is_ok),
        "checks": listed,
        "repairs": repairs,
        "backup": copy,
    })
}

/// Returns one line for each check.
fn checks_text(checks: &[Check]) -> String {
    let width = checks
        .iter()
        .map(|check| check.name.len())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for check in checks {
        let mark = if check.is_ok {
            painted(GOOD, "ok ")
        } else {
            painted(BAD, "BAD")
        };
        // Damage names rows by their ids, which are no counts.
        let detail = if check.is_ok {
            grouped(&check.detail)
        } else {
            check.detail.clone()
        };
        let detail = safe_line(&detail);
        push!(text, "{mark}  {:width$}  {detail}\n", check.name);
    }
    text
}

/// Writes the counts in a text as they are written everywhere: with commas.
fn grouped(text: &str) -> String {
    let mut grouped = String::with_capacity(text.len() + 4);
    let is_digit = |c: char| c.is_ascii_digit();
    for run in text.split_inclusive(|c: char| !c.is_ascii_digit()) {
        let (digits, after) = run.split_at(run.find(|c| !is_digit(c)).unwrap_or(run.len()));
        let is_name = grouped.ends_with(|c: char| c.is_alphanumeric() || ".-_".contains(c));
        match digits.parse() {
            Ok(number) if !is_name => grouped.push_str(&count(number)),
            _ => grouped.push_str(digits),
        }
        grouped.push_str(after);
    }
    grouped
}

fn repairs_text(checks: &[Check], repairs: &Repairs) -> String {
    let list = |repairs: &[Repair]| {
        let names: Vec<&str> = repairs.iter().map(|repair| repair.as_str()).collect();
        names.join(", ")
    };
    let mut text = String::new();
    match repairs {
        Repairs::NotAsked => return text,
        Repairs::Shown(repairs) if repairs.is_empty() => {}
        Repairs::Shown(repairs) => {
            let repairs = list(repairs);
            push!(
                text,
                "can be made anew: {repairs}; --repair --yes does it, after a copy\n"
            );
        }
        Repairs::Applied(repairs, copy) => {
            let copy = safe_line(&copy.display().to_string());
            push!(
                text,
                "made anew: {}; the store before is {copy}\n",
                list(repairs)
            );
        }
    }
    let damaged: Vec<&Check> = checks.iter().filter(|check| !check.is_ok).collect();
    let beyond: Vec<&str> = damaged
        .iter()
        .filter(|check| {
            matches!(repairs, Repairs::Applied(..)) || Repair::of_check(&check.name).is_none()
        })
        .map(|check| check.name.as_str())
        .collect();
    if damaged.is_empty() && text.is_empty() {
        text.push_str("nothing to repair\n");
    }
    if !beyond.is_empty() {
        push!(text, "beyond repair: {}\n", beyond.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, is_ok: bool) -> Check {
        Check {
            name: name.to_owned(),
            is_ok,
            detail: "12 rows".to_owned(),
        }
    }

    #[track_caller]
    fn check_text(checks: &[Check], repairs: &Repairs, want: &str) {
        let text = anstream::adapter::strip_str(&reply(checks, repairs).text).to_string();
        let told: Vec<&str> = text.lines().skip(checks.len()).collect();
        assert_eq!(told.join("\n"), want);
    }

    #[test]
    fn counts_have_commas_and_names_with_digits_have_none() {
        assert_eq!(
            grouped("rows imported: 6154, copies named: 12, m6154, v1.2000; 1234567"),
            "rows imported: 6,154, copies named: 12, m6154, v1.2000; 1,234,567"
        );
        let mut sound = check("copies", true);
        sound.detail = "ids given out: 6154".to_owned();
        assert!(checks_text(&[sound.clone()]).contains("6,154"));
        sound.is_ok = false;
        assert!(checks_text(&[sound]).contains("6154"));
    }

    #[test]
    fn one_damaged_row_is_damage() {
        let asked = Repairs::NotAsked;
        assert_eq!(reply(&[check("tree", true)], &asked).exit, Exit::Done);
        let damaged = reply(&[check("tree", true), check("chain", false)], &asked);
        assert_eq!(damaged.exit, Exit::Damage);
        assert_eq!(damaged.json["ok"], false);
        assert_eq!(damaged.json["repairs"], Value::Null);
        let text = anstream::adapter::strip_str(&damaged.text).to_string();
        assert_eq!(text, "ok   tree   12 rows\nBAD  chain  12 rows\n");
    }

    #[test]
    fn what_can_be_made_anew_and_what_cannot_is_told() {
        let checks = [
            check("chain", false),
            check("index", false),
            check("time_runs", false),
        ];
        let repairs = possible(&checks);
        assert_eq!(repairs, [Repair::SearchIndex]);
        check_text(
            &checks,
            &Repairs::Shown(repairs.clone()),
            "can be made anew: search_index; --repair --yes does it, after a copy\n\
             beyond repair: chain",
        );
        let after = [check("chain", false), check("index", true)];
        check_text(
            &after,
            &Repairs::Applied(repairs, PathBuf::from("/s.db.before")),
            "made anew: search_index; the store before is /s.db.before\nbeyond repair: chain",
        );
        check_text(
            &[check("tree", true)],
            &Repairs::Shown(Vec::new()),
            "nothing to repair",
        );
    }

    #[test]
    fn a_copy_is_named_for_the_moment() {
        let now = Timestamp::parse("2026-01-02T03:04:05.678Z").unwrap();
        let path = copy_path(Path::new("/d/s.db"), now);
        assert_eq!(path, Path::new("/d/s.db.before-repair-20260102T030405678Z"));
    }
}
