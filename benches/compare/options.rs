//! What is asked for on the command line.

use crate::child::Spec;

/// What is measured, and how.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) sizes: Vec<u64>,
    pub(crate) rounds: usize,
    pub(crate) seed: u64,
    /// Measures by the beginnings of their names; all if there are none.
    only: Vec<String>,
    /// Engines besides ours.
    pub(crate) peers: Vec<Spec>,
    /// Of these, those wanted, by name; all if there are none.
    engines: Vec<String>,
    /// Where stores lie.
    pub(crate) folder: Option<String>,
    /// Where the plots go; none are made without it.
    pub(crate) svg: Option<String>,
}

/// What is wrong with the command line.
pub(crate) struct Usage(pub(crate) String);

const HELP: &str = "compare [--sizes N,N…] [--rounds N] [--seed N] [--only MEASURE,…] \
[--engines NAME,…] [--engine NAME[@MOST]=COMMAND]… [--folder DIR] [--svg DIR]
MEASURE: import, live, turn, view, grep, one, expand, tree, lock, syncs, cold, sessions, files, memory, tokens";

impl Options {
    /// Reads the words behind the program's name.
    pub(crate) fn read(words: &[String]) -> Result<Self, Usage> {
        let mut options = Self {
            sizes: vec![1_000, 100_000],
            rounds: 5,
            seed: 20_261_130,
            only: Vec::new(),
            peers: Vec::new(),
            engines: Vec::new(),
            folder: None,
            svg: None,
        };
        let mut words = words.iter().filter(|word| *word != "--bench");
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| usage(word, "no value"))?;
            let list = || value.split(',').map(str::to_owned).collect();
            match word.as_str() {
                "--sizes" => {
                    let sizes: Option<Vec<u64>> = value.split(',').map(number).collect();
                    options.sizes = sizes.ok_or_else(|| usage(word, value))?;
                }
                "--rounds" => {
                    let rounds = number(value).and_then(|number| usize::try_from(number).ok());
                    options.rounds = rounds.ok_or_else(|| usage(word, value))?;
                }
                "--seed" => options.seed = number(value).ok_or_else(|| usage(word, value))?,
                "--only" => options.only = list(),
                "--engines" => options.engines = list(),
                "--engine" => {
                    options
                        .peers
                        .push(spec(value).ok_or_else(|| usage(word, value))?);
                }
                "--svg" => options.svg = Some(value.clone()),
                "--folder" => options.folder = Some(value.clone()),
                _ => return Err(usage(word, "unknown")),
            }
        }
        Ok(options)
    }

    /// Says whether a measure is wanted.
    pub(crate) fn wants(&self, measure: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|one| measure == one)
    }

    /// Returns the peers that are wanted and bear this many messages.
    pub(crate) fn peers_for(&self, size: u64) -> Vec<Spec> {
        let fits = |spec: &&Spec| spec.most >= size && self.wants_engine(&spec.name);
        self.peers.iter().filter(fits).cloned().collect()
    }

    fn wants_engine(&self, name: &str) -> bool {
        self.engines.is_empty() || self.engines.iter().any(|one| one == name)
    }
}

/// Returns an engine that this program is itself.
pub(crate) fn ours(name: &str) -> Spec {
    Spec {
        name: name.to_owned(),
        command: None,
        most: u64::MAX,
    }
}

fn spec(text: &str) -> Option<Spec> {
    let (name, command) = text.split_once('=')?;
    let (name, most) = match name.split_once('@') {
        Some((name, most)) => (name, number(most)?),
        None => (name, u64::MAX),
    };
    Some(Spec {
        name: name.to_owned(),
        command: Some(command.to_owned()),
        most,
    })
}

fn number(text: &str) -> Option<u64> {
    text.trim()
        .replace('_', "")
        .parse()
        .ok()
        .filter(|number| *number > 0)
}

fn usage(word: &str, value: &str) -> Usage {
    Usage(format!("{word}: {value}\n{HELP}"))
}
