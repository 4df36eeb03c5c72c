//! Transcripts as agents write them: views within their budget, and every message found again.

use std::path::PathBuf;

use hippocamp::domain::{ItemId, Message, SessionKey, Tokens, ViewItem, ViewItemKind, Visibility};
use hippocamp::engine::{Durability, Engine, ViewBudget};
use hippocamp::import::import_paths;

use crate::import_support::{answer, block, lines, options, record, samples, user};
use crate::least::least_tokens;
use crate::shared::shared;
use crate::support::{assert_clean, window};
use crate::walk::{frontier_ids, reader, stored, walk_all, walk_down};

const BUDGETS: [u64; 3] = [2_000, 8_000, 32_000];

/// A store of transcripts, opened with one budget as its window.
struct Library {
    _folder: tempfile::TempDir,
    path: PathBuf,
    engine: Engine,
    sessions: Vec<SessionKey>,
    budget: Tokens,
    n_views: u32,
    n_over: u32,
}

impl Library {
    async fn open(transcripts: &[PathBuf], budget: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let engine = Engine::builder(&path)
            .durability(Durability::Normal)
            .window(window(budget))
            .build()
            .unwrap();
        let account = import_paths(&engine, transcripts, &options(), &mut |_| {})
            .await
            .unwrap();
        assert!(
            account.balances() && account.totals.stored > 0,
            "{account:?}"
        );
        let sessions = engine.sessions().await.unwrap();
        let sessions = sessions.into_iter().map(|row| row.session).collect();
        let budget = Tokens::new(budget);
        Self {
            _folder: folder,
            path,
            engine,
            sessions,
            budget,
            n_views: 0,
            n_over: 0,
        }
    }

    /// Checks every session as it stands now, and the store as a whole.
    async fn check(&mut self, when: &str) {
        assert_clean(&self.engine.doctor().await.unwrap());
        for session in self.sessions.clone() {
            self.check_session(&session, when).await;
        }
    }

    async fn check_session(&mut self, session: &SessionKey, when: &str) {
        let name = format!("{session} {when}, {}", self.budget);
        let rows = reader(&self.path);
        let branch = rows.conversation(session).unwrap().unwrap().id;
        let stored = stored(&rows, branch);
        let frontier = frontier_ids(&rows, branch);
        // Older versions of the system prompt are on no frontier.
        let prompts = |message: &&Message| message.visibility != Visibility::Prompt;
        let below = walk_all(&self.engine, session, &frontier).await;
        let found: Vec<&Message> = below.iter().filter(prompts).collect();
        assert_eq!(
            found,
            stored.iter().filter(prompts).collect::<Vec<_>>(),
            "{name}"
        );

        let view = self
            .engine
            .view(session, ViewBudget::Of(self.budget))
            .await
            .unwrap();
        assert!(
            view.tokens <= self.budget || !view.fits,
            "{name}: {} tokens",
            view.tokens
        );
        assert_eq!(
            view.tokens,
            view.items.iter().map(|item| item.tokens).sum(),
            "{name}"
        );
        assert_eq!(view.fits, view.excess.is_none(), "{name}");
        assert!(view.warnings.is_empty(), "{name}: {:?}", view.warnings);
        self.n_views += 1;
        if !view.fits {
            self.n_over += 1;
            let least = least_tokens(&stored);
            assert!(
                least > self.budget,
                "{name}: {least} would have been enough"
            );
            let summaries = view
                .items
                .iter()
                .filter(|item| item.kind == ViewItemKind::Summary);
            assert_eq!(summaries.count(), 0, "{name}: what may go has not gone");
        }
        for item in &view.items {
            self.check_item(session, item, &stored, &name).await;
        }
        check_all_there(&view, &stored, &name);
    }

    /// What an item stands for is what `expand` finds below it.
    async fn check_item(
        &self,
        session: &SessionKey,
        item: &ViewItem,
        stored: &[Message],
        name: &str,
    ) {
        let (Some(id), Some(span)) = (item.id, item.span) else {
            return;
        };
        let found = walk_down(&self.engine, session, id).await;
        let wanted: Vec<&Message> = stored
            .iter()
            .filter(|message| span.contains(message.seq))
            .collect();
        match id {
            ItemId::Summary(_) => {
                assert_eq!(found.iter().collect::<Vec<_>>(), wanted, "{name}: {span}");
            }
            ItemId::Message(_) => {
                assert_eq!(found.len(), 1, "{name}: {span}");
                assert_eq!(Some(&&found[0]), wanted.first(), "{name}: {span}");
            }
        }
    }
}

/// Every message with words is shown, below a summary, or named among what is left out.
#[track_caller]
fn check_all_there(view: &hippocamp::domain::View, stored: &[Message], name: &str) {
    let shown = view.items.iter().filter_map(|item| item.span);
    let spans: Vec<_> = shown
        .chain(view.left_out.iter().map(|gone| gone.span))
        .collect();
    for message in stored
        .iter()
        .filter(|message| message.visibility == Visibility::Talk)
    {
        let is_there = spans.iter().any(|span| span.contains(message.seq));
        assert!(
            is_there || message.view_tokens == Tokens::ZERO,
            "{name}: {message:?}"
        );
    }
}

/// Checks a set of transcripts at one budget: as imported, compacted, and compacted under it.
async fn check_transcripts(transcripts: &[PathBuf], budget: u64) -> Library {
    let mut library = Library::open(transcripts, budget).await;
    library.check("as imported").await;
    for session in library.sessions.clone() {
        let report = library.engine.compact(&session).await.unwrap();
        assert_eq!(
            report.fits,
            report.tokens_after <= library.budget,
            "{session}: {report:?}"
        );
        assert!(
            report.tokens_after <= report.tokens_before,
            "{session}: {report:?}"
        );
    }
    library.check("compacted").await;
    for session in library.sessions.clone() {
        let report = library
            .engine
            .compact_until_under(&session, library.budget)
            .await
            .unwrap();
        assert_eq!(
            report.fits,
            report.tokens_after <= library.budget,
            "{session}: {report:?}"
        );
    }
    library.check("compacted under the budget").await;
    library
}

/// A transcript of ours with all that matters: blocks of one answer, parallel calls, a large
/// result, a picture, noise of the host, and enough of it for two depths.
fn transcript() -> String {
    let mut records = vec![user(1, "Sort the shelves, and never throw a book away.")];
    let mut n = 2;
    for round in 0..60 {
        let (text, call) = (format!("m{round}"), format!("c{round}"));
        let blocks = [
            r#"{"type":"thinking","thinking":"which shelf","signature":"s"}"#.to_owned(),
            format!(r#"{{"type":"text","text":"Shelf {round} comes next."}}"#),
            format!(
                r#"{{"type":"tool_use","id":"{call}a","name":"Read","input":{{"file_path":"shelf{round}.txt"}}}}"#
            ),
            format!(
                r#"{{"type":"tool_use","id":"{call}b","name":"Count","input":{{"n":10000000000000000001}}}}"#
            ),
        ];
        for one in blocks {
            records.push(block(n, &text, &one));
            n += 1;
        }
        let body = format!("book {round} stands here. ").repeat(20 + 300 * (round % 5 / 4));
        for (call, body) in [
            (format!("{call}a"), body),
            (format!("{call}b"), "7".to_owned()),
        ] {
            let content =
                format!(r#"[{{"type":"tool_result","tool_use_id":"{call}","content":"{body}"}}]"#);
            records.push(record(n, "user", &content));
            n += 1;
        }
        if round % 6 == 5 {
            records.push(answer(n, &format!("Shelf {round} is sorted.")));
            records.push(user(
                n + 1,
                &format!("Go on with shelf {}, please.", round + 1),
            ));
            n += 2;
        }
    }
    lines(&records)
}

#[tokio::test]
async fn a_transcript_is_within_every_budget_and_found_again_below_its_summaries() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s1.jsonl");
    std::fs::write(&path, transcript()).unwrap();
    for budget in BUDGETS {
        let library = check_transcripts(std::slice::from_ref(&path), budget).await;
        assert_eq!((library.n_views, library.n_over), (3, 0), "{budget}");
        let tree = library.engine.tree(&library.sessions[0]).await.unwrap();
        let deepest = tree.iter().map(|node| node.depth.get()).max();
        assert!(
            deepest >= Some(u32::from(budget < 32_000)),
            "{budget}: {deepest:?}"
        );
    }
}

#[tokio::test]
async fn a_request_larger_than_the_budget_is_the_reason_a_view_does_not_fit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s1.jsonl");
    let request = "Please look at each of these shelves in turn. ".repeat(800);
    let records = [user(1, "Hello."), answer(2, "Hello."), user(3, &request)];
    std::fs::write(&path, lines(&records)).unwrap();
    let library = check_transcripts(&[path], 2_000).await;
    assert_eq!((library.n_views, library.n_over), (3, 3));
}

#[tokio::test]
async fn a_newest_batch_is_cut_to_its_least_before_a_view_does_not_fit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s1.jsonl");
    let mut records = vec![user(1, "Read all forty shelves.")];
    for n in 0..40 {
        let call =
            format!(r#"{{"type":"tool_use","id":"c{n}","name":"Read","input":{{"n":{n}}}}}"#);
        records.push(block(2 + n, "m1", &call));
    }
    for n in 0..40 {
        let body = format!("book {n} stands here. ").repeat(60);
        let content =
            format!(r#"[{{"type":"tool_result","tool_use_id":"c{n}","content":"{body}"}}]"#);
        records.push(record(50 + n, "user", &content));
    }
    std::fs::write(&path, lines(&records)).unwrap();
    let library = check_transcripts(std::slice::from_ref(&path), 8_000).await;
    assert_eq!((library.n_views, library.n_over), (3, 0));
    let library = check_transcripts(&[path], 2_000).await;
    assert_eq!((library.n_views, library.n_over), (3, 3));
}

#[tokio::test]
async fn every_sample_is_within_every_budget_and_found_again_below_its_summaries() {
    let test = "every_sample_is_within_every_budget_and_found_again_below_its_summaries";
    let Some(shared) = shared(test) else { return };
    let samples: Vec<PathBuf> = samples(&shared).into_iter().map(|one| one.path).collect();
    for budget in BUDGETS {
        let library = check_transcripts(&samples, budget).await;
        assert!(library.sessions.len() > 40, "{}", library.sessions.len());
        println!(
            "{budget} tokens: {} of {} views of {} sessions do not fit",
            library.n_over,
            library.n_views,
            library.sessions.len()
        );
    }
}
