//! `GET /app/documents/{id}`: the pages of a document beside what was understood of it.

pub(super) mod compare;
pub(super) mod history;
pub(super) mod next;
mod panel;
mod row;
mod sheets;
mod standing;
mod titles;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use quire_application::document::{self, DocumentView};
use quire_application::review::{self, ReviewError};
use quire_domain::DocumentId;

use self::panel::Panel;
use self::sheets::Sheet;
use self::standing::{Newer, Waiting};
use super::frame::{Frame, Part, page};
use super::visitor::Visitor;
use super::words::Words;
use crate::request::{Id, Parameters};
use crate::{ApiError, Product};

#[derive(Template)]
#[template(path = "review.html")]
struct ReviewPage {
    frame: Frame,
    words: &'static Words,
    id: DocumentId,
    /// Where the next document is.
    next: String,
    name: String,
    sheets: Vec<Sheet>,
    work: Work,
}

/// What stands beside the pages, alone: scripts put it in place of what is there.
#[derive(Template)]
#[template(path = "review/panel.html")]
struct WorkPart {
    words: &'static Words,
    /// Where the next document is.
    next: String,
    work: Work,
}

impl ReviewPage {
    /// What the page's script is made of, so that a browser asks for all of it at once.
    const MODULES: [&str; 17] = [
        "review/actions",
        "review/add",
        "review/change",
        "review/conflict",
        "review/dialogs",
        "review/editor",
        "review/filter",
        "review/find",
        "review/history",
        "review/input",
        "review/pages",
        "review/panel",
        "review/save",
        "review/shortcuts",
        "review/splitter",
        "review/status",
        "review/text_layer",
    ];
}

/// What can be done with the document.
enum Work {
    Review(Box<Panel>),
    Waiting(Waiting),
}

/// The whole page.
pub(super) async fn show(
    State(product): State<Product>,
    visitor: Visitor,
    Id(id): Id,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let id = DocumentId(id);
    // First where the history stands, then what there is: what happens in between is told twice and not missed.
    let newest = product.store.history.newest_event().await?;
    let view = document::detail(&product.store, id).await?;
    let work = Work::load(&product, &visitor, &view).await?;
    let sheets = sheets::load(&product, id).await?;
    let words = visitor.language.words();
    let name = view.overview.document.original_filename;
    let next = next_of(id, &parameters);
    let frame = Frame::new(visitor, Part::Inbox, &["review"], newest);
    page(&ReviewPage { frame, words, id, next, name, sheets, work })
}

/// What stands beside the pages.
pub(super) async fn work(
    State(product): State<Product>,
    visitor: Visitor,
    Id(id): Id,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let id = DocumentId(id);
    let view = document::detail(&product.store, id).await?;
    let work = Work::load(&product, &visitor, &view).await?;
    page(&WorkPart { words: visitor.language.words(), next: next_of(id, &parameters), work })
}

/// The next document in the order in which this one was come to.
fn next_of(id: DocumentId, parameters: &Parameters) -> String {
    let order = parameters.text("sort").filter(|sort| *sort == next::LEAST_CERTAIN);
    // With where it stood in that order when it was come to: what is corrected here moves it.
    let at = parameters.text("at").and_then(|at| at.parse::<f64>().ok());
    let at = at.map(|at| format!("&at={at}")).unwrap_or_default();
    let order = order.map(|sort| format!("?sort={sort}{at}")).unwrap_or_default();
    format!("/app/documents/{id}/next{order}")
}

impl Work {
    async fn load(product: &Product, visitor: &Visitor, view: &DocumentView) -> Result<Self, ApiError> {
        let id = view.overview.document.id;
        match review::view(&product.store, &*product.blobs, id).await {
            Ok(found) => {
                let newer = Newer::of(visitor, view, found.run.id);
                let panel = Panel::load(product, visitor, &found, newer).await?;
                Ok(Self::Review(Box::new(panel)))
            }
            Err(ReviewError::NoCompletedRun | ReviewError::Missing) => {
                Waiting::load(product, visitor, view).await.map(Self::Waiting)
            }
            Err(ReviewError::Port(error)) => Err(error.into()),
        }
    }
}
