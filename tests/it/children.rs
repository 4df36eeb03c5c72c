//! Child processes of this test binary, and what they acknowledged to their parent.
//! A hidden test is the child's program: its parent starts it by name with variables of its own,
//! without which it passes at once.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use hippocamp::domain::{
    ExpandRequest, ItemId, MessageId, NewMessage, Part, Reach, Tokens, ToolResults, Window,
};
use hippocamp::engine::Engine;

/// A running child and the lines it prints, as they come.
pub(crate) struct Program {
    pub(crate) child: Child,
    pub(crate) lines: Receiver<String>,
}

/// Starts this binary as a child that runs `test` alone.
pub(crate) fn start(test: &str, variables: &[(&str, String)]) -> Program {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    Program { child, lines }
}

/// Begins a child's lines: libtest has written the test's name without a line end.
pub(crate) fn begin_lines() {
    println!();
}

/// A number that a variable sets, for longer runs.
pub(crate) fn number(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text.parse().unwrap(),
        Err(_) => default,
    }
}

/// Numbers that look random and follow from a seed (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns the next number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// One acknowledged message, as a child prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ack {
    pub(crate) id: i64,
    pub(crate) seq: u64,
    pub(crate) session: String,
    /// The word that only this message holds.
    pub(crate) word: String,
}

impl Ack {
    /// Writes the line a parent reads.
    pub(crate) fn line(&self) -> String {
        format!(
            "ack {} {} {} {}",
            self.id, self.seq, self.session, self.word
        )
    }

    /// Reads the line; `None` for any other.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut fields = line.strip_prefix("ack ")?.split(' ');
        Some(Self {
            id: fields.next()?.parse().ok()?,
            seq: fields.next()?.parse().ok()?,
            session: fields.next()?.to_owned(),
            word: fields.next()?.to_owned(),
        })
    }
}

/// Returns the words of the message that `word` stands for: some 60 tokens, the same every time.
fn text_of(word: &str) -> String {
    let filler = "the ferry left the quay before the tide turned and came back at dusk ".repeat(3);
    format!("{word} {filler}and {word}")
}

/// Returns the message that `word` stands for.
pub(crate) fn message_of(word: &str) -> NewMessage {
    NewMessage::user(text_of(word))
}

/// Says whether stored parts are the message that `word` stands for.
fn is_message_of(word: &str, parts: &[Part]) -> bool {
    matches!(parts, [Part::Text { text }] if *text == text_of(word))
}

/// Returns a runtime with threads of its own, so that background tasks run beside the callers.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

/// Opens a store with a window so small that most turns write a leaf.
pub(crate) fn open(path: &Path) -> Engine {
    let window = Window::of(Tokens::new(2_000)).unwrap();
    Engine::builder(path).window(window).build().unwrap()
}

/// Checks that every check of `doctor` holds.
pub(crate) async fn check_doctor(engine: &Engine) {
    let checks = engine.doctor().await.unwrap();
    assert!(
        checks.len() >= 3,
        "doctor looked at too little: {checks:#?}"
    );
    let broken: Vec<_> = checks.iter().filter(|check| !check.is_ok).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

/// Checks that each of `acks` is stored as it was acknowledged.
pub(crate) async fn check_acks(engine: &Engine, acks: &[Ack]) {
    for page in acks.chunks(100) {
        let ids = page
            .iter()
            .map(|ack| ItemId::Message(MessageId::new(ack.id)));
        let request = ExpandRequest::new(ids.collect(), Reach::All)
            .tool_results(ToolResults::Include)
            .max_tokens(Tokens::new(1_000_000));
        let reply = engine.expand(&request).await.unwrap();
        assert_eq!(reply.missing, [], "acknowledged and gone");
        assert_eq!(reply.messages.len(), page.len());
        for (ack, row) in page.iter().zip(&reply.messages) {
            let found = (
                row.message.id.get(),
                row.message.seq.get(),
                row.session.as_str(),
            );
            assert_eq!(found, (ack.id, ack.seq, ack.session.as_str()));
            assert!(
                is_message_of(&ack.word, &row.message.parts),
                "{ack:?}: {row:?}"
            );
        }
    }
}

#[test]
fn a_line_is_read_as_it_was_written() {
    let ack = Ack {
        id: 7,
        seq: 3,
        session: "own-1".to_owned(),
        word: "w1x2".to_owned(),
    };
    assert_eq!(Ack::parse(&ack.line()), Some(ack));
    assert_eq!(Ack::parse("test result: ok"), None);
}
