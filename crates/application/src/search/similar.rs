//! Documents that are like another one: those with almost the same text, and those whose text means nearly the same.

use std::collections::HashMap;

use quire_domain::DocumentId;
use quire_ports::{Fingerprint, NearChunk, NearestQuery, PortResult};
use quire_understanding::search::resemblance;

use super::visible::visible_among;
use super::{MAX_NEAREST, Searcher};
use crate::Result;
use crate::document::{DocumentView, overviews};

/// A document that has at least this share of its text in common with another one is a near-duplicate of it.
pub const NEAR_DUPLICATE: f64 = 0.75;
/// Documents that are compared by their signatures at most.
const MAX_COMPARED: u32 = 200;
/// A document whose nearest chunk is less similar than this is not like the other one.
const LEAST_SIMILARITY: f64 = 0.5;

/// A document that has almost the same text as another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearDuplicate {
    /// The document.
    pub document: DocumentId,
    /// The share of text that they have in common, from 0 to 1, as their signatures estimate it.
    pub resemblance: f64,
}

/// A document that is like another one.
#[derive(Clone, Debug)]
pub struct SimilarDocument {
    /// The document.
    pub document: DocumentView,
    /// The share of text that they have in common, from 0 to 1. None if it is too small to be found.
    pub resemblance: Option<f64>,
    /// How near the vectors are: 1 if they are the same. None if they are not near or have none.
    pub similarity: Option<f64>,
}

impl SimilarDocument {
    /// Whether both have almost the same text.
    pub fn is_near_duplicate(&self) -> bool {
        self.resemblance.is_some_and(|share| share >= NEAR_DUPLICATE)
    }
}

impl Searcher {
    /// The documents that are like this one: first those with most text in common, then those whose text is nearest.
    pub async fn similar_to(&self, document: DocumentId, limit: usize) -> Result<Vec<SimilarDocument>> {
        self.store.documents.find(document).await?;
        let Some(mine) = self.store.search.fingerprint(document).await? else { return Ok(Vec::new()) };
        let mut shares = resembling(self, document, &mine).await?;
        let mut near = near(self, document, mine).await?;
        let found = shares.iter().chain(&near).map(|(id, _)| *id);
        let visible = visible_among(&*self.store.search, found.collect()).await?;
        shares.retain(|(id, _)| visible.contains(id));
        near.retain(|(id, _)| visible.contains(id));
        let order = in_order(&shares, &near, limit);
        let shares: HashMap<_, _> = shares.into_iter().collect();
        let near: HashMap<_, _> = near.into_iter().collect();
        let mut views = overviews(&self.store, &order).await?;
        let similar = |id: DocumentId| {
            let document = views.remove(&id)?;
            let (resemblance, similarity) = (shares.get(&id).copied(), near.get(&id).copied());
            Some(SimilarDocument { document, resemblance, similarity })
        };
        Ok(order.into_iter().filter_map(similar).collect())
    }

    /// The documents that have almost the same text as this one, those with most of it first. None before the text is indexed.
    pub async fn near_duplicates(&self, document: DocumentId, limit: usize) -> Result<Vec<NearDuplicate>> {
        let Some(mine) = self.store.search.fingerprint(document).await? else { return Ok(Vec::new()) };
        let mut same = resembling(self, document, &mine).await?;
        same.retain(|(_, share)| *share >= NEAR_DUPLICATE);
        let found = same.iter().map(|(id, _)| *id).collect();
        let visible = visible_among(&*self.store.search, found).await?;
        let same = same.into_iter().filter(|(id, _)| visible.contains(id)).take(limit);
        Ok(same.map(|(document, resemblance)| NearDuplicate { document, resemblance }).collect())
    }
}

/// Documents with the share of text that they have in common with this one, the largest share first.
async fn resembling(
    searcher: &Searcher,
    document: DocumentId,
    mine: &Fingerprint,
) -> PortResult<Vec<(DocumentId, f64)>> {
    if mine.signature.is_empty() {
        return Ok(Vec::new());
    }
    let sharing = searcher.store.search.sharing_bands(document, MAX_COMPARED).await?.into_iter();
    let mut found: Vec<_> =
        sharing.map(|(other, signature)| (other, resemblance(&mine.signature, &signature))).collect();
    // The store returns newer documents first, and the sort keeps them first.
    found.sort_by(|one, other| other.1.total_cmp(&one.1));
    Ok(found)
}

/// Documents with the similarity of their nearest chunk to this one as a whole, the nearest first.
async fn near(
    searcher: &Searcher,
    document: DocumentId,
    mine: Fingerprint,
) -> PortResult<Vec<(DocumentId, f64)>> {
    let (Some(model), Some(vector)) = (mine.model, mine.embedding) else { return Ok(Vec::new()) };
    let query = NearestQuery { model, vector, among: None, limit: MAX_NEAREST };
    let near = searcher.store.search.nearest(&query).await?.unwrap_or_default();
    let mut found: Vec<(DocumentId, f64)> = Vec::new();
    let is_like = |chunk: &&NearChunk| chunk.document != document && chunk.similarity >= LEAST_SIMILARITY;
    for chunk in near.iter().filter(is_like) {
        if !found.iter().any(|(known, _)| *known == chunk.document) {
            found.push((chunk.document, chunk.similarity.min(1.0)));
        }
    }
    Ok(found)
}

/// Near-duplicates first, then what is near, then what shares some text.
fn in_order(shares: &[(DocumentId, f64)], near: &[(DocumentId, f64)], limit: usize) -> Vec<DocumentId> {
    let duplicates = shares.iter().filter(|(_, share)| *share >= NEAR_DUPLICATE);
    let mut order: Vec<DocumentId> = Vec::new();
    for (id, _) in duplicates.chain(near).chain(shares) {
        if order.len() == limit {
            break;
        }
        if !order.contains(id) {
            order.push(*id);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn near_duplicates_come_first_and_every_document_once() {
        let [one, two, three] = [1, 2, 3].map(|number| DocumentId(Uuid::from_u128(number)));
        let shares = [(two, 0.9), (three, 0.4)];
        let near = [(one, 0.95), (two, 0.9)];
        assert_eq!(in_order(&shares, &near, 10), [two, one, three]);
        assert_eq!(in_order(&shares, &near, 2), [two, one]);
    }
}
