//! What fills a session between facts: tool calls, listings, logs. Owns text that nobody asks about.

use super::random::Random;

const MODULES: [&str; 12] = [
    "berth_planner",
    "tide_table",
    "booking_api",
    "customs_queue",
    "pilot_roster",
    "invoice_run",
    "weather_feed",
    "vessel_registry",
    "crane_schedule",
    "gate_access",
    "route_cache",
    "shift_swap",
];
const VERBS: [&str; 10] = [
    "load", "merge", "check", "index", "publish", "expire", "split", "count", "sort", "archive",
];
const THINGS: [&str; 10] = [
    "berths", "vessels", "shifts", "invoices", "permits", "cranes", "tides", "routes", "gates",
    "forms",
];

/// A call of a tool that changes no file, and what it gave back.
pub(crate) struct Looked {
    pub(crate) tool: &'static str,
    pub(crate) arguments: serde_json::Value,
    pub(crate) result: String,
}

/// Looks at something: a file, a search, a test run.
pub(crate) fn look(random: &mut Random) -> Looked {
    let module = random.pick(&MODULES);
    match random.between(0, 2) {
        0 => Looked {
            tool: "Read",
            arguments: serde_json::json!({ "file_path": format!("lib/{module}.rs") }),
            result: source(random),
        },
        1 => Looked {
            tool: "Grep",
            arguments: serde_json::json!({ "pattern": random.pick(&VERBS), "path": "lib" }),
            result: lines(random, 14, |random| {
                format!(
                    "lib/{}.rs:{}: let {} = {}(&{});",
                    random.pick(&MODULES),
                    random.between(1, 400),
                    random.pick(&THINGS),
                    random.pick(&VERBS),
                    random.pick(&THINGS)
                )
            }),
        },
        _ => Looked {
            tool: "Bash",
            arguments: serde_json::json!({ "command": format!("cargo test {module}") }),
            result: lines(random, 16, |random| {
                format!(
                    "test {}::{}_{} ... ok",
                    random.pick(&MODULES),
                    random.pick(&VERBS),
                    random.pick(&THINGS)
                )
            }),
        },
    }
}

/// A piece of source code.
pub(crate) fn source(random: &mut Random) -> String {
    let (verb, thing) = (random.pick(&VERBS), random.pick(&THINGS));
    let body = lines(random, 10, |random| {
        format!(
            "    let {} = {}({}, {});",
            random.pick(&THINGS),
            random.pick(&VERBS),
            random.pick(&THINGS),
            random.between(2, 99)
        )
    });
    format!("pub fn {verb}_{thing}(input: &[u8]) -> usize {{\n{body}\n    input.len()\n}}")
}

fn lines(random: &mut Random, most: usize, line: impl Fn(&mut Random) -> String) -> String {
    let n_lines = random.between(most / 2, most);
    let lines: Vec<String> = (0..n_lines).map(|_| line(random)).collect();
    lines.join("\n")
}
