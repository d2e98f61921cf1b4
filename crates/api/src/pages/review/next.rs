//! `GET /app/documents/{id}/next`: redirects to the next document that waits for a reviewer.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Redirect;
use quire_application::{App, review};
use quire_domain::DocumentId;

use crate::ApiError;
use crate::request::{Id, Parameters};

/// The value of `sort` for documents with the least confidence first.
pub(super) const LEAST_CERTAIN: &str = "least_certain";

pub(crate) async fn lead(
    State(app): State<Arc<App>>,
    Id(id): Id,
    parameters: Parameters,
) -> Result<Redirect, ApiError> {
    let here = DocumentId(id);
    let address = if parameters.text("sort") == Some(LEAST_CERTAIN) {
        let at = parameters.text("at").and_then(|at| at.parse().ok());
        review::next_least_confident(&app, here, at).await?.map(|next| {
            let at = next.confidence.map(|at| format!("&at={at}")).unwrap_or_default();
            format!("/app/documents/{}?sort={LEAST_CERTAIN}{at}", next.id)
        })
    } else {
        review::next_newest(&app, here).await?.map(|next| format!("/app/documents/{next}"))
    };
    Ok(Redirect::to(address.as_deref().unwrap_or("/app")))
}
