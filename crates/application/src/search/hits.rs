//! All hits of a query in one document, in one answer.

use quire_domain::DocumentId;
use quire_domain::reading::Rect;
use quire_understanding::search::{Hit, hits};

use super::expand::expand;
use super::find::{SearchError, checked_query};
use super::{Searcher, results};

/// Hits of one document at most.
const MAX_HITS: usize = 10_000;

/// The hits of a query in a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentHits {
    /// The hits on its pages, in reading order.
    pub hits: Vec<DocumentHit>,
    /// Whether there are more than are listed.
    pub is_cut_short: bool,
}

/// A hit on a page.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentHit {
    /// The page, from 1.
    pub page: u32,
    /// What was found, as it stands there.
    pub text: String,
    /// Where on the page it stands.
    pub boxes: Vec<Rect>,
}

impl Searcher {
    /// Every place on the pages of a document where a word or phrase of the query stands.
    pub async fn hits_in(&self, document: DocumentId, text: &str) -> Result<DocumentHits, SearchError> {
        self.store.documents.find(document).await?;
        let query = checked_query(self, text).await?;
        let (terms, _) = expand(&*self.store.search, &query.terms).await?;
        let chunks = self.store.search.chunks_of(document).await?;
        // Reading a long document takes a while, and requests must not wait for it.
        let found = tokio::task::spawn_blocking(move || {
            let mut found = DocumentHits::default();
            for chunk in &chunks {
                let Some(page) = chunk.page else { continue };
                for hit in whole(hits(&chunk.text, &terms)) {
                    if found.hits.len() == MAX_HITS {
                        found.is_cut_short = true;
                        return found;
                    }
                    let text = chunk.text[hit.range.clone()].to_owned();
                    let boxes = results::boxes(chunk, std::slice::from_ref(&hit));
                    found.hits.push(DocumentHit { page, text, boxes });
                }
            }
            found
        });
        found.await.map_err(|_| {
            SearchError::Other(crate::Error::Corrupt("the hits of a document cannot be computed".to_owned()))
        })
    }
}

/// The hits without those that lie within another.
fn whole(hits: Vec<Hit>) -> Vec<Hit> {
    let mut whole: Vec<Hit> = Vec::new();
    for hit in hits {
        match whole.last() {
            Some(last) if hit.range.end <= last.range.end => {}
            _ => whole.push(hit),
        }
    }
    whole
}
