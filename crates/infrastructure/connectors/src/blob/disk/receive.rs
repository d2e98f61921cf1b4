//! Writing what comes in pieces. Pieces are gathered in memory until there are enough of them to be worth a trip to a
//! thread that may wait for the disk; a small file makes that trip once, when it is whole.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use quire_ports::{PortError, PortResult};

use super::error::{closed, unavailable};
use super::folder::Folder;
use super::write::Incoming;
use crate::blob::name::Name;

/// Bytes that are gathered before they are written: all that a file holds of memory while it comes in.
const GATHERED: usize = 256 << 10;

/// A file on its way in.
pub(super) struct Receiving {
    root: Arc<Path>,
    /// Away while it is being written, and not put back if that fails or is given up: a file with a hole in it must
    /// never get a name.
    so_far: Option<SoFar>,
}

#[derive(Default)]
struct SoFar {
    gathered: Vec<u8>,
    /// What was written already.
    written: Option<Incoming>,
}

impl SoFar {
    /// Writes out what was gathered.
    fn flush(&mut self, root: &Folder) -> PortResult<()> {
        let incoming = match &mut self.written {
            Some(incoming) => incoming,
            none => none.insert(Incoming::begin(root)?),
        };
        incoming.append(&self.gathered)?;
        self.gathered.clear();
        Ok(())
    }

    fn finish(mut self, root: &Folder, name: &Name) -> PortResult<()> {
        self.flush(root)?;
        match self.written.take() {
            Some(incoming) => incoming.finish(root, name),
            None => Err(given_up()),
        }
    }
}

impl Receiving {
    pub(super) fn new(root: Arc<Path>) -> Self {
        Self { root, so_far: Some(SoFar::default()) }
    }

    async fn flush(&mut self) -> PortResult<()> {
        let mut so_far = self.so_far.take().ok_or_else(given_up)?;
        let root = self.root.clone();
        let working = tokio::task::spawn_blocking(move || {
            so_far.flush(&Folder::root(&root).map_err(unavailable)?)?;
            Ok(so_far)
        });
        self.so_far = Some(working.await.map_err(|_| closed())??);
        Ok(())
    }
}

#[async_trait]
impl quire_ports::BlobWriter for Receiving {
    async fn write(&mut self, piece: &[u8]) -> PortResult<()> {
        let so_far = self.so_far.as_mut().ok_or_else(given_up)?;
        so_far.gathered.extend_from_slice(piece);
        if so_far.gathered.len() < GATHERED { Ok(()) } else { self.flush().await }
    }

    async fn finish(mut self: Box<Self>, name: &str) -> PortResult<()> {
        let name = Name::parse(name)?;
        let so_far = self.so_far.take().ok_or_else(given_up)?;
        let root = self.root.clone();
        let working = tokio::task::spawn_blocking(move || {
            so_far.finish(&Folder::root(&root).map_err(unavailable)?, &name)
        });
        working.await.map_err(|_| closed())?
    }
}

impl Drop for Receiving {
    /// Removes what was written, also on a thread that may wait for the disk if there still are any.
    fn drop(&mut self) {
        let written = self.so_far.take().and_then(|so_far| so_far.written);
        if let (Some(written), Ok(runtime)) = (written, tokio::runtime::Handle::try_current()) {
            runtime.spawn_blocking(move || drop(written));
        }
    }
}

/// An earlier piece is missing, and who goes on regardless gets to know it.
fn given_up() -> PortError {
    PortError::Unavailable {
        service: "storage",
        reason: "an earlier part of this file could not be written".to_owned(),
        contention: false,
    }
}
