//! The weights of the score. Owns every number that orders rows, once, with its reason.
//! May not hold one that was chosen for a single set of data.

/// The first words of a message, which those beside it are given. More made long answers pull
/// up whatever stands beside them.
pub const EARLY_WORDS: usize = 60;

/// How far a word reaches, in messages.
pub const REACH: i64 = 2;

/// The most words of a message that only asks. A longer one tells something before it asks.
pub(super) const SHORT_QUESTION_WORDS: usize = 40;

/// Matches of one conversation within this time of one another belong to one sitting: people come
/// back after meals and nights, and pauses within work are shorter.
pub(super) const SITTING_MILLIS: i64 = 60 * 60 * 1_000;

/// What a score is made of.
///
/// [`Weights::CHOSEN`] was found by walking along one weight at a time over the sets of
/// `examples/search_eval`; run it with `--held-out` to see what weights chosen without a
/// conversation give on that conversation.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Weights {
    /// How slowly repeats of a word stop counting (BM25's k1). Messages are short, so less than
    /// the usual 1.2.
    pub repeats: f64,
    /// How much a long row is held against it (BM25's b), much less than the usual 0.75: in
    /// talk the long messages are those that tell something.
    pub length: f64,
    /// What a message is given of a word one and two messages before it. The answer is often one
    /// message after the word, and a question is followed by its answer.
    pub before: [f64; 2],
    /// What is added to the first of these where the message before asks: what follows a question
    /// is its answer.
    pub answer: f64,
    /// What it is given of a word one and two messages after it.
    pub after: [f64; 2],
    /// What a stop word beside other words counts.
    pub optional: f64,
    /// How much a row falls behind for the words it lacks: their share, weighed by rarity, to this
    /// power. Less than one, since rare words weigh more as it is.
    pub coverage: f64,
    /// For how many places in the text the speaker's name counts.
    pub speaker: f64,
    /// By what factor a row comes first whose speaker the pattern names: what someone said is
    /// asked for more often than what was said about them.
    pub named_speaker: f64,
    /// For how many places in the text a word of the date counts.
    pub date: f64,
    /// How much the sitting's own score counts for each of its rows: what belongs together was
    /// said together.
    pub sitting: f64,
    /// How slowly repeats of a word stop counting within a sitting.
    pub sitting_repeats: f64,
    /// How much a long sitting is held against it: it has more of any words.
    pub sitting_length: f64,
    /// By what factor a message falls behind that only asks: it has the words of a question and
    /// seldom its answer.
    pub question: f64,
    /// By what factor a row falls behind that a host put in: commands and their output repeat the
    /// words of the talk and are seldom what is looked for.
    pub note: f64,
    /// By what factor a row comes first that names a time where the pattern asks when.
    pub time: f64,
    /// By what factor a user's own words come first where the pattern is in the first person.
    pub first_person: f64,
    /// How much whole written forms (`c++`) lift a row where they are all that is asked for: more
    /// than repeats and length can make up for.
    pub whole_forms: f64,
}

impl Weights {
    /// The one default for all data.
    pub const CHOSEN: Self = Self {
        repeats: 0.6,
        length: 0.15,
        before: [0.4, 0.4],
        answer: 0.5,
        after: [0.4, 0.3],
        optional: 0.2,
        coverage: 0.25,
        speaker: 1.0,
        named_speaker: 1.35,
        date: 2.0,
        sitting: 0.3,
        sitting_repeats: 5.0,
        sitting_length: 0.6,
        question: 0.6,
        note: 0.25,
        time: 1.2,
        first_person: 1.5,
        whole_forms: 4.0,
    };
}

impl Default for Weights {
    fn default() -> Self {
        Self::CHOSEN
    }
}
