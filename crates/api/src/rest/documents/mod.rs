//! Documents, one file per operation.

mod conditional;
pub(crate) mod detail;
pub(crate) mod download;
pub(crate) mod export;
pub(crate) mod hide;
pub(crate) mod history;
pub(crate) mod jobs;
pub(crate) mod language;
pub(crate) mod least_confident;
pub(crate) mod list;
pub(crate) mod page_content;
mod page_tables;
pub(crate) mod pages;
pub(crate) mod reprocess;
pub(crate) mod upload;

pub(crate) use detail::detail;
pub(crate) use download::download;
pub(crate) use export::export;
pub(crate) use history::history;
pub(crate) use jobs::jobs;
pub(crate) use language::set_language;
pub(crate) use list::list;
pub(crate) use pages::{page, page_image, pages};
pub(crate) use reprocess::reprocess;
