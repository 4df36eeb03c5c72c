//! Time that passes, and time on a processor: of this thread, of this process, of another one.

use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use nix::time::{ClockId, clock_gettime};

/// A moment on the clocks of this process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    wall: Instant,
    process: f64,
    thread: f64,
}

/// What passed between two moments, in microseconds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Passed {
    pub(crate) wall: f64,
    /// On a processor, all threads.
    pub(crate) process: f64,
    /// On a processor, the thread that asked.
    pub(crate) thread: f64,
}

impl Moment {
    pub(crate) fn now() -> Self {
        Self {
            wall: Instant::now(),
            process: micros(ClockId::CLOCK_PROCESS_CPUTIME_ID),
            thread: micros(ClockId::CLOCK_THREAD_CPUTIME_ID),
        }
    }

    /// Returns what has passed since `before`.
    pub(crate) fn since(self, before: Self) -> Passed {
        Passed {
            wall: (self.wall - before.wall).as_secs_f64() * 1e6,
            process: self.process - before.process,
            thread: self.thread - before.thread,
        }
    }
}

fn micros(clock: ClockId) -> f64 {
    let time = clock_gettime(clock).unwrap();
    real(time.tv_sec()) * 1e6 + real(time.tv_nsec()) / 1e3
}

/// Returns the time on a processor of all processes that have ended and were waited for, in
/// microseconds.
pub(crate) fn of_children() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    real(usage.user_time().num_microseconds()) + real(usage.system_time().num_microseconds())
}

/// Returns a number that a table can be made of.
#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
pub(crate) fn real(number: i64) -> f64 {
    number as f64
}

/// As [`real`], of a count.
pub(crate) fn count(number: u64) -> f64 {
    real(i64::try_from(number).unwrap())
}
