//! Clients that mean no good, or do not know better, against the process on two pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::thread;

use serde_json::{Value, json};

use super::{call, check_clean, greeting, request, speak, with_alpha};
use crate::children::Random;
use crate::program::Program;

/// A server that is spoken with line by line.
pub(crate) struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Talk {
    pub(crate) fn start(program: &Program, words: &[&str]) -> Self {
        let mut command = program.process();
        command.arg("mcp").args(words);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let input = child.stdin.take();
        Self {
            child,
            input,
            output,
        }
    }

    /// Says some bytes.
    pub(crate) fn say(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// Hears one line.
    #[track_caller]
    pub(crate) fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Says no more, and expects the server to end well.
    #[track_caller]
    pub(crate) fn end(self) {
        self.end_with(0);
    }

    /// Says no more, and expects this ending.
    #[track_caller]
    pub(crate) fn end_with(mut self, code: i32) {
        drop(self.input.take());
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.output, &mut rest).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(code), "{rest}");
    }
}

fn below(random: &mut Random, bound: usize) -> usize {
    usize::try_from(random.below(bound as u64)).unwrap()
}

/// A line that is no message, made by chance, with no break in it.
fn bad_line(random: &mut Random) -> Vec<u8> {
    let valid = call(7, "short_grep", &json!({"pattern": "alpha"}));
    let valid = valid.trim_end().as_bytes();
    match random.below(6) {
        // Half a message.
        0 => valid[..=below(random, valid.len() - 1)].to_vec(),
        // Bytes.
        1 => {
            let length = 1 + random.below(200);
            let bytes = (0..length).map(|_| u8::try_from(random.below(256)).unwrap());
            let mut bytes: Vec<u8> = bytes.filter(|byte| *byte != b'\n').collect();
            bytes.push(0xff);
            bytes
        }
        // A message that is none.
        2 => format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{{}},\"method\":\"{}\"}}",
            random.below(1_000)
        )
        .into_bytes(),
        // A batch.
        3 => [b"[", valid, b"]"].concat(),
        // Deeper than anybody reads.
        4 => vec![b'['; 1 + below(random, 3_000)],
        // Two in a line.
        _ => [valid, valid].concat(),
    }
}

#[test]
fn ten_thousand_bad_lines_are_each_answered() {
    let program = with_alpha();
    let mut random = Random(20_261_130);
    let mut input = greeting().into_bytes();
    for _ in 0..10_000 {
        input.extend(bad_line(&mut random));
        input.push(b'\n');
    }
    input.extend(call("after", "short_grep", &json!({"pattern": "alpha"})).bytes());
    let spoken = speak(&program, &["--session", "main"], input);
    assert_eq!(spoken.ended.code, Some(0));
    assert_eq!(spoken.result("after")["total"], 2);
    let nameless = spoken
        .answers
        .iter()
        .filter(|answer| answer["id"].is_null());
    assert_eq!(nameless.count(), 10_000);
    check_clean(&program);
}

#[test]
fn a_request_that_cannot_be_read_is_answered_under_its_id() {
    let program = with_alpha();
    let lines = [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"short_grep","arguments":{"pattern":"\ud800"}}}"#.to_owned(),
        format!(
            r#"{{"method":"ping","params":{{"a":{}{}}},"jsonrpc":"2.0","id":2}}"#,
            "[".repeat(300),
            "]".repeat(300)
        ),
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":[1]}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":4,"method":"ping","method":"ping"}"#.to_owned(),
    ];
    let spoken = speak(
        &program,
        &["--session", "main"],
        greeting() + &lines.join("\n") + "\n",
    );
    for id in 1..=4 {
        assert_eq!(spoken.to(id)["error"]["code"], -32600, "{id}");
    }
    let half = spoken.to(1)["error"]["message"].as_str().unwrap();
    assert!(half.contains("hex escape"), "{half}");
    check_clean(&program);
}

#[test]
fn interleaved_requests_are_each_answered_once() {
    let program = with_alpha();
    let mut input = greeting();
    for number in 0..300 {
        input += &match number % 4 {
            0 => call(number, "short_grep", &json!({"pattern": "alpha"})),
            1 => call(
                number,
                "short_expand",
                &json!({"message_ids": [number.to_string()]}),
            ),
            2 => request(&json!(number), "ping", &json!({})),
            _ => request(&json!(number), "tools/list", &json!({})),
        };
    }
    let spoken = speak(&program, &["--session", "main"], input);
    assert_eq!(spoken.answers.len(), 301);
    for number in 0..300 {
        let answer = spoken.to(number);
        let is_right = match number % 4 {
            0 => answer["result"]["structuredContent"]["total"] == 2,
            1 => answer["result"]["structuredContent"]["missing"].is_array(),
            2 => answer["result"] == json!({}),
            _ => answer["result"]["tools"].is_array(),
        };
        assert!(is_right, "{answer}");
    }
}

#[test]
fn an_input_that_ends_at_any_byte_ends_the_server_well() {
    let program = with_alpha();
    let mut input = greeting().into_bytes();
    let greeted = input.len();
    input.extend(call("é", "short_grep", &json!({"pattern": "alpha"})).bytes());
    for end in (0..input.len()).step_by(13) {
        let spoken = speak(&program, &["--session", "main"], &input[..end]);
        assert_eq!(spoken.ended.code, Some(0), "after {end} bytes: {spoken:?}");
        if end >= greeted {
            spoken.to("hello");
        }
    }
    check_clean(&program);
}

/// The most memory that a process has had, in KiB.
#[cfg(target_os = "linux")]
fn peak_memory(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn an_argument_of_a_hundred_megabytes_is_refused_within_bounded_memory() {
    let program = with_alpha();
    let mut talk = Talk::start(&program, &["--session", "main"]);
    talk.say(greeting().as_bytes());
    talk.hear();
    let piece = vec![b'a'; 1_000_000];
    talk.say(b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"short_grep\",\"arguments\":{\"pattern\":\"");
    for _ in 0..100 {
        talk.say(&piece);
    }
    talk.say(b"\"}}}\n");
    let answer = talk.hear();
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    // The client waits for this one.
    assert_eq!(answer["id"], 5, "{answer}");
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("16777216 bytes"),
        "{answer}"
    );
    // One that is just not too long is served, though no pattern is so long.
    let long = "a".repeat(15_000_000);
    talk.say(call("long", "short_grep", &json!({"pattern": long})).as_bytes());
    let answer = talk.hear();
    assert_eq!(
        (&answer["id"], &answer["result"]["isError"]),
        (&json!("long"), &json!(true))
    );
    assert!(
        answer.to_string().len() < 2_000,
        "the refusal repeats the argument"
    );
    talk.say(call("after", "short_grep", &json!({"pattern": "alpha"})).as_bytes());
    assert_eq!(talk.hear()["result"]["structuredContent"]["total"], 2);
    #[cfg(target_os = "linux")]
    {
        let peak = peak_memory(&talk.child);
        assert!(peak < 250_000, "{peak} KiB");
    }
    talk.end();
}

#[test]
fn a_name_as_long_as_a_book_is_not_repeated() {
    let program = with_alpha();
    let long = "b".repeat(1_000_000);
    let input = greeting()
        + &call("tool", &long, &json!({}))
        + &call(
            "argument",
            "short_grep",
            &json!({"pattern": "x", long.clone(): 1}),
        )
        + &request(&json!("method"), &long, &json!({}));
    let spoken = speak(&program, &["--session", "main"], input);
    assert_eq!(
        (spoken.code("tool"), spoken.code("method")),
        (-32602, -32601)
    );
    assert!(spoken.refusal("argument").contains("bbb"));
    for answer in &spoken.answers {
        let is_listing = answer["id"] == "hello";
        assert!(is_listing || answer.to_string().len() < 2_000);
    }
}

#[test]
fn a_slow_reader_gets_every_answer_and_makes_the_server_hold_few() {
    let program = with_alpha();
    let mut talk = Talk::start(&program, &["--session", "main"]);
    let mut input = talk.input.take().unwrap();
    // Far more than the pipes hold: the server stops reading until its answers are read.
    let writer = thread::spawn(move || {
        input.write_all(greeting().as_bytes()).unwrap();
        for number in 0..5_000 {
            let line = request(&json!(number), "tools/list", &json!({}));
            input.write_all(line.as_bytes()).unwrap();
        }
        // It stays open: the server must not have ended when its memory is looked at.
        input
    });
    let mut n_answers = 0;
    for line in (&mut talk.output).lines() {
        let answer: Value = serde_json::from_str(&line.unwrap()).unwrap();
        n_answers += u64::from(answer["result"].is_object());
        if n_answers == 5_001 {
            break;
        }
    }
    assert_eq!(n_answers, 5_001);
    talk.input = Some(writer.join().unwrap());
    #[cfg(target_os = "linux")]
    {
        // All answers together are 40 MB.
        let peak = peak_memory(&talk.child);
        assert!(peak < 150_000, "{peak} KiB");
    }
    talk.end();
    check_clean(&program);
}

#[test]
fn a_request_whose_id_is_in_use_is_refused_and_a_client_that_is_gone_is_left() {
    let program = with_alpha();
    // The reader is gone before the first answer: the server ends by itself.
    let mut talk = Talk::start(&program, &["--session", "main"]);
    let Talk {
        child,
        input,
        output,
    } = &mut talk;
    drop(std::mem::replace(output, BufReader::new(closed())));
    let mut input = input.take().unwrap();
    // Either may find the pipe closed.
    let _ = input.write_all(greeting().as_bytes());
    for number in 0..200 {
        if input
            .write_all(request(&json!(number), "ping", &json!({})).as_bytes())
            .is_err()
        {
            break;
        }
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// The output of a process that has none.
fn closed() -> ChildStdout {
    let mut child = std::process::Command::new("true")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.wait().unwrap();
    child.stdout.take().unwrap()
}
