//! Who reads a document, if a request names it.

use quire_domain::reading::Extractor;

use crate::App;

/// A request names an extractor that this server cannot use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no Document Intelligence is configured; set {}, or choose the local extractor", Self::SETTINGS.join(" and "))]
pub struct ExtractorNotConfigured;

impl ExtractorNotConfigured {
    /// The settings that are missing.
    pub const SETTINGS: [&'static str; 2] = ["document_intelligence.url", "document_intelligence.api_key"];
}

/// Fails if the requested extractor is not configured.
pub(crate) fn require_extractor(
    app: &App,
    extractor: Option<Extractor>,
) -> Result<(), ExtractorNotConfigured> {
    match extractor {
        Some(Extractor::DocumentIntelligence) if !app.document_intelligence => Err(ExtractorNotConfigured),
        _ => Ok(()),
    }
}
