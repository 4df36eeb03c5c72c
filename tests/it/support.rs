//! What engine tests share: a clock that stands still, keys, windows, a clean bill of health.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use hippocamp::domain::{Clock, SessionKey, Timestamp, Tokens, Window};
use hippocamp::engine::{Durability, Engine, EngineBuilder};

/// A clock that moves only when told to.
pub(crate) struct FakeClock(AtomicI64);

impl FakeClock {
    /// Starts at 2026-01-01.
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(1_767_225_600_000)))
    }

    /// Moves on.
    pub(crate) fn advance(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// A builder for tests: no disk sync, a clock that stands still.
pub(crate) fn builder(path: &Path, clock: Arc<FakeClock>) -> EngineBuilder {
    Engine::builder(path)
        .clock(clock)
        .durability(Durability::Normal)
}

/// A key.
pub(crate) fn key(text: &str) -> SessionKey {
    SessionKey::new(text).unwrap()
}

/// A window of so many tokens.
pub(crate) fn window(tokens: u64) -> Window {
    Window::of(Tokens::new(tokens)).unwrap()
}

/// Says what TLS is to use, once for all tests: nothing on loopback is encrypted, but clients ask for it
/// all the same.
#[cfg(feature = "providers")]
pub(crate) fn install_cryptography() {
    static INSTALLED: std::sync::Once = std::sync::Once::new();
    INSTALLED.call_once(|| {
        let provider = rustls::crypto::ring::default_provider();
        provider.install_default().unwrap();
    });
}

/// Fails with every check that does not hold.
#[track_caller]
pub(crate) fn assert_clean(checks: &[hippocamp::domain::Check]) {
    let damage: Vec<_> = checks.iter().filter(|check| !check.is_ok).collect();
    assert!(damage.is_empty(), "{damage:#?}");
    assert!(
        checks.len() >= 5,
        "doctor checked only {} things",
        checks.len()
    );
}
