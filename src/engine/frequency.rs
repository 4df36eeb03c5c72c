//! How rare a term is, from the index's counts of single tokens.
//! An estimate: a phrase is as rare as its rarest word, alternatives add up.

use std::collections::BTreeMap;

use super::gather::Gathered;
use crate::domain::IndexQuery;
use crate::policy::pattern::Pattern;
use crate::policy::rank::Stats;
use crate::store::{Reader, StoreError};

/// Reads what a score needs to know of all rows.
fn read_stats(reader: &Reader, pattern: &Pattern) -> Result<Stats, StoreError> {
    let queries: Vec<IndexQuery> = pattern
        .terms()
        .iter()
        .map(crate::policy::pattern::Term::index_query)
        .collect();
    let mut tokens = Vec::new();
    for query in &queries {
        collect(query, &mut tokens);
    }
    tokens.sort();
    tokens.dedup();
    let counts = reader.document_frequency(&tokens)?;
    let known: BTreeMap<String, u64> = tokens.into_iter().zip(counts).collect();
    let totals = reader.index_totals()?;
    Ok(Stats {
        n_rows: totals.rows,
        n_rows_with: queries
            .iter()
            .map(|query| fold(query, &known, totals.rows))
            .collect(),
        average_length: totals.average_tokens(),
    })
}

fn collect(query: &IndexQuery, tokens: &mut Vec<String>) {
    match query {
        IndexQuery::Token(token) => tokens.push(token.clone()),
        IndexQuery::Phrase(words) => tokens.extend(words.iter().cloned()),
        // The last word of a prefix is open: no token of its own.
        IndexQuery::Prefix(words) => {
            tokens.extend(words.iter().take(words.len().saturating_sub(1)).cloned());
        }
        IndexQuery::And(queries) | IndexQuery::Or(queries) => {
            for query in queries {
                collect(query, tokens);
            }
        }
        IndexQuery::Everything => {}
    }
}

fn fold(query: &IndexQuery, known: &BTreeMap<String, u64>, n_rows: u64) -> u64 {
    let count = |word: &String| known.get(word).copied().unwrap_or(0);
    match query {
        IndexQuery::Token(token) => count(token),
        IndexQuery::Phrase(words) => words.iter().map(count).min().unwrap_or(n_rows),
        IndexQuery::Prefix(words) => {
            let closed = words.len().saturating_sub(1);
            words.iter().take(closed).map(count).min().unwrap_or(n_rows)
        }
        IndexQuery::And(queries) => queries
            .iter()
            .map(|query| fold(query, known, n_rows))
            .min()
            .unwrap_or(n_rows),
        IndexQuery::Or(queries) => queries
            .iter()
            .map(|query| fold(query, known, n_rows))
            .fold(0, u64::saturating_add)
            .min(n_rows),
        IndexQuery::Everything => n_rows,
    }
}

/// Returns what the score needs to know of all rows; none for substrings, which have no rank. Where
/// some of the words are enough and every row was looked at, it is counted in these rows: a name
/// that is rare in the store may be in each row of a conversation.
pub(super) fn stats_of(
    reader: &Reader,
    scorer: &Pattern,
    found: &Gathered,
) -> Result<Option<Stats>, StoreError> {
    if scorer.is_fuzzy_only() {
        return Ok(None);
    }
    match found.scanned {
        Some(scanned) if scorer.is_relaxed() && scanned.n_rows > 0 => {
            let matches = found.taken.iter().map(|taken| &taken.matched);
            let average = wide(scanned.n_words) / wide(scanned.n_rows);
            Ok(Some(Stats::of_matches(scanned.n_rows, average, matches)))
        }
        _ => read_stats(reader, scorer).map(Some),
    }
}

fn wide(number: u64) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
