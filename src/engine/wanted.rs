//! Whether somebody still waits for an answer. Owns that work on a thread that cannot be dropped
//! learns when its caller was.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The wish for an answer, as those who work on it see it.
#[derive(Debug, Clone)]
pub(super) struct Wanted(Arc<AtomicBool>);

/// The wish as its caller holds it: with this it ends.
#[derive(Debug)]
pub(super) struct Wish(Arc<AtomicBool>);

impl Wish {
    pub(super) fn new() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    /// Returns what the work asks.
    pub(super) fn wanted(&self) -> Wanted {
        Wanted(Arc::clone(&self.0))
    }
}

impl Drop for Wish {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl Wanted {
    /// Says whether the answer is still waited for.
    pub(super) fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Answers, NewMessage, RowFilter, Scope, SearchScope, SessionKey, Sort};
    use crate::engine::Engine;
    use crate::engine::gather::{Question, Start, gather};
    use crate::policy::pattern::parse;

    const ROWS: usize = 200;

    /// How many rows a search takes and looks at, with a wish that has ended or not.
    async fn taken(engine: &Engine, pattern: &str, wanted: Wanted) -> (usize, u64) {
        let pattern = parse(pattern).unwrap();
        let searched = engine.core.db.read(move |reader| {
            let question = Question {
                filter: RowFilter {
                    scope: Scope::All,
                    kinds: SearchScope::Both,
                    role: None,
                    time: crate::domain::TimeRange::default(),
                    answers: Answers::Unnamed,
                },
                branch: None,
                limit: 10,
                start: Start {
                    offset: 0,
                    newest: i64::MAX,
                },
                sort: Sort::Relevance,
                wanted,
            };
            let gathered = gather(reader, &pattern, &question)?;
            let n_rows = gathered.scanned.map_or(0, |scanned| scanned.n_rows);
            Ok((gathered.taken.len(), n_rows))
        });
        searched.await.unwrap()
    }

    #[tokio::test]
    async fn a_search_that_nobody_waits_for_stops_at_the_next_row() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::builder(folder.path().join("x.db")).build().unwrap();
        let key = SessionKey::new("main").unwrap();
        let rows = (0..ROWS).map(|number| NewMessage::user(format!("alpha {number}")));
        engine.append(&key, rows.collect()).await.unwrap();
        for pattern in ["%lph%", "/alph./", "role:user /alph./", "role:user"] {
            let wish = Wish::new();
            let (n_taken, _) = taken(&engine, pattern, wish.wanted()).await;
            assert!(n_taken > 10, "{pattern}: {n_taken}");
            let wanted = wish.wanted();
            drop(wish);
            assert_eq!(taken(&engine, pattern, wanted).await, (0, 0), "{pattern}");
        }
        engine.shutdown().await.unwrap();
    }
}
