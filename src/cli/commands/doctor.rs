//! `doctor`: every check of the store, by name.

use serde_json::{Value, json};

use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::paint::{BAD, GOOD, painted, push, safe_line};
use crate::cli::reply::Reply;
use crate::domain::Check;
use crate::engine::Engine;

pub(super) async fn run(engine: &Engine) -> Result<Reply, Failure> {
    Ok(reply(&engine.doctor().await?))
}

fn reply(checks: &[Check]) -> Reply {
    let is_ok = checks.iter().all(|check| check.is_ok);
    let exit = if is_ok { Exit::Done } else { Exit::Damage };
    Reply::new(to_json(checks), checks_text(checks)).with_exit(exit)
}

fn to_json(checks: &[Check]) -> Value {
    let listed: Vec<Value> = checks
        .iter()
        .map(|check| json!({"name": check.name, "ok": check.is_ok, "detail": check.detail}))
        .collect();
    json!({"ok": checks.iter().all(|check| check.is_ok), "checks": listed})
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
        let detail = safe_line(&check.detail);
        push!(text, "{mark}  {:width$}  {detail}\n", check.name);
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

    #[test]
    fn one_damaged_row_is_damage() {
        assert_eq!(reply(&[check("tree", true)]).exit, Exit::Done);
        let damaged = reply(&[check("tree", true), check("chain", false)]);
        assert_eq!(damaged.exit, Exit::Damage);
        assert_eq!(damaged.json["ok"], false);
        let text = anstream::adapter::strip_str(&damaged.text).to_string();
        assert_eq!(text, "ok   tree   12 rows\nBAD  chain  12 rows\n");
    }
}
