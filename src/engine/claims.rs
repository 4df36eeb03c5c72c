//! Who may pay for a unit. Owns the claims of this engine's callers, and the lease that keeps the
//! engines of other processes out. May not ask a model.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::core::Core;
use super::error::EngineError;
use super::run_step::{LEVELS, Order};
use crate::domain::{LeaseRequest, Plan};
use crate::store::{LeaseOutcome, WriteOp, WriteReply};

/// A lease outlives its holder's calls by this much, so that a crash frees the unit soon.
const LEASE_MARGIN_MILLIS: u64 = 10_000;

/// The units that callers of this engine work on now.
#[derive(Default)]
pub(super) struct Claims {
    busy: Mutex<HashSet<String>>,
    freed: Notify,
}

/// A unit that is one caller's until this is dropped.
pub(super) struct Claim<'a> {
    claims: &'a Claims,
    unit: String,
    /// Whether the store says so too.
    is_leased: bool,
}

impl Claims {
    fn try_claim(&self, unit: &str) -> Option<Claim<'_>> {
        self.busy().insert(unit.to_owned()).then(|| Claim {
            claims: self,
            unit: unit.to_owned(),
            is_leased: false,
        })
    }

    async fn claim(&self, unit: &str) -> Claim<'_> {
        loop {
            // Listening begins before the look, so that no release falls between the two.
            let freed = self.freed.notified();
            if let Some(claim) = self.try_claim(unit) {
                return claim;
            }
            freed.await;
        }
    }

    /// A poisoned lock guards plain values here; they stay usable.
    fn busy(&self) -> MutexGuard<'_, HashSet<String>> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.claims.busy().remove(&self.unit);
        self.claims.freed.notify_waiters();
    }
}

impl Core {
    /// Takes a unit for one caller. A turn does not wait for another caller of this engine and
    /// gets none; who has no deadline waits, and learns by the lease what the other one left.
    pub(super) async fn claim(&self, plan: &Plan, order: Order<'_>) -> Option<Claim<'_>> {
        // Of two plans that begin at one place one is stale in the end, wherever they end.
        let (conversation, first) = (plan.conversation(), plan.span().first());
        let unit = format!("{conversation}/{first}/{}", plan.depth());
        match order.deadline {
            Some(_) => self.claims.try_claim(&unit),
            None => Some(self.claims.claim(&unit).await),
        }
    }

    /// Keeps other engines from a claimed unit while its calls last, if its plan still holds.
    pub(super) async fn lease(
        &self,
        claim: &mut Claim<'_>,
        plan: &Plan,
        order: Order<'_>,
    ) -> Result<LeaseOutcome, EngineError> {
        let now = self.clock.now();
        let calls: u64 = match order.deadline {
            Some(_) => self.limits.turn_leaf_millis,
            None => LEVELS
                .iter()
                .fold(0_u64, |sum, _| sum.saturating_add(self.limits.call_millis)),
        };
        let lease = i64::try_from(calls.saturating_add(LEASE_MARGIN_MILLIS)).unwrap_or(i64::MAX);
        let request = LeaseRequest {
            unit: claim.unit.clone(),
            plan: plan.clone(),
            holder: self.holder.clone(),
            now,
            until: now.plus_millis(lease),
        };
        match self.db.write(WriteOp::Lease(request)).await? {
            WriteReply::Lease(outcome) => {
                claim.is_leased = outcome == LeaseOutcome::Granted;
                Ok(outcome)
            }
            _ => Err(EngineError::unexpected_reply()),
        }
    }

    /// Gives a unit back to all.
    pub(super) async fn release(&self, claim: Claim<'_>) {
        if !claim.is_leased {
            return;
        }
        let op = WriteOp::ReleaseLease {
            unit: claim.unit.clone(),
            holder: self.holder.clone(),
        };
        if let Err(error) = self.db.write(op).await {
            // The unit is done with; its lease runs out by itself.
            tracing::warn!(%error, "a lease could not be given back");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_unit_is_one_callers_until_it_is_given_back() {
        let claims = Claims::default();
        let first = claims.try_claim("1/1/0");
        assert!(first.is_some());
        assert!(claims.try_claim("1/1/0").is_none());
        assert!(claims.try_claim("1/5/0").is_some(), "another unit");
        let wait = claims.claim("1/1/0");
        let release = async {
            tokio::task::yield_now().await;
            drop(first);
        };
        let (second, ()) = tokio::join!(wait, release);
        assert!(claims.try_claim("1/1/0").is_none());
        drop(second);
        assert!(claims.try_claim("1/1/0").is_some());
    }
}
