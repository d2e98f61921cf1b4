//! The pages of a document with their sizes, so that the layout does not move when their images load, and what is missing
//! in their text.

use quire_application::document::pages;
use quire_application::{App, Error};
use quire_domain::DocumentId;
use quire_domain::reading::Line;
use quire_domain::reading::quality::TextProperty;

use super::super::words::Words;
use crate::ApiError;

/// The hidden text of further pages is not shown, because each page takes a read of its file.
const MAX_SHOWN_PAGES: usize = 20;

/// A page.
pub(super) struct PageView {
    pub(super) number: usize,
    /// In points.
    pub(super) width: f32,
    pub(super) height: f32,
    /// The same in whole pixels.
    pub(super) across: u32,
    pub(super) down: u32,
    pub(super) unread: Option<UnreadView>,
    pub(super) covered: Option<CoveredView>,
    /// Why data inside the file could not be read.
    pub(super) data_problem: Option<String>,
}

/// Why a page could not be read.
pub(super) struct UnreadView {
    pub(super) text: String,
    /// The error code, explained at `/errors/`.
    pub(super) code: String,
}

/// The text that opaque marks hide on a page.
pub(super) struct CoveredView {
    /// How many words they hide.
    pub(super) text: String,
    /// The hidden lines; none if they are not shown.
    pub(super) lines: Vec<String>,
}

/// The pages of a document, and what is to know about their text.
#[derive(Default)]
pub(super) struct PageListView {
    pub(super) sheets: Vec<PageView>,
    /// One sentence, such as that the text has few words.
    pub(super) about_text: Option<String>,
}

/// The pages of a document; none until a run has read it.
pub(super) async fn load(app: &App, words: &Words, document: DocumentId) -> Result<PageListView, ApiError> {
    let index = match pages::list(app, document).await {
        Ok((_, index)) => index,
        Err(Error::NotFound(_)) => return Ok(PageListView::default()),
        Err(error) => return Err(error.into()),
    };
    let name = if index.covered_used { "review.covered_used" } else { "review.covered" };
    let about_text = about_text(&index.text_properties, words);
    let mut sheets = Vec::with_capacity(index.pages.len());
    let mut shown_pages = MAX_SHOWN_PAGES;
    for (number, entry) in (1..).zip(index.pages) {
        let covered = match entry.covered_words {
            0 => None,
            count => {
                shown_pages = shown_pages.saturating_sub(1);
                let lines =
                    if shown_pages > 0 { covered_lines(app, document, number).await } else { Vec::new() };
                Some(CoveredView { text: words.count(name, count as u64), lines })
            }
        };
        let unread = entry.unread.map(|unread| UnreadView {
            text: words.with("review.page_unread", &number.to_string()),
            code: unread.error_code,
        });
        sheets.push(PageView {
            number,
            width: entry.width,
            height: entry.height,
            across: whole(entry.width),
            down: whole(entry.height),
            unread,
            covered,
            data_problem: entry.data_problem.map(|why| words.with("review.data_problem", &why)),
        });
    }
    Ok(PageListView { sheets, about_text })
}

fn about_text(properties: &[TextProperty], words: &Words) -> Option<String> {
    let name = |property: &TextProperty| words.find(&["review.text_", property.as_str()].concat());
    let names: Vec<&str> = properties.iter().filter_map(name).collect();
    (!names.is_empty()).then(|| words.with("review.about_text", &names.join(", ")))
}

/// The hidden lines of a page. If their file is gone, the warning is shown without them.
async fn covered_lines(app: &App, document: DocumentId, number: usize) -> Vec<String> {
    let Ok(page) = pages::page(app, document, number).await else { return Vec::new() };
    let text = |line: &Line| line.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    page.covered.iter().map(text).collect()
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Pages are positive and small.
fn whole(points: f32) -> u32 {
    points.max(1.0).round() as u32
}
