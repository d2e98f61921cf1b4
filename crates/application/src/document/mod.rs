//! Use cases for documents.

mod content_hash;
mod detail;
mod download;
mod history;
mod jobs;
mod list;
pub mod pages;
mod purge;
mod reprocess;
mod set_language;
pub mod upload;

pub use quire_ports::{
    ConfidenceCursor, DocumentCursor, DocumentJob, DocumentOverview, LeastConfidentQuery, StepRecord,
};

pub use content_hash::content_hash;
pub use detail::{DocumentView, detail, duplicates, find};
pub use download::{DownloadError, OriginalFile, download};
pub use history::{ProcessingHistory, history};
pub use jobs::jobs;
pub use list::{
    CountCache, DocumentCount, DocumentList, LeastConfidentList, ListRequest, SCAN_LIMIT, by_ids,
    least_confident, list,
};
pub use purge::purge;
pub use reprocess::{ReprocessError, reprocess, request_reprocess};
pub use set_language::{is_language, languages, set_language};
