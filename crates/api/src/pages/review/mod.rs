//! `GET /app/documents/{id}`: the pages of a document beside its interpretation.

pub(crate) mod compare;
mod form;
pub(crate) mod history;
pub(crate) mod next;
mod page_list;
mod processing;
mod row;
mod similar;
mod titles;

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use quire_application::document::{self, DocumentView};
use quire_application::review::{self, ReviewError};
use quire_application::{App, events};
use quire_domain::DocumentId;

use self::form::ReviewForm;
use self::page_list::{PageListView, PageView};
use self::processing::{NewerRun, ProcessingView};
use self::similar::SimilarView;
use super::frame::{Frame, NavigationItem, page};
use super::visitor::Visitor;
use super::words::Words;
use crate::ApiError;
use crate::request::{Id, Parameters};

#[derive(Template)]
#[template(path = "review.html")]
struct ReviewPage {
    frame: Frame,
    words: &'static Words,
    id: DocumentId,
    /// The address of the next document.
    next: String,
    name: String,
    sheets: Vec<PageView>,
    /// What is to know about the text of the pages.
    about_text: Option<String>,
    /// Who has hidden the document, in words.
    hidden: Option<String>,
    /// Documents with almost the same text.
    similar: Vec<SimilarView>,
    work: Work,
}

/// The form beside the pages, which scripts replace.
#[derive(Template)]
#[template(path = "review/form.html")]
struct WorkPart {
    words: &'static Words,
    /// The address of the next document.
    next: String,
    work: Work,
}

impl ReviewPage {
    /// The modules of the page's script, so that a browser loads all of them at once.
    const MODULES: [&str; 20] = [
        "review/actions",
        "review/add",
        "review/change",
        "review/conflict",
        "review/dialogs",
        "review/editor",
        "review/filter",
        "review/find",
        "review/form",
        "review/hide",
        "review/history",
        "review/hits",
        "review/input",
        "review/pages",
        "review/save",
        "review/shortcuts",
        "review/splitter",
        "review/status",
        "review/text_layer",
        "review/unclear",
    ];
}

/// The actions that the visitor may take on the document.
enum Work {
    Review(Box<ReviewForm>),
    Waiting(ProcessingView),
}

/// The whole page.
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Id(id): Id,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let id = DocumentId(id);
    // The event position first, then the document: an event in between is shown twice rather than missed.
    let newest = events::newest(&app).await?;
    let view = document::detail(&app, id).await?;
    let work = Work::load(&app, &visitor, &view).await?;
    let words = visitor.language.words();
    let PageListView { sheets, about_text } = page_list::load(&app, words, id).await?;
    let hidden = view.overview.hidden.map(|hidden| words.with("review.hidden_by", &hidden.by));
    let name = view.overview.document.original_filename;
    let next = next_of(id, &parameters);
    let frame = Frame::new(visitor, NavigationItem::Inbox, &["review"], newest);
    let similar = similar::load(&app, id).await?;
    page(&ReviewPage { frame, words, id, next, name, sheets, about_text, hidden, similar, work })
}

/// The form beside the pages.
pub(crate) async fn work(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Id(id): Id,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let id = DocumentId(id);
    let view = document::detail(&app, id).await?;
    let work = Work::load(&app, &visitor, &view).await?;
    page(&WorkPart { words: visitor.language.words(), next: next_of(id, &parameters), work })
}

/// The address of the next document in the order of the list that the visitor came from.
fn next_of(id: DocumentId, parameters: &Parameters) -> String {
    let order = parameters.non_empty("sort").filter(|sort| *sort == next::LEAST_CONFIDENT);
    // Uses the confidence at the time of opening, because an edit changes it.
    let at = parameters.non_empty("at").and_then(|at| at.parse::<f64>().ok());
    let at = at.map(|at| format!("&at={at}")).unwrap_or_default();
    let order = order.map(|sort| format!("?sort={sort}{at}")).unwrap_or_default();
    format!("/app/documents/{id}/next{order}")
}

impl Work {
    async fn load(app: &App, visitor: &Visitor, view: &DocumentView) -> Result<Self, ApiError> {
        let id = view.overview.document.id;
        match review::show(app, id).await {
            Ok(found) => {
                let newer = NewerRun::of(visitor, view, found.run.id);
                let form = ReviewForm::load(app, visitor, &found, newer).await?;
                Ok(Self::Review(Box::new(form)))
            }
            Err(ReviewError::NoCompletedRun | ReviewError::Missing) => {
                ProcessingView::load(app, visitor, view).await.map(Self::Waiting)
            }
            Err(ReviewError::Other(error)) => Err(error.into()),
        }
    }
}
