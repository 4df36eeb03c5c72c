//! How rare a term is, from the index's counts of single tokens.
//! An estimate: a phrase is as rare as its rarest word, alternatives add up.

use std::collections::BTreeMap;

use crate::domain::IndexQuery;
use crate::policy::pattern::Pattern;
use crate::policy::rank::Stats;
use crate::store::{Reader, StoreError};

/// Reads what a score needs to know of all rows.
pub(super) fn read_stats(reader: &Reader, pattern: &Pattern) -> Result<Stats, StoreError> {
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
