//! How far a view that was too long is made smaller. Pure: what failed in, a budget out.

use crate::domain::Tokens;
use crate::policy::limits::Limits;

/// Returns what the next view may hold after one of `failed` tokens was too long, `budget` being
/// what is allowed by all that is known now; none if enough was tried.
///
/// Where the budget explains the failure it is the answer. Where it does not, the error named no
/// count or a wrong one, and a good part of the view goes: less each time.
#[must_use]
pub fn shrink_to(failed: Tokens, budget: Tokens, n_tried: u32, limits: &Limits) -> Option<Tokens> {
    if n_tried >= limits.overflow_retries || failed <= Tokens::new(1) {
        return None;
    }
    let explains = budget <= failed.percent(EXPLAINS_PERCENT);
    let goal = if explains {
        budget
    } else {
        budget.min(failed.percent(limits.overflow_percent))
    };
    Some(goal.max(Tokens::new(1)))
}

/// A budget explains a failure if it is this much of the view or less, in percent.
const EXPLAINS_PERCENT: u64 = 95;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A mutant that keeps the budget where it explains nothing makes no progress and fails.
        #[test]
        fn each_attempt_is_smaller_and_within_the_budget(
            failed in 2_u64..1_000_000,
            budget in 1_u64..1_000_000,
        ) {
            let limits = Limits::default();
            let mut view = Tokens::new(failed);
            for n_tried in 0..limits.overflow_retries {
                let Some(goal) = shrink_to(view, Tokens::new(budget), n_tried, &limits) else {
                    prop_assert!(view <= Tokens::new(1));
                    return Ok(());
                };
                prop_assert!(goal < view && goal <= Tokens::new(budget) && goal > Tokens::ZERO);
                view = goal;
            }
            let more = shrink_to(view, Tokens::new(budget), limits.overflow_retries, &limits);
            prop_assert_eq!(more, None);
        }
    }

    #[test]
    fn named_counts_decide_where_they_explain_the_failure() {
        let limits = Limits::default();
        let goal = |failed, budget| {
            shrink_to(Tokens::new(failed), Tokens::new(budget), 0, &limits).map(Tokens::get)
        };
        assert_eq!(goal(10_000, 8_000), Some(8_000));
        assert_eq!(goal(10_000, 9_900), Some(7_500));
        assert_eq!(goal(10_000, 50_000), Some(7_500));
    }
}
