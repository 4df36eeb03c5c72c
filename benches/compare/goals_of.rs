//! Each goal's figures: which series they are read from, and which bound they must keep.

use crate::corpus::queries::Class;
use crate::live::LIVE;
use crate::protocol::{Order, Sync};
use crate::series::{Clock, Findings, Series};
use crate::stock::IMPORT;
use crate::{files, lock, memory, processes, reads, syncs, tokens, writes};

const OURS: &str = "hippocamp";

/// A figure and its bound.
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
    bound: Bound,
}

#[derive(Clone, Copy)]
enum Bound {
    Most(f64),
    Least(f64),
}

impl Figure {
    fn most(name: &str, value: f64, bound: f64) -> Self {
        Self::new(name, value, Bound::Most(bound))
    }

    fn least(name: &str, value: f64, bound: f64) -> Self {
        Self::new(name, value, Bound::Least(bound))
    }

    fn new(name: &str, value: f64, bound: Bound) -> Self {
        let name = name.to_owned();
        Self {
            name,
            value,
            unit: "×",
            bound,
        }
    }

    fn told_in(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    pub(crate) fn is_met(&self) -> bool {
        match self.bound {
            Bound::Most(most) => self.value <= most,
            Bound::Least(least) => self.value >= least,
        }
    }
}

/// Reads series of one size.
struct At<'a> {
    findings: &'a Findings,
    size: u64,
}

impl<'a> At<'a> {
    fn get(&self, measure: &str, column: &str) -> Option<&'a Series> {
        self.findings.series(measure, self.size, column)
    }

    /// Compares medians, round by round.
    fn p50(&self, measure: &str, one: &str, other: &str, clock: Clock) -> Option<f64> {
        let (one, other) = (self.get(measure, one)?, self.get(measure, other)?);
        Some(one.to(other, clock).median)
    }

    fn p99(&self, measure: &str, one: &str, other: &str, clock: Clock) -> Option<f64> {
        let (one, other) = (self.get(measure, one)?, self.get(measure, other)?);
        Some(one.p99(clock) / other.p99(clock))
    }

    fn both(&self, measure: &str, other: &str, bound: f64) -> Vec<Figure> {
        let cpu = Clock::Cpu;
        let p50 = self.p50(measure, OURS, other, cpu);
        let p99 = self.p99(measure, OURS, other, cpu);
        let p50 = p50.map(|value| Figure::most("p50", value, bound));
        p50.into_iter()
            .chain(p99.map(|value| Figure::most("p99", value, bound)))
            .collect()
    }
}

fn at(findings: &Findings, size: u64) -> At<'_> {
    At { findings, size }
}

pub(crate) fn import(findings: &Findings, size: u64) -> Vec<Figure> {
    let ratio = at(findings, size).p50(IMPORT, OURS, "bare-fts", Clock::Cpu);
    let figure = ratio.map(|value| Figure::most("CPU", value, 1.4));
    figure.into_iter().collect()
}

pub(crate) fn transcripts(findings: &Findings, size: u64) -> Vec<Figure> {
    let at = at(findings, size);
    let measures = [(files::FILES, 3.0), (files::UNCHANGED, 4.0)];
    let figures = measures.map(|(measure, least)| {
        let ratio = at.p50(measure, "agentsview", OURS, Clock::Cpu);
        ratio.map(|value| Figure::least(&format!("{measure}: agentsview takes"), value, least))
    });
    figures.into_iter().flatten().collect()
}

pub(crate) fn turn_full(findings: &Findings, size: u64) -> Vec<Figure> {
    let (at, measure) = (at(findings, size), writes::turn(Sync::Full));
    let ours = "hippocamp append";
    let p50 = at.p50(measure, ours, writes::LIMIT, Clock::Wall);
    let p99 = at.p99(measure, ours, writes::LIMIT, Clock::Wall);
    let p50 = p50.map(|value| Figure::most("wall p50", value, 1.1));
    let p99 = p99.map(|value| Figure::most("wall p99", value, 1.5));
    p50.into_iter().chain(p99).collect()
}

pub(crate) fn syncs(findings: &Findings, size: u64) -> Vec<Figure> {
    let figure = findings.figure(syncs::SYNCS, size, OURS);
    let figure = figure.map(|value| Figure::most("counted", value, 1.0).told_in(""));
    figure.into_iter().collect()
}

pub(crate) fn held(findings: &Findings, size: u64) -> Vec<Figure> {
    let at = at(findings, size);
    let turn = at.get(writes::turn(Sync::Normal), "bare-rows");
    let (Some(lock), Some(turn)) = (at.get(lock::LOCK, OURS), turn) else {
        return Vec::new();
    };
    let unit = turn.p50(Clock::Wall);
    vec![
        Figure::most("wall p99", lock.p99(Clock::Wall) / unit, 100.0),
        Figure::most("wall, most", lock.most(Clock::Wall) / unit, 200.0),
    ]
}

pub(crate) fn view(findings: &Findings, size: u64) -> Vec<Figure> {
    let (at, cpu) = (at(findings, size), Clock::Cpu);
    let join = at.p50(reads::VIEW, OURS, "bare JOIN", cpu);
    let join = join.map(|value| Figure::most("JOIN", value, 1.3));
    let others = [("bare N+1", 4.0), ("openai-agents", 10.0)].map(|(other, least)| {
        let ratio = at.p50(reads::VIEW, other, OURS, cpu);
        ratio.map(|value| Figure::least(&format!("{other} takes"), value, least))
    });
    join.into_iter()
        .chain(others.into_iter().flatten())
        .collect()
}

pub(crate) fn newest(findings: &Findings, size: u64) -> Vec<Figure> {
    let at = at(findings, size);
    let mut figures = at.both(reads::NEWEST, "bare-fts", 2.0);
    let ratio = at.p50(reads::NEWEST, processes::RIPGREP, OURS, Clock::Cpu);
    figures.extend(ratio.map(|value| Figure::least("ripgrep takes", value, 500.0)));
    figures
}

pub(crate) fn in_one(findings: &Findings, size: u64) -> Vec<Figure> {
    let at = at(findings, size);
    let scan = at.p50(reads::IN_ONE, OURS, "bare-fts", Clock::Cpu);
    let alone = at.p50(reads::IN_ONE, OURS, reads::ALONE, Clock::Cpu);
    let scan = scan.map(|value| Figure::most("memmem", value, 3.0));
    let alone = alone.map(|value| Figure::most("of the same alone", value, 1.5));
    scan.into_iter().chain(alone).collect()
}

pub(crate) fn disk(findings: &Findings, size: u64) -> Vec<Figure> {
    let disk = findings.figure("bytes on disk per byte of text", size, OURS);
    let disk = disk.map(|value| Figure::most("on disk", value, 2.0).told_in(""));
    let live = at_live(findings).size;
    let written = findings.figure("bytes written per byte of text, live", live, OURS);
    let written = written.map(|value| Figure::most("written live", value, 45.0).told_in(""));
    disk.into_iter().chain(written).collect()
}

pub(crate) fn memory(findings: &Findings, size: u64) -> Vec<Figure> {
    let own = findings.figure("of that its own, MiB", size, OURS);
    let own = own.map(|value| Figure::most("import", value, 64.0).told_in(" MiB"));
    let commands = findings.figures.iter().filter_map(|(what, at, _, value)| {
        let command = what.strip_prefix(memory::MEMORY)?;
        (*at == size).then_some((command, *value))
    });
    let most = commands.max_by(|one, other| one.1.total_cmp(&other.1));
    let most = most.map(|(command, value)| Figure::most(command, value, 64.0).told_in(" MiB"));
    own.into_iter().chain(most).collect()
}

pub(crate) fn cold(findings: &Findings, size: u64) -> Vec<Figure> {
    let at = at(findings, size);
    let clocks = [("CPU", Clock::Cpu), ("wall", Clock::Wall)];
    let figures = clocks.map(|(name, clock)| {
        let ratio = at.p50(processes::COLD, processes::GREP, processes::SELECT, clock);
        ratio.map(|value| Figure::most(name, value, 3.0))
    });
    figures.into_iter().flatten().collect()
}

/// The largest size that live ingest was measured at.
fn at_live(findings: &Findings) -> At<'_> {
    let live = findings
        .series
        .iter()
        .filter(|series| series.measure == LIVE);
    let size = live.map(|series| series.size).max().unwrap_or_default();
    At { findings, size }
}

pub(crate) fn live_to_import(findings: &Findings, _size: u64) -> Vec<Figure> {
    let at = at_live(findings);
    let (live, import) = (at.get(LIVE, OURS), at.get(IMPORT, OURS));
    let (Some(live), Some(import)) = (live, import) else {
        return Vec::new();
    };
    let ratio = live.p50(Clock::Cpu) / import.p50(Clock::Cpu);
    vec![Figure::most("CPU", ratio, 1.75)]
}

/// What live ingest of a peer took, as a multiple of bare rows with FTS5 inside the transaction.
const QUOTED: [(&str, f64, f64); 2] = [
    ("PicoClaw", 1_841.0 / 155.0, 15.0),
    ("lossless-claw", 3_901.0 / 155.0, 30.0),
];

pub(crate) fn live_to_peers(findings: &Findings, _size: u64) -> Vec<Figure> {
    let at = at_live(findings);
    let Some(ours) = at.p50(LIVE, OURS, "bare-fts", Clock::Cpu) else {
        return Vec::new();
    };
    let quoted = QUOTED.map(|(name, multiple, least)| {
        Figure::least(&format!("{name} takes"), multiple / ours, least)
    });
    let mut figures: Vec<Figure> = quoted.into();
    for (name, least) in [("hermes-agent", 15.0), ("openai-agents", 1.0)] {
        let ratio = at.p50(LIVE, name, OURS, Clock::Cpu);
        figures.extend(ratio.map(|value| Figure::least(&format!("{name} takes"), value, least)));
    }
    figures
}

pub(crate) fn turn_normal(findings: &Findings, size: u64) -> Vec<Figure> {
    let (measure, cpu) = (writes::turn(Sync::Normal), Clock::Cpu);
    let (at, ours) = (at(findings, size), "hippocamp append");
    let mut figures = Vec::new();
    let p50 = at.p50(measure, ours, "bare-rows", cpu);
    figures.extend(p50.map(|value| Figure::most("CPU p50", value, 1.8)));
    let p99 = at.p99(measure, ours, "bare-rows", cpu);
    figures.extend(p99.map(|value| Figure::most("CPU p99", value, 3.0)));
    if let (Some(small), Some(large)) = (
        findings.series(measure, 1_000, ours),
        at.get(measure, ours).filter(|_| size != 1_000),
    ) {
        let growth = large.p50(cpu) / small.p50(cpu);
        figures.push(Figure::most("of 10^3", growth, 1.2));
    }
    let inside = at.p99(measure, "bare-fts", ours, cpu);
    figures.extend(inside.map(|value| Figure::least("index inside, p99", value, 50.0)));
    figures
}

pub(crate) fn ranked(findings: &Findings, size: u64) -> Vec<Figure> {
    let (at, cpu) = (at(findings, size), Clock::Cpu);
    let mut figures = at.both(reads::RANKED, "bare-fts", 2.0);
    let common = reads::name("common", Order::Ranked);
    let rank = at.p50(&common, reads::BY_RANK, OURS, cpu);
    figures.extend(rank.map(|value| Figure::least("ORDER BY rank takes", value, 50.0)));
    if let Some(series) = at.get(reads::RANKED, OURS) {
        let spread = series.p99(cpu) / series.p50(cpu);
        figures.push(Figure::most("p99 / p50", spread, 12.0));
    }
    figures
}

pub(crate) fn pieces(findings: &Findings, size: u64) -> Vec<Figure> {
    let (at, cpu) = (at(findings, size), Clock::Cpu);
    let mut figures = Vec::new();
    for class in Class::OF_TEXT {
        let measure = reads::name(class, Order::Newest);
        let ratio = at.p50(&measure, OURS, processes::RIPGREP, cpu);
        let bound = if class == "fuzzy" { 0.1 } else { 3.0 };
        figures.extend(ratio.map(|value| Figure::most(class, value, bound)));
    }
    figures
}

pub(crate) fn tokens(findings: &Findings, size: u64) -> Vec<Figure> {
    let exact = at(findings, size).p50(tokens::TOKENS, tokens::EXACT, tokens::ESTIMATE, Clock::Cpu);
    let exact = exact.map(|value| Figure::least("it takes", value, 10.0));
    exact.into_iter().collect()
}
