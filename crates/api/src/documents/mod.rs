//! Documents over HTTP, a file for each question.

mod detail;
mod download;
mod export;
mod history;
mod jobs;
mod language;
mod list;
mod pages;
mod reprocess;
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
