//! `GET /app/documents/{id}/next`: leads to the next document that nobody has checked yet.

use axum::extract::State;
use axum::response::Redirect;
use jiff::ToSpan as _;
use quire_application::document::{self, ListRequest};
use quire_domain::{DocumentId, DocumentStatus, ReviewStatus};
use quire_ports::DocumentPlace;
use uuid::Uuid;

use crate::request::Id;
use crate::{ApiError, Product};

pub(in super::super) async fn lead(State(product): State<Product>, Id(id): Id) -> Result<Redirect, ApiError> {
    let here = product.store.documents.find(DocumentId(id)).await?;
    let place = DocumentPlace { created_at: here.created_at, id: here.id };
    let newest = product.store.clock.now().saturating_add(1.hour()).unwrap_or(here.created_at);
    let begin = DocumentPlace { created_at: newest, id: DocumentId(Uuid::max()) };
    // The older ones first, then from the newest on.
    for after in [place, begin] {
        if let Some(next) = after_that(&product, after).await?.filter(|next| *next != here.id) {
            return Ok(Redirect::to(&format!("/app/documents/{next}")));
        }
    }
    Ok(Redirect::to("/app"))
}

async fn after_that(product: &Product, after: DocumentPlace) -> Result<Option<DocumentId>, ApiError> {
    let request = ListRequest {
        limit: 1,
        after: Some(after),
        status: Some(DocumentStatus::Completed),
        review: Some(ReviewStatus::InReview),
        ..ListRequest::default()
    };
    let found = document::list(&product.store, &product.counts, &request).await?;
    Ok(found.items.first().map(|view| view.overview.document.id))
}
