//! Pins in random stories: made, retired, and in every view that must hold them.

use super::world::*;

use hippocamp::domain::{
    Part, Pin, PinFilter, PinKind, PinRequest, PinState, Tokens, View, ViewItemKind,
};
use hippocamp::engine::{EngineError, PinStep};
use hippocamp::policy::assemble::{block_tokens, unescape};

impl World {
    /// Pins a text by hand; again, it changes nothing.
    pub(super) async fn pin(&mut self, text: &str) {
        let request = || PinRequest::new(PinKind::Fact, text);
        match self.engine.pin(&self.session, request()).await {
            Ok(report) => {
                let again = self.engine.pin(&self.session, request()).await.unwrap();
                assert_eq!((again.step, again.pin), (PinStep::Unchanged, report.pin));
            }
            // No room; what is named makes some.
            Err(EngineError::Usage { hint, .. }) => {
                assert!(hint.is_some_and(|hint| hint.contains("retire") || hint == "shorten it"));
            }
            outcome @ Err(_) => self.ignore_unknown(outcome),
        }
    }

    /// Retires one of the pins that stand.
    pub(super) async fn unpin(&mut self, choice: usize) {
        let pins = self.pins(PinFilter::Standing).await;
        if pins.is_empty() {
            return;
        }
        let pin = pins[choice % pins.len()].id;
        let report = self.engine.unpin(Some(&self.session), pin).await.unwrap();
        assert_eq!(report.pin.state, PinState::Retired);
    }

    async fn pins(&self, filter: PinFilter) -> Vec<Pin> {
        match self.engine.pins(&self.session, filter).await {
            Ok(pins) => pins,
            Err(EngineError::UnknownSession { .. }) => Vec::new(),
            Err(error) => panic!("{error:?}"),
        }
    }

    /// I12, and the room that pins keep to.
    pub(super) async fn check_pins(&self, view: &View) {
        let pins = self.pins(PinFilter::All).await;
        let live: Vec<&Pin> = pins
            .iter()
            .filter(|pin| pin.state == PinState::Live)
            .collect();
        let metas: Vec<_> = live.iter().map(|pin| pin.meta()).collect();
        assert!(block_tokens(&metas) <= Tokens::new(WINDOW).percent(10));
        let block = texts(view, ViewItemKind::Pins);
        let printed = |pin: &Pin| {
            let open = format!("<pin id=\"p{}\" kind=\"{}\">", pin.id, pin.kind.as_str());
            block
                .iter()
                .filter_map(|line| line.strip_prefix(&open)?.strip_suffix("</pin>"))
                .any(|inner| unescape(inner) == pin.text)
        };
        let n_printed = live.iter().filter(|pin| printed(pin)).count();
        assert_eq!(
            block.len(),
            n_printed + usize::from(n_printed > 0),
            "{block:?}"
        );
        // What providers say makes the configured budget smaller; pins by hand stay.
        let configured = self.configured().await.unwrap().budget;
        if view.budget < configured {
            let cost: Tokens = view
                .items
                .iter()
                .filter(|item| item.kind == ViewItemKind::Pins)
                .map(|item| item.tokens)
                .sum();
            assert!(cost <= view.budget.percent(10));
            return;
        }
        assert!(view.pins_left_out.is_empty());
        let said = texts(view, ViewItemKind::Message);
        for pin in live {
            let is_said = pin.source.is_some() && said.iter().any(|text| text.contains(&pin.text));
            assert!(printed(pin) || is_said, "I12: {pin:?} is not in {view:?}");
        }
    }
}

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
