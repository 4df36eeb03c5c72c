//! A host's whole history: what was decided is written only if it still holds.

use super::kit::{Bench, NOW, bench, key, seq, span, stamp, talk};
use crate::domain::{ConversationId, EventKind, NewMessage, Part, Seq, SyncAction, SyncRequest};
use crate::store::{StoreError, SyncOutcome, WriteOp, WriteReply, fingerprint};

fn request(
    expected: Option<ConversationId>,
    head: Option<u64>,
    action: SyncAction,
    messages: Vec<NewMessage>,
) -> SyncRequest {
    SyncRequest {
        session: key("main"),
        expected,
        expected_head: head.map(seq),
        action,
        messages: messages.into_iter().map(stamp).collect(),
        list_first: None,
        now: NOW,
    }
}

fn sync(bench: &mut Bench, request: SyncRequest) -> SyncOutcome {
    match bench.run(WriteOp::Sync(request)).unwrap() {
        WriteReply::Synced(outcome) => outcome,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn applied(outcome: SyncOutcome) -> (ConversationId, usize, Option<Seq>) {
    match outcome {
        SyncOutcome::Applied {
            appended,
            conversation,
            fork_seq,
        } => (conversation, appended.rows.len(), fork_seq),
        SyncOutcome::Stale => panic!("stale"),
    }
}

fn words(bench: &Bench, id: ConversationId) -> String {
    let head = bench
        .reader
        .conversation_by_id(id)
        .unwrap()
        .unwrap()
        .head
        .unwrap();
    let found = bench.reader.messages(id, span(1, head.get())).unwrap();
    let texts: Vec<_> = found
        .iter()
        .flat_map(|message| &message.parts)
        .map(|part| match part {
            Part::Text { text } => text.as_str(),
            _ => "?",
        })
        .collect();
    texts.join(" ")
}

fn list(words: &str) -> Vec<NewMessage> {
    words.split(' ').map(NewMessage::user).collect()
}

/// B055: the host edits its history; nothing is deleted, old ids still lead to their words.
#[test]
fn an_edited_history_is_a_branch_and_the_old_rows_stay() {
    let mut bench = bench();
    let begin = request(None, None, SyncAction::Extend, list("a b c d"));
    let (first, _, _) = applied(sync(&mut bench, begin));
    let old = bench.reader.messages(first, span(1, 4)).unwrap();
    let edit = request(
        Some(first),
        Some(4),
        SyncAction::Fork(Some(seq(1))),
        list("b2 c2"),
    );
    let (second, n_rows, at) = applied(sync(&mut bench, edit));
    assert_eq!((n_rows, at), (2, Some(seq(1))));
    assert_eq!(words(&bench, second), "a b2 c2");
    let anew = request(Some(second), Some(3), SyncAction::Fork(None), list("x y"));
    let (third, _, at) = applied(sync(&mut bench, anew));
    assert_eq!(at, None);
    assert_eq!(words(&bench, third), "x y");
    let ids: Vec<_> = old.iter().map(|message| message.id).collect();
    assert_eq!(bench.reader.messages_by_id(&ids).unwrap(), old);
    assert_eq!(words(&bench, first), "a b c d");
    let found = bench.reader.conversation_by_id(third).unwrap().unwrap();
    assert_eq!((found.parent, found.fork_seq), (Some(second), None));
    assert_eq!(
        bench.reader.branches(&key("main")).unwrap(),
        [third, second, first]
    );
    // Back to the first branch, which goes on.
    let back = request(Some(third), Some(4), SyncAction::Switch(first), list("e"));
    assert_eq!(applied(sync(&mut bench, back)).0, first);
    assert_eq!(words(&bench, first), "a b c d e");
    let event = bench.reader.events(first).unwrap().pop().unwrap();
    assert_eq!(
        (event.kind, event.pointer),
        (EventKind::Switch, Some(first))
    );
}

#[test]
fn a_decision_that_no_longer_holds_writes_nothing() {
    let mut bench = bench();
    let id = bench.append("main", talk(3)).conversation;
    bench.append("other", talk(3));
    let before = bench.reader.last_id().unwrap();
    for stale in [
        request(None, None, SyncAction::Extend, talk(1)),
        request(Some(id), Some(2), SyncAction::Extend, talk(1)),
        request(Some(id), None, SyncAction::Fork(Some(seq(1))), talk(1)),
        request(
            Some(ConversationId::new(2)),
            Some(3),
            SyncAction::Extend,
            talk(1),
        ),
        request(Some(id), Some(3), SyncAction::Fork(Some(seq(4))), talk(1)),
        request(Some(id), Some(9), SyncAction::Switch(id), talk(1)),
    ] {
        assert_eq!(sync(&mut bench, stale), SyncOutcome::Stale);
    }
    let foreign = request(
        Some(id),
        Some(3),
        SyncAction::Switch(ConversationId::new(2)),
        talk(1),
    );
    assert!(matches!(
        bench.run(WriteOp::Sync(foreign)),
        Err(StoreError::Refused { .. })
    ));
    assert_eq!(bench.reader.last_id().unwrap(), before);
    assert_eq!(bench.number("SELECT count(*) FROM conversation"), 2);
}

#[test]
fn where_a_sliding_list_began_is_remembered_until_it_begins_at_the_start() {
    let mut bench = bench();
    let id = bench.append("main", talk(6)).conversation;
    assert_eq!(bench.reader.list_first(&key("main")).unwrap(), Some(seq(1)));
    assert_eq!(bench.reader.list_first(&key("none")).unwrap(), None);
    let mut slid = request(Some(id), Some(6), SyncAction::Extend, talk(1));
    slid.list_first = Some(seq(4));
    applied(sync(&mut bench, slid));
    assert_eq!(bench.reader.list_first(&key("main")).unwrap(), Some(seq(4)));
    bench.append("main", talk(1));
    assert_eq!(bench.reader.list_first(&key("main")).unwrap(), Some(seq(4)));
    let whole = request(Some(id), Some(8), SyncAction::Extend, talk(1));
    applied(sync(&mut bench, whole));
    assert_eq!(bench.reader.list_first(&key("main")).unwrap(), Some(seq(1)));
}

#[test]
fn marks_are_what_sync_compares() {
    let mut bench = bench();
    let messages = vec![
        NewMessage::system("be brief"),
        NewMessage::user("a"),
        NewMessage::user("<injected>").meta(),
        NewMessage::assistant("b"),
    ];
    bench.append("main", messages.clone());
    let branch = bench.fork("main", 3, None).conversation;
    bench.append("main", vec![NewMessage::assistant("c")]);
    let marks = bench.reader.marks(branch).unwrap();
    let seqs: Vec<_> = marks
        .iter()
        .map(|mark| (mark.seq.get(), mark.is_prompt))
        .collect();
    assert_eq!(seqs, [(1, true), (2, false), (4, false)]);
    assert_eq!(marks[1].fingerprint, Some(fingerprint(&messages[1])));
    let found = marks[2].fingerprint;
    assert_eq!(found, Some(fingerprint(&NewMessage::assistant("c"))));
}
