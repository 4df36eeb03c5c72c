//! Files, diffs, test runs and logs as the story's tools return them.

use super::random::Random;
use super::words::{ENTITIES, ERRORS, FIELDS, MODULES, VERBS};
use crate::cli::paint::push;

/// Returns the text of a source file about `entity`, some dozens of lines long.
pub(super) fn source_file(random: &mut Random, module: &str, entity: &str) -> String {
    let mut text = format!(
        "//! {module}: keeps each {entity} of a port in order.\n\nuse crate::store::Store;\n\
         use crate::time::Moment;\n\n/// One {entity} as the desk sees it.\npub struct {entity} {{\n"
    );
    let fields: Vec<&str> = (0..random.between(4, 7))
        .map(|_| random.pick(&FIELDS))
        .collect();
    for field in &fields {
        push!(
            text,
            "    pub {field}: {},\n",
            random.pick(&["i64", "String", "Moment", "Option<u32>"])
        );
    }
    text.push_str("}\n\n");
    for _ in 0..random.between(2, 4) {
        text.push_str(&function(random, entity, &fields));
    }
    text
}

fn function(random: &mut Random, entity: &str, fields: &[&str]) -> String {
    let (verb, field) = (random.pick(&VERBS), random.pick(fields));
    let other = random.pick(&FIELDS);
    let limit = random.between(2, 900);
    let error = random.pick(&ERRORS);
    let body = match random.between(0, 3) {
        0 => format!(
            "    let mut kept = Vec::new();\n    for item in items {{\n        if item.{field} > {limit} {{\n            \
             store.note(item.id, \"{verb}\")?;\n            continue;\n        }}\n        kept.push(item);\n    }}\n    Ok(kept)\n"
        ),
        1 => format!(
            "    let found = store.lookup(\"{field}\", &items)?;\n    match found.len() {{\n        0 => Err(Refused::new(\"{error}\")),\n        \
             n if n > {limit} => store.in_batches({limit}, found),\n        _ => Ok(found),\n    }}\n"
        ),
        2 => format!(
            "    let before = Moment::now();\n    let done = items.into_iter().filter(|item| item.{field} != item.{other});\n    \
             let done: Vec<_> = done.take({limit}).collect();\n    store.measure(\"{verb}_{field}\", before.elapsed());\n    Ok(done)\n"
        ),
        _ => format!(
            "    // A {entity} may change its {other} while we look, so the version is checked at the end.\n    \
             let version = store.version(\"{field}\")?;\n    let out = items.into_iter().map(|item| item.with_{field}({limit})).collect();\n    \
             if store.version(\"{field}\")? != version {{\n        return Err(Refused::new(\"{error}\"));\n    }}\n    Ok(out)\n"
        ),
    };
    format!(
        "/// Returns what is left after trying to {verb} by {field}.\npub fn {verb}_by_{field}(store: &Store, items: Vec<{entity}>) -> \
         Result<Vec<{entity}>, Refused> {{\n{body}}}\n\n"
    )
}

/// Returns the arguments of an edit: what was there and what is there now.
pub(super) fn edit(random: &mut Random, path: &str) -> serde_json::Value {
    let (verb, field, other) = (
        random.pick(&VERBS),
        random.pick(&FIELDS),
        random.pick(&FIELDS),
    );
    let (old, new) = (random.between(2, 90), random.between(91, 900));
    let error = random.pick(&ERRORS);
    serde_json::json!({
        "path": path,
        "old": format!("    if item.{field} > {old} {{\n        store.{verb}(item)?;\n    }}\n"),
        "new": format!(
            "    // {field} and {other} are read together, or a change between them is lost.\n    \
             let pair = store.read_pair(item.id, \"{field}\", \"{other}\")?;\n    if pair.0 > {new} {{\n        \
             store.{verb}(item, pair)?;\n    }} else if pair.1.is_none() {{\n        return Err(Refused::new(\"{error}\"));\n    }}\n"
        ),
    })
}

/// How a run of tests ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Green,
    Red,
}

/// Returns the output of a test run.
pub(super) fn test_run(random: &mut Random, module: &str, verdict: Verdict) -> String {
    let n_tests = random.between(6, 14);
    let mut text = format!("running {n_tests} tests\n");
    let mut failed = String::new();
    for test_idx in 0..n_tests {
        let name = format!(
            "{module}::tests::{}_{}_{}",
            random.pick(&VERBS),
            random.pick(&FIELDS),
            random.pick(&[
                "when_empty",
                "twice",
                "at_midnight",
                "after_restart",
                "in_order",
                "with_limit"
            ]),
        );
        let is_failing = verdict == Verdict::Red && test_idx == n_tests / 2;
        push!(
            text,
            "test {name} ... {}\n",
            if is_failing { "FAILED" } else { "ok" }
        );
        if is_failing {
            let (left, right) = (random.between(1, 500), random.between(501, 900));
            failed = format!(
                "\nfailures:\n\n---- {name} ----\nassertion `left == right` failed: {}\n  left: {left}\n right: {right}\n  at src/{module}.rs:{}:9\n",
                random.pick(&ERRORS),
                random.between(20, 300),
            );
        }
    }
    text.push_str(&failed);
    let (passed, failing) = match verdict {
        Verdict::Green => (n_tests, 0),
        Verdict::Red => (n_tests - 1, 1),
    };
    let millis = random.between(80, 990);
    push!(
        text,
        "\ntest result: {passed} passed; {failing} failed; finished in 0.{millis:03}s\n"
    );
    text
}

/// Returns some lines of a service's log.
pub(super) fn log_lines(random: &mut Random, module: &str, error: &str) -> String {
    let mut text = String::new();
    let hour = random.between(1, 5);
    let n_lines = random.between(14, 26);
    for line_idx in 0..n_lines {
        let (minute, second) = (line_idx * 60 / n_lines, random.between(0, 59));
        let trace = random.hex(8);
        let (entity, id) = (random.pick(&ENTITIES), random.between(1000, 99_999));
        let line = if line_idx + 2 == n_lines {
            format!("ERROR {module} trace={trace} {entity}#{id}: {error}")
        } else {
            format!(
                "{} {} trace={trace} {entity}#{id} {} took {} ms",
                random.pick(&["INFO ", "INFO ", "DEBUG", "WARN "]),
                random.pick(&MODULES),
                random.pick(&VERBS),
                random.between(1, 900),
            )
        };
        push!(text, "0{hour}:{minute:02}:{second:02} {line}\n");
    }
    text
}

/// Returns the result of a search through the story's source tree.
pub(super) fn search_hits(random: &mut Random, word: &str) -> String {
    let mut text = String::new();
    for _ in 0..random.between(5, 12) {
        push!(
            text,
            "src/{}.rs:{}:    let {} = store.{}(\"{word}\", item.{})?;\n",
            random.pick(&MODULES),
            random.between(12, 400),
            random.pick(&FIELDS),
            random.pick(&VERBS),
            random.pick(&FIELDS),
        );
    }
    text
}
