//! The way out, shared by all who answer. Owns that lines stay whole, one after the other.
//! May not know what a line says.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{Mutex, watch};

/// A writer of lines.
pub(super) struct Outlet<W> {
    writer: Arc<Mutex<W>>,
    is_broken: Arc<watch::Sender<bool>>,
}

impl<W> Clone for Outlet<W> {
    fn clone(&self) -> Self {
        Self {
            writer: Arc::clone(&self.writer),
            is_broken: Arc::clone(&self.is_broken),
        }
    }
}

/// Marks the outlet as broken unless the line was written whole: after half a line nothing that
/// follows can be read.
struct Whole<'outlet>(Option<&'outlet watch::Sender<bool>>);

impl Drop for Whole<'_> {
    fn drop(&mut self) {
        if let Some(is_broken) = self.0.take() {
            is_broken.send_replace(true);
        }
    }
}

impl<W: AsyncWrite + Unpin> Outlet<W> {
    pub(super) fn new(writer: W) -> Self {
        Self {
            writer: Arc::new(Mutex::new(writer)),
            is_broken: Arc::new(watch::Sender::new(false)),
        }
    }

    /// Writes one line, and its break.
    pub(super) async fn write(&self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        let mut writer = self.writer.lock().await;
        if *self.is_broken.borrow() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let mut whole = Whole(Some(&self.is_broken));
        writer.write_all(&line).await?;
        writer.flush().await?;
        whole.0 = None;
        Ok(())
    }

    /// Returns once nothing can be written any more.
    pub(super) async fn broken(&self) {
        let mut is_broken = self.is_broken.subscribe();
        // The sender lives as long as `self`.
        drop(is_broken.wait_for(|is_broken| *is_broken).await);
    }
}
