//! What work costs: time that passes, and time on a processor.

use std::time::{Duration, Instant};

/// Both times of some work.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
}

impl Cost {
    /// Returns megabytes a second of wall time, and of processor time.
    pub(crate) fn rates(self, bytes: u64) -> (f64, f64) {
        let megabytes = real(bytes) / 1e6;
        (
            megabytes / self.wall.as_secs_f64(),
            megabytes / self.cpu.as_secs_f64(),
        )
    }
}

pub(crate) fn real(count: u64) -> f64 {
    f64::from(u32::try_from(count / 1_000).unwrap()) * 1e3
}

/// Measures work that other processes do, which are waited for in it.
pub(crate) fn of_children<T>(work: impl FnOnce() -> T) -> (T, Cost) {
    let (began, cpu) = (Instant::now(), children_cpu());
    let value = work();
    let cost = Cost {
        wall: began.elapsed(),
        cpu: children_cpu().saturating_sub(cpu),
    };
    (value, cost)
}

/// Returns the time on a processor of all processes that were waited for.
fn children_cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let behind_name = text.rsplit_once(") ").unwrap().1;
    // The first field behind the name is the third of all; these are the 16th and 17th, in
    // hundredths of a second.
    let fields = behind_name.split_whitespace().skip(16 - 3).take(2);
    let hundredths: u64 = fields.map(|field| field.parse::<u64>().unwrap()).sum();
    Duration::from_millis(hundredths * 10)
}
