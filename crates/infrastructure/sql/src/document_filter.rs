//! The parameters of the queries that list and count documents.

use jiff::Timestamp;
use quire_domain::DocumentId;
use quire_ports::{ConfidenceCursor, DocumentCursor, DocumentFilter};
use uuid::Uuid;

/// A place before the newest document, where the list of documents begins.
pub const BEFORE_FIRST_DOCUMENT: DocumentCursor =
    DocumentCursor { created_at: Timestamp::MAX, id: DocumentId(Uuid::max()) };
/// A place before the least confident document, where the list of documents to review begins.
pub const BEFORE_LEAST_CONFIDENT: ConfidenceCursor =
    ConfidenceCursor { confidence: -1.0, id: DocumentId(Uuid::nil()) };

/// Parameters of `documents/list.sql` and `documents/count.sql`. Each query has one branch per parameter; a parameter
/// that is false or NULL switches its branch off.
#[derive(Clone, Copy, Debug, Default)]
pub struct DocumentFilterColumns {
    /// Every document.
    pub all: bool,
    /// States of the latest run; two, since a document that is being processed is QUEUED or RUNNING.
    pub states: [Option<&'static str>; 2],
    /// A review status.
    pub review: Option<&'static str>,
    /// The hidden documents.
    pub hidden: bool,
}

impl From<DocumentFilter> for DocumentFilterColumns {
    fn from(filter: DocumentFilter) -> Self {
        match filter {
            DocumentFilter::All => Self { all: true, ..Self::default() },
            DocumentFilter::Status(status) => {
                let mut names = status.states().iter().map(|state| state.as_str());
                Self { states: [names.next(), names.next()], ..Self::default() }
            }
            DocumentFilter::Hidden => Self { hidden: true, ..Self::default() },
            DocumentFilter::Review(status) => Self { review: Some(status.as_str()), ..Self::default() },
        }
    }
}
