//! `backup`: a copy of the store, while others go on writing.

use std::path::Path;

use indicatif::ProgressBar;
use serde_json::json;

use crate::cli::args::BackupArgs;
use crate::cli::failure::Failure;
use crate::cli::paint::{bytes, safe_line};
use crate::cli::reply::Reply;
use crate::engine::Engine;

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
    let shown = bar.clone();
    let copied = engine
        .backup(path, move |progress| {
            shown.set_length(progress.of);
            shown.set_position(progress.pages);
        })
        .await;
    bar.finish_and_clear();
    Ok(copied?)
}
