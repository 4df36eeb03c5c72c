//! The estimate of tokens beside an exact count by a tokenizer of 200,000 words (o200k).

use std::fs;
use std::path::{Path, PathBuf};

use bpe_openai::o200k_base;
use hippocamp::domain::estimate;

use crate::shared::shared;

/// Checks that the estimate of all texts together is off by at most `most` percent.
#[track_caller]
fn check_sum(what: &str, texts: impl IntoIterator<Item = String>, most: f64) {
    let (mut exact, mut estimated) = (0, 0);
    for text in texts {
        exact += o200k_base().count(&text);
        estimated += usize::try_from(estimate(&text).get()).unwrap();
    }
    assert!(exact > 1_000, "{what}: {exact} tokens show nothing");
    let ratio =
        f64::from(u32::try_from(estimated).unwrap()) / f64::from(u32::try_from(exact).unwrap());
    let off = 100.0 * (ratio - 1.0);
    assert!(
        off.abs() <= most,
        "{what}: {estimated} for {exact}, {off:+.1} %"
    );
}

/// Returns the texts of the files below a folder whose names end so.
fn texts_of(folder: &Path, end: &str) -> Vec<String> {
    let mut folders = vec![folder.to_owned()];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(end) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok())
        .collect()
}

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Splitmix64.
fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*seed ^ (*seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Returns 200 texts that a function makes of random numbers.
fn drawn(make: impl Fn(&mut u64) -> String) -> Vec<String> {
    let mut seed = 20_261_130;
    (0..200).map(|_| make(&mut seed)).collect()
}

/// Returns the labelled sentences of some languages.
fn sentences(languages: &[&str]) -> Vec<String> {
    let all = fs::read_to_string(project().join("tests/data/constraints.tsv")).unwrap();
    let lines = all.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| {
            let mut columns = line.split('\t');
            let language = columns.next()?;
            let sentence = columns.nth(1)?;
            languages.contains(&language).then(|| sentence.to_owned())
        })
        .collect()
}

#[test]
fn programs_and_data_are_close() {
    check_sum("Rust", texts_of(&project().join("src"), ".rs"), 5.0);
    check_sum("Python", texts_of(&project().join("benches"), ".py"), 5.0);
    // Its words are capitals, which are dearer elsewhere.
    check_sum("SQL", texts_of(&project().join("migrations"), ".sql"), 7.0);
    check_sum(
        "JSON lines",
        texts_of(&project().join("tests/data"), ".jsonl"),
        5.0,
    );
}

#[test]
fn prose_is_close() {
    let papers = ["README.md", "CHANGELOG.md", "SECURITY.md"];
    let papers = papers.map(|name| fs::read_to_string(project().join(name)).unwrap());
    check_sum("Markdown", papers, 5.0);
    check_sum("sentences", sentences(&["en", "pt", "es", "de", "fr"]), 5.0);
    check_sum("Chinese and Japanese", sentences(&["zh", "ja"]), 5.0);
}

#[test]
fn random_text_is_not_far_off() {
    let hex = drawn(|seed| format!("{:016x}{:016x}", random(seed), random(seed)));
    check_sum("hex", hex, 10.0);
    let uuids = drawn(|seed| {
        let (high, low) = (random(seed), random(seed));
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            high >> 32,
            high >> 16 & 0xffff,
            high & 0xfff,
            low >> 48,
            low & 0xffff_ffff_ffff
        )
    });
    check_sum("uuids", uuids, 10.0);
    let base64 = drawn(|seed| {
        let digits: Vec<u8> = (b'A'..=b'Z')
            .chain(b'a'..=b'z')
            .chain(b'0'..=b'9')
            .chain(*b"+/")
            .collect();
        let digit =
            |seed: &mut u64| char::from(digits[usize::try_from(random(seed) % 64).unwrap()]);
        (0..120).map(|_| digit(seed)).collect()
    });
    check_sum("base64", base64, 10.0);
    let numbers = drawn(|seed| {
        let mut below = |end| random(seed) % end;
        format!(
            "{} of {} in {}.{} ms",
            below(2_000),
            below(500),
            below(90),
            below(10)
        )
    });
    check_sum("numbers", numbers, 10.0);
}

#[test]
fn transcripts_are_close() {
    let Some(folder) = shared("transcripts_are_close") else {
        return;
    };
    let samples = folder.join("samples");
    for (host, end) in [
        ("claude-code", ".jsonl"),
        ("codex", ".jsonl"),
        ("gemini-cli", ".json"),
        ("kimi", ".jsonl"),
        ("swe-agent", ".traj"),
    ] {
        check_sum(host, texts_of(&samples.join(host), end), 5.0);
    }
}
