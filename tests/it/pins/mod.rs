//! Pins through the engine: found in users' words, made by hand, in every view, along the lineage.

mod branches;
mod found;
mod hand;
mod views;

use hippocamp::domain::{
    NewMessage, Part, Pin, PinBy, PinFilter, PinState, SessionKey, Tokens, View, ViewItemKind,
};
use hippocamp::engine::{AutoPins, Engine, TurnReport, ViewBudget};
use tempfile::TempDir;

use crate::support::{FakeClock, assert_clean, builder, key, window};

/// The window of these conversations: pins may take 800 tokens of it.
const WINDOW: u64 = 8_000;

struct Desk {
    engine: Engine,
    session: SessionKey,
    folder: TempDir,
}

impl Desk {
    fn new() -> Self {
        Self::with(AutoPins::Live)
    }

    fn with(auto: AutoPins) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = builder(&folder.path().join("t.db"), FakeClock::new())
            .window(window(WINDOW))
            .auto_pins(auto)
            .build()
            .unwrap();
        Self {
            engine,
            session: key("desk"),
            folder,
        }
    }

    /// One turn: the user says this and is answered.
    async fn says(&self, words: &str) -> TurnReport {
        self.says_within(words, WINDOW).await
    }

    async fn says_within(&self, words: &str, budget: u64) -> TurnReport {
        let said = vec![
            NewMessage::user(words),
            NewMessage::assistant("Understood, going on."),
        ];
        self.engine
            .turn(&self.session, said, window(budget))
            .await
            .unwrap()
    }

    /// Goes on talking of nothing in particular until all before is covered.
    async fn goes_on(&self) {
        for n in 0..30 {
            let said = vec![
                NewMessage::user(format!("and step {n} of the harbour survey {}", long(n))),
                NewMessage::assistant(format!("step {n} is measured {}", long(n + 1))),
            ];
            self.engine
                .turn(&self.session, said, window(WINDOW))
                .await
                .unwrap();
        }
    }

    async fn pins(&self) -> Vec<Pin> {
        let session = self.session.clone();
        self.engine.pins(&session, PinFilter::All).await.unwrap()
    }

    /// The pins as lines: state, who, words.
    async fn lines(&self) -> Vec<String> {
        self.pins().await.iter().map(line).collect()
    }

    async fn view(&self, budget: u64) -> View {
        let budget = ViewBudget::Of(Tokens::new(budget));
        self.engine.view(&self.session, budget).await.unwrap()
    }

    async fn is_clean(&self) {
        self.engine.settle().await.unwrap();
        assert_clean(&self.engine.doctor().await.unwrap());
    }
}

fn line(pin: &Pin) -> String {
    format!("{} {} {}", pin.state.as_str(), pin.by.as_str(), pin.text)
}

/// Words that say nothing a pin comes of.
fn long(n: usize) -> String {
    let words: Vec<String> = (0..60).map(|word| format!("tide{n}x{word}")).collect();
    words.join(" ")
}

/// The words of a view's items of a kind, one text for each part.
fn texts(view: &View, kind: ViewItemKind) -> Vec<&str> {
    view.items
        .iter()
        .filter(|item| item.kind == kind)
        .flat_map(|item| &item.parts)
        .filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// Says whether a view shows a pin: in the block, or as its raw and whole source.
fn shows(view: &View, pin: &Pin) -> bool {
    let fence = format!("<pin id=\"p{}\"", pin.id);
    let in_block = texts(view, ViewItemKind::Pins).into_iter().any(|text| {
        let inner = text.split_once('>').map(|(_, rest)| rest);
        let inner = inner.and_then(|rest| rest.strip_suffix("</pin>"));
        text.starts_with(&fence)
            && inner.is_some_and(|inner| hippocamp::policy::assemble::unescape(inner) == pin.text)
    });
    in_block
        || texts(view, ViewItemKind::Message)
            .into_iter()
            .any(|text| text.contains(&pin.text))
}
