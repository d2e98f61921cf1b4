//! The list of documents, newest first, in pages.
//!
//! Indexes exist for the status of the latest run and for the review status, so the cost of a list by one of them
//! depends only on the page. The search index finds documents by words. No index exists for documents without a run, or two
//! filters at once. For these the list scans documents one after another. It scans a limited number, reports that it
//! stopped, and returns the cursor to continue from.

mod counts;
mod filter;
mod least_confident;
mod words;

use quire_domain::{DocumentStatus, ReviewStatus};
use quire_ports::{DocumentCursor, DocumentFilter, DocumentListQuery, PortResult, Store};

use crate::{App, Result};

pub use self::counts::CountCache;
use self::counts::Counted;
pub use self::filter::by_ids;
pub use self::least_confident::{LeastConfidentList, least_confident};

use super::DocumentView;

/// Documents counted or scanned at most.
pub const SCAN_LIMIT: u32 = if cfg!(test) { 10 } else { 10_000 };
/// Documents read at once while scanning.
const SCAN_BATCH: u32 = if cfg!(test) { 4 } else { 500 };

/// Which documents to list.
#[derive(Clone, Debug, Default)]
pub struct ListRequest {
    /// The size of the page.
    pub limit: u32,
    /// Documents to skip.
    pub offset: u32,
    /// Continue after this cursor: the `next` of an earlier page.
    pub after: Option<DocumentCursor>,
    /// Filter: the processing status.
    pub status: Option<DocumentStatus>,
    /// Filter: the review status.
    pub review: Option<ReviewStatus>,
    /// Filter: words in the file name, in a value or in the text, or beginnings of such words. Case and accents are ignored.
    pub words: Option<String>,
    /// Whether the hidden documents are listed instead of the others.
    pub hidden: bool,
}

/// A page of the list.
#[derive(Clone, Debug, Default)]
pub struct DocumentList {
    /// The documents.
    pub items: Vec<DocumentView>,
    /// The number of documents; absent after a cursor.
    pub total: Option<DocumentCount>,
    /// The cursor of the next page, if there may be one.
    pub next: Option<DocumentCursor>,
    /// Whether the scan stopped at its limit.
    pub is_cut_short: bool,
}

/// A number of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentCount {
    /// The number.
    pub count: u32,
    /// Whether there are more.
    pub is_lower_bound: bool,
}

/// Lists documents.
pub async fn list(app: &App, request: &ListRequest) -> Result<DocumentList> {
    Ok(list_page(&app.store, &app.counts, request).await?)
}

async fn list_page(store: &Store, counts: &CountCache, request: &ListRequest) -> PortResult<DocumentList> {
    if let Some(text) = &request.words {
        return words::page(store, request, text).await;
    }
    match request.plan() {
        Plan::Index(filter) => indexed_page(store, counts, request, filter).await,
        Plan::Scan(filter) => Scan::new(request, filter).run(store).await,
    }
}

/// How a request is answered.
enum Plan {
    /// By an index: exactly these documents.
    Index(DocumentFilter),
    /// By scanning these documents.
    Scan(DocumentFilter),
}

impl ListRequest {
    fn plan(&self) -> Plan {
        let filter = match (self.status, self.review) {
            _ if self.hidden => DocumentFilter::Hidden,
            // Few documents wait for a review, and most of them are completed. So this is the shortest scan.
            (Some(DocumentStatus::Completed), Some(ReviewStatus::InReview)) => {
                DocumentFilter::Review(ReviewStatus::InReview)
            }
            (Some(status), _) if status != DocumentStatus::Uploaded => DocumentFilter::Status(status),
            (_, Some(review)) => DocumentFilter::Review(review),
            _ => DocumentFilter::All,
        };
        let is_indexed = match filter {
            DocumentFilter::Status(_) => self.review.is_none(),
            DocumentFilter::All | DocumentFilter::Review(_) => self.status.is_none(),
            DocumentFilter::Hidden => self.status.is_none() && self.review.is_none(),
        };
        if is_indexed { Plan::Index(filter) } else { Plan::Scan(filter) }
    }
}

async fn indexed_page(
    store: &Store,
    counts: &CountCache,
    request: &ListRequest,
    filter: DocumentFilter,
) -> PortResult<DocumentList> {
    let one_more = request.limit.saturating_add(1);
    let part = DocumentListQuery { filter, after: request.after, skip: request.offset, limit: one_more };
    let mut items: Vec<DocumentView> =
        store.documents.list(part).await?.into_iter().map(DocumentView::of).collect();
    let has_more = items.len() > request.limit as usize;
    items.truncate(request.limit as usize);
    let next = items.last().filter(|_| has_more).map(DocumentView::cursor);
    let total = match request.after {
        Some(_) => None,
        None => Some(counts.total(store, Counted::Filtered(filter)).await?),
    };
    Ok(DocumentList { items, total, next, is_cut_short: false })
}

/// A scan of the list.
struct Scan<'r> {
    request: &'r ListRequest,
    filter: DocumentFilter,
    items: Vec<DocumentView>,
    /// Matching documents so far, on this page or not.
    matching: u32,
    scanned: u32,
    cursor: Option<DocumentCursor>,
    is_at_end: bool,
}

impl<'r> Scan<'r> {
    fn new(request: &'r ListRequest, filter: DocumentFilter) -> Self {
        let (items, cursor) = (Vec::new(), request.after);
        Self { request, filter, items, matching: 0, scanned: 0, cursor, is_at_end: false }
    }

    async fn run(mut self, store: &Store) -> PortResult<DocumentList> {
        while !self.is_over() {
            let limit = SCAN_BATCH.min(SCAN_LIMIT - self.scanned);
            let part = DocumentListQuery { filter: self.filter, after: self.cursor, skip: 0, limit };
            let read = store.documents.list(part).await?;
            self.is_at_end = read.len() < limit as usize;
            let read: Vec<_> = read.into_iter().map(DocumentView::of).collect();
            for document in read {
                if self.is_satisfied() {
                    // Documents read beyond the page belong to the next one.
                    self.is_at_end = false;
                    break;
                }
                let matches = self.request.matches(&document);
                self.scan(document, matches);
            }
        }
        Ok(self.outcome())
    }

    fn scan(&mut self, document: DocumentView, matches: bool) {
        self.scanned += 1;
        self.cursor = Some(document.cursor());
        if matches {
            if self.matching >= self.request.offset && !self.is_full() {
                self.items.push(document);
            }
            self.matching += 1;
        }
    }

    fn is_full(&self) -> bool {
        self.items.len() >= self.request.limit as usize
    }

    /// A request with a cursor needs one page; others need the total too.
    fn is_satisfied(&self) -> bool {
        self.request.after.is_some() && self.is_full()
    }

    fn is_over(&self) -> bool {
        self.is_at_end || self.is_satisfied() || self.scanned >= SCAN_LIMIT
    }

    fn outcome(self) -> DocumentList {
        let is_cut_short = !self.is_at_end && self.scanned >= SCAN_LIMIT;
        let shown = self.request.offset.saturating_add(u32::try_from(self.items.len()).unwrap_or(u32::MAX));
        let has_more = !self.is_at_end || self.matching > shown;
        // A full page ends at its last document; another one where the scan stopped.
        let end = if self.is_full() { self.items.last().map(DocumentView::cursor) } else { self.cursor };
        let total = DocumentCount { count: self.matching, is_lower_bound: !self.is_at_end };
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
