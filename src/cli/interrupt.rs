//! Ctrl-C, and the signal that ends services. Owns whether it ends the process at once or is waited
//! for by a command that has something to finish.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::exit::INTERRUPTED;
use super::temporary::exit_and_remove;

/// How often a command that waits asks whether it was interrupted.
const PAUSE: Duration = Duration::from_millis(50);

static IS_AWAITED: AtomicBool = AtomicBool::new(false);
static WAS_ASKED: AtomicBool = AtomicBool::new(false);

/// Answers the signal: the first one, where a command waits for it, only asks that to end.
pub(crate) fn on_signal() {
    let is_first = !WAS_ASKED.swap(true, Ordering::Relaxed);
    if !(is_first && IS_AWAITED.load(Ordering::Relaxed)) {
        exit_and_remove(INTERRUPTED);
    }
}

/// Says that a command will end by itself when it is asked to.
pub(crate) fn await_signal() {
    IS_AWAITED.store(true, Ordering::Relaxed);
}

/// Returns once the command is asked to end.
pub(crate) async fn asked() {
    while !WAS_ASKED.load(Ordering::Relaxed) {
        tokio::time::sleep(PAUSE).await;
    }
}

/// Returns once a server is asked to end: as [`asked`], or by SIGTERM, which ends other commands at
/// once.
#[cfg(feature = "mcp")]
pub(crate) async fn asked_as_server() {
    tokio::select! {
        () = asked() => {}
        () = terminated() => {}
    }
}

#[cfg(all(feature = "mcp", unix))]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};

    match signal(SignalKind::terminate()) {
        Ok(mut signals) => {
            signals.recv().await;
        }
        // Nothing catches it then, so it ends the process by itself.
        Err(_) => std::future::pending().await,
    }
}

#[cfg(all(feature = "mcp", not(unix)))]
async fn terminated() {
    std::future::pending().await
}
