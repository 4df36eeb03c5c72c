//! A file of which 4 KB more are waited for, and nothing else: what any durable turn takes at least.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use crate::protocol::{Batch, Sync};
use crate::serve::{Outcome, Reply, Subject};

/// The file, once it is open.
#[derive(Default)]
pub(crate) struct Synced(Option<File>);

impl Subject for Synced {
    fn open(&mut self, folder: &str, _sync: Sync) -> Reply {
        let path = Path::new(folder).join("synced");
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        self.0 = Some(file);
        Ok(Outcome::done(0, 0))
    }

    fn turn(&mut self, batch: Batch) -> Reply {
        let file = self.0.as_mut().expect("opened before");
        file.write_all(&[7; 4096])?;
        file.sync_data()?;
        Ok(Outcome::done(batch.messages.len(), 4096))
    }

    fn close(&mut self) -> Reply {
        self.0 = None;
        Ok(Outcome::done(0, 0))
    }
}
