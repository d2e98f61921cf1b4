//! Quire's side of the contest: the sandbox as the server uses it.

use std::path::Path;
use std::sync::Arc;

use quire_domain::reading::FileKind;
use quire_ports::ReadError;
use quire_reading::ParsedPage;
use quire_reading::sandbox::{ParserLimits, ParserProgram, Sandbox};

/// Warm parsers, and the way from a path to words.
#[derive(Clone)]
pub struct Reader(Sandbox);

impl Reader {
    /// Starts so many parsers.
    pub async fn start(parsers: usize) -> Self {
        Self(Sandbox::start(ParserProgram::current(), ParserLimits::default(), parsers).await.unwrap())
    }

    /// The pages of a file. Fetching it from the disk is part of it, as it is for the other contender.
    pub async fn read(&self, path: &Path) -> Result<Vec<ParsedPage>, ReadError> {
        self.0.read(FileKind::Pdf, bytes(path)).await
    }

    /// The first page of a file as an image.
    pub async fn image(&self, path: &Path, scale: f32) -> Result<Vec<u8>, ReadError> {
        self.0.render(FileKind::Pdf, bytes(path), 0, scale).await
    }
}

fn bytes(path: &Path) -> Arc<[u8]> {
    std::fs::read(path).unwrap().into()
}
