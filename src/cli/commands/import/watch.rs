//! `import --watch`: growing files are followed until Ctrl-C.

use std::path::PathBuf;
use std::time::Duration;

use super::Done;
use crate::cli::failure::Failure;
use crate::cli::interrupt;
use crate::cli::paint::{counted, safe_line};
use crate::cli::terminal::{Talk, print_note};
use crate::engine::Engine;
use crate::import::{FileAccount, ImportAccount, ImportOptions, Progress, Watch};

/// How long is waited between two looks: a person does not notice it, and a look at thousands of
/// files takes some hundredths of it.
const PAUSE: Duration = Duration::from_millis(500);

/// Follows files until it is asked to end, and returns what all looks together took in.
pub(super) async fn follow(
    engine: &Engine,
    paths: &[PathBuf],
    mut options: ImportOptions,
    talk: Talk,
) -> Result<Done, Failure> {
    interrupt::await_signal();
    let mut watch = Watch::new();
    let mut account = ImportAccount::default();
    let mut failure = None;
    let mut is_first = true;
    loop {
        options.now = engine.now();
        let mut tell = |progress: Progress<'_>| {
            if let Progress::Done(file) = progress
                && talk == Talk::Usual
                && file.counts.messages > 0
            {
                print_note(&news(file));
            }
        };
        let looked = tokio::select! {
            looked = watch.look(engine, paths, &options, &mut tell) => looked,
            // A batch that is being written is finished; the rest is read by the next import.
            () = interrupt::asked() => break,
        };
        match looked {
            Ok(more) => account.absorb(more),
            Err(error) => {
                let cause = Failure::from(error.source);
                let message = format!("{}: {}", error.path.display(), cause.message);
                account.absorb(*error.account);
                failure = Some(Failure { message, ..cause });
                break;
            }
        }
        if is_first && talk == Talk::Usual {
            print_note("watching; Ctrl-C ends");
        }
        is_first = false;
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            () = interrupt::asked() => break,
        }
    }
    Ok(Done { account, failure })
}

/// Says what a file gave.
fn news(file: &FileAccount) -> String {
    let path = safe_line(&file.path.display().to_string());
    format!(
        "{} from {path}",
        counted(file.counts.messages, "new message", "new messages")
    )
}
