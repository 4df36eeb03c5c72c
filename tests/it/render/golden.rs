//! One talk with everything in it, and its bodies as files: what changes in them is seen.

use std::path::Path;

use hippocamp::domain::{NewMessage, Part, Role, View};

use super::reading::{call, result, text};
use super::{PROVIDERS, Provider, check_bodies, parsed};
use crate::view::world::{Cover, Row, world};

fn view(provider: Provider) -> View {
    let thought = Part::Reasoning {
        text: "Two files are enough.".into(),
        signature: Some("c2lnbmVk".into()),
    };
    let picture = Part::Media {
        uri: "data:image/png;base64,iVBORw0KGgo=".into(),
        mime: "image/png".into(),
    };
    let mut asked = NewMessage::new(
        Role::User,
        vec![text("What is wrong here?"), picture.clone()],
    );
    asked.name = Some("Ada".into());
    let mut searched = NewMessage::new(
        Role::Assistant,
        vec![
            thought,
            text("I look into both. "),
            call(
                "toolu_1",
                "Read",
                "{\"path\": \"a.rs\", \"id\": 12345678901234567}",
            ),
            call("functions.read:1", "mcp.read", "b.rs"),
            call("toolu_3", "Bash", ""),
        ],
    );
    let name = match provider {
        Provider::OpenAiChat | Provider::OpenAiResponses => "openai",
        Provider::Anthropic => "anthropic",
        Provider::Gemini => "google",
    };
    searched.provider = Some(name.into());
    let results = vec![
        result("functions.read:1", "no such file", true),
        result("toolu_1", "fn main() {}", false),
        picture,
        text("The screen at that time."),
    ];
    let rows: Vec<Row> = [
        NewMessage::user("Never delete the release branch."),
        NewMessage::assistant("Understood."),
        NewMessage::assistant("Shall I begin?"),
        asked,
        searched,
        NewMessage::new(Role::User, results),
        NewMessage::system("The budget for this task is spent in half."),
    ]
    .into_iter()
    .map(Row::from)
    .collect();
    let leaf = Cover::leaf(
        1,
        "The user set one rule: <never> delete the release branch.",
    );
    world(Some("You are a careful engineer."), &rows, &[leaf]).view(100_000)
}

fn check_golden(provider: Provider, name: &str) {
    let body = parsed(&provider.body(&view(provider)).unwrap());
    let found = format!("{}\n", serde_json::to_string_pretty(&body).unwrap());
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/render")
        .join(name);
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    if found != wanted {
        let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&new, &found).unwrap();
        panic!("{} is not what {} holds", new.display(), path.display());
    }
}

#[test]
fn bodies_of_one_talk_are_as_written_down() {
    for provider in PROVIDERS {
        check_bodies(&view(provider));
        match provider {
            Provider::OpenAiChat => check_golden(provider, "openai_chat.json"),
            Provider::OpenAiResponses => check_golden(provider, "openai_responses.json"),
            Provider::Anthropic => check_golden(provider, "anthropic.json"),
            Provider::Gemini => check_golden(provider, "gemini.json"),
        }
    }
}
