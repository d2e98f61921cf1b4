//! `GET /app/documents/{id}/next`: redirects to the next document that waits for a reviewer.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Redirect;
use quire_application::{App, review};
use quire_domain::DocumentId;

use crate::ApiError;
use crate::request::{Id, Parameters};

/// The value of `sort` for documents with the least confidence first.
pub(super) const LEAST_CONFIDENT: &str = "least_certain";

pub(crate) async fn lead(
    State(app): State<Arc<App>>,
    Id(id): Id,
    parameters: Parameters,
) -> Result<Redirect, ApiError> {
    let here = DocumentId(id);
    let address = if parameters.non_empty("sort") == Some(LEAST_CONFIDENT) {
        let at = parameters.non_empty("at").and_then(|at| at.parse().ok());
        review::next_least_confident(&app, here, at).await?.map(|next| {
            let at = next.confidence.map(|at| format!("&at={at}")).unwrap_or_default();
            format!("/app/documents/{}?sort={LEAST_CONFIDENT}{at}", next.id)
        })
    } else {
        review::next_newest(&app, here).await?.map(|next| format!("/app/documents/{next}"))
    };
    Ok(Redirect::to(address.as_deref().unwrap_or("/app")))
}
