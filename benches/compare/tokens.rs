//! Counting tokens: the estimate beside an exact count of the same texts. The corpus is made of syllables,
//! which no tokenizer has words for; how near the estimate comes is shown on real texts, by the tests.

use hippocamp::domain::estimate;

use crate::bench::{Bench, tell};
use crate::clock::{Moment, count};
use crate::series::Sample;

pub(crate) const TOKENS: &str = "tokens of a message";
pub(crate) const ESTIMATE: &str = "estimate";
pub(crate) const EXACT: &str = "o200k, exact";
/// Messages counted in a round, of the first conversations.
const MESSAGES: usize = 2_000;

/// A column, and what it counts by.
type Way<'a> = (&'static str, &'a dyn Fn(&str) -> u64);

/// Counts the same messages both ways.
pub(crate) fn tokens(bench: &mut Bench<'_>) {
    tell(TOKENS);
    let mut texts: Vec<String> = Vec::new();
    for (n, length) in bench.corpus.conversations() {
        let talk = bench.corpus.talk(bench.words, n, length);
        texts.extend(talk.into_iter().map(|said| said.text));
        if texts.len() >= MESSAGES {
            break;
        }
    }
    texts.truncate(MESSAGES);
    let exact = bpe_openai::o200k_base();
    // Its tables are made at the first use.
    exact.count("a");
    let estimated = |text: &str| estimate(text).get();
    let counted = |text: &str| u64::try_from(exact.count(text)).unwrap();
    let ways: [Way<'_>; 2] = [(ESTIMATE, &estimated), (EXACT, &counted)];
    let places = ways.map(|(column, _)| bench.begin(TOKENS, column));
    for _ in 0..bench.options.rounds {
        for (place, (_, tokens_of)) in places.iter().zip(ways) {
            let began = Moment::now();
            let sum = texts.iter().map(|text| tokens_of(text)).sum::<u64>();
            let passed = Moment::now().since(began);
            let sample = Sample {
                wall: passed.wall,
                cpu: passed.thread,
            };
            let series = &mut bench.findings.series[*place];
            series
                .rounds
                .push(vec![sample.per(count(u64::try_from(texts.len()).unwrap()))]);
            series.count += sum;
        }
    }
}
