//! What `grep -C` shows around a hit.

use serde_json::{Value, json};

use crate::program::{Program, line};

const CALLS: &str = concat!(
    r#"{"role":"assistant","content":[{"type":"tool_use","call_id":"a","name":"read","arguments":{"path":"quay.rs"}},"#,
    r#"{"type":"tool_use","call_id":"b","name":"read","arguments":{"path":"pier.rs"}}]}"#,
    "\n",
    r#"{"role":"tool","content":[{"type":"tool_result","call_id":"b","content":"the pier is long"}]}"#,
    "\n",
    r#"{"role":"tool","content":[{"type":"tool_result","call_id":"a","content":"the otter sleeps"}]}"#,
    "\n",
);

/// Four turns; the third one has a batch of calls, and its second result is the hit.
fn harbour() -> Program {
    let program = Program::new();
    let talk = [
        line("user", "first request"),
        line("assistant", "first answer"),
        line("user", "second request"),
        line("assistant", "second answer"),
        line("user", "third request"),
        CALLS.to_owned(),
        "{\"role\":\"user\",\"content\":\"injected\",\"meta\":true}\n".to_owned(),
        line("assistant", "third answer"),
        line("user", "fourth request"),
        line("assistant", "fourth answer"),
    ];
    program.append("main", &talk.concat());
    program
}

fn seqs(around: &Value) -> Vec<u64> {
    let messages = around.as_array().unwrap();
    let seq = |message: &Value| message["seq"].as_u64().unwrap();
    messages.iter().map(seq).collect()
}

#[test]
fn whole_turns_stand_around_a_hit() {
    let program = harbour();
    let around = |words: &[&str]| {
        let answer = program.json(&[&["grep", "otter"], words].concat());
        answer["results"][0]["around"].clone()
    };
    assert_eq!(around(&[]), Value::Null);
    assert_eq!(seqs(&around(&["-C", "1"])), [3, 4, 5, 6, 7, 8, 10, 11, 12]);
    assert_eq!(
        seqs(&around(&["-C", "9"])),
        [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12]
    );
    assert_eq!(
        around(&["-C1", "--session", "main"]),
        around(&["--context", "1"])
    );
    let call = around(&["-C", "1"])[3].clone();
    assert_eq!(call["role"], "assistant");
    assert_eq!(call["text"], "read path: quay.rs read path: pier.rs");
    assert!(call["time"].is_string() && call["id"].is_u64(), "{call}");
    let shown = program.json(&["expand", &call["id"].to_string()]);
    assert_eq!(shown["messages"][0]["seq"], call["seq"]);
}

#[test]
fn people_see_the_hit_marked_among_its_neighbours() {
    let program = harbour();
    let text = program.run(&["grep", "otter", "-C", "1"]).stdout;
    let marked: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("  >"))
        .collect();
    assert_eq!(marked, ["  >  8  tool       the otter sleeps"], "{text}");
    assert!(
        text.contains("\n     3  user       second request\n"),
        "{text}"
    );
    assert!(
        !text.contains("first") && !text.contains("injected"),
        "{text}"
    );
}

#[test]
fn a_long_turn_is_shown_near_the_hit_and_parts_no_call_from_its_result() {
    let program = Program::new();
    let step = |idx: usize| {
        let word = if idx == 150 { "otter" } else { "heron" };
        format!(
            "{}\n{}\n",
            json!({"role": "assistant", "content": [{"type": "tool_use", "call_id": format!("c{idx}"),
                "name": "look", "arguments": "{}"}]}),
            json!({"role": "tool", "content": [{"type": "tool_result", "call_id": format!("c{idx}"),
                "content": word}]}),
        )
    };
    let steps: String = (0..300).map(step).collect();
    program.append("main", &(line("user", "look around") + &steps));
    let answer = program.json(&["grep", "otter", "-C", "2"]);
    let around = answer["results"][0]["around"].clone();
    // The hit is message 303, the result of a call; 40 messages on each side would begin at 263,
    // a result, and end at 343, one too.
    let shown = seqs(&around);
    assert_eq!(shown, (264..=343).collect::<Vec<_>>());
    assert_eq!(around[0]["role"], "assistant");
    assert_eq!(around[79]["role"], "tool");
}

#[test]
fn a_branch_is_shown_as_its_own_key_sees_it() {
    let program = harbour();
    program.json(&["fork", "--session", "main", "--at", "8", "--as", "side"]);
    program.append("side", &line("user", "another way"));
    let around = |session: &str| {
        let answer = program.json(&["grep", "otter", "-C", "1", "--session", session]);
        seqs(&answer["results"][0]["around"])
    };
    assert_eq!(around("side"), [3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(around("main"), [3, 4, 5, 6, 7, 8, 10, 11, 12]);
}

#[test]
fn what_stands_around_a_summary_is_its_sources_which_expand_shows() {
    let program = super::with_summaries();
    let answer = program.json(&["grep", "%harbour%", "--scope", "summary", "-C", "1"]);
    let results = answer["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        assert_eq!(result["around"], Value::Null);
    }
}

/// People are shown the ends of a long turn and what stands beside the hit; programs get all.
#[test]
fn of_a_long_turn_people_see_its_ends_and_the_neighbours_of_the_hit() {
    let program = Program::new();
    let steps: String = (0..20)
        .map(|idx| line("assistant", if idx == 9 { "otter" } else { "heron" }))
        .collect();
    let talk = line("user", "look around") + &steps + &line("user", "thanks");
    program.append("main", &talk);
    let text = program.run(&["grep", "otter", "-C", "1"]).stdout;
    let shown: Vec<String> = text
        .lines()
        .skip_while(|line| !line.is_empty())
        .skip(1)
        .take_while(|line| !line.is_empty())
        .map(|line| {
            let words: Vec<&str> = line.split_whitespace().take(3).collect();
            words.join(" ")
        })
        .collect();
    assert_eq!(
        shown,
        [
            "1 user look",
            "2 assistant heron",
            "3 assistant heron",
            "… 6 more",
            "10 assistant heron",
            "> 11 assistant",
            "12 assistant heron",
            "… 6 more",
            "19 assistant heron",
            "20 assistant heron",
            "21 assistant heron",
            "22 user thanks",
        ],
        "{text}"
    );
    let answer = program.json(&["grep", "otter", "-C", "1"]);
    assert_eq!(seqs(&answer["results"][0]["around"]).len(), 22);
}
