//! Agents built with rig: what they say comes back as it was, and their tools and memory work.

mod made;
mod memory;
mod round_trip;
mod tools;

use hippocamp::domain::SessionKey;
use hippocamp::engine::Engine;
use tempfile::TempDir;

struct Host {
    engine: Engine,
    _folder: TempDir,
}

fn key(text: &str) -> SessionKey {
    SessionKey::new(text).unwrap()
}

/// Runs `work` on an engine of its own.
fn with_host(work: impl AsyncFnOnce(&Host)) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::builder(folder.path().join("rig.db"))
            .build()
            .unwrap();
        let host = Host {
            engine,
            _folder: folder,
        };
        work(&host).await;
        host.engine.shutdown().await.unwrap();
    });
}
