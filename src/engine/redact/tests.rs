//! What of a prompt is redacted, and what of it stays whatever its bodies say.

use async_trait::async_trait;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::domain::{ConversationId, MessageId, NewMessage, Redacted, Seq, Tokens};
use crate::engine::completer::{CompleteError, CompleteOptions, Completion};
use crate::policy::limits::Limits;
use crate::policy::prompt::{Ask, leaf_prompt};
use crate::policy::redact::Patterns;

const GITHUB: &str = "ghp_Zx81kQv27LmNp4Rt9WyB3Cd5Ef6Gh0JkAs2D";

/// A model that is never asked, and knows a word that nobody else does.
struct Nobody;

#[async_trait]
impl Completer for Nobody {
    async fn complete(&self, _: &Prompt, _: &CompleteOptions) -> Result<Completion, CompleteError> {
        Err(CompleteError::new("nobody"))
    }

    fn redact<'text>(&self, text: &'text str) -> Redacted<'text> {
        let n = text.matches("sesame").count() as u64;
        let counts = [("word", n)].into_iter().collect();
        Redacted::new(text.replace("sesame", "[redacted:word]"), counts)
    }
}

fn stored(news: Vec<NewMessage>) -> Vec<Message> {
    let numbered = (1_u64..).zip(news);
    numbered
        .map(|(seq, new)| {
            let id = MessageId::new(i64::try_from(seq).unwrap());
            Message::from_new(new, id, ConversationId::new(1), Seq::new(seq).unwrap())
        })
        .collect()
}

/// The prompt over redacted messages before the gate, and what the gate makes of it.
fn gated(messages: &[Message], instructions: Option<&str>) -> (Prompt, Prompt, RedactionCounts) {
    let by = Patterns::default();
    let mut redaction = Redaction::new(&by, &Nobody);
    let messages = redaction.messages(messages);
    let instructions = instructions.map(|words| redaction.text(words));
    let limits = Limits::default();
    let ask = Ask {
        instructions: instructions.as_deref(),
        ..Ask::new(Tokens::new(400), &limits)
    };
    let prompt = leaf_prompt(&messages, &[], &ask);
    let mut gate = Redaction::new(&by, &Nobody);
    let sent = gate.prompt(&prompt);
    (prompt, sent, gate.counts)
}

fn mark(prompt: &Prompt) -> &str {
    let first = prompt.text.lines().next().unwrap();
    first.strip_prefix("<<<").unwrap()
}

fn lines_of_ours(prompt: &Prompt) -> Vec<&str> {
    let mark = mark(prompt);
    let lines = prompt.text.lines();
    lines.filter(|line| line.contains(mark)).collect()
}

/// What ends a text such that the next word looks like its secret.
fn open_end() -> impl Strategy<Value = String> {
    let last = select(vec![
        "[sudo] password for bob:",
        "Password: ",
        "token=",
        "api_key: \"",
        "Authorization: Bearer ",
        "curl -u ana:",
        "--token ",
        "-----BEGIN PRIVATE KEY-----",
        "postgres://app:",
        "password",
        "<password>",
        "a senha é",
        "| password |",
        "密码是",
        "that is all.",
    ]);
    let first = select(vec![
        "",
        "9fceb02d0ae598e95dc970b7",
        "-----END PRIVATE KEY-----\n",
        "@db/app ",
        "2X!aB9 ",
    ]);
    ("[a-z ]{0,12}", first, last, "[ \n]{0,2}")
        .prop_map(|(words, first, last, end)| format!("{first}{words}{last}{end}"))
}

proptest! {
    #[test]
    fn every_line_of_ours_survives_whatever_bodies_and_instructions_say(
        bodies in proptest::collection::vec((0..4_u8, open_end(), open_end()), 1..8),
        instructions in proptest::option::of(open_end()),
    ) {
        let news = bodies.into_iter().enumerate().map(|(idx, (sort, text, name))| match sort {
            0 => NewMessage::user(text),
            1 => NewMessage::assistant(text),
            2 => NewMessage::tool_use(format!("c{idx}"), name, text),
            _ => NewMessage::tool_result(name, text),
        });
        let messages = stored(news.collect());
        let (prompt, sent, counts) = gated(&messages, instructions.as_deref());
        prop_assert_eq!(&sent.system, &prompt.system);
        prop_assert_eq!(lines_of_ours(&sent), lines_of_ours(&prompt));
        let closing = format!("{}>>>\n", mark(&prompt));
        prop_assert!(sent.text.ends_with(&closing));
        // Each text stands alone under its line, and was redacted alone.
        prop_assert!(counts.is_empty(), "{:?} of {}", counts, prompt.text);
        prop_assert_eq!(&sent, &prompt);
    }
}

#[test]
fn two_parts_that_make_a_secret_together_are_redacted_together() {
    let texts = ["the password is", "Tr0ub4dor&3x"].map(|text| Part::Text {
        text: text.to_owned(),
    });
    let mut message = NewMessage::user("");
    message.parts = texts.to_vec();
    let (_, sent, counts) = gated(&stored(vec![message]), None);
    assert!(!sent.text.contains("Tr0ub4dor&3x"), "{}", sent.text);
    assert_eq!(counts.total(), 1);
}

#[test]
fn a_redactor_that_eats_the_end_of_a_body_leaves_the_next_line_a_line() {
    let (prompt, ..) = gated(
        &stored(vec![NewMessage::user("one"), NewMessage::user("two")]),
        None,
    );
    let bare = prompt.with_bodies(|_| String::new());
    assert_eq!(lines_of_ours(&bare), lines_of_ours(&prompt));
    assert!(!bare.text.contains("one"));
}

#[test]
fn a_name_is_redacted_before_it_is_cut_to_fit_its_line() {
    // Half of the key would stand within the letters that a line shows.
    let long = format!("{}{GITHUB}", "x".repeat(50));
    let media = Part::Media {
        uri: "file:///a".to_owned(),
        mime: long.clone(),
    };
    let mut picture = NewMessage::user("");
    picture.parts = vec![media];
    let messages = stored(vec![
        NewMessage::tool_use("c1", &long, "{}"),
        NewMessage::tool_result(&long, "ok"),
        picture,
    ]);
    let (_, sent, _) = gated(&messages, None);
    assert!(!sent.text.contains(&GITHUB[..12]), "{}", sent.text);
    assert_eq!(sent.text.matches("[redacted:github_token]").count(), 3);
}

#[test]
fn what_the_models_host_knows_to_be_secret_is_replaced_too() {
    let messages = stored(vec![NewMessage::user("open sesame, with sesame")]);
    let by = Patterns::default();
    let mut redaction = Redaction::new(&by, &Nobody);
    let clean = redaction.messages(&messages);
    let text = "open [redacted:word], with [redacted:word]";
    assert_eq!(clean[0].parts[0].body(), text);
    assert_eq!(redaction.counts.total(), 2);
}
