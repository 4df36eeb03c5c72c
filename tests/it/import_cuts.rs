//! A transcript that is read while it grows: cut at any byte, then completed, it is the whole.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use hippocamp::import::{Counts, ImportAccount};

use crate::children::{Random, number};
use crate::import_support::{Home, answer, block, lines, record, samples, user};
use crate::shared::shared;
use crate::support::assert_clean;

/// Cuts of each transcript.
const N_CUTS: usize = 50;

/// One cut in so many has its store looked over by `doctor`.
const DOCTOR_EVERY: usize = 10;

/// A transcript, where it is cut, and what its import in one piece stores.
pub(crate) struct Transcript {
    name: String,
    bytes: Vec<u8>,
    cuts: Vec<usize>,
    whole: OnceLock<(Vec<String>, [u64; 5])>,
}

/// What imports of one file say they stored, together. Notes before their conversation are counted
/// at each reading, so they are left out.
fn sums(accounts: &[ImportAccount]) -> [u64; 5] {
    let sum = |count: fn(&Counts) -> u64| accounts.iter().map(|one| count(&one.totals)).sum();
    [
        sum(|totals| totals.stored),
        sum(|totals| totals.messages),
        sum(|totals| totals.output_tokens),
        sum(|totals| totals.duplicate),
        sum(|totals| totals.refused),
    ]
}

impl Transcript {
    pub(crate) fn new(name: &str, bytes: Vec<u8>, n_cuts: usize, random: &mut Random) -> Self {
        let n_places = bytes.len() as u64 + 1;
        let cut = |_| usize::try_from(random.below(n_places)).unwrap();
        Self {
            name: name.to_owned(),
            cuts: (0..n_cuts).map(cut).collect(),
            bytes,
            whole: OnceLock::new(),
        }
    }

    fn check(&self, cut_idx: usize) {
        let (name, cut) = (&self.name, self.cuts[cut_idx]);
        let (whole, whole_sums) = self.whole.get_or_init(|| {
            let home = Home::new();
            let account = home.take(name, &self.bytes);
            (home.picture(), sums(&[account]))
        });
        let home = Home::new();
        let accounts = [&self.bytes[..cut], &self.bytes].map(|bytes| home.take(name, bytes));
        assert_eq!(sums(&accounts), *whole_sums, "{name} cut at {cut}");
        let halves = home.picture();
        if let Some(at) =
            (0..whole.len().max(halves.len())).find(|&n| halves.get(n) != whole.get(n))
        {
            let (found, wanted) = (halves.get(at), whole.get(at));
            panic!("{name} cut at {cut}, row {at}:\n{found:?}\n{wanted:?}");
        }
        if cut_idx.is_multiple_of(DOCTOR_EVERY) {
            assert_clean(&home.runtime.block_on(home.engine.doctor()).unwrap());
        }
    }
}

/// Begins the numbers of the cuts and says from which seed, so that a failure can be repeated.
pub(crate) fn random() -> Random {
    let seed = number("HIPPOCAMP_SEED", number("PROPTEST_RNG_SEED", 20_260_102));
    println!("HIPPOCAMP_SEED={seed}");
    Random(seed)
}

/// Checks every cut of every transcript, on all processors.
pub(crate) fn check_cuts(transcripts: &[Transcript]) {
    let all: Vec<(&Transcript, usize)> = transcripts
        .iter()
        .flat_map(|one| (0..one.cuts.len()).map(move |cut_idx| (one, cut_idx)))
        .collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((transcript, cut_idx)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            transcript.check(*cut_idx);
        }
    };
    std::thread::scope(|scope| {
        let n_threads = std::thread::available_parallelism().unwrap().get();
        let workers: Vec<_> = (0..n_threads).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            if let Err(panic) = worker.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
}

#[test]
fn a_file_cut_anywhere_and_completed_is_the_whole() {
    let call = r#"{"type":"tool_use","id":"c1","name":"Read","input":{"path":"tides.txt"}}"#;
    let result = r#"[{"type":"tool_result","tool_use_id":"c1","content":"high at six"}]"#;
    let text = lines(&[
        user(1, "one"),
        block(2, "m1", r#"{"type":"text","text":"two é 中"}"#),
        block(3, "m1", call),
        record(4, "user", result),
        user(5, "one"),
        answer(6, "four"),
    ]);
    check_cuts(&[Transcript::new(
        "s1.jsonl",
        text.into(),
        N_CUTS,
        &mut random(),
    )]);
}

#[test]
fn every_sample_cut_anywhere_and_completed_is_the_whole() {
    let test = "every_sample_cut_anywhere_and_completed_is_the_whole";
    let Some(shared) = shared(test) else { return };
    let mut random = random();
    let mut transcripts = Vec::new();
    for sample in samples(&shared) {
        // Where a file lies says whether it is a sub-agent's.
        let name = sample.path.strip_prefix(&shared).unwrap();
        let bytes = std::fs::read(&sample.path).unwrap();
        transcripts.push(Transcript::new(
            name.to_str().unwrap(),
            bytes,
            N_CUTS,
            &mut random,
        ));
    }
    // The largest first, so that no processor is left alone with one.
    transcripts.sort_by_key(|one| std::cmp::Reverse(one.bytes.len()));
    check_cuts(&transcripts);
}
