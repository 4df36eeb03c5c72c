//! The newest rows that match, by the index: no more of them are read than the page needs.
//! May not order them: `ranked` does.

use super::gather::{CANDIDATES, Count, Gathered, Question, take};
use crate::domain::SearchRow;
use crate::policy::pattern::{Matcher, Pattern, RULES_VERSION};
use crate::store::{Look, NewestBy, Reader, StoreError, Verdict, Wants};

/// Matches that are counted at most where only the newest are shown: what an answer holds at most.
const COUNTED: u64 = 200;

/// Collects the newest rows up to the index's mark, which is returned beside them. None where the
/// index cannot tell which they are.
pub(super) fn newest(
    reader: &Reader,
    (matcher, pattern): (&Matcher, &Pattern),
    question: &Question,
    look: &Look<'_>,
) -> Result<Option<(Gathered, i64)>, StoreError> {
    let wants = Wants {
        newest: question.start.newest,
        by: NewestBy::Time,
        enough: question.n_wanted().saturating_add(1),
        read_at_most: CANDIDATES.max(question.n_wanted()),
        count_at_most: pattern.is_told_by_index().then_some(COUNTED),
    };
    let mut gathered = Gathered {
        is_complete: true,
        ..Gathered::default()
    };
    let mut visit = |row: SearchRow| {
        if !question.wanted.is_wanted() {
            return Verdict::Stop;
        }
        let before = gathered.taken.len();
        take(row, matcher, question, &mut gathered);
        if gathered.taken.len() > before {
            Verdict::Match
        } else {
            Verdict::Other
        }
    };
    let query = pattern.index_query();
    let rows = (&question.filter, look);
    let walked = reader.newest_matches(RULES_VERSION, &query, rows, wants, &mut visit)?;
    // What is asked for may be in none of the rows that were read.
    let Some(walked) = walked.filter(|walked| !(walked.is_cut_short && pattern.is_loose())) else {
        return Ok(None);
    };
    gathered.damaged.extend(walked.damaged);
    gathered.counted = Some(if walked.total_capped {
        Count::AtLeast(walked.total)
    } else {
        Count::Exactly(walked.total)
    });
    Ok(Some((gathered, walked.mark)))
}
