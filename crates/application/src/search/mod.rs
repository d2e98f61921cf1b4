//! Search: documents by their words and their meaning, with the places where these stand.

mod conditions;
mod expand;
mod facets;
mod find;
mod hits;
mod indexer;
mod lexical;
mod meaning;
mod results;
mod searcher;
mod similar;
mod visible;

use quire_domain::DocumentId;

pub use facets::{Facet, FacetValue};
pub use find::{MAX_RANKED, SearchCursor, SearchError, SearchRequest, SearchSort};
pub use hits::{DocumentHit, DocumentHits};
pub use indexer::{IndexReport, Indexer, index_outdated};
pub use lexical::LexicalEmbedder;
pub use results::{Correction, FoundSnippet, SearchResult, SearchResults, SnippetKind};
pub use searcher::{SearchWeights, Searcher};
pub use similar::{NEAR_DUPLICATE, NearDuplicate, SimilarDocument};

use crate::{App, Result};

/// Near-duplicates of a document that are listed with it at most.
const MAX_NEAR_DUPLICATES: usize = 20;
/// Chunks whose vectors are looked at.
const MAX_NEAREST: u32 = 200;

/// Finds documents.
pub async fn search(app: &App, request: &SearchRequest) -> Result<SearchResults, SearchError> {
    app.searcher.find(request).await
}

/// Every place on the pages of a document where a word or phrase of the query stands.
pub async fn hits_in_document(
    app: &App,
    document: DocumentId,
    text: &str,
) -> Result<DocumentHits, SearchError> {
    app.searcher.hits_in(document, text).await
}

/// The documents that are like this one, most like first.
pub async fn similar_documents(
    app: &App,
    document: DocumentId,
    limit: usize,
) -> Result<Vec<SimilarDocument>> {
    app.searcher.similar_to(document, limit).await
}

/// The documents that have almost the same text as this one.
pub async fn near_duplicates(app: &App, document: DocumentId) -> Result<Vec<NearDuplicate>> {
    app.searcher.near_duplicates(document, MAX_NEAR_DUPLICATES).await
}
