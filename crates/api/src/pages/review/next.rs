//! `GET /app/documents/{id}/next`: leads to the next document that nobody has checked yet.

use axum::extract::State;
use axum::response::Redirect;
use jiff::ToSpan as _;
use quire_application::document::{self, ListRequest};
use quire_domain::{DocumentId, DocumentStatus, ReviewStatus};
use quire_ports::{ConfidenceCursor, DocumentCursor, LeastConfidentQuery};
use uuid::Uuid;

use crate::request::{Id, Parameters};
use crate::{ApiError, Product};

/// The order in which somebody goes through what waits for them, beside the newest first.
pub(super) const LEAST_CERTAIN: &str = "least_certain";

pub(in super::super) async fn lead(
    State(product): State<Product>,
    Id(id): Id,
    parameters: Parameters,
) -> Result<Redirect, ApiError> {
    if parameters.text("sort") == Some(LEAST_CERTAIN) {
        let at = parameters.text("at").and_then(|at| at.parse().ok());
        return least_certain(&product, DocumentId(id), at).await;
    }
    let here = product.store.documents.find(DocumentId(id)).await?;
    let place = DocumentCursor { created_at: here.created_at, id: here.id };
    let newest = product.store.clock.now().saturating_add(1.hour()).unwrap_or(here.created_at);
    let begin = DocumentCursor { created_at: newest, id: DocumentId(Uuid::max()) };
    // The older ones first, then from the newest on.
    for after in [place, begin] {
        if let Some(next) = after_that(&product, after).await?.filter(|next| *next != here.id) {
            return Ok(Redirect::to(&format!("/app/documents/{next}")));
        }
    }
    Ok(Redirect::to("/app"))
}

/// Whoever begins with the least certain goes on with those that are more certain than this one was when they came to it,
/// and then from the beginning: what they corrected made this one certain.
async fn least_certain(product: &Product, here: DocumentId, at: Option<f64>) -> Result<Redirect, ApiError> {
    let place = match at.filter(|at| (0.0..=1.0).contains(at)) {
        Some(at) => Some(at),
        None => product.store.documents.overview(here).await?.confidence,
    };
    let after = place.map(|certainty| ConfidenceCursor { confidence: certainty, id: here });
    for after in [after, None] {
        let part = LeastConfidentQuery { after, limit: 2, ..LeastConfidentQuery::default() };
        let found = product.store.documents.least_confident(part).await?;
        if let Some(next) = found.iter().find(|one| one.document.id != here) {
            let at = next.confidence.map(|at| format!("&at={at}")).unwrap_or_default();
            let id = next.document.id;
            return Ok(Redirect::to(&format!("/app/documents/{id}?sort={LEAST_CERTAIN}{at}")));
        }
    }
    Ok(Redirect::to("/app"))
}

/// A list that was cut short is gone on with so often.
const MOST_PARTS: usize = 5;

async fn after_that(product: &Product, after: DocumentCursor) -> Result<Option<DocumentId>, ApiError> {
    let mut after = Some(after);
    for _ in 0..MOST_PARTS {
        let request = ListRequest {
            limit: 1,
            after,
            status: Some(DocumentStatus::Completed),
            review: Some(ReviewStatus::InReview),
            ..ListRequest::default()
        };
        let found = document::list(&product.store, &product.counts, &request).await?;
        if let Some(view) = found.items.first() {
            return Ok(Some(view.overview.document.id));
        }
        after = found.next;
        if !found.is_cut_short || after.is_none() {
            return Ok(None);
        }
    }
    Ok(None)
}
