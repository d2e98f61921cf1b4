//! Reads the pages of a document, also if a parser fails on one of them.
//!
//! The first request is fast: pages arrive in groups. If the parser fails, another parser continues after the last page
//! that arrived, and announces each page, so that the server knows which one is at fault. That page is left out, and the
//! next parser continues behind it.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use quire_domain::reading::FileKind;
use quire_ports::{ReadError, ReadErrorKind};

use super::ParserPool;
use super::parser_process::RequestTime;
use super::protocol::{PagesRequest, ParserRequest, ParserResponse, unexpected_response};
use super::response_validation::{PageCollector, validate_size};
use crate::{CoveredText, ParsedPage};

/// A document with more pages that end their parser is damaged as a whole.
const MAX_UNREAD_PAGES: usize = 20;
/// After a failure, one page may take this part of the document's time limit.
const PAGE_TIME_DIVISOR: u32 = 6;

/// Reads every page.
pub(super) async fn read(
    pool: &Arc<ParserPool>,
    kind: FileKind,
    file: &[u8],
    covered: CoveredText,
) -> Result<Vec<ParsedPage>, ReadError> {
    let (limits, started) = (pool.limits, Instant::now());
    let mut progress = ReadingProgress::default();
    let mut first_error: Option<ReadError> = None;
    let mut unread_pages = 0;
    loop {
        let one_by_one = first_error.is_some();
        let from = progress.pages.pages.len();
        let request = PagesRequest { kind, covered, from, one_by_one };
        let time = if one_by_one {
            let whole = (limits.time + limits.time / 2).saturating_sub(started.elapsed());
            RequestTime { whole, response: limits.time / PAGE_TIME_DIVISOR }
        } else {
            limits.time.into()
        };
        progress.next_page = None;
        let accept = |response| progress.accept(response, &limits);
        let Err(error) = pool.run(ParserRequest::Read(request), file, time, accept).await else { break };
        let first = first_error.get_or_insert_with(|| error.clone());
        if !is_of_one_page(error.kind) || progress.page_count.is_none_or(|pages| pages < 2) {
            return Err(error);
        }
        if !one_by_one {
            continue;
        }
        // Without an announced page, or without time, the document is at fault and not a page.
        let is_late = started.elapsed() >= limits.time + limits.time / 2;
        let Some(size) = progress.next_page.filter(|_| !is_late && unread_pages < MAX_UNREAD_PAGES) else {
            return Err(first.clone());
        };
        tracing::warn!(
            page = progress.pages.pages.len() + 1,
            code = error.kind.as_str(),
            "page not readable"
        );
        progress.pages.push_unread(size, &error);
        unread_pages += 1;
    }
    let pages = progress.pages.pages;
    match first_error {
        Some(error) if pages.iter().all(|parsed| parsed.page.unread.is_some()) => Err(error),
        _ => Ok(pages),
    }
}

/// Counts the pages: asks for those behind the last one.
pub(super) async fn count(pool: &Arc<ParserPool>, kind: FileKind, file: &[u8]) -> Result<usize, ReadError> {
    let limits = pool.limits;
    let covered = CoveredText::default();
    let request = PagesRequest { kind, covered, from: limits.pages, one_by_one: false };
    let mut progress = ReadingProgress::default();
    let accept = |response| progress.accept(response, &limits);
    pool.run(ParserRequest::Read(request), file, limits.time.into(), accept).await?;
    progress.page_count.ok_or_else(|| {
        ReadError::new(
            ReadErrorKind::ParserCrashed,
            "the parser did not count the pages; process the document again",
        )
    })
}

/// Whether an error may be the fault of a single page.
fn is_of_one_page(kind: ReadErrorKind) -> bool {
    matches!(kind, ReadErrorKind::ParserCrashed | ReadErrorKind::ParserMemory | ReadErrorKind::ParserTimeout)
}

/// What the parsers have sent so far.
#[derive(Default)]
struct ReadingProgress {
    pages: PageCollector,
    page_count: Option<usize>,
    /// The size of the page that the parser is reading, if it announced it.
    next_page: Option<(f32, f32)>,
}

impl ReadingProgress {
    fn accept(&mut self, response: ParserResponse, limits: &super::ParserLimits) -> io::Result<()> {
        match response {
            ParserResponse::PageCount(pages) => self.page_count = Some(pages),
            ParserResponse::NextPage(width, height) => {
                validate_size(width, height)?;
                self.next_page = Some((width, height));
            }
            ParserResponse::Page(page) => {
                self.next_page = None;
                self.pages.push(page, limits)?;
            }
            _ => return Err(unexpected_response()),
        }
        Ok(())
    }
}
