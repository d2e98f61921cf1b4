//! Other documents with almost the same text.

use quire_application::{App, search};
use quire_domain::DocumentId;

use crate::ApiError;

/// Documents that are shown at most.
const SHOWN: usize = 3;

/// A document with almost the same text.
pub(super) struct SimilarView {
    pub(super) id: DocumentId,
    pub(super) name: String,
    /// The share of text that both have in common, in percent.
    pub(super) share: String,
}

pub(super) async fn load(app: &App, id: DocumentId) -> Result<Vec<SimilarView>, ApiError> {
    let similar = search::similar_documents(app, id, SHOWN).await?.into_iter();
    let view = |found: search::SimilarDocument| {
        let share = found.resemblance.filter(|_| found.is_near_duplicate())?;
        let document = found.document.overview.document;
        Some(SimilarView {
            id: document.id,
            name: document.original_filename,
            share: format!("{:.0} %", share * 100.0),
        })
    };
    Ok(similar.filter_map(view).collect())
}
