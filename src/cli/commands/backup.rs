//! `backup`: a copy of the store, while others go on writing.
//! May not leave a part of one.

use std::error::Error;
use std::io;
use std::path::Path;

use indicatif::ProgressBar;
use serde_json::json;

use crate::cli::args::BackupArgs;
use crate::cli::failure::Failure;
use crate::cli::paint::{bytes, safe_line};
use crate::cli::reply::Reply;
use crate::cli::temporary::{TemporaryFolder, place};
use crate::engine::{Engine, EngineError};
use crate::store::{Store, StoreError};

pub(super) async fn run(
    engine: &Engine,
    args: &BackupArgs,
    bar: ProgressBar,
) -> Result<Reply, Failure> {
    copy(engine, &args.path, bar).await?;
    let size = std::fs::metadata(&args.path).map_or(0, |metadata| metadata.len());
    let path = args.path.to_string_lossy();
    let text = format!("{}  {}\n", safe_line(&path), bytes(size));
    Ok(Reply::new(json!({"path": path, "bytes": size}), text))
}

/// Copies the store, with progress.
pub(super) async fn copy(engine: &Engine, path: &Path, bar: ProgressBar) -> Result<(), Failure> {
    Store::may_be_named(path).map_err(EngineError::from)?;
    if path.symlink_metadata().is_ok() {
        return Err(cannot_write(path, io::ErrorKind::AlreadyExists.into()));
    }
    let folder = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let room = TemporaryFolder::inside(folder).map_err(|error| cannot_write(path, error))?;
    let part = room.path().join("copy");
    let shown = bar.clone();
    let copied = engine
        .backup(&part, move |progress| {
            shown.set_length(progress.of);
            shown.set_position(progress.pages);
        })
        .await;
    bar.finish_and_clear();
    copied.map_err(|error| match error {
        EngineError::Store(StoreError::Copy { source, .. }) => failed(path, source),
        other => other.into(),
    })?;
    place(&part, path).map_err(|error| cannot_write(path, error))
}

fn cannot_write(path: &Path, error: io::Error) -> Failure {
    let name = path.display();
    match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Failure::usage(format!("{name} is there already, and is not overwritten"))
                .with_hint("name a file that is not there yet")
        }
        io::ErrorKind::NotFound => Failure::usage(format!("there is no folder for {name}")),
        io::ErrorKind::StorageFull => EngineError::Store(StoreError::Full).into(),
        _ => failed(path, Box::new(error)),
    }
}

/// Names the copy that was asked for, not the one that is made.
fn failed(path: &Path, source: Box<dyn Error + Send + Sync>) -> Failure {
    let path = path.display().to_string();
    EngineError::Store(StoreError::Copy { path, source }).into()
}
