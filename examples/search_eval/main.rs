//! Measures search on conversations with known answers, through the public API.
//!
//! `cargo run --release --example search_eval` prints the table. The sets lie beside the project
//! and are never part of it: in `$HIPPOCAMP_SHARED/search-eval`, else in `../shared/search-eval`.
//! With `--runs FOLDER` it also writes each run in the form that `score_run.py` reads, and has
//! that script score it where there is a Python. With `--held-out` it chooses the weights anew
//! without the conversation that is scored, and with `--tune` it looks for better ones.
#![expect(clippy::print_stdout, reason = "the table is what it is for")]
#![expect(
    clippy::disallowed_methods,
    reason = "it looks for the shared folder and writes runs"
)]

mod data;
mod held_out;
mod score;

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use hippocamp::domain::{GrepRequest, ItemId, MessageId, Reach, SearchScope, SessionKey};
use hippocamp::engine::Engine;

use self::data::Talk;
use self::score::{Measures, RUN, mean, measure};

/// The sets.
const SETS: [&str; 3] = ["locomo7", "lic-d80", "longmemeval-s16"];
/// Rows asked for: evidence in 4,000 tokens takes more than a run of 50.
const LIMIT: u64 = 200;

/// One question's answer: its id, and ids of the set, best first.
struct Answer {
    query: String,
    ranked: Vec<String>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut runs: Option<PathBuf> = None;
    let mut is_held_out = false;
    let mut is_tuned = false;
    let mut sets: Vec<Vec<Talk>> = Vec::new();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--runs" => runs = Some(arguments.next().ok_or("--runs takes a folder")?.into()),
            "--held-out" => is_held_out = true,
            "--tune" => is_tuned = true,
            other => return Err(format!("`{other}` is no option of search_eval").into()),
        }
    }
    let shared = std::env::var_os("HIPPOCAMP_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let shared = shared.join("search-eval");
    println!("{}", heading());
    for set in SETS {
        let folder = shared.join("data").join(set);
        if !folder.join("docs.jsonl").is_file() {
            println!("{set:<16} SKIPPED: no {}", folder.display());
            continue;
        }
        let talks = data::read(&folder)?;
        let (answers, measures) = ask(&talks).await?;
        println!("{}", line(set, measures.len(), &mean(&measures)));
        if let Some(runs) = &runs {
            write_run(&runs.join(format!("{set}.jsonl")), &answers)?;
            let script = shared.join("score_run.py");
            check(
                &script,
                set,
                &runs.join(format!("{set}.jsonl")),
                &mean(&measures),
            );
        }
        if is_held_out && talks.len() > 2 {
            held_out::report(&talks);
        }
        sets.push(talks);
    }
    if is_tuned {
        held_out::tune(&sets);
    }
    Ok(())
}

/// Stores the conversations and asks each question in its own.
async fn ask(talks: &[Talk]) -> Result<(Vec<Answer>, Vec<Measures>), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let engine = Engine::builder(folder.path().join("eval.db")).build()?;
    let mut answers = Vec::new();
    let mut measures = Vec::new();
    let mut ids: BTreeMap<MessageId, &str> = BTreeMap::new();
    for talk in talks {
        let session = SessionKey::new(talk.name.as_str())?;
        let messages = talk.docs.iter().map(data::Doc::message).collect();
        let appended = engine.append(&session, messages).await?;
        ids.extend(
            appended
                .rows
                .iter()
                .zip(&talk.docs)
                .map(|(row, doc)| (row.id, doc.id.as_str())),
        );
    }
    engine.settle().await?;
    for talk in talks {
        let session = SessionKey::new(talk.name.as_str())?;
        for query in &talk.queries {
            let mut request = GrepRequest::new(&query.text, Reach::Session(session.clone()));
            request.kinds = SearchScope::Message;
            request.limit = LIMIT;
            // A question that is no pattern finds nothing, and counts as that.
            let hits = engine
                .grep(&request)
                .await
                .map_or(Vec::new(), |reply| reply.hits);
            let ranked: Vec<&str> = hits
                .iter()
                .filter_map(|hit| match hit.id {
                    ItemId::Message(id) => ids.get(&id).copied(),
                    ItemId::Summary(_) => None,
                })
                .collect();
            measures.push(measure(talk, query, &ranked));
            answers.push(Answer {
                query: query.id.clone(),
                ranked: ranked.iter().take(RUN).map(|id| (*id).to_owned()).collect(),
            });
        }
    }
    engine.shutdown().await?;
    Ok((answers, measures))
}

/// Returns the heads of the columns.
fn heading() -> String {
    format!(
        "{:<16} {:>5}  {}",
        "set", "n", "R@5   R@10  R@20  R@50  MRR   any@5 Hit@1 NDCG5 ev1k  ev2k  ev4k"
    )
}

/// Returns a row of the table.
pub(crate) fn line(name: &str, n_queries: usize, measures: &Measures) -> String {
    let mut line = format!("{name:<16} {n_queries:>5} ");
    let values = measures
        .recall
        .iter()
        .chain([
            &measures.reciprocal,
            &measures.any_5,
            &measures.session_hit,
            &measures.session_order,
        ])
        .chain(&measures.evidence);
    for value in values {
        // Writing to a string cannot fail.
        let _ = write!(line, " {value:.3}");
    }
    line
}

fn write_run(path: &Path, answers: &[Answer]) -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    for answer in answers {
        let line = serde_json::json!({"qid": answer.query, "ranked": answer.ranked});
        writeln!(text, "{line}")?;
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    Ok(std::fs::write(path, text)?)
}

/// Has the sets' own script score a run, and says whether it counts alike.
fn check(script: &Path, set: &str, run: &Path, own: &Measures) {
    let output = Command::new("python3")
        .arg(script)
        .arg(set)
        .arg(run)
        .output();
    let Ok(output) = output else {
        println!("{:<16} SKIPPED score_run.py: no python3", "");
        return;
    };
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let theirs: Vec<&str> = printed
        .lines()
        .find(|line| line.starts_with("ALL "))
        .map(|line| line.split_whitespace().skip(2).collect())
        .unwrap_or_default();
    let [r5, r10, r20, r50] = own.recall;
    let columns = [
        (0, r5),
        (1, r10),
        (2, r20),
        (3, r50),
        (5, own.any_5),
        (7, own.reciprocal),
    ];
    let agrees = columns
        .iter()
        .all(|(column, value)| theirs.get(*column) == Some(&format!("{value:.3}").as_str()));
    let verdict = if agrees { "agrees" } else { "DIFFERS" };
    println!("{:<16} score_run.py {verdict}: {}", "", theirs.join(" "));
}
