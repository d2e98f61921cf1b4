//! The pages of a document with their sizes, so that the layout does not move when their images load.

use quire_application::document::pages;
use quire_application::{App, Error};
use quire_domain::DocumentId;

use crate::ApiError;

/// A page.
pub(super) struct PageView {
    pub(super) number: usize,
    /// In points.
    pub(super) width: f32,
    pub(super) height: f32,
    /// The same in whole pixels.
    pub(super) across: u32,
    pub(super) down: u32,
}

/// The pages of a document; none until a run has read it.
pub(super) async fn load(app: &App, document: DocumentId) -> Result<Vec<PageView>, ApiError> {
    let pages = match pages::list(app, document).await {
        Ok((_, index)) => index.pages,
        Err(Error::NotFound(_)) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let sheet = |(number, entry): (usize, pages::PageEntry)| PageView {
        number,
        width: entry.width,
        height: entry.height,
        across: whole(entry.width),
        down: whole(entry.height),
    };
    Ok((1..).zip(pages).map(sheet).collect())
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Pages are positive and small.
fn whole(points: f32) -> u32 {
    points.max(1.0).round() as u32
}
