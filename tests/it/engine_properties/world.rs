//! The world of one story: an engine, and what must be true of it.

use super::look::*;
use super::steer::Answered;
use super::story::*;
use std::collections::BTreeMap;
use std::sync::Arc;

use hippocamp::domain::{
    ExpandRequest, GrepRequest, ItemId, Message, MessageId, NewMessage, Part, Reach, Role, Seq,
    SessionKey, Sources, Tokens, ToolResults, Visibility,
};
use hippocamp::engine::{Engine, EngineError, LeafMode, ViewBudget};
use hippocamp::policy::limits::Limits;

use crate::bench::{Behaviour, Model};
use crate::support::{FakeClock, assert_clean, builder, key, window};

/// The world of one story: an engine and what must be true of it.
pub(super) struct World {
    pub(super) dir: tempfile::TempDir,
    pub(super) clock: Arc<FakeClock>,
    pub(super) model: Option<Arc<Model>>,
    pub(super) mode: LeafMode,
    pub(super) engine: Engine,
    pub(super) session: SessionKey,
    pub(super) n_calls: u32,
    /// How many results turns have cleared.
    pub(super) n_cleared: usize,
    pub(super) answered: Answered,
    /// Every row ever read, by id: it must never read otherwise.
    pub(super) seen: BTreeMap<MessageId, Message>,
    /// What was said on the current branch: role and parts.
    pub(super) expected: Vec<NewMessage>,
}

pub(super) const WINDOW: u64 = 3_000;

impl World {
    pub(super) fn open(
        dir: &std::path::Path,
        clock: &Arc<FakeClock>,
        model: Option<&Arc<Model>>,
        mode: LeafMode,
    ) -> Engine {
        let mut limits = Limits::default();
        limits.turn_leaf_millis = 40;
        limits.call_millis = 40;
        // So little that clears happen in so small a window.
        limits.clear_least = Tokens::new(60);
        let mut builder = builder(&dir.join("store.db"), Arc::clone(clock))
            .limits(limits)
            .window(window(WINDOW))
            .leaf_mode(mode);
        if let Some(model) = model {
            builder = builder.completer(Arc::clone(model) as Arc<_>);
        }
        builder.build().unwrap()
    }

    pub(super) fn new(has_model: bool, mode: LeafMode) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = FakeClock::new();
        let model = has_model.then(|| Model::behaving(Behaviour::Good));
        let engine = Self::open(dir.path(), &clock, model.as_ref(), mode);
        Self {
            dir,
            clock,
            model,
            mode,
            engine,
            session: key("story"),
            n_calls: 0,
            n_cleared: 0,
            answered: Answered::default(),
            seen: BTreeMap::new(),
            expected: Vec::new(),
        }
    }

    pub(super) async fn run(&mut self, step: &Step) {
        let window = window(WINDOW);
        match step {
            Step::Append(said) => {
                let batch = messages(said, &mut self.n_calls);
                self.expected.extend(batch.clone());
                self.engine.append(&self.session, batch).await.unwrap();
            }
            Step::Turn(said) => {
                let batch = messages(said, &mut self.n_calls);
                self.expected.extend(batch.clone());
                let report = self
                    .engine
                    .turn(&self.session, batch, window)
                    .await
                    .unwrap();
                self.n_cleared += report.compacted.n_cleared;
                check_view(&report.view);
            }
            Step::SyncExtend(said) => {
                let batch = messages(said, &mut self.n_calls);
                let mut list = self.listed().await;
                list.extend(
                    batch
                        .into_iter()
                        .filter(|row| row.visibility == Visibility::Talk),
                );
                self.sync(list).await;
            }
            Step::SyncEdit(keep, said) => {
                let batch = messages(said, &mut self.n_calls);
                let mut list = self.listed().await;
                list.truncate(list.len() * usize::from(*keep) / 100);
                list.extend(
                    batch
                        .into_iter()
                        .filter(|row| row.visibility == Visibility::Talk),
                );
                self.sync(list).await;
            }
            Step::SyncRewind(keep) => {
                let mut list = self.listed().await;
                // A prompt cut in its middle would be another prompt.
                let n_prompt = list
                    .iter()
                    .take_while(|row| row.role == Role::System)
                    .count();
                list.truncate((list.len() * usize::from(*keep) / 100).max(n_prompt).max(1));
                let before = self.rows().await;
                if !list.is_empty() {
                    self.engine.sync(&self.session, list, window).await.unwrap();
                    assert_eq!(
                        self.rows().await.len(),
                        before.len(),
                        "a rewound list changed rows"
                    );
                }
            }
            Step::Compact => self.ignore_unknown(self.engine.compact(&self.session).await),
            Step::Stage => self.ignore_unknown(self.engine.finish_stage(&self.session).await),
            Step::UntilUnder(budget) => {
                let outcome = self
                    .engine
                    .compact_until_under(&self.session, Tokens::new(*budget))
                    .await;
                if let Ok(report) = &outcome {
                    assert_eq!(report.fits, report.tokens_after <= Tokens::new(*budget));
                }
                self.ignore_unknown(outcome);
            }
            Step::Settle => self.engine.settle().await.unwrap(),
            Step::Fork(share) => {
                let rows = self.rows().await;
                if let Some(last) = rows.last() {
                    let at = (last.seq.get() * u64::from(*share) / 100).max(1);
                    let at = Seq::new(at).unwrap();
                    self.engine.fork(&self.session, at, None).await.unwrap();
                    self.expected.truncate(usize::try_from(at.get()).unwrap());
                }
            }
            Step::Restart => {
                let engine =
                    Self::open(self.dir.path(), &self.clock, self.model.as_ref(), self.mode);
                let old = std::mem::replace(&mut self.engine, engine);
                // Dropped without a shutdown, as a program that just ends.
                drop(old);
            }
            Step::Behave(behaviour) => {
                if let Some(model) = &self.model {
                    model.set(*behaviour);
                }
            }
            Step::Wait(millis) => self.clock.advance(*millis),
            Step::Pin(text) => self.pin(text).await,
            Step::Unpin(choice) => self.unpin(*choice).await,
            Step::Refused(refusal) => self.refused(*refusal).await,
            Step::Counted(thousandths) => self.counted(*thousandths).await,
        }
    }

    /// The host's list: the newest prompt, then the talk.
    pub(super) async fn listed(&self) -> Vec<NewMessage> {
        let rows = self.rows().await;
        let is_prompt = |row: &&Message| row.visibility == Visibility::Prompt;
        let newest = rows
            .iter()
            .rev()
            .skip_while(|row| !is_prompt(row))
            .take_while(is_prompt);
        let mut list: Vec<&Message> = newest.collect();
        list.reverse();
        list.extend(rows.iter().filter(|row| row.visibility == Visibility::Talk));
        list.into_iter()
            .map(|row| NewMessage::new(row.role, row.parts.clone()))
            .collect()
    }

    pub(super) async fn sync(&mut self, list: Vec<NewMessage>) {
        if list.is_empty() {
            return;
        }
        let report = self
            .engine
            .sync(&self.session, list.clone(), window(WINDOW))
            .await
            .unwrap();
        check_view(&report.view);
        // What a sync does to rows is the store's to say; every row of the list's talk must be
        // there at the end, in order.
        let rows = self.rows().await;
        let talk: Vec<&Vec<Part>> = rows
            .iter()
            .filter(|row| row.visibility == Visibility::Talk)
            .map(|row| &row.parts)
            .collect();
        let n_prompt = list
            .iter()
            .take_while(|row| row.role == Role::System)
            .count();
        let wanted: Vec<&Vec<Part>> = list[n_prompt..].iter().map(|row| &row.parts).collect();
        if report.appended.rows.is_empty() {
            return self.adopt(&rows);
        }
        assert!(
            talk.ends_with(&wanted) || wanted.is_empty(),
            "{talk:?}\n{wanted:?}"
        );
        self.adopt(&rows);
    }

    pub(super) fn adopt(&mut self, rows: &[Message]) {
        self.expected = rows
            .iter()
            .map(|row| {
                let mut message = NewMessage::new(row.role, row.parts.clone());
                message.visibility = row.visibility;
                message
            })
            .collect();
    }

    pub(super) fn ignore_unknown<T>(&self, outcome: Result<T, EngineError>) {
        match outcome {
            Ok(_) => {}
            Err(EngineError::UnknownSession { .. }) if self.expected.is_empty() => {}
            Err(error) => panic!("{error:?}"),
        }
    }

    /// Every row of the branch, by walking `expand` down from the view (I6).
    pub(super) async fn rows(&self) -> Vec<Message> {
        match self
            .engine
            .view(&self.session, ViewBudget::Of(Tokens::new(10_000_000)))
            .await
        {
            Err(EngineError::UnknownSession { .. }) => Vec::new(),
            Err(error) => panic!("{error:?}"),
            Ok(view) => walk(&self.engine, &self.session, &view).await,
        }
    }

    pub(super) async fn check(&mut self, is_dear: bool) {
        assert_clean(&self.engine.doctor().await.unwrap());
        if self.expected.is_empty() {
            return;
        }
        // Nothing may happen between the two views of I9.
        self.engine.settle().await.unwrap();
        for budget in [1, 60, 300, 1_500, WINDOW, 1_000_000] {
            let budget = ViewBudget::Of(Tokens::new(budget));
            let view = self.engine.view(&self.session, budget).await.unwrap();
            check_view(&view);
            let again = self.engine.view(&self.session, budget).await.unwrap();
            assert_eq!(view, again, "I9");
            self.check_pins(&view).await;
        }
        if is_dear {
            self.check_shrink().await;
            self.check_rows().await;
            self.check_search().await;
        }
    }

    /// I3, I6 and I11: the rows are what was said, once, and never read otherwise.
    pub(super) async fn check_rows(&mut self) {
        let rows = self.rows().await;
        for row in &rows {
            let known = self.seen.entry(row.id).or_insert_with(|| row.clone());
            assert_eq!(known, row, "I3");
        }
        let visible: Vec<_> = rows.iter().map(|row| (row.role, &row.parts)).collect();
        let wanted: Vec<_> = self
            .expected
            .iter()
            .map(|row| (row.role, &row.parts))
            .collect();
        assert_eq!(visible, wanted, "I6");
    }

    /// I8: what stands is smaller than what it stands for.
    pub(super) async fn check_shrink(&self) {
        for node in self.engine.tree(&self.session).await.unwrap() {
            let reply = self.expand(vec![ItemId::Summary(node.id)]).await;
            let below: Tokens = match &reply.0[0] {
                Sources::Children(children) => children.iter().map(|child| child.node.tokens).sum(),
                Sources::Messages(_) => reply.1.iter().map(|row| row.view_tokens).sum(),
            };
            assert!(
                node.tokens < below,
                "I8: {node:?} stands for {below} tokens"
            );
        }
    }

    pub(super) async fn expand(&self, ids: Vec<ItemId>) -> (Vec<Sources>, Vec<Message>) {
        let request = ExpandRequest::new(ids, Reach::Session(self.session.clone()))
            .tool_results(ToolResults::Include)
            .max_tokens(Tokens::new(10_000_000));
        let reply = self.engine.expand(&request).await.unwrap();
        assert!(reply.missing.is_empty() && reply.cursor.is_none());
        let sources = reply
            .summaries
            .into_iter()
            .map(|summary| summary.sources)
            .collect();
        (
            sources,
            reply.messages.into_iter().map(|row| row.message).collect(),
        )
    }

    /// I13: a word of what is stored is found.
    pub(super) async fn check_search(&self) {
        let said = self
            .expected
            .iter()
            .flat_map(|row| &row.parts)
            .filter_map(|part| match part {
                Part::Text { text } => Some(text),
                Part::ToolResult { content, .. } => Some(content),
                _ => None,
            });
        let words: Vec<&str> = said
            .filter_map(|text| text.split(' ').find(|word| word.len() > 2))
            .filter(|word| word.bytes().all(|byte| byte.is_ascii_lowercase()))
            .collect();
        for word in words.iter().rev().take(3) {
            let request = GrepRequest::new(*word, Reach::Session(self.session.clone()));
            let reply = self.engine.grep(&request).await.unwrap();
            assert!(
                reply.total > 0 && !reply.hits.is_empty(),
                "I13: {word} is not found"
            );
        }
    }
}
