//! Pins in views: their place, their room, what gives way.

use hippocamp::domain::{PinKind, PinRequest};

use super::*;

#[tokio::test]
async fn the_block_stands_between_the_system_prompt_and_the_summaries() {
    let desk = Desk::new();
    let said = vec![NewMessage::system("You survey harbours.")];
    desk.engine.append(&desk.session, said).await.unwrap();
    desk.says("Never push to the main branch.").await;
    desk.goes_on().await;
    let view = desk.view(WINDOW).await;
    let kinds: Vec<_> = view.items.iter().map(|item| item.kind).collect();
    let first = [
        ViewItemKind::System,
        ViewItemKind::Pins,
        ViewItemKind::Summary,
    ];
    assert_eq!(kinds[..3], first);
    assert!(view.tokens <= view.budget && view.fits);
    for body in [
        hippocamp::render::openai_chat::render(&view).unwrap(),
        hippocamp::render::anthropic::render(&view).unwrap(),
    ] {
        assert!(body.as_str().contains("Never push to the main branch."));
    }
}

#[tokio::test]
async fn pressure_counts_every_live_pin_as_printed() {
    let desk = Desk::new();
    desk.says("Hello.").await;
    let pressure = async || {
        desk.engine
            .compact(&desk.session)
            .await
            .unwrap()
            .tokens_after
    };
    let before = pressure().await;
    let request = PinRequest::new(PinKind::Fact, "the port is 8443");
    let pin = desk.engine.pin(&desk.session, request).await.unwrap().pin;
    let with_one = pressure().await;
    assert!(
        with_one > before + pin.tokens,
        "the line before them counts too"
    );
    let request = PinRequest::new(PinKind::Fact, "the host is quay-7");
    let next = desk.engine.pin(&desk.session, request).await.unwrap().pin;
    assert_eq!(pressure().await, with_one + next.tokens);
    desk.engine.unpin(None, next.id).await.unwrap();
    assert_eq!(pressure().await, with_one);
}

#[tokio::test]
async fn a_smaller_budget_lists_the_oldest_automatic_pins_it_has_no_room_for() {
    let desk = Desk::new();
    for n in 0..6 {
        desk.says(&format!(
            "Never rename the column tide_{n} of the harbour table."
        ))
        .await;
    }
    let request = PinRequest::new(PinKind::Fact, "the port is 8443");
    desk.engine.pin(&desk.session, request).await.unwrap();
    desk.goes_on().await;
    let live = desk.pins().await;
    let mut n_parted = 0;
    for budget in [60, 500, 900, 1_300, 2_000, 4_000] {
        let view = desk.view(budget).await;
        let block: Tokens = view
            .items
            .iter()
            .filter(|item| item.kind == ViewItemKind::Pins)
            .map(|item| item.tokens)
            .sum();
        assert!(
            block <= Tokens::new(budget).percent(10),
            "{budget}: {block}"
        );
        let left: Vec<_> = view.pins_left_out.iter().map(|pin| pin.id).collect();
        let shown = live.iter().filter(|pin| shows(&view, pin));
        assert_eq!(shown.count() + left.len(), live.len());
        let autos: Vec<_> = live.iter().filter(|pin| pin.by == PinBy::Auto).collect();
        if left.len() <= autos.len() {
            let oldest: Vec<_> = autos.iter().take(left.len()).map(|pin| pin.id).collect();
            assert_eq!(left, oldest, "{budget}");
            n_parted += usize::from(!left.is_empty());
        }
    }
    assert!(n_parted > 0);
    assert!(desk.view(WINDOW).await.pins_left_out.is_empty());
}

#[tokio::test]
async fn a_smaller_window_returns_the_oldest_automatic_pins_to_proposed() {
    let desk = Desk::new();
    for n in 0..12 {
        desk.says(&format!(
            "Never rename the column tide_{n} of the harbour table."
        ))
        .await;
    }
    let by_hand = PinRequest::new(PinKind::Fact, "the port is 8443");
    let by_hand = desk.engine.pin(&desk.session, by_hand).await.unwrap().pin;
    assert!(
        desk.pins()
            .await
            .iter()
            .all(|pin| pin.state == PinState::Live)
    );
    desk.says_within("Go on.", 3_000).await;
    let pins = desk.pins().await;
    let n_proposed = pins
        .iter()
        .filter(|pin| pin.state == PinState::Proposed)
        .count();
    assert!(n_proposed > 0 && n_proposed < 12);
    assert!(
        pins[..n_proposed]
            .iter()
            .all(|pin| pin.state == PinState::Proposed)
    );
    assert!(
        pins.iter()
            .any(|pin| pin.id == by_hand.id && pin.state == PinState::Live)
    );
    let events = desk.engine.events(&desk.session).await.unwrap();
    let told = events
        .iter()
        .filter(|event| event.reason.as_deref() == Some("window"));
    assert_eq!(told.count(), n_proposed);
    // A larger window makes none live by itself, and nothing more happens at the smaller one.
    desk.says_within("Go on.", 3_000).await;
    desk.says_within("Go on.", WINDOW).await;
    assert_eq!(desk.pins().await, pins);
    desk.is_clean().await;
}

#[tokio::test]
async fn a_view_that_pins_do_not_fit_says_so_and_keeps_them() {
    let desk = Desk::new();
    desk.says("Never push to the main branch.").await;
    for n in 0..3 {
        let request = PinRequest::new(PinKind::Fact, format!("fact {n} {}", long(n)));
        let pinned = desk.engine.pin(&desk.session, request).await;
        assert!(pinned.is_ok() || n > 0);
    }
    // Pins by hand do not give way to a smaller window.
    let report = desk.says_within("Go on.", 60).await;
    assert!(!report.view.fits && report.view.excess.is_some());
    for pin in desk
        .pins()
        .await
        .iter()
        .filter(|pin| pin.state == PinState::Live)
    {
        assert!(shows(&report.view, pin), "{pin:?}");
    }
}
