//! Engines: building, restarting, syncing, the blocking mirror.

use hippocamp::domain::{ExpandRequest, ItemId, NewMessage, Reach, Tokens, ToolResults};
use hippocamp::engine::{Engine, EngineError, StoreThreads, ViewBudget};
use hippocamp::store::StoreError;

use super::{bench, turns};
use crate::bench::talk;
use crate::support::{FakeClock, assert_clean, builder, key, window};

#[tokio::test]
async fn a_restart_changes_no_byte_of_the_view() {
    let bench = bench(None);
    turns(&bench, 60, 60, 4_000).await;
    bench.engine.settle().await.unwrap();
    let before = bench
        .engine
        .view(&bench.session, ViewBudget::Configured)
        .await
        .unwrap();
    let report = bench.engine.compact(&bench.session).await.unwrap();
    assert!(report.leaf.is_empty());
    bench.engine.clone().shutdown().await.unwrap();
    let engine = bench.another();
    let after = engine
        .view(&bench.session, ViewBudget::Configured)
        .await
        .unwrap();
    assert_eq!(before, after);
}

#[tokio::test]
async fn a_window_of_nothing_is_refused_by_name() {
    let error = hippocamp::domain::Window::new(Tokens::new(100), Tokens::new(60), Tokens::new(40))
        .unwrap_err();
    assert!(error.to_string().contains("100"), "{error}");
}

#[test]
fn building_outside_a_runtime_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let outcome = Engine::builder(dir.path().join("store.db")).build();
    assert!(matches!(outcome.err(), Some(EngineError::NoRuntime)));
    assert!(
        !dir.path().join("store.db").exists(),
        "a failed start leaves nothing behind"
    );
}

#[test]
fn the_blocking_mirror_runs_a_conversation() {
    let dir = tempfile::tempdir().unwrap();
    let engine = hippocamp::engine::blocking::Engine::build(
        hippocamp::engine::blocking::Engine::builder(dir.path().join("store.db")),
    )
    .unwrap();
    let session = key("blocking");
    for index in 0..30 {
        engine
            .turn(&session, talk(index * 2, 2, 60), window(4_000))
            .unwrap();
    }
    engine.settle().unwrap();
    assert!(!engine.tree(&session).unwrap().is_empty());
    assert_clean(&engine.doctor().unwrap());
    engine.shutdown().unwrap();
}

#[tokio::test]
async fn an_engine_that_works_on_its_callers_thread_keeps_what_another_does() {
    let dir = tempfile::tempdir().unwrap();
    let mut views = Vec::new();
    for threads in [StoreThreads::Own, StoreThreads::Caller] {
        let path = dir.path().join(format!("{threads:?}.db"));
        let builder = builder(&path, FakeClock::new());
        let engine = builder.store_threads(threads).build().unwrap();
        let session = key("callers");
        for index in 0..30 {
            engine
                .turn(&session, talk(index * 2, 2, 60), window(4_000))
                .await
                .unwrap();
            // Ids follow the order of what is done, and the condenser works beside the turns.
            engine.settle().await.unwrap();
        }
        assert_clean(&engine.doctor().await.unwrap());
        let budget = ViewBudget::Configured;
        views.push(engine.view(&session, budget).await.unwrap());
        let copy = engine.clone();
        engine.shutdown().await.unwrap();
        let refused = copy.append(&session, talk(60, 1, 60)).await;
        assert!(matches!(refused, Err(EngineError::ShutDown)), "{threads:?}");
        let head = copy.view(&session, budget).await;
        assert!(
            head.is_ok(),
            "{threads:?}: what is stored can still be read"
        );
    }
    assert_eq!(views[0], views[1]);
}

#[tokio::test]
async fn a_caller_that_cannot_wait_is_told_that_the_store_is_busy() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    for threads in [StoreThreads::Own, StoreThreads::Caller] {
        let engine = Engine::builder(&path)
            .store_threads(threads)
            .build()
            .unwrap();
        let holder = rusqlite::Connection::open(&path).unwrap();
        holder.execute_batch("BEGIN IMMEDIATE").unwrap();
        engine
            .wait_at_most(std::time::Duration::from_millis(1))
            .await
            .unwrap();
        let refused = engine.append(&key("s"), talk(0, 1, 60)).await;
        assert!(
            matches!(refused, Err(EngineError::Store(StoreError::Busy))),
            "{threads:?}: {refused:?}"
        );
        holder.execute_batch("ROLLBACK").unwrap();
        engine.append(&key("s"), talk(0, 1, 60)).await.unwrap();
        engine.shutdown().await.unwrap();
    }
}

#[tokio::test]
async fn an_edited_list_forks_and_old_ids_still_expand() {
    let bench = bench(None);
    let list = |texts: &[&str]| -> Vec<NewMessage> {
        texts
            .iter()
            .enumerate()
            .map(|(index, text)| match index % 2 {
                0 => NewMessage::user(*text),
                _ => NewMessage::assistant(*text),
            })
            .collect()
    };
    let first = bench
        .engine
        .sync(&bench.session, list(&["a", "b", "c", "d"]), window(8_000))
        .await
        .unwrap();
    let old: Vec<ItemId> = first
        .appended
        .rows
        .iter()
        .map(|row| ItemId::Message(row.id))
        .collect();
    let second = bench
        .engine
        .sync(
            &bench.session,
            list(&["a", "b edited", "c2"]),
            window(8_000),
        )
        .await
        .unwrap();
    assert_eq!(second.fork_seq, Some(1));
    let third = bench
        .engine
        .sync(
            &bench.session,
            list(&["something else entirely"]),
            window(8_000),
        )
        .await
        .unwrap();
    assert_eq!(third.view.items.len(), 1);
    let request = ExpandRequest::new(old, Reach::All).tool_results(ToolResults::Include);
    let reply = bench.engine.expand(&request).await.unwrap();
    assert_eq!(reply.messages.len(), 4);
    assert!(reply.missing.is_empty());
    // The first list again: its branch is still there, and nothing is stored twice.
    let back = bench
        .engine
        .sync(&bench.session, list(&["a", "b", "c", "d"]), window(8_000))
        .await
        .unwrap();
    assert!(back.appended.rows.is_empty());
    assert_eq!(back.known, 4);
    bench.check().await;
}

#[tokio::test]
async fn no_messages_begin_no_conversation_and_leave_a_known_one_as_it_is() {
    let bench = bench(None);
    let window = window(8_000);
    let unknown = [
        bench.engine.append(&bench.session, vec![]).await.err(),
        bench
            .engine
            .turn(&bench.session, vec![], window)
            .await
            .err(),
    ];
    for error in unknown {
        assert!(
            matches!(error, Some(EngineError::UnknownSession { .. })),
            "{error:?}"
        );
    }
    assert!(bench.engine.sessions().await.unwrap().is_empty());

    bench
        .engine
        .append(&bench.session, talk(0, 2, 20))
        .await
        .unwrap();
    let appended = bench.engine.append(&bench.session, vec![]).await.unwrap();
    assert!(appended.rows.is_empty());
    let report = bench
        .engine
        .turn(&bench.session, vec![], window)
        .await
        .unwrap();
    assert!(report.appended.rows.is_empty());
    assert_eq!(report.appended.conversation, appended.conversation);
    assert_eq!(report.view.items.len(), 2);
}

#[tokio::test]
async fn around_a_message_only_what_its_session_sees_is_shown() {
    let bench = bench(None);
    let other = key("other");
    let said = |text: &str| vec![NewMessage::user(text), NewMessage::assistant("noted")];
    let own = bench.engine.append(&bench.session, said("mine"));
    let own = own.await.unwrap().rows[0].id;
    let foreign = bench.engine.append(&other, said("theirs")).await.unwrap();
    let foreign = foreign.rows[0].id;
    let unknown = hippocamp::domain::MessageId::new(99_999);
    let ids = [foreign, own, unknown, own];
    let n_messages = async |reach: Reach| {
        let around = bench.engine.around(&ids, &reach, 1).await.unwrap();
        assert!(around.iter().map(|around| around.id).eq(ids));
        let sizes = around.iter().map(|around| around.messages.len());
        sizes.collect::<Vec<_>>()
    };
    assert_eq!(
        n_messages(Reach::Session(bench.session.clone())).await,
        [0, 2, 0, 2]
    );
    assert_eq!(n_messages(Reach::All).await, [2, 2, 0, 2]);
    let error = bench.engine.around(&ids, &Reach::All, 0).await.unwrap_err();
    assert!(matches!(error, EngineError::Usage { .. }), "{error}");
    let error = bench
        .engine
        .around(&ids, &Reach::Session(key("x")), 1)
        .await;
    assert!(matches!(error, Err(EngineError::UnknownSession { .. })));
}
