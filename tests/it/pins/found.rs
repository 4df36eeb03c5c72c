//! What users' words make of pins.

use super::*;

const SET: &str = "Never push to the main branch.";
const LIFT: &str = "You can now push to the main branch.";

#[tokio::test]
async fn a_constraint_of_a_user_becomes_a_live_pin_with_its_source() {
    let desk = Desk::new();
    let report = desk
        .says(&format!("Let us begin. {SET} Then look around."))
        .await;
    let pins = desk.pins().await;
    assert_eq!(desk.lines().await, [format!("live auto {SET}")]);
    let source = pins[0].source.unwrap();
    assert_eq!(source.message, report.appended.rows[0].id);
    assert_eq!(source.seq, report.appended.rows[0].seq);
    let events = desk.engine.events(&desk.session).await.unwrap();
    let made = events.iter().find(|event| event.id == pins[0].id).unwrap();
    assert_eq!(made.reason.as_deref(), Some("found"));
    desk.is_clean().await;
}

#[tokio::test]
async fn appended_and_synced_words_are_looked_through_too() {
    let desk = Desk::new();
    let said = vec![NewMessage::user(SET)];
    desk.engine.append(&desk.session, said).await.unwrap();
    assert_eq!(desk.lines().await.len(), 1);
    let list = vec![NewMessage::user("Hello."), NewMessage::user(SET)];
    let host = key("host");
    desk.engine.sync(&host, list, window(WINDOW)).await.unwrap();
    let pins = desk.engine.pins(&host, PinFilter::All).await.unwrap();
    assert_eq!(pins.len(), 1);
    desk.is_clean().await;
}

#[tokio::test]
async fn only_what_users_say_themselves_makes_pins() {
    let desk = Desk::new();
    let said = vec![
        NewMessage::system(SET),
        NewMessage::user(SET).meta(),
        NewMessage::user("Hello."),
        NewMessage::assistant(SET),
        NewMessage::tool_use("c1", "Read", "{}"),
        NewMessage::tool_result("c1", SET),
        NewMessage::user(format!("It says:\n> {SET}\n```\n{SET}\n```\n")),
        NewMessage::user(format!(
            "I saw <summary id=\"s1\">\n{SET}\n</summary> there"
        )),
        NewMessage::user(format!(
            "and <pin id=\"p1\" kind=\"constraint\">{SET}</pin>"
        )),
        NewMessage::user(format!("and a broken <request id=\"1\">\n{SET}")),
    ];
    desk.engine
        .turn(&desk.session, said, window(WINDOW))
        .await
        .unwrap();
    assert!(desk.lines().await.is_empty(), "{:?}", desk.lines().await);
    desk.is_clean().await;
}

#[tokio::test]
async fn the_same_constraint_said_twice_is_one_pin() {
    let desk = Desk::new();
    desk.says(SET).await;
    desk.says("never  push to the MAIN branch").await;
    desk.says(&format!("{SET}\n{SET}")).await;
    assert_eq!(desk.lines().await, [format!("live auto {SET}")]);
    desk.is_clean().await;
}

#[tokio::test]
async fn what_lifts_a_constraint_retires_its_pin_and_it_can_be_set_again() {
    let desk = Desk::new();
    desk.says(SET).await;
    desk.says(LIFT).await;
    assert_eq!(desk.lines().await, [format!("retired auto {SET}")]);
    let view = desk.view(WINDOW).await;
    assert!(texts(&view, ViewItemKind::Pins).is_empty());
    desk.says(SET).await;
    let lines = [format!("retired auto {SET}"), format!("live auto {SET}")];
    assert_eq!(desk.lines().await, lines);
    // Both in one batch, in order.
    let said = vec![
        NewMessage::user("Never touch the vendor folder."),
        NewMessage::user("You can now touch the vendor folder."),
    ];
    desk.engine.append(&desk.session, said).await.unwrap();
    let lines = desk.lines().await;
    assert_eq!(lines[2], "retired auto Never touch the vendor folder.");
    desk.is_clean().await;
}

#[tokio::test]
async fn a_pin_by_hand_is_not_lifted_by_words() {
    let desk = Desk::new();
    desk.says("Hello.").await;
    let request = hippocamp::domain::PinRequest::new(hippocamp::domain::PinKind::Constraint, SET);
    desk.engine.pin(&desk.session, request).await.unwrap();
    desk.says(LIFT).await;
    assert_eq!(desk.lines().await, [format!("live hand {SET}")]);
}

#[tokio::test]
async fn without_auto_pins_constraints_are_proposed_and_can_be_accepted() {
    let desk = Desk::with(AutoPins::Proposed);
    desk.says(SET).await;
    assert_eq!(desk.lines().await, [format!("proposed auto {SET}")]);
    desk.goes_on().await;
    let pin = &desk.pins().await[0];
    assert!(
        !texts(&desk.view(WINDOW).await, ViewItemKind::Pins)
            .iter()
            .any(|text| text.contains(SET))
    );
    desk.engine.accept_pin(None, pin.id).await.unwrap();
    assert_eq!(desk.lines().await, [format!("live hand {SET}")]);
    assert!(shows(&desk.view(WINDOW).await, pin));
    desk.is_clean().await;
}

#[tokio::test]
async fn a_retry_of_a_message_with_a_key_sets_nothing_again() {
    let desk = Desk::new();
    let said = || vec![NewMessage::user(SET).with_key("k1")];
    desk.engine.append(&desk.session, said()).await.unwrap();
    let pin = desk.pins().await[0].id;
    desk.engine.unpin(None, pin).await.unwrap();
    desk.engine.append(&desk.session, said()).await.unwrap();
    assert_eq!(desk.lines().await, [format!("retired hand {SET}")]);
}

/// S3: constraints are copied, not rewritten.
#[tokio::test]
async fn technique_s3_a_constraint_stands_word_for_word_in_every_view() {
    let words = "Never write <b>bold & \"loud\"</b>\u{1b}[1m text into `café/手順.md`.";
    let desk = Desk::new();
    desk.says(words).await;
    desk.goes_on().await;
    let pins = desk.pins().await;
    assert_eq!(pins.len(), 1, "{:?}", desk.lines().await);
    for budget in [WINDOW, 12_000, 100_000] {
        let view = desk.view(budget).await;
        assert!(shows(&view, &pins[0]), "{budget}: {view:?}");
        assert!(words.contains(&pins[0].text));
    }
}

#[tokio::test]
async fn constraints_past_their_room_are_proposed_and_written_into_the_leaf() {
    let desk = Desk::new();
    let rules: Vec<String> = (0..60)
        .map(|n| {
            format!("Never rename the column tide_{n} of table survey_{n} in the harbour schema.")
        })
        .collect();
    for rule in &rules {
        desk.says(rule).await;
    }
    let pins = desk.pins().await;
    let live: Tokens = pins
        .iter()
        .filter(|pin| pin.state == PinState::Live)
        .map(|pin| pin.tokens)
        .sum();
    assert!(
        live <= Tokens::new(WINDOW / 10) && live > Tokens::new(WINDOW / 20),
        "{live}"
    );
    assert!(pins.iter().any(|pin| pin.state == PinState::Proposed));
    desk.goes_on().await;
    desk.engine.settle().await.unwrap();
    let tree = desk.engine.tree(&desk.session).await.unwrap();
    let ids: Vec<_> = tree.iter().map(|node| node.id).collect();
    let ids = ids
        .into_iter()
        .map(hippocamp::domain::ItemId::Summary)
        .collect();
    let reach = hippocamp::domain::Reach::Session(desk.session.clone());
    let request =
        hippocamp::domain::ExpandRequest::new(ids, reach).max_tokens(Tokens::new(10_000_000));
    let reply = desk.engine.expand(&request).await.unwrap();
    let leaves: Vec<_> = reply
        .summaries
        .iter()
        .filter(|summary| summary.summary.node.depth.get() == 0)
        .collect();
    let mut n_checked = 0;
    for pin in pins.iter().filter(|pin| pin.state == PinState::Proposed) {
        let seq = pin.source.unwrap().seq;
        for leaf in leaves
            .iter()
            .filter(|leaf| leaf.summary.node.span.contains(seq))
        {
            n_checked += 1;
            assert!(
                leaf.summary.body.contains(&pin.text),
                "{} is lost",
                pin.text
            );
        }
    }
    assert!(n_checked > 10, "{n_checked}");
    desk.is_clean().await;
}

#[tokio::test]
async fn a_history_that_was_there_before_is_looked_through_when_it_is_first_used() {
    let desk = Desk::new();
    desk.says(SET).await;
    desk.says("Go on.").await;
    let folder = desk.folder.path().join("t.db");
    let Desk {
        engine,
        session,
        folder: _kept,
    } = desk;
    engine.shutdown().await.unwrap();
    // As an import leaves it: rows, and nobody has looked through them.
    let raw = rusqlite::Connection::open(&folder).unwrap();
    raw.execute_batch(
        "DROP TRIGGER pin_no_delete; DROP TRIGGER pin_state_no_delete; DROP TRIGGER event_no_delete;
         DELETE FROM pin_state; DELETE FROM pin; DELETE FROM event WHERE kind = 'pin';
         UPDATE conversation SET pin_mark = 0;",
    )
    .unwrap();
    drop(raw);
    let engine = builder(&folder, FakeClock::new())
        .window(window(WINDOW))
        .build()
        .unwrap();
    assert!(
        engine
            .pins(&session, PinFilter::All)
            .await
            .unwrap()
            .is_empty()
    );
    engine.compact(&session).await.unwrap();
    let pins = engine.pins(&session, PinFilter::All).await.unwrap();
    assert_eq!(
        pins.iter().map(line).collect::<Vec<_>>(),
        [format!("live auto {SET}")]
    );
    assert_eq!(pins[0].by, PinBy::Auto);
}
