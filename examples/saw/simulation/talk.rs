//! The session: turns of a request, steps with parallel calls, and an answer.
//! Sizes are those of real sessions: half of the results under 600 bytes, one in 200 over 60,000.

use hippocamp::domain::{NewMessage, Part, Role};

use super::random::Random;
use super::texts::{self, Form};

/// One turn of the session.
pub(super) struct Turn {
    /// What the user asks.
    pub(super) request: String,
    /// What the model does about it, step by step.
    pub(super) steps: Vec<Step>,
    /// What it says at the end.
    pub(super) answer: String,
}

/// A batch of calls with their results.
pub(super) struct Step {
    pub(super) messages: Vec<NewMessage>,
    pub(super) n_calls: u64,
}

/// The session as it goes on; it has no end.
pub(super) struct Talk {
    random: Random,
    n_calls: u64,
}

impl Talk {
    pub(super) const fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            n_calls: 0,
        }
    }

    /// Returns the standing instructions, about as long as those of an agent with tools.
    pub(super) fn system(&mut self) -> String {
        let rules = texts::prose(&mut self.random, 3_000);
        format!("You are an agent that works on the harbour's program with tools.\n\n{rules}")
    }

    fn request(&mut self) -> String {
        let random = &mut self.random;
        if random.one_in(25) {
            return texts::chinese(random);
        }
        let bytes = match random.below(100) {
            0..70 => random.within(30, 400),
            70..97 => random.within(400, 1_500),
            _ => random.within(1_500, 6_000),
        };
        let mut text = texts::prose(random, bytes);
        if random.one_in(40) {
            text.push(' ');
            text.push_str(&texts::rule(random));
        }
        // Now and then somebody pastes a log, and once in a long while a whole one.
        if random.one_in(30) {
            let bytes = random.within(1_000, 9_000);
            text.push_str("\n\n");
            text.push_str(&texts::output(random, Form::Log, bytes));
        } else if random.one_in(700) {
            let bytes = random.within(60_000, 90_000);
            text.push_str("\n\n");
            text.push_str(&texts::output(random, Form::Log, bytes));
        }
        text
    }

    fn n_steps(&mut self) -> u64 {
        match self.random.below(100) {
            0..20 => 0,
            20..75 => self.random.within(1, 4),
            75..97 => self.random.within(3, 8),
            _ => self.random.within(12, 30),
        }
    }

    fn step(&mut self) -> Step {
        let n_calls = match self.random.below(10) {
            0..7 => 1,
            7..9 => 2,
            _ => self.random.within(3, 6),
        };
        let mut said = Vec::new();
        if self.random.one_in(2) {
            let bytes = self.random.within(40, 500);
            let text = texts::prose(&mut self.random, bytes);
            said.push(Part::Text { text });
        }
        let mut results = Vec::new();
        for _ in 0..n_calls {
            self.n_calls += 1;
            let call_id = format!("call_{}", self.n_calls);
            let (name, arguments, form) = texts::arguments(&mut self.random);
            let bytes = self.result_bytes();
            let content = texts::output(&mut self.random, form, bytes);
            results.push(NewMessage::tool_result(call_id.clone(), content));
            said.push(Part::ToolUse {
                call_id,
                name: name.to_owned(),
                arguments,
            });
        }
        let mut messages = vec![NewMessage::new(Role::Assistant, said)];
        messages.append(&mut results);
        Step { messages, n_calls }
    }

    fn result_bytes(&mut self) -> u64 {
        let random = &mut self.random;
        match random.below(200) {
            0..100 => random.within(60, 600),
            100..170 => random.within(600, 3_000),
            170..194 => random.within(3_000, 10_000),
            194..199 => random.within(10_000, 40_000),
            _ => random.within(60_000, 200_000),
        }
    }
}

impl Iterator for Talk {
    type Item = Turn;

    fn next(&mut self) -> Option<Turn> {
        let request = self.request();
        let n_steps = self.n_steps();
        let steps = (0..n_steps).map(|_| self.step()).collect();
        let bytes = self.random.within(80, 1_600);
        let answer = texts::prose(&mut self.random, bytes);
        Some(Turn {
            request,
            steps,
            answer,
        })
    }
}
