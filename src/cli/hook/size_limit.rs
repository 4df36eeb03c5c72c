//! A limit on the size of files, as `ulimit -f` and some quotas set it. Owns that a write beyond it is
//! an error like others: by default a signal ends the process, and the host's call with it.

/// SIGXFSZ, on all but a few systems on which the number stands for one that changes nothing here.
#[cfg(unix)]
const SIGNAL: i32 = 25;

/// Has the signal caught from here on, for as long as the process lives.
#[cfg(unix)]
pub(super) fn outlive() {
    use tokio::runtime::Builder;
    use tokio::signal::unix::{SignalKind, signal};

    // It need not run: what is caught is for nobody.
    let Ok(runtime) = Builder::new_current_thread().enable_io().build() else {
        return;
    };
    let _context = runtime.enter();
    // Where it cannot be caught it is as it was.
    drop(signal(SignalKind::from_raw(SIGNAL)));
}

#[cfg(not(unix))]
pub(super) fn outlive() {}
