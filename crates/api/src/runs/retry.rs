//! `POST /runs/{id}/retry`

use axum::Json;
use axum::extract::State;
use quire_application::run;
use quire_domain::{Pipeline, RequeuePolicy, RunId};
use quire_ports::PortError;

use super::show::{Shown, shown};
use crate::caller::Caller;
use crate::openapi::errors;
use crate::request::Id;
use crate::{ApiError, Product, Reason};

/// Sends a failed run back to the queue, where its pipeline allows that.
///
/// The runs of documents are not retried; process the document again instead.
#[utoipa::path(
    post,
    path = "/runs/{id}/retry",
    tag = "runs",
    operation_id = "retry_run",
    params(("id" = Uuid, Path, description = "The run.")),
    responses(
        (status = 200, description = "The run, which waits again.", body = Shown),
        errors::Missing,
        errors::NotRetried,
    ),
)]
pub(crate) async fn retry(
    State(product): State<Product>,
    Caller(actor): Caller,
    Id(id): Id,
) -> Result<Json<Shown>, ApiError> {
    let run = product.store.history.run(RunId(id)).await?;
    if run.pipeline == Pipeline::Document {
        let message = "a document's run that has ended stays as it is; process the document again instead, with \
                       POST /documents/{id}/reprocess";
        return Err(ApiError::conflict(Reason::RetryNotAllowed, message));
    }
    let policy = product.requeue.iter().find(|(pipeline, _)| *pipeline == run.pipeline);
    let policy = policy.map_or(RequeuePolicy::Never, |(_, requeue)| *requeue);
    match run::retry(&product.store, run.id, policy, &actor).await {
        // As it is stored, which is what whoever looks next will see.
        Ok(run) => shown(&product.store, product.store.history.run(run.id).await?).await.map(Json),
        Err(PortError::Conflict(why)) => Err(ApiError::conflict(Reason::RetryNotAllowed, why)),
        Err(error) => Err(error.into()),
    }
}
