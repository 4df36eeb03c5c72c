//! Notes that came before their conversation. Owns what becomes of them once it has begun.
//! May not begin one: a note alone is no talk.

use super::{Asked, Intake, Wording};
use crate::engine::EngineError;
use crate::import::ledger::Outcome;
use crate::import::resolve::Verdict;
use crate::import::target::Known;

impl Intake<'_, '_> {
    /// Gives held notes their rows once a conversation of the file has begun.
    pub(super) async fn release_held(&mut self, known: &mut Known) -> Result<(), EngineError> {
        if self.held.is_empty() || self.resolver.state.open.is_empty() {
            return Ok(());
        }
        let held = std::mem::take(&mut self.held);
        let keys: Vec<String> = held.iter().map(|(draft, _)| draft.key.clone()).collect();
        known.extend(self.target.find(&keys).await?);
        let current = self.resolver.state.session.clone();
        for (draft, record) in held {
            let wording = Wording::First;
            let mut asked = Asked {
                draft,
                record,
                wording,
            };
            match self.judge(&mut asked, known).await? {
                Verdict::Row(session) => self.push(asked, session),
                Verdict::Opening(session, forked_from) => {
                    self.open(&asked.draft, &session, forked_from);
                    self.push(asked, session);
                }
                Verdict::Duplicate(_, original) => {
                    let outcome = self.note_copy(&asked.draft, original.as_ref());
                    self.settle(record, outcome);
                }
                _ => self.settle(record, Outcome::Silent),
            }
        }
        self.resolver.state.session = current;
        Ok(())
    }
}
