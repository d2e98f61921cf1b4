//! What a person can ask about documents.

mod content_hash;
mod detail;
mod history;
mod list;
pub mod pages;
mod purge;
mod reprocess;
mod set_language;
pub mod upload;

pub use content_hash::content_hash;
pub use detail::{DocumentView, detail, duplicates};
pub use history::{ProcessingHistory, history};
pub use list::{
    CountCache, DocumentCount, DocumentList, LeastConfidentList, ListRequest, MOST_LOOKED_AT,
    least_confident, list, some,
};
pub use purge::purge;
pub use reprocess::reprocess;
pub use set_language::{is_language, languages, set_language};
