//! Pins by hand: made, refused, accepted, retired.

use hippocamp::domain::{EventId, PinKind, PinRequest};
use hippocamp::engine::{EngineError, PinStep};

use super::*;

fn fact(text: &str) -> PinRequest {
    PinRequest::new(PinKind::Fact, text)
}

#[track_caller]
fn check_refused<T: std::fmt::Debug>(outcome: &Result<T, EngineError>, said: &str, hinted: &str) {
    let Err(EngineError::Usage { message, hint }) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(message.contains(said), "{message}");
    assert!(
        hint.as_deref().unwrap_or_default().contains(hinted),
        "{hint:?}"
    );
}

#[tokio::test]
async fn a_pin_by_hand_is_live_from_the_next_view_on() {
    let desk = Desk::new();
    desk.says("Hello.").await;
    let report = desk
        .engine
        .pin(&desk.session, fact("the port is 8443"))
        .await
        .unwrap();
    assert_eq!(report.step, PinStep::Changed);
    assert!(shows(&desk.view(WINDOW).await, &report.pin));
    // K15: what is pinned is kept beside a briefing of the talk, whatever becomes of that.
    desk.goes_on().await;
    assert!(shows(&desk.view(WINDOW).await, &report.pin));
    desk.is_clean().await;
}

#[tokio::test]
async fn pinning_again_changes_nothing() {
    let desk = Desk::new();
    desk.says("Hello.").await;
    let first = desk
        .engine
        .pin(&desk.session, fact("the port is 8443"))
        .await
        .unwrap();
    let events = desk.engine.events(&desk.session).await.unwrap().len();
    let again = desk
        .engine
        .pin(&desk.session, fact("the port is 8443"))
        .await
        .unwrap();
    assert_eq!((again.step, again.pin), (PinStep::Unchanged, first.pin));
    assert_eq!(
        desk.engine.events(&desk.session).await.unwrap().len(),
        events
    );
}

#[tokio::test]
async fn a_retired_pin_stays_out_and_retiring_again_changes_nothing() {
    let desk = Desk::new();
    desk.says("Hello.").await;
    let pin = desk
        .engine
        .pin(&desk.session, fact("the port is 8443"))
        .await
        .unwrap()
        .pin;
    let gone = desk.engine.unpin(None, pin.id).await.unwrap();
    assert_eq!(
        (gone.step, gone.pin.state),
        (PinStep::Changed, PinState::Retired)
    );
    let again = desk
        .engine
        .unpin(Some(&desk.session), pin.id)
        .await
        .unwrap();
    assert_eq!(again.step, PinStep::Unchanged);
    desk.goes_on().await;
    for budget in [50, 1_000, WINDOW, 100_000] {
        assert!(!shows(&desk.view(budget).await, &pin));
    }
    desk.is_clean().await;
}

#[tokio::test]
async fn what_cannot_be_pinned_is_refused_by_name() {
    let desk = Desk::new();
    desk.says("Hello.").await;
    let other = key("other");
    let said = vec![NewMessage::user("elsewhere")];
    let elsewhere = desk.engine.append(&other, said).await.unwrap().rows[0].id;
    let pin = |request| desk.engine.pin(&desk.session, request);
    check_refused(&pin(fact(" \n ")).await, "without words", "words");
    check_refused(
        &pin(fact("x").from_message(elsewhere)).await,
        "no message",
        "id of a message",
    );
    check_refused(
        &pin(fact(&long(1).repeat(20))).await,
        "all pins may take",
        "shorten",
    );
    let unknown = EventId::new(9_999);
    check_refused(&desk.engine.unpin(None, unknown).await, "p9999", "pins");
    check_refused(
        &desk.engine.accept_pin(None, unknown).await,
        "p9999",
        "pins",
    );
    let nobody = desk.engine.pin(&key("nobody"), fact("x")).await;
    assert!(matches!(nobody, Err(EngineError::UnknownSession { .. })));
    assert!(desk.lines().await.is_empty());
}

#[tokio::test]
async fn past_a_tenth_of_the_budget_a_pin_is_refused_naming_what_to_retire() {
    let desk = Desk::new();
    desk.says("Never push to the main branch.").await;
    let auto = desk.pins().await[0].id;
    let mut made = Vec::new();
    let refusal = loop {
        let request = fact(&format!("fact {} {}", made.len(), long(made.len())));
        match desk.engine.pin(&desk.session, request).await {
            Ok(report) => made.push(report.pin.id),
            Err(error) => break error,
        }
        assert!(made.len() < 100);
    };
    assert!(made.len() > 1);
    // The user's own demand is the last to go, and one of these is enough.
    let told = format!("{refusal:?}");
    let named: Vec<_> = made
        .iter()
        .filter(|id| told.contains(&format!("p{id} ")))
        .collect();
    assert!(!told.contains(&format!("p{auto} ")), "{told}");
    let [one] = named[..] else { panic!("{told}") };
    check_refused::<()>(&Err(refusal), "10 %", &format!("retire p{one} "));
    desk.engine.unpin(None, *one).await.unwrap();
    let request = fact(&format!("fact {}", long(99)));
    desk.engine.pin(&desk.session, request).await.unwrap();
    desk.is_clean().await;
}

#[tokio::test]
async fn a_pin_with_a_source_is_printed_only_where_its_source_does_not_say_it() {
    let desk = Desk::new();
    let rows = desk
        .says("The port is 8443 and stays so.")
        .await
        .appended
        .rows;
    let said = fact("The port is 8443").from_message(rows[0].id);
    let said = desk.engine.pin(&desk.session, said).await.unwrap().pin;
    let told = fact("the port never changes").from_message(rows[0].id);
    let told = desk.engine.pin(&desk.session, told).await.unwrap().pin;
    let view = desk.view(WINDOW).await;
    let block = texts(&view, ViewItemKind::Pins).concat();
    assert!(
        !block.contains(&format!("p{}\"", said.id)),
        "it is said twice: {block}"
    );
    assert!(
        block.contains(&format!("p{}\"", told.id)),
        "its source does not say it: {block}"
    );
    assert!(shows(&view, &said) && shows(&view, &told));
    desk.goes_on().await;
    let view = desk.view(WINDOW).await;
    assert_eq!(texts(&view, ViewItemKind::Pins).len(), 3);
}
