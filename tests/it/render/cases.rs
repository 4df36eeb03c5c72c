//! Words, roles and reasoning in bodies, case by case.

use hippocamp::domain::{NewMessage, Part, Role};
use serde_json::Value;

use super::Provider;
use super::told::{body, call, check, result, says, text, told};
use crate::view::world::Cover;

#[test]
fn b067_blank_rows_vanish_and_neighbours_of_one_role_are_one_message() {
    check(
        &[
            NewMessage::assistant("hello"),
            NewMessage::user("a"),
            NewMessage::user("b"),
            NewMessage::assistant("\u{1f}\n"),
            NewMessage::assistant("c \n"),
            NewMessage::assistant(""),
        ],
        &[
            "user: [earlier messages left out]",
            "assistant: hello",
            "user: a\n\nb",
            "assistant: c \n",
        ],
        &[
            "user: [earlier messages left out]",
            "assistant: hello",
            "user: a | b",
            "assistant: c",
        ],
    );
}

#[test]
fn words_beside_results_come_after_them_and_calls_after_words() {
    check(
        &[
            NewMessage::user("go"),
            says(vec![call("t1"), text("reading")]),
            NewMessage::new(Role::User, vec![text("by the way"), result("t1", "one")]),
        ],
        &[
            "user: go",
            "assistant: reading | [Read t1]",
            "t1: one",
            "user: by the way",
        ],
        &[
            "user: go",
            "assistant: reading | [Read t1]",
            "user: t1 = one | by the way",
        ],
    );
}

#[test]
fn a_later_system_message_stays_where_the_interface_knows_several_and_is_labelled_elsewhere() {
    check(
        &[
            NewMessage::user("go"),
            NewMessage::assistant("yes"),
            NewMessage::system("hurry"),
            NewMessage::user("now"),
        ],
        &["user: go", "assistant: yes", "system: hurry", "user: now"],
        &[
            "user: go",
            "assistant: yes",
            "user: [system message] | hurry | now",
        ],
    );
}

#[test]
fn b056_reasoning_goes_back_to_the_provider_that_signed_it_in_the_newest_turn_only() {
    let thought = |signature: Option<&str>| Part::Reasoning {
        text: "hm".into(),
        signature: signature.map(str::to_owned),
    };
    let by = |provider: &str, parts| {
        let mut message = says(parts);
        message.provider = Some(provider.into());
        message
    };
    check(
        &[
            NewMessage::user("go"),
            by("anthropic", vec![thought(Some("s")), text("old")]),
            NewMessage::user("on"),
            by("anthropic", vec![thought(Some("s")), call("t1")]),
            NewMessage::tool_result("t1", "1"),
            by("openai", vec![thought(Some("s")), call("t2")]),
            NewMessage::tool_result("t2", "2"),
            by("anthropic", vec![thought(None), call("t3")]),
            NewMessage::tool_result("t3", "3"),
            by("anthropic", vec![text("so"), thought(Some("s"))]),
        ],
        &[
            "user: go",
            "assistant: old",
            "user: on",
            "assistant: [Read t1]",
            "t1: 1",
            "assistant: [Read t2]",
            "t2: 2",
            "assistant: [Read t3]",
            "t3: 3",
            "assistant: so",
        ],
        &[
            "user: go",
            "assistant: old",
            "user: on",
            "assistant: (hm s) | [Read t1]",
            "user: t1 = 1",
            "assistant: [Read t2]",
            "user: t2 = 2",
            "assistant: [Read t3]",
            "user: t3 = 3",
            "assistant: so",
        ],
    );
}

#[test]
fn a_speaker_with_a_name_is_named_before_the_words() {
    let named = |name: &str, text: &str| {
        let mut message = NewMessage::user(text);
        message.name = Some(name.into());
        message
    };
    check(
        &[
            named("Ada", "one"),
            named("Bo B.", "two"),
            NewMessage::assistant("three"),
        ],
        &[
            "user: Ada says:\n\none\n\nBo B. says:\n\ntwo",
            "assistant: three",
        ],
        &[
            "user: Ada says: | one | Bo B. says: | two",
            "assistant: three",
        ],
    );
}

#[test]
fn summaries_and_a_quoted_request_are_the_users_and_merge_with_what_follows() {
    let mut messages = vec![NewMessage::user("Count < 3 & go on.")];
    for at in 0..4 {
        messages.push(NewMessage::tool_use(format!("t{at}"), "Read", "{}"));
        messages.push(NewMessage::tool_result(format!("t{at}"), "x"));
    }
    let leaf = Cover::leaf(3, "Two were read.");
    let body = body(Provider::OpenAiChat, Some("Be brief."), messages, &[leaf]);
    let told = told(&body);
    assert_eq!(told[0], "system: Be brief.");
    assert!(told[1].contains("<summary id=\"s1000\""), "{told:?}");
    let request = "<request id=\"20\">\nCount &lt; 3 &amp; go on.\n</request>";
    assert!(told[1].ends_with(request), "{told:?}");
    assert_eq!(told[2], "assistant: [Read t2]");
}

#[test]
fn a_prompt_alone_is_no_request() {
    let nothing = body(Provider::OpenAiChat, Some("Be brief."), Vec::new(), &[]);
    assert_eq!(nothing, Value::Null);
    let nothing = body(Provider::Anthropic, None, vec![NewMessage::user(" ")], &[]);
    assert_eq!(nothing, Value::Null);
}
