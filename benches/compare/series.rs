//! What was measured: samples in rounds, and what follows from them.

use crate::protocol::Answer;

/// One sample, in microseconds a unit.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sample {
    pub(crate) wall: f64,
    pub(crate) cpu: f64,
}

impl Sample {
    /// What a call took.
    pub(crate) const fn of(answer: &Answer) -> Self {
        Self {
            wall: answer.wall_us,
            cpu: answer.cpu_us,
        }
    }

    /// What a call took, and the work behind calls before it.
    pub(crate) fn whole(answer: &Answer) -> Self {
        Self {
            wall: answer.wall_us,
            cpu: answer.cpu_us + answer.behind_us,
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.wall += other.wall;
        self.cpu += other.cpu;
    }

    pub(crate) fn per(self, units: f64) -> Self {
        Self {
            wall: self.wall / units,
            cpu: self.cpu / units,
        }
    }
}

/// Which clock is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    Wall,
    Cpu,
}

impl Clock {
    const fn of(self, sample: &Sample) -> f64 {
        match self {
            Self::Wall => sample.wall,
            Self::Cpu => sample.cpu,
        }
    }
}

/// One column's samples of one measure at one size.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    pub(crate) measure: String,
    pub(crate) size: u64,
    pub(crate) column: String,
    pub(crate) rounds: Vec<Vec<Sample>>,
    /// What came back, for all samples together.
    pub(crate) count: u64,
    pub(crate) bytes: u64,
}

/// A ratio: the median of the rounds, the least and the greatest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ratio {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Series {
    /// Returns the median of the rounds' medians.
    pub(crate) fn p50(&self, clock: Clock) -> f64 {
        middle(self.rounds.iter().map(|round| median(round, clock)))
    }

    /// Returns what one in a hundred of all samples exceeds.
    pub(crate) fn p99(&self, clock: Clock) -> f64 {
        self.quantile(clock, 0.99)
    }

    /// Returns the greatest of all samples.
    pub(crate) fn most(&self, clock: Clock) -> f64 {
        self.quantile(clock, 1.0)
    }

    fn quantile(&self, clock: Clock, share: f64) -> f64 {
        let all = self.rounds.iter().flatten().map(|sample| clock.of(sample));
        at(all, share)
    }

    /// Compares the medians with those of another series, round by round.
    pub(crate) fn to(&self, other: &Self, clock: Clock) -> Ratio {
        let pairs = self.rounds.iter().zip(&other.rounds);
        let ratios: Vec<f64> = pairs
            .map(|(one, other)| median(one, clock) / median(other, clock))
            .collect();
        Ratio {
            median: middle(ratios.iter().copied()),
            least: ratios.iter().copied().fold(f64::INFINITY, f64::min),
            most: ratios.iter().copied().fold(0.0, f64::max),
        }
    }
}

fn median(round: &[Sample], clock: Clock) -> f64 {
    middle(round.iter().map(|sample| clock.of(sample)))
}

fn middle(values: impl Iterator<Item = f64>) -> f64 {
    at(values, 0.5)
}

/// Returns the value at a share of all, in order; 0 of none.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a place in a list of at most some thousands"
)]
fn at(values: impl Iterator<Item = f64>, share: f64) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else {
        return 0.0;
    };
    values[(last as f64 * share).round() as usize]
}

/// All that was measured.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) series: Vec<Series>,
    /// Figures that are no times: measure, size, column, value.
    pub(crate) figures: Vec<(String, u64, String, f64)>,
}

impl Findings {
    pub(crate) fn series(&self, measure: &str, size: u64, column: &str) -> Option<&Series> {
        let is_it = |series: &&Series| {
            series.measure == measure && series.size == size && series.column == column
        };
        self.series.iter().find(is_it)
    }

    pub(crate) fn figure(&self, measure: &str, size: u64, column: &str) -> Option<f64> {
        let is_it = |(one, at, whose, _): &&(String, u64, String, f64)| {
            one == measure && *at == size && whose == column
        };
        self.figures.iter().find(is_it).map(|figure| figure.3)
    }

    pub(crate) fn note(&mut self, measure: &str, size: u64, column: &str, value: f64) {
        self.figures
            .push((measure.to_owned(), size, column.to_owned(), value));
    }
}
