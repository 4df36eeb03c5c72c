//! What other engines were seen to do with these inputs, and what is right.

use hippocamp::domain::{
    HitKind, ItemId, NewMessage, Part, Reach, Role, Tokens, View, ViewItemKind,
};
use hippocamp::engine::{Durability, Engine, SyncKind, ViewBudget};

use crate::bench::{Setup, raw_seqs, sentence, talk};
use crate::support::{assert_clean, key, window};

/// W2, P2.
#[tokio::test]
async fn prose_beside_a_call_and_a_caption_beside_a_picture_are_kept_shown_and_found() {
    let call = Part::ToolUse {
        call_id: "c1".to_owned(),
        name: "Look".to_owned(),
        arguments: "{}".to_owned(),
    };
    let prose = Part::Text {
        text: "I check the bollards first".to_owned(),
    };
    let caption = Part::Text {
        text: "here is the lighthouse".to_owned(),
    };
    let picture = Part::Media {
        uri: "file:///quay.png".to_owned(),
        mime: "image/png".to_owned(),
    };
    let bench = Setup::window(20_000).bench();
    bench
        .append(vec![
            NewMessage::new(Role::User, vec![caption.clone(), picture.clone()]),
            NewMessage::new(Role::Assistant, vec![prose.clone(), call.clone()]),
            NewMessage::tool_result("c1", "two bollards"),
        ])
        .await;
    let view = bench.view(20_000).await;
    assert_eq!(view.items[0].parts, [caption, picture]);
    assert_eq!(view.items[1].parts, [prose, call]);
    for pattern in ["lighthouse", "\"bollards first\"", "two AND bollards"] {
        assert_eq!(bench.grep(pattern).await.total, 1, "{pattern}");
    }
}

/// W4, P3.
#[tokio::test]
async fn a_bound_search_and_expansion_see_no_other_conversation() {
    let bench = Setup::window(8_000).bench();
    let mut others = Vec::new();
    for index in 0..20 {
        let other = key(&format!("other {index}"));
        let stored = bench.engine.append(&other, talk(0, 4, 20)).await.unwrap();
        others.extend(stored.rows.iter().map(|row| ItemId::Message(row.id)));
    }
    bench.append(talk(0, 4, 20)).await;
    bench.engine.settle().await.unwrap();
    let branch = bench.branch();
    for pattern in [
        "harbour",
        "%arbou%",
        "\"was filed\"",
        "har*",
        "harbour NOT pelican",
    ] {
        let reply = bench.grep(pattern).await;
        assert_eq!(reply.total, 4, "{pattern}");
        assert!(
            reply.hits.iter().all(|hit| hit.conversation == branch),
            "{pattern}"
        );
    }
    let request = hippocamp::domain::ExpandRequest::new(
        others.clone(),
        Reach::Session(bench.session.clone()),
    )
    .tool_results(hippocamp::domain::ToolResults::Include)
    .max_tokens(Tokens::new(100_000));
    let reply = bench.engine.expand(&request).await.unwrap();
    assert!(reply.messages.is_empty());
    assert_eq!(reply.missing, others);
}

// W5
#[tokio::test]
async fn a_large_view_is_within_its_budget_and_says_where_it_begins() {
    let bench = Setup::window(128_000).bench();
    let mut messages = Vec::new();
    for index in 0..400 {
        messages.push(NewMessage::user(sentence(index, 200)));
        messages.push(NewMessage::tool_use(
            format!("c{index}"),
            "Lift",
            "{\"n\":1}",
        ));
        messages.push(NewMessage::tool_result(
            format!("c{index}"),
            sentence(index, 500),
        ));
        messages.push(NewMessage::assistant(sentence(index, 200)));
    }
    bench.append(messages).await;
    for budget in [128_000, 127_999, 64_000, 9_000] {
        let view = bench.view(budget).await;
        assert!(
            view.fits && view.tokens <= Tokens::new(budget),
            "{} of {budget}",
            view.tokens
        );
        // Whole groups go from the old end, and a line says so in the user's role: no provider
        // sees talk that begins in the middle of a turn without a word.
        let first = view.items.first().unwrap();
        assert_eq!(
            (first.kind, first.role),
            (ViewItemKind::Gap, Role::User),
            "{budget}"
        );
        let gone = view
            .left_out
            .iter()
            .map(|gone| gone.span.last().get())
            .max();
        assert_eq!(
            gone.map(|last| last + 1),
            raw_seqs(&view).first().copied(),
            "{budget}"
        );
        let n_calls = count(&view, |part| matches!(part, Part::ToolUse { .. }));
        let n_results = count(&view, |part| matches!(part, Part::ToolResult { .. }));
        assert_eq!(n_calls, n_results, "{budget}");
    }
}

fn count(view: &View, is_meant: fn(&Part) -> bool) -> usize {
    view.items
        .iter()
        .flat_map(|item| &item.parts)
        .filter(|part| is_meant(part))
        .count()
}

/// W6, P47.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn four_sessions_in_tight_loops_store_every_message() {
    let bench = Setup::window(8_000).bench();
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..4 {
        let engine = bench.engine.clone();
        tasks.spawn(async move {
            let session = key(&format!("loop {task}"));
            for message in talk(0, 100, 20) {
                engine
                    .turn(&session, vec![message], window(8_000))
                    .await
                    .unwrap();
            }
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended.unwrap();
    }
    let sessions = bench.engine.sessions().await.unwrap();
    assert!(
        sessions.iter().all(|row| row.messages == 100),
        "{sessions:?}"
    );
    assert_eq!(sessions.len(), 4);
    assert_clean(&bench.engine.doctor().await.unwrap());
}

// W8
#[tokio::test]
async fn a_substring_is_literal_and_a_snippet_is_bounded() {
    let bench = Setup::window(8_000).bench();
    let long = format!("{} snake_case {}", sentence(0, 4_000), sentence(1, 4_000));
    bench
        .append(vec![NewMessage::user("snakeXcase"), NewMessage::user(long)])
        .await;
    for _ in 0..2 {
        let reply = bench.grep("%snake_case%").await;
        assert_eq!(reply.total, 1, "{reply:?}");
        let snippet = &reply.hits[0].snippet.text;
        assert!(
            snippet.contains("snake_case") && snippet.len() < 1_000,
            "{}",
            snippet.len()
        );
        bench.engine.settle().await.unwrap();
    }
}

// W9
#[tokio::test]
async fn what_is_stored_does_not_depend_on_any_budget() {
    let bench = Setup::window(1_000).bench();
    let first = bench.turn(talk(0, 4, 2_000)).await;
    assert_eq!(first.appended.rows.len(), 4);
    let view = bench
        .engine
        .view(&bench.session, ViewBudget::Of(Tokens::new(1)))
        .await
        .unwrap();
    assert!(!view.fits);
    let stored: Vec<_> = bench.stored().into_iter().map(|row| row.parts).collect();
    let said: Vec<_> = talk(0, 4, 2_000)
        .into_iter()
        .map(|message| message.parts)
        .collect();
    assert_eq!(stored, said);
}

// W12
#[tokio::test]
async fn identical_turns_in_one_moment_are_as_many_as_they_were() {
    let mut bench = Setup::window(8_000).bench();
    for round in 0..6 {
        bench
            .turn(vec![
                NewMessage::user("continue"),
                NewMessage::tool_use("c1", "Look", "{}"),
                NewMessage::tool_result("c1", "(no output)"),
                NewMessage::assistant("done"),
            ])
            .await;
        if round == 3 {
            bench.restart();
        }
    }
    assert_eq!(bench.stored().len(), 24, "the clock stood still");
    assert_eq!(bench.grep("continue").await.total, 6);
    bench.check().await;
}

// W14
#[tokio::test]
async fn words_that_stand_only_in_arguments_are_found_as_the_call_they_are() {
    let bench = Setup::window(8_000).bench();
    let arguments = "{\"path\":\"piers/north.toml\",\"replace\":\"mooring line\"}";
    bench
        .append(vec![
            NewMessage::user("change it"),
            NewMessage::tool_use("c1", "Edit", arguments),
            NewMessage::tool_result("c1", "ok"),
        ])
        .await;
    for _ in 0..2 {
        for pattern in [
            "mooring",
            "piers/north.toml",
            "\"mooring line\"",
            "%north.to%",
        ] {
            let reply = bench.grep(pattern).await;
            assert_eq!(reply.total, 1, "{pattern}");
            assert_eq!(reply.hits[0].kind, HitKind::ToolUse, "{pattern}");
        }
        bench.engine.settle().await.unwrap();
    }
}

// W15
#[tokio::test]
async fn a_whole_history_passed_again_after_restarts_adds_only_what_is_new() {
    let mut bench = Setup::window(8_000).bench();
    let other = key("the other");
    for round in 1..=3_usize {
        for session in [bench.session.clone(), other.clone()] {
            let list = talk(0, round * 2, 20);
            let report = bench
                .engine
                .sync(&session, list, window(8_000))
                .await
                .unwrap();
            assert_eq!(report.appended.rows.len(), 2, "{session} {round}");
            let again = talk(0, round * 2, 20);
            let again = bench
                .engine
                .sync(&session, again, window(8_000))
                .await
                .unwrap();
            assert_eq!(
                (again.kind, again.appended.rows.len()),
                (SyncKind::Unchanged, 0)
            );
        }
        bench.restart();
    }
    let sessions = bench.engine.sessions().await.unwrap();
    assert!(sessions.iter().all(|row| row.rows == 6), "{sessions:?}");
    assert_clean(&bench.engine.doctor().await.unwrap());
}

// W17
#[tokio::test]
async fn a_result_of_base64_is_stored_whole() {
    let body = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB".repeat(256);
    let bench = Setup::window(20_000).bench();
    bench
        .append(vec![
            NewMessage::user("show it"),
            NewMessage::tool_use("c1", "Shot", "{}"),
            NewMessage::tool_result("c1", &body),
        ])
        .await;
    let stored = bench.stored();
    let rows = bench.walk(ItemId::Message(stored[2].id)).await;
    assert!(matches!(&rows[0].parts[..], [Part::ToolResult { content, .. }] if *content == body));
}

/// W22, P43.
#[tokio::test]
async fn sqlite_is_our_own_and_a_failed_start_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let in_the_way = folder.path().join("a file");
    std::fs::write(&in_the_way, "in the way").unwrap();
    let names = || {
        let entries = std::fs::read_dir(folder.path()).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name())
            .collect::<Vec<_>>()
    };
    for path in [in_the_way.join("store.db"), folder.path().to_owned()] {
        let error = Engine::builder(&path)
            .build()
            .err()
            .expect("it cannot be opened");
        assert!(
            error.to_string().contains(path.to_str().unwrap()),
            "{error}"
        );
        assert_eq!(names(), ["a file"], "{}", path.display());
    }
    let version = rusqlite::version_number();
    assert!(
        version >= 3_050_000,
        "the library that is linked is the bundled one: {version}"
    );
}

/// W7, P36.
#[tokio::test]
async fn every_connection_of_one_engine_waits_for_another_and_syncs_as_asked() {
    // The settings themselves are read back in the store's own tests; here: a writer that holds
    // the file for a moment refuses nobody.
    let bench = Setup::window(8_000).bench();
    bench.append(talk(0, 1, 10)).await;
    let holder = rusqlite::Connection::open(&bench.path).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let engine = Engine::builder(&bench.path)
        .durability(Durability::Full)
        .build()
        .unwrap();
    let append = engine.append(&bench.session, talk(1, 1, 10));
    let release = async {
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
        assert_eq!(bench.grep("harbour").await.total, 1, "reading goes on");
        holder.execute_batch("ROLLBACK").unwrap();
    };
    let (stored, ()) = tokio::join!(append, release);
    assert_eq!(stored.unwrap().rows.len(), 1);
}
