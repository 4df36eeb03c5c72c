//! Pins along the lineage of branches.

use hippocamp::domain::{PinKind, PinRequest, Seq};

use super::*;

impl Desk {
    async fn pin(&self, text: &str) -> Pin {
        let request = PinRequest::new(PinKind::Fact, text);
        self.engine.pin(&self.session, request).await.unwrap().pin
    }

    async fn fork(&self, at: u64, key: &str) -> SessionKey {
        let session = crate::support::key(key);
        let at = Seq::new(at).unwrap();
        self.engine
            .fork(&self.session, at, Some(session.clone()))
            .await
            .unwrap();
        session
    }

    async fn lines_of(&self, session: &SessionKey) -> Vec<String> {
        let pins = self.engine.pins(session, PinFilter::All).await.unwrap();
        pins.iter().map(line).collect()
    }
}

#[tokio::test]
async fn a_branch_sees_pins_as_they_stood_when_its_first_own_message_came() {
    let desk = Desk::new();
    desk.says("One.").await;
    let early = desk.pin("early").await;
    let gone = desk.pin("gone later").await;
    desk.says("Two.").await;
    desk.pin("late").await;
    desk.engine.unpin(None, gone.id).await.unwrap();
    let old = desk.fork(2, "old").await;
    assert_eq!(
        desk.lines_of(&old).await,
        ["live hand early", "live hand gone later"]
    );
    let new = desk.fork(4, "new").await;
    let now = [
        "live hand early",
        "retired hand gone later",
        "live hand late",
    ];
    assert_eq!(desk.lines_of(&new).await, now);
    // What is done on one branch afterwards is not seen on another.
    desk.engine.unpin(Some(&new), early.id).await.unwrap();
    desk.pin("after the fork").await;
    assert_eq!(desk.lines_of(&new).await[0], "retired hand early");
    assert_eq!(desk.lines_of(&old).await[0], "live hand early");
    assert_eq!(desk.lines().await[0], "live hand early");
    assert_eq!(desk.lines_of(&new).await.len(), 3);
    desk.is_clean().await;
}

#[tokio::test]
async fn a_fork_of_a_fork_is_bound_by_both() {
    let desk = Desk::new();
    desk.says("One.").await;
    desk.pin("first").await;
    desk.says("Two.").await;
    desk.pin("second").await;
    let child = desk.fork(4, "child").await;
    let at = Seq::new(2).unwrap();
    let grandchild = key("grandchild");
    desk.engine
        .fork(&child, at, Some(grandchild.clone()))
        .await
        .unwrap();
    assert_eq!(
        desk.lines_of(&child).await,
        ["live hand first", "live hand second"]
    );
    assert_eq!(desk.lines_of(&grandchild).await, ["live hand first"]);
    desk.is_clean().await;
}

#[tokio::test]
async fn constraints_found_late_are_found_again_on_a_branch_and_only_once() {
    let desk = Desk::new();
    // The pin is made after the whole batch is stored: later than the first message that the
    // branch does not inherit.
    let said = vec![
        NewMessage::user("Never push to the main branch."),
        NewMessage::assistant("I will not."),
        NewMessage::user("Never touch the vendor folder."),
        NewMessage::assistant("I will not."),
    ];
    desk.engine.append(&desk.session, said).await.unwrap();
    let branch = desk.fork(2, "branch").await;
    let first = ["live auto Never push to the main branch."];
    assert_eq!(desk.lines_of(&branch).await, first);
    let whole = desk.fork(4, "whole").await;
    assert_eq!(desk.lines_of(&whole).await, desk.lines().await);
    assert_eq!(desk.lines().await.len(), 2);
    let pins = desk.engine.pins(&branch, PinFilter::All).await.unwrap();
    assert!(shows(
        &desk
            .engine
            .view(&branch, ViewBudget::Configured)
            .await
            .unwrap(),
        &pins[0]
    ));
    desk.is_clean().await;
}

#[tokio::test]
async fn a_history_that_is_edited_loses_the_pins_of_what_was_cut_off() {
    let desk = Desk::new();
    let host = key("host");
    let list = |last: &str| {
        vec![
            NewMessage::user("Never push to the main branch."),
            NewMessage::assistant("I will not."),
            NewMessage::user(last),
        ]
    };
    let sync = |list| desk.engine.sync(&host, list, window(WINDOW));
    sync(list("Never touch the vendor folder.")).await.unwrap();
    sync(list("Never rename the harbour table.")).await.unwrap();
    let edited = [
        "live auto Never push to the main branch.",
        "live auto Never rename the harbour table.",
    ];
    assert_eq!(desk.lines_of(&host).await, edited);
    // Back to the first list: its pins are back.
    sync(list("Never touch the vendor folder.")).await.unwrap();
    assert_eq!(
        desk.lines_of(&host).await[1],
        "live auto Never touch the vendor folder."
    );
    desk.is_clean().await;
}
