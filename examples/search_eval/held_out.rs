//! Weights chosen without the conversation that is scored.
//!
//! For each conversation a walk over the weights, one at a time, begins at plain values and goes
//! where the other conversations are answered best; what it ends at is measured on the
//! conversation left out.

use std::collections::BTreeSet;

use hippocamp::domain::{ConversationId, ItemId, MessageId, SearchRow, Seq, Span, Visibility};
use hippocamp::policy::pattern::{Match, Matcher, RowText, parse};
use hippocamp::policy::rank::{Entry, Question, REACH, Stats, Weights, ranks};

use crate::data::{Query, Talk};
use crate::line;
use crate::score::{Measures, mean, measure};

/// A question with all that can be ranked for it.
struct Prepared<'talk> {
    talk: &'talk Talk,
    query: &'talk Query,
    question: Question,
    stats: Stats,
    /// Rows with what they have of the pattern, newest first.
    rows: Vec<(usize, Match)>,
}

/// One weight and the values tried for it.
struct Step {
    name: &'static str,
    values: &'static [f64],
    at: fn(&mut Weights) -> &mut f64,
}

const STEPS: &[Step] = &[
    Step {
        name: "before",
        values: &[0.3, 0.4, 0.5, 0.6, 0.7],
        at: |w| &mut w.before[0],
    },
    Step {
        name: "before 2",
        values: &[0.1, 0.2, 0.3, 0.4],
        at: |w| &mut w.before[1],
    },
    Step {
        name: "answer",
        values: &[0.0, 0.3, 0.5],
        at: |w| &mut w.answer,
    },
    Step {
        name: "after",
        values: &[0.2, 0.3, 0.4, 0.5],
        at: |w| &mut w.after[0],
    },
    Step {
        name: "after 2",
        values: &[0.1, 0.2, 0.3, 0.4],
        at: |w| &mut w.after[1],
    },
    Step {
        name: "repeats",
        values: &[0.4, 0.6, 0.8, 1.2],
        at: |w| &mut w.repeats,
    },
    Step {
        name: "length",
        values: &[0.15, 0.3, 0.45, 0.75],
        at: |w| &mut w.length,
    },
    Step {
        name: "optional",
        values: &[0.05, 0.1, 0.2],
        at: |w| &mut w.optional,
    },
    Step {
        name: "coverage",
        values: &[0.0, 0.25, 0.5, 1.0],
        at: |w| &mut w.coverage,
    },
    Step {
        name: "speaker",
        values: &[0.5, 1.0],
        at: |w| &mut w.speaker,
    },
    Step {
        name: "named speaker",
        values: &[1.0, 1.2, 1.35, 1.5],
        at: |w| &mut w.named_speaker,
    },
    Step {
        name: "date",
        values: &[0.5, 1.0, 1.5, 2.0],
        at: |w| &mut w.date,
    },
    Step {
        name: "sitting",
        values: &[0.1, 0.3, 0.5, 0.8],
        at: |w| &mut w.sitting,
    },
    Step {
        name: "sitting repeats",
        values: &[1.2, 3.0, 5.0],
        at: |w| &mut w.sitting_repeats,
    },
    Step {
        name: "sitting length",
        values: &[0.0, 0.3, 0.6],
        at: |w| &mut w.sitting_length,
    },
    Step {
        name: "time",
        values: &[1.0, 1.2, 1.4],
        at: |w| &mut w.time,
    },
    Step {
        name: "first person",
        values: &[1.0, 1.15, 1.3, 1.5],
        at: |w| &mut w.first_person,
    },
    Step {
        name: "question",
        values: &[0.6, 0.7, 0.8, 0.9],
        at: |w| &mut w.question,
    },
];

/// Passes over all weights at most.
const PASSES: usize = 2;

/// Prints what weights chosen without a conversation give on it, and the mean over all questions.
pub(crate) fn report(talks: &[Talk]) {
    let prepared: Vec<Vec<Prepared<'_>>> = talks.iter().map(prepare).collect();
    let all: Vec<&Prepared<'_>> = prepared.iter().flatten().collect();
    say(&line(
        "  chosen",
        all.len(),
        &mean(&answer(&all, &Weights::CHOSEN)),
    ));
    say(&line("  plain", all.len(), &mean(&answer(&all, &plain()))));
    let mut held_out: Vec<Measures> = Vec::new();
    for (left_out, talk) in talks.iter().enumerate() {
        let others: Vec<&Prepared<'_>> = prepared
            .iter()
            .enumerate()
            .filter(|(idx, _)| *idx != left_out)
            .flat_map(|(_, queries)| queries)
            .collect();
        let weights = walk(&others);
        let own: Vec<&Prepared<'_>> = prepared.iter().skip(left_out).take(1).flatten().collect();
        let measures = answer(&own, &weights);
        say(&line(
            &format!("  without {}", talk.name),
            own.len(),
            &mean(&measures),
        ));
        let mut shown = weights;
        let values = STEPS
            .iter()
            .map(|step| format!("{} {}", step.name, (step.at)(&mut shown)));
        say(&format!("    {}", values.collect::<Vec<_>>().join(", ")));
        held_out.extend(measures);
    }
    say(&line("  held out", held_out.len(), &mean(&held_out)));
}

#[expect(clippy::print_stdout, reason = "the table is what it is for")]
fn say(line: &str) {
    println!("{line}");
}

/// BM25 alone, as everybody has it.
fn plain() -> Weights {
    let mut weights = Weights::CHOSEN;
    weights.repeats = 1.2;
    weights.length = 0.75;
    weights.before = [0.0; 2];
    weights.answer = 0.0;
    weights.after = [0.0; 2];
    weights.coverage = 0.0;
    weights.speaker = 1.0;
    weights.named_speaker = 1.0;
    weights.date = 1.0;
    weights.sitting = 0.0;
    weights.sitting_length = 0.0;
    weights.question = 1.0;
    weights.time = 1.0;
    weights
}

/// Walks over all sets from the chosen weights on and prints what it ends at.
pub(crate) fn tune(sets: &[Vec<Talk>]) {
    let prepared: Vec<Vec<Prepared<'_>>> = sets
        .iter()
        .map(|talks| talks.iter().flat_map(prepare).collect())
        .collect();
    let groups: Vec<Vec<&Prepared<'_>>> = prepared
        .iter()
        .map(|queries| queries.iter().collect())
        .collect();
    let show = |weights: &Weights| {
        for queries in &groups {
            say(&line(
                "  tuned",
                queries.len(),
                &mean(&answer(queries, weights)),
            ));
        }
        let mut shown = *weights;
        let values = STEPS
            .iter()
            .map(|step| format!("{} {}", step.name, (step.at)(&mut shown)));
        say(&format!("    {}", values.collect::<Vec<_>>().join(", ")));
    };
    show(&Weights::CHOSEN);
    // Small sets guard: they may not fall below what is asked of them, and do not lead.
    let all = |weights: &Weights| {
        let mut sum = 0.0;
        for (idx, queries) in groups.iter().enumerate() {
            let mean = mean(&answer(queries, weights));
            sum += match idx {
                0 => goal(queries, weights) + 2.0 * (mean.session_hit - 0.757).min(0.0),
                1 => 0.1 * mean.any_5 + (mean.any_5 - 0.97).min(0.0),
                _ => 0.1 * mean.recall[1] + (mean.recall[1] - 0.93).min(0.0),
            };
        }
        sum
    };
    show(&climb(Weights::CHOSEN, &all));
}

fn walk(queries: &[&Prepared<'_>]) -> Weights {
    climb(plain(), &|weights| goal(queries, weights))
}

/// Goes up one weight at a time, as long as a pass finds something better.
fn climb(from: Weights, goal: &dyn Fn(&Weights) -> f64) -> Weights {
    let mut best = from;
    let mut best_goal = goal(&best);
    for _ in 0..PASSES {
        let before = best_goal;
        for step in STEPS {
            for value in step.values {
                let mut tried = best;
                *(step.at)(&mut tried) = *value;
                let reached = goal(&tried);
                if reached > best_goal {
                    (best, best_goal) = (tried, reached);
                }
            }
        }
        if best_goal <= before {
            break;
        }
    }
    best
}

/// What the walk goes up on.
fn goal(queries: &[&Prepared<'_>], weights: &Weights) -> f64 {
    let mean = mean(&answer(queries, weights));
    let [r5, r10, r20, _] = mean.recall;
    r5 + r10 + r20 + mean.reciprocal + f64::midpoint(mean.session_hit, mean.session_order)
}

fn answer(queries: &[&Prepared<'_>], weights: &Weights) -> Vec<Measures> {
    queries.iter().map(|query| query.answer(weights)).collect()
}

impl Prepared<'_> {
    fn answer(&self, weights: &Weights) -> Measures {
        let entries: Vec<Entry<'_>> = self
            .rows
            .iter()
            .filter_map(|(idx, found)| {
                let doc = self.talk.docs.get(*idx)?;
                Some(Entry {
                    place: Some((ConversationId::new(1), seq(*idx))),
                    at: doc.at,
                    role: Some(doc.role),
                    found,
                })
            })
            .collect();
        let ranks = ranks(&entries, &self.stats, self.question, weights);
        let mut order: Vec<(f64, usize)> = ranks
            .into_iter()
            .zip(self.rows.iter().map(|(idx, _)| *idx))
            .collect();
        order.sort_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)));
        let ranked: Vec<&str> = order
            .iter()
            .take(200)
            .filter_map(|(_, idx)| Some(self.talk.docs.get(*idx)?.id.as_str()))
            .collect();
        measure(self.talk, self.query, &ranked)
    }
}

fn prepare(talk: &Talk) -> Vec<Prepared<'_>> {
    let rows: Vec<SearchRow> = talk.docs.iter().enumerate().map(row).collect();
    let texts: Vec<RowText<'_>> = rows.iter().map(RowText::of).collect();
    let n_words: usize = texts.iter().map(RowText::length).sum();
    let queries = talk.queries.iter();
    queries
        .map(|query| {
            let mut prepared = Prepared {
                talk,
                query,
                question: Question::Other,
                stats: Stats::of_matches(0, 0.0, []),
                rows: Vec::new(),
            };
            let Ok(pattern) = parse(&query.text) else {
                return prepared;
            };
            prepared.question = Question::of(&pattern);
            let pattern = pattern.relaxed().unwrap_or(pattern);
            let matcher = Matcher::new(&pattern);
            for (idx, text) in texts.iter().enumerate() {
                if let Some(mut found) = matcher.matches(text) {
                    found.positions = Vec::new();
                    prepared.rows.push((idx, found));
                }
            }
            let all_found = prepared.rows.iter().map(|(_, found)| found);
            let average = real(n_words) / real(rows.len().max(1));
            prepared.stats = Stats::of_matches(rows.len() as u64, average, all_found);
            if pattern.is_relaxed() {
                let known: BTreeSet<usize> = prepared.rows.iter().map(|(idx, _)| *idx).collect();
                let reach = usize::try_from(REACH).unwrap_or_default();
                let is_beside = |idx: &usize| {
                    let near = idx.saturating_sub(reach)..=idx.saturating_add(reach);
                    known.range(near).next().is_some()
                };
                let besides = (0..rows.len()).filter(|idx| !known.contains(idx) && is_beside(idx));
                for idx in besides {
                    prepared
                        .rows
                        .extend(texts.get(idx).map(|text| (idx, matcher.nothing_of(text))));
                }
            }
            prepared
        })
        .collect()
}

fn row((idx, doc): (usize, &crate::data::Doc)) -> SearchRow {
    let message = doc.message();
    SearchRow {
        id: ItemId::Message(MessageId::new(i64::try_from(idx + 1).unwrap_or(i64::MAX))),
        conversation: ConversationId::new(1),
        span: Span::single(seq(idx)),
        role: Some(doc.role),
        visibility: Visibility::Talk,
        depth: None,
        from: doc.at,
        to: doc.at,
        name: message.name,
        model: None,
        answers: Vec::new(),
        parts: message.parts,
    }
}

fn seq(idx: usize) -> Seq {
    Seq::new(idx as u64 + 1).unwrap_or(Seq::FIRST)
}

fn real(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}
