//! The list of documents, newest first, in parts.
//!
//! An index has documents by the state of their latest run and by whether they were checked, so that a list by one of
//! these costs what it shows. A name is in no index, nor is a value, nor are documents without a run, nor two wishes at once: there,
//! the list looks at documents one after another. It looks at so many and no more, says so, and says where to go on.

mod counts;
mod fitting;
mod least_confident;

use quire_domain::{DocumentStatus, ReviewStatus};
use quire_ports::{DocumentCursor, DocumentFilter, DocumentListQuery, PortResult, Store};

use crate::{App, Result};

pub use self::counts::CountCache;
use self::counts::Counted;
pub use self::fitting::by_ids;
pub use self::least_confident::{LeastConfidentList, least_confident};

use super::DocumentView;

/// Counting and looking end here.
pub const MOST_LOOKED_AT: u32 = if cfg!(test) { 10 } else { 10_000 };
/// How many are looked at in one reading.
const STRIDE: u32 = if cfg!(test) { 4 } else { 500 };

/// Which documents to list.
#[derive(Clone, Debug, Default)]
pub struct ListRequest {
    /// At most how many.
    pub limit: u32,
    /// How many to pass over first.
    pub offset: u32,
    /// Only what comes after this place: what an earlier list gave as `next`.
    pub after: Option<DocumentCursor>,
    /// Only those that stand so.
    pub status: Option<DocumentStatus>,
    /// Only those that were, or were not, checked by a person.
    pub review: Option<ReviewStatus>,
    /// Only those with this in their name or in one of their values, whether in capitals or not, with accents or without.
    pub words: Option<String>,
}

/// A part of the list.
#[derive(Clone, Debug, Default)]
pub struct DocumentList {
    /// The documents.
    pub items: Vec<DocumentView>,
    /// How many there are in all; not told to whoever goes on from a place.
    pub total: Option<DocumentCount>,
    /// Where the next part begins, if there may be one.
    pub next: Option<DocumentCursor>,
    /// Whether the search ended before the list did, because it has looked at as many as it may.
    pub is_cut_short: bool,
}

/// How many documents there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentCount {
    /// So many,
    pub count: u32,
    /// or more.
    pub is_lower_bound: bool,
}

/// Lists documents.
pub async fn list(app: &App, request: &ListRequest) -> Result<DocumentList> {
    Ok(search(&app.store, &app.counts, request).await?)
}

async fn search(store: &Store, counts: &CountCache, request: &ListRequest) -> PortResult<DocumentList> {
    match request.base() {
        Base::Whole(of) => part(store, counts, request, of).await,
        Base::Among(of) => Search::of(request, of).run(store).await,
    }
}

/// Where what is asked for is to be found.
enum Base {
    /// It is just these.
    Whole(DocumentFilter),
    /// It is among these.
    Among(DocumentFilter),
}

impl ListRequest {
    fn base(&self) -> Base {
        let of = match (self.status, self.review) {
            // Few documents wait for a person, and most of those are completed: the shorter way by far.
            (Some(DocumentStatus::Completed), Some(ReviewStatus::InReview)) => {
                DocumentFilter::Review(ReviewStatus::InReview)
            }
            (Some(status), _) if status != DocumentStatus::Uploaded => DocumentFilter::Status(status),
            (_, Some(review)) => DocumentFilter::Review(review),
            _ => DocumentFilter::All,
        };
        let is_whole = match of {
            DocumentFilter::Status(_) => self.review.is_none(),
            DocumentFilter::All | DocumentFilter::Review(_) => self.status.is_none(),
        };
        if is_whole && self.words.is_none() { Base::Whole(of) } else { Base::Among(of) }
    }
}

async fn part(
    store: &Store,
    counts: &CountCache,
    request: &ListRequest,
    of: DocumentFilter,
) -> PortResult<DocumentList> {
    let one_more = request.limit.saturating_add(1);
    let part = DocumentListQuery { of, after: request.after, skip: request.offset, limit: one_more };
    let mut items: Vec<DocumentView> =
        store.documents.list(part).await?.into_iter().map(DocumentView::of).collect();
    let has_more = items.len() > request.limit as usize;
    items.truncate(request.limit as usize);
    let next = items.last().filter(|_| has_more).map(DocumentView::place);
    let total = match request.after {
        Some(_) => None,
        None => Some(counts.total(store, Counted::Of(of)).await?),
    };
    Ok(DocumentList { items, total, next, is_cut_short: false })
}

/// A walk along the list.
struct Search<'r> {
    request: &'r ListRequest,
    among: DocumentFilter,
    items: Vec<DocumentView>,
    /// How many fit what is asked for, shown or not.
    fitting: u32,
    looked_at: u32,
    place: Option<DocumentCursor>,
    is_at_end: bool,
}

impl<'r> Search<'r> {
    fn of(request: &'r ListRequest, among: DocumentFilter) -> Self {
        let (items, place) = (Vec::new(), request.after);
        Self { request, among, items, fitting: 0, looked_at: 0, place, is_at_end: false }
    }

    async fn run(mut self, store: &Store) -> PortResult<DocumentList> {
        while !self.is_over() {
            let limit = STRIDE.min(MOST_LOOKED_AT - self.looked_at);
            let part = DocumentListQuery { of: self.among, after: self.place, skip: 0, limit };
            let read = store.documents.list(part).await?;
            self.is_at_end = read.len() < limit as usize;
            let read: Vec<_> = read.into_iter().map(DocumentView::of).collect();
            let fitting = self.request.fitting(store, &read).await?;
            for document in read {
                if self.is_satisfied() {
                    // What was read beyond is for the next part.
                    self.is_at_end = false;
                    break;
                }
                let fits = fitting.contains(&document.overview.document.id);
                self.look_at(document, fits);
            }
        }
        Ok(self.outcome())
    }

    fn look_at(&mut self, document: DocumentView, fits: bool) {
        self.looked_at += 1;
        self.place = Some(document.place());
        if fits {
            if self.fitting >= self.request.offset && !self.is_full() {
                self.items.push(document);
            }
            self.fitting += 1;
        }
    }

    fn is_full(&self) -> bool {
        self.items.len() >= self.request.limit as usize
    }

    /// Whoever goes on from a place wants the next part alone; the others also want to know how many there are.
    fn is_satisfied(&self) -> bool {
        self.request.after.is_some() && self.is_full()
    }

    fn is_over(&self) -> bool {
        self.is_at_end || self.is_satisfied() || self.looked_at >= MOST_LOOKED_AT
    }

    fn outcome(self) -> DocumentList {
        let is_cut_short = !self.is_at_end && self.looked_at >= MOST_LOOKED_AT;
        let shown = self.request.offset.saturating_add(u32::try_from(self.items.len()).unwrap_or(u32::MAX));
        let has_more = !self.is_at_end || self.fitting > shown;
        // A full part goes on behind its last document; one that is not full, where the search ended.
        let end = if self.is_full() { self.items.last().map(DocumentView::place) } else { self.place };
        let total = DocumentCount { count: self.fitting, is_lower_bound: !self.is_at_end };
        DocumentList {
            next: end.filter(|_| has_more),
            total: self.request.after.is_none().then_some(total),
            is_cut_short,
            items: self.items,
        }
    }
}

#[cfg(test)]
#[path = "list_tests.rs"]
mod tests;
