//! Use cases for documents.

mod content_hash;
mod detail;
mod download;
mod extractor;
mod hide;
mod history;
mod jobs;
mod known_schema;
mod list;
pub mod pages;
mod reprocess;
mod set_language;
pub mod upload;

pub use quire_ports::{
    ConfidenceCursor, DocumentCursor, DocumentJob, DocumentOverview, LeastConfidentQuery, StepRecord,
};

pub use content_hash::content_hash;
pub(crate) use detail::overviews;
pub use detail::{DocumentView, detail, duplicates, find};
pub use download::{DownloadError, OriginalFile, download};
pub use extractor::ExtractorNotConfigured;
pub(crate) use extractor::require_extractor;
pub use hide::{set_hidden, set_hidden_in};
pub use history::{ProcessingHistory, history};
pub use jobs::jobs;
pub use known_schema::{UnknownSchema, require_schema};
pub use list::{
    CountCache, DocumentCount, DocumentList, LeastConfidentList, ListRequest, SCAN_LIMIT, by_ids,
    least_confident, list,
};
pub use reprocess::{ReprocessError, ReprocessOptions, reprocess, request_reprocess};
pub use set_language::{is_language, languages, set_language};
