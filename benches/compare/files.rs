//! Transcripts into engines of others that read them: all at once, and again unchanged.

use crate::bench::{Bench, tell};
use crate::child::Running;
use crate::clock::count;
use crate::options::ours;
use crate::protocol::{Request, Sync};
use crate::series::Sample;

pub(crate) const FILES: &str = "import of all transcripts, a message";
pub(crate) const UNCHANGED: &str = "the same again, unchanged";

/// Imports all transcripts with hippocamp and with each peer that can, and leaves the peers' stores.
pub(crate) fn files(bench: &mut Bench<'_>) -> Vec<Running> {
    tell(FILES);
    let path = bench.transcripts().to_str().unwrap().to_owned();
    let mut specs = vec![ours("hippocamp")];
    specs.extend(bench.options.peers_for(bench.size()));
    let mut left = Vec::new();
    for spec in specs {
        let folder = bench.folder(&format!("files-{}", spec.name));
        let mut engine = spec.start(&folder, Sync::Normal);
        let answer = engine.ask(&Request::Import { path: path.clone() });
        if let Some(why) = answer.unsupported {
            println!("{FILES}: {} left out: {why}", spec.name);
            engine.close();
            continue;
        }
        let mut cost = Sample::whole(&answer);
        cost.add(Sample::whole(&engine.must(&Request::Settle)));
        let place = bench.begin(FILES, &spec.name);
        let size = count(bench.size());
        let series = &mut bench.findings.series[place];
        series.rounds.push(vec![cost.per(size)]);
        (series.count, series.bytes) = (answer.count, answer.bytes);
        bench.note(
            "bytes on disk, import of all, MB",
            &spec.name,
            count(engine.disk()) / 1e6,
        );
        let (peak, _) = engine.memory();
        bench.note(
            "peak memory, import of all, MiB",
            &spec.name,
            count(peak) / 1024.0,
        );
        let place = bench.begin(UNCHANGED, &spec.name);
        for _ in 0..bench.options.rounds {
            let answer = engine.must(&Request::Import { path: path.clone() });
            let series = &mut bench.findings.series[place];
            series.rounds.push(vec![Sample::of(&answer)]);
            series.count += answer.count;
        }
        if spec.command.is_some() {
            left.push(engine);
        } else {
            engine.close();
        }
    }
    left
}
