//! One corpus, the engines that hold it, and rounds in which they take turns.

use std::path::{Path, PathBuf};

use crate::child::Running;
use crate::corpus::{Corpus, Words};
use crate::options::Options;
use crate::protocol::Request;
use crate::series::{Findings, Sample, Series};

/// What measures share.
pub(crate) struct Bench<'a> {
    pub(crate) options: &'a Options,
    pub(crate) words: &'a Words,
    pub(crate) corpus: Corpus,
    /// Where the stores of this size lie.
    pub(crate) room: PathBuf,
    pub(crate) findings: &'a mut Findings,
}

/// An engine asked in one way.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) label: String,
    /// Its place among the engines.
    pub(crate) engine: usize,
    pub(crate) way: Option<&'static str>,
}

impl Column {
    pub(crate) fn of(engines: &[Running]) -> Vec<Self> {
        let column = |(engine, running): (usize, &Running)| Self {
            label: running.name.clone(),
            engine,
            way: None,
        };
        engines.iter().enumerate().map(column).collect()
    }

    /// Returns a column of an engine by name, if it runs.
    pub(crate) fn named(
        engines: &[Running],
        name: &str,
        label: &str,
        way: Option<&'static str>,
    ) -> Option<Self> {
        let engine = engines.iter().position(|running| running.name == name)?;
        Some(Self {
            label: label.to_owned(),
            engine,
            way,
        })
    }
}

impl Bench<'_> {
    pub(crate) fn size(&self) -> u64 {
        self.corpus.size
    }

    /// Returns the folder of a store.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        self.room.join(name)
    }

    pub(crate) fn transcripts(&self) -> PathBuf {
        self.room.join("transcripts")
    }

    /// Asks all columns in turn, round by round; what one does not support it is left out of.
    pub(crate) fn rounds(
        &mut self,
        measure: &str,
        engines: &mut [Running],
        mut columns: Vec<Column>,
        requests: &mut dyn FnMut(&Column, usize) -> Vec<Request>,
    ) {
        let begin = self.findings.series.len();
        for column in &columns {
            self.begin(measure, &column.label);
        }
        for round in 0..self.options.rounds {
            let mut place = 0;
            while let Some(column) = columns.get(place) {
                let engine = &mut engines[column.engine];
                let series = &mut self.findings.series[begin + place];
                match ask_all(engine, requests(column, round), series) {
                    Ok(samples) => {
                        series.rounds.push(samples);
                        place += 1;
                    }
                    Err(why) => {
                        println!("{measure}: {} left out: {why}", column.label);
                        columns.remove(place);
                        self.findings.series.remove(begin + place);
                    }
                }
            }
        }
    }

    /// Makes a series without samples.
    pub(crate) fn series(&self, measure: &str, column: &str) -> Series {
        Series {
            measure: measure.to_owned(),
            size: self.corpus.size,
            column: column.to_owned(),
            rounds: Vec::new(),
            count: 0,
            bytes: 0,
        }
    }

    /// Begins a series and returns its place.
    pub(crate) fn begin(&mut self, measure: &str, column: &str) -> usize {
        self.findings.series.push(self.series(measure, column));
        self.findings.series.len() - 1
    }

    pub(crate) fn note(&mut self, measure: &str, column: &str, value: f64) {
        self.findings.note(measure, self.corpus.size, column, value);
    }
}

fn ask_all(
    engine: &mut Running,
    requests: Vec<Request>,
    series: &mut Series,
) -> Result<Vec<Sample>, String> {
    let mut samples = Vec::new();
    for request in requests {
        let answer = engine.ask(&request);
        if let Some(why) = answer.unsupported {
            return Err(why);
        }
        series.count += answer.count;
        series.bytes += answer.bytes;
        samples.push(Sample::of(&answer));
    }
    Ok(samples)
}

/// Says what is being done, on stderr.
pub(crate) fn tell(words: &str) {
    eprintln!("… {words}");
}

/// Reads the machine's load: how many processes want to run.
pub(crate) fn load() -> String {
    let load = std::fs::read_to_string(Path::new("/proc/loadavg")).unwrap_or_default();
    load.split(' ').next().unwrap_or_default().to_owned()
}
