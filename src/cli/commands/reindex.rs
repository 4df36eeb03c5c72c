//! `reindex`: the search index is made anew.

use indicatif::ProgressBar;
use serde_json::json;

use crate::cli::failure::Failure;
use crate::cli::paint::counted;
use crate::cli::reply::Reply;
use crate::engine::{Engine, IndexProgress};

pub(super) async fn run(engine: &Engine, bar: &ProgressBar) -> Result<Reply, Failure> {
    let mut mark = 0;
    let indexed = engine
        .reindex(|progress| {
            mark = progress.mark;
            show(bar, progress);
        })
        .await;
    bar.finish_and_clear();
    indexed?;
    let stats = engine.stats().await?;
    let rows = stats.rows + stats.summaries;
    let text = format!("indexed {}\n", counted(rows, "row", "rows"));
    Ok(Reply::new(json!({"rows": rows, "mark": mark}), text))
}

pub(super) fn show(bar: &ProgressBar, progress: IndexProgress) {
    bar.set_length(progress.last);
    bar.set_position(progress.mark.min(progress.last));
}
