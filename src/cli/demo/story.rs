//! The demo's transcript: a long coding session of our own, the same on every run.
//! Owns the order of its scenes; no sentence of it was ever said by anyone.

use serde_json::json;

use super::code::{Verdict, edit, log_lines, search_hits, source_file, test_run};
use super::random::Random;
use super::words::{
    CAUSES, CONSTRAINTS, ENTITIES, ERRORS, FIELDS, MODULES, PEOPLE, REASONS, REQUESTS, VERBS,
};
use crate::domain::{NewMessage, Part, Role, Timestamp, estimate};

/// What the story holds at least, by the estimator that the engine counts with.
pub(super) const LEAST_TOKENS: u64 = 110_000;
/// What the demo looks for at the end: a fact that only the second turn states.
pub(super) const QUESTION: &str = "staging bucket";
/// The fact's words.
pub(super) const PLANTED: &str = "amber-otter-42";

/// 2026-03-02T08:30:00Z, a Monday.
const BEGINNING: Timestamp = Timestamp::from_millis(1_772_440_200_000);
const MINUTE_MILLIS: i64 = 60_000;
const SEED: u64 = 0x5ea_40a5e;
/// A constraint is stated in every so many turns.
const CONSTRAINT_EVERY: usize = 9;

/// The messages of one turn: a request and all that the agent does about it.
pub(super) type Turn = Vec<NewMessage>;

struct Teller {
    random: Random,
    now: Timestamp,
    n_calls: u64,
    turn: Turn,
}

/// Returns the story, turn by turn.
pub(super) fn story() -> Vec<Turn> {
    let mut teller = Teller {
        random: Random::new(SEED),
        now: BEGINNING,
        n_calls: 0,
        turn: Vec::new(),
    };
    let mut turns = vec![teller.opening(), teller.planting()];
    let mut tokens: u64 = turns.iter().map(tokens_of).sum();
    while tokens < LEAST_TOKENS {
        let turn = teller.scene(turns.len());
        tokens += tokens_of(&turn);
        turns.push(turn);
    }
    turns.push(teller.closing());
    turns
}

/// Returns the tokens of a turn's words alone.
pub(super) fn tokens_of(turn: &Turn) -> u64 {
    let parts = turn.iter().flat_map(|message| &message.parts);
    parts
        .map(|part| match part {
            Part::Text { text } => estimate(text).get(),
            Part::ToolUse { arguments, .. } => estimate(arguments).get(),
            Part::ToolResult { content, .. } => estimate(content).get(),
            _ => 0,
        })
        .sum()
}

impl Teller {
    fn say(&mut self, role: Role, text: impl Into<String>) {
        self.push(NewMessage::text(role, text));
    }

    fn push(&mut self, message: NewMessage) {
        let minutes = self.random.between(1, 4);
        self.now = self
            .now
            .plus_millis(MINUTE_MILLIS * i64::try_from(minutes).unwrap_or(1));
        self.turn.push(message.at(self.now));
    }

    /// The agent says something, calls a tool, and gets its result.
    fn call(&mut self, words: String, name: &str, arguments: &serde_json::Value, result: String) {
        self.n_calls += 1;
        let call_id = format!("call_{:04}", self.n_calls);
        let call = Part::ToolUse {
            call_id: call_id.clone(),
            name: name.to_owned(),
            arguments: arguments.to_string(),
        };
        self.push(NewMessage::new(
            Role::Assistant,
            vec![Part::Text { text: words }, call],
        ));
        self.push(NewMessage::tool_result(call_id, result));
    }

    fn end_turn(&mut self) -> Turn {
        std::mem::take(&mut self.turn)
    }

    fn opening(&mut self) -> Turn {
        self.say(
            Role::System,
            "You are a careful coding agent in the repository `tidewater`, the booking service of a \
             harbour. Work in small steps, run the tests after each, and say what you decided and why.",
        );
        self.say(
            Role::User,
            "Good morning. We take over tidewater this week: berths, tides, customs, invoices, all of \
             it. Please look around first and tell me what you find.",
        );
        let listing: Vec<String> = MODULES
            .iter()
            .map(|module| format!("src/{module}.rs"))
            .collect();
        self.call(
            "I start with the tree.".to_owned(),
            "list_files",
            &json!({"path": "src"}),
            listing.join("\n"),
        );
        self.say(
            Role::Assistant,
            "There are 28 modules with one idea each. berth_planner and ledger_entry are the ones that \
             everything else leans on, so I will be slow there and quick elsewhere.",
        );
        self.end_turn()
    }

    fn planting(&mut self) -> Turn {
        self.say(
            Role::User,
            format!(
                "Some facts for later, I will not repeat them: the staging bucket has the name {PLANTED} \
                 and lives in eu-north-1. The customs cut-off is the 17th at 14:30 local time. The small \
                 machine has 2 cores and 4 GB."
            ),
        );
        self.say(
            Role::Assistant,
            "Noted: the bucket's name and region, the cut-off, and the size of the small machine.",
        );
        self.end_turn()
    }

    fn closing(&mut self) -> Turn {
        self.say(Role::User, "That is all for this month. What is left open?");
        let module = self.random.pick(&MODULES);
        self.say(
            Role::Assistant,
            format!(
                "Two things: {module} still has its old endpoint until the ferries have moved over, and \
                 the dry run of the archive command waits for your review."
            ),
        );
        self.end_turn()
    }

    fn scene(&mut self, turn_idx: usize) -> Turn {
        let module = self.random.pick(&MODULES);
        let entity = self.random.pick(&ENTITIES);
        let path = format!("src/{module}.rs");
        let mut request = self.request(module, entity);
        if turn_idx.is_multiple_of(CONSTRAINT_EVERY) {
            request = format!(
                "{request} One rule from now on: {}",
                self.random.pick(&CONSTRAINTS)
            );
        }
        self.say(Role::User, request);
        match self.random.between(0, 4) {
            0 => self.look_for(entity),
            1 => self.read_log(module),
            _ => self.read_source(module, entity, &path),
        }
        self.change(module, &path);
        if self.random.between(0, 2) > 0 {
            self.go_red(module, &path);
        }
        self.go_green(module);
        self.conclude(module, entity);
        self.end_turn()
    }

    fn request(&mut self, module: &str, entity: &str) -> String {
        let random = &mut self.random;
        let values = [
            ("{module}", module.to_owned()),
            ("{entity}", entity.to_owned()),
            ("{verb}", random.pick(&VERBS).to_owned()),
            ("{field}", random.pick(&FIELDS).to_owned()),
            ("{other}", random.pick(&FIELDS).to_owned()),
            ("{person}", random.pick(&PEOPLE).to_owned()),
            ("{error}", random.pick(&ERRORS).to_owned()),
            ("{number}", random.between(12, 9_000).to_string()),
            ("{hour}", random.between(1, 5).to_string()),
            ("{minute}", random.between(10, 59).to_string()),
        ];
        let template = random.pick(&REQUESTS).to_owned();
        values
            .iter()
            .fold(template, |text, (slot, value)| text.replace(slot, value))
    }

    fn look_for(&mut self, entity: &str) {
        let field = self.random.pick(&FIELDS);
        let hits = search_hits(&mut self.random, field);
        let words = format!("I look for every place that reads {field} of a {entity}.");
        self.call(
            words,
            "search",
            &json!({"pattern": field, "path": "src"}),
            hits,
        );
    }

    fn read_log(&mut self, module: &str) {
        let error = self.random.pick(&ERRORS);
        let lines = log_lines(&mut self.random, module, error);
        let words = format!("The log of {module} should say what came before it.");
        self.call(
            words,
            "read_log",
            &json!({"service": module, "lines": 40}),
            lines,
        );
        let cause = self.random.pick(&CAUSES);
        self.say(
            Role::Assistant,
            format!("The last lines say \"{error}\". My guess is that {cause}."),
        );
    }

    fn read_source(&mut self, module: &str, entity: &str, path: &str) {
        let source = source_file(&mut self.random, module, entity);
        let words = format!("I read {path} before I touch anything.");
        self.call(words, "read_file", &json!({"path": path}), source);
    }

    fn change(&mut self, module: &str, path: &str) {
        let reason = self.random.pick(&REASONS);
        let words = format!("I change {module} so that both values are read at once: {reason}.");
        let arguments = edit(&mut self.random, path);
        let lines = self.random.between(3, 40);
        self.call(
            words,
            "edit_file",
            &arguments,
            format!("edited {path}: {lines} lines changed"),
        );
    }

    fn go_red(&mut self, module: &str, path: &str) {
        let output = test_run(&mut self.random, module, Verdict::Red);
        let arguments = json!({"command": format!("cargo test {module}")});
        self.call("Now the tests.".to_owned(), "run", &arguments, output);
        let cause = self.random.pick(&CAUSES);
        let words =
            format!("One test fails, and it is right: {cause}. I correct that at its root.");
        let arguments = edit(&mut self.random, path);
        self.call(words, "edit_file", &arguments, format!("edited {path}"));
    }

    fn go_green(&mut self, module: &str) {
        let output = test_run(&mut self.random, module, Verdict::Green);
        let arguments = json!({"command": format!("cargo test {module}")});
        self.call(
            "I run the tests of this module.".to_owned(),
            "run",
            &arguments,
            output,
        );
    }

    fn conclude(&mut self, module: &str, entity: &str) {
        let (verb, field) = (self.random.pick(&VERBS), self.random.pick(&FIELDS));
        let reason = self.random.pick(&REASONS);
        let person = self.random.pick(&PEOPLE);
        let commit = self.random.hex(7);
        self.say(
            Role::Assistant,
            format!(
                "Done in commit {commit}. Decision: {module} will {verb} a {entity} by {field}, because \
                 {reason}. All tests pass. {person} should know that the report shows the new {field} \
                 from tomorrow on."
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_story_is_long_and_the_same_on_every_run() {
        let turns = story();
        assert!(turns.iter().map(tokens_of).sum::<u64>() >= LEAST_TOKENS);
        assert_eq!(turns, story());
    }

    #[test]
    fn the_fact_is_planted_once_and_early() {
        let turns = story();
        let holds = |turn: &Turn, words: &str| {
            turn.iter()
                .flat_map(|message| &message.parts)
                .any(|part| matches!(part, Part::Text { text } if text.contains(words)))
        };
        let planted: Vec<usize> = (0..turns.len())
            .filter(|turn_idx| holds(&turns[*turn_idx], PLANTED))
            .collect();
        assert_eq!(planted, [1]);
        let asked: Vec<usize> = (0..turns.len())
            .filter(|turn_idx| holds(&turns[*turn_idx], "staging"))
            .collect();
        assert_eq!(asked, [1]);
    }

    #[test]
    fn the_story_has_what_an_agent_does() {
        let turns = story();
        let texts: Vec<String> = turns
            .iter()
            .flatten()
            .flat_map(|message| &message.parts)
            .map(|part| format!("{part:?}"))
            .collect();
        for words in [
            "read_file",
            "edit_file",
            "read_log",
            "search",
            "cargo test",
            "FAILED",
            "Decision:",
            "One rule from now on",
            "ERROR",
        ] {
            assert!(
                texts.iter().filter(|text| text.contains(words)).count() >= 5,
                "{words}"
            );
        }
        for template in texts.iter().filter(|text| text.starts_with("Text")) {
            assert!(
                !template.contains("{module}") && !template.contains("{field}"),
                "{template}"
            );
        }
        let times: Vec<_> = turns.iter().flatten().map(|message| message.at).collect();
        assert!(times.is_sorted() && times.iter().all(Option::is_some));
    }
}
