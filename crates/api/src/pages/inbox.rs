//! `GET /app`: the documents, the newest first.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use quire_application::document::{self, DocumentView, ListRequest};
use quire_domain::{DocumentStatus, ReviewStatus};

use super::frame::{Frame, Part, page};
use super::visitor::Visitor;
use super::words::Words;
use crate::{ApiError, Product};

/// How many are shown at once.
const SHOWN: u32 = 50;

#[derive(Template)]
#[template(path = "inbox.html")]
struct Inbox {
    frame: Frame,
    rows: Vec<Row>,
    /// How many there are.
    total: Option<String>,
}

struct Row {
    id: String,
    name: String,
    status: &'static str,
    /// The class of its chip.
    tone: &'static str,
    added: String,
}

pub(super) async fn show(State(product): State<Product>, visitor: Visitor) -> Result<Response, ApiError> {
    // First where the history stands, then what there is: what happens in between is told twice and not missed.
    let newest = product.store.history.newest_event().await?;
    let request = ListRequest { limit: SHOWN, ..ListRequest::default() };
    let found = document::list(&product.store, &product.counts, &request).await?;
    let frame = Frame::new(visitor, Part::Inbox, &["inbox"], newest);
    let rows = found.items.iter().map(|view| Row::of(view, frame.words())).collect();
    let total = found.total.map(|total| {
        let name = if total.is_lower_bound { "inbox.more_than" } else { "inbox.total" };
        frame.words().count(name, total.count.into())
    });
    page(&Inbox { frame, rows, total })
}

impl Row {
    fn of(view: &DocumentView, words: &'static Words) -> Self {
        let document = &view.overview.document;
        let (name, tone) = match (view.standing.status, document.review_status) {
            (DocumentStatus::Completed, ReviewStatus::Reviewed) => ("inbox.status_reviewed", "reviewed"),
            (DocumentStatus::Completed, _) => ("inbox.status_ready", "ready"),
            (DocumentStatus::Failed | DocumentStatus::TimedOut, _) => ("inbox.status_error", "error"),
            (DocumentStatus::Processing, _) => ("inbox.status_processing", "processing"),
            (DocumentStatus::Uploaded, _) => ("inbox.status_uploaded", "waiting"),
        };
        Self {
            id: document.id.to_string(),
            name: document.original_filename.clone(),
            status: words.get(name),
            tone,
            added: document.created_at.to_string(),
        }
    }
}
