//! Reads files with Quire's sandbox, as the server does.

use std::path::Path;
use std::sync::Arc;

use quire_domain::reading::FileKind;
use quire_ports::ReadError;
use quire_reading::sandbox::{ConfinementPolicy, ParserLimits, ParserProgram, Sandbox};
use quire_reading::{CoveredText, ParsedPage};

/// A sandbox with running parsers.
#[derive(Clone)]
pub struct Reader(Sandbox);

impl Reader {
    /// Starts the parsers.
    pub async fn start(parsers: usize) -> Self {
        Self(
            Sandbox::start(
                ParserProgram::current(),
                ParserLimits::default(),
                parsers,
                ConfinementPolicy::default(),
            )
            .await
            .unwrap(),
        )
    }

    /// Reads a file. Loading it from the disk counts, as it does for `PyMuPDF`.
    pub async fn read(&self, path: &Path) -> Result<Vec<ParsedPage>, ReadError> {
        self.0.read(FileKind::Pdf, bytes(path), CoveredText::Apart).await
    }

    /// Renders the first page of a file.
    pub async fn image(&self, path: &Path, scale: f32) -> Result<Vec<u8>, ReadError> {
        self.0.render(FileKind::Pdf, bytes(path), 0, scale).await
    }
}

fn bytes(path: &Path) -> Arc<[u8]> {
    std::fs::read(path).unwrap().into()
}
