//! No rule is written for a benchmark's wording: four words in a row of the sentences that
//! compactors are measured with stand nowhere in the source.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::words::TONGUES;

/// Words of a run.
const RUN: usize = 4;

/// Letters of a word that is not of everyday grammar alone; a run has two: `at the end of` is
/// nobody's wording.
const LONG: usize = 4;

/// The files of the kits that hold sentences, under their packages' folder.
const SENTENCE_FILES: [&str; 7] = [
    "compaction_kit/generated.py",
    "compaction_kit/session.py",
    "compaction_kit/canaries.py",
    "compaction_kit/corpus.py",
    "compaction_kit/semantic_corpus.py",
    "compaction_kit/compactors.py",
    "conpact/constraints.py",
];

/// Returns the runs of a text; punctuation that parts texts parts runs.
fn runs(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| "|\"{}()[];<>=/\\_".contains(c));
    parts
        .flat_map(|part| {
            let words: Vec<String> = part
                .split(|c: char| !(c.is_alphanumeric() || c == '\''))
                .filter(|word| !word.is_empty())
                .map(str::to_lowercase)
                .collect();
            let is_telling = |word: &String| word.chars().count() >= LONG;
            let runs = words
                .windows(RUN)
                .filter(|run| run.iter().filter(|word| is_telling(word)).count() > 1)
                .map(|run| run.join(" "));
            runs.collect::<Vec<_>>()
        })
        .collect()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the runs of all lines in `src`, each with a file that has it.
fn runs_of_source() -> BTreeMap<String, PathBuf> {
    let mut paths = Vec::new();
    files(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut paths,
    );
    assert!(paths.len() > 100, "only {} files", paths.len());
    let mut found = BTreeMap::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        for run in text.lines().flat_map(runs) {
            found.insert(run, path.clone());
        }
    }
    found
}

#[track_caller]
fn check_absent<'t>(sentences: impl Iterator<Item = &'t str>) {
    let source = runs_of_source();
    let mut n_runs = 0;
    let mut known = Vec::new();
    for run in sentences.flat_map(runs) {
        n_runs += 1;
        if let Some(path) = source.get(&run) {
            known.push(format!("`{run}` in {}", path.display()));
        }
    }
    assert!(n_runs > 100, "only {n_runs} runs");
    assert!(known.is_empty(), "{known:#?}");
}

#[test]
fn no_run_of_our_own_sentences_is_in_the_source() {
    let facts = TONGUES.iter().flat_map(|tongue| {
        let said = tongue.facts.iter().flat_map(|fact| fact.said);
        said.chain(tongue.chatter.iter().copied())
    });
    check_absent(facts);
}

/// Returns where the kits' packages lie: in `$HIPPOCAMP_KITS`, or in the environment that the gate
/// makes.
fn kits() -> Option<PathBuf> {
    let environment = std::env::var_os("HIPPOCAMP_KITS").map(PathBuf::from)?;
    let versions = std::fs::read_dir(environment.join("lib")).ok()?;
    versions
        .filter_map(Result::ok)
        .map(|version| version.path().join("site-packages"))
        .find(|packages| packages.join("compaction_kit").is_dir())
}

/// Returns the quoted texts of Python source that are sentences; not its documentation.
fn quoted(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (nth, code) in source.split("\"\"\"").enumerate() {
        if nth % 2 == 0 {
            // What answers are judged by is no sentence that is put into a talk.
            let asked = ["probe", "correct_answer", "incorrect_answer"];
            let is_asked = |line: &&str| {
                asked
                    .iter()
                    .any(|key| line.contains(&format!("\"{key}\":")))
            };
            for line in code.lines().filter(|line| !is_asked(line)) {
                found.extend(line.split('"').skip(1).step_by(2).map(str::to_owned));
            }
        }
    }
    found
}

#[test]
fn no_run_of_the_kits_sentences_is_in_the_source() {
    let Some(packages) = kits() else {
        let line = "SKIPPED kits: HIPPOCAMP_KITS names no environment with compaction_kit\n";
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        return;
    };
    let sentences: Vec<String> = SENTENCE_FILES
        .iter()
        .flat_map(|name| quoted(&std::fs::read_to_string(packages.join(name)).unwrap()))
        .collect();
    check_absent(sentences.iter().map(String::as_str));
}

#[test]
fn a_run_is_found_whatever_its_punctuation() {
    assert_eq!(
        runs("Keep it, \"as it is\", now and then."),
        ["now and then"; 0]
    );
    assert_eq!(runs("never|do not|at all"), ["x"; 0]);
    assert_eq!(runs("Never let boats, go"), ["never let boats go"]);
    assert_eq!(runs("At the end of a day"), ["x"; 0]);
}
