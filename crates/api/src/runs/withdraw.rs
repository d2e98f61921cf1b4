//! `POST /runs/{id}/withdraw`

use axum::Json;
use axum::extract::State;
use quire_application::run;
use quire_domain::RunId;

use super::show::{Shown, shown};
use crate::caller::Caller;
use crate::openapi::errors;
use crate::request::Id;
use crate::{ApiError, Product};

/// Takes a run back that still waits for its turn.
#[utoipa::path(
    post,
    path = "/runs/{id}/withdraw",
    tag = "runs",
    operation_id = "withdraw_run",
    params(("id" = Uuid, Path, description = "The run.")),
    responses(
        (status = 200, description = "The run, which has ended.", body = Shown),
        errors::Missing,
        errors::Conflicting,
    ),
)]
pub(crate) async fn withdraw(
    State(product): State<Product>,
    Caller(actor): Caller,
    Id(id): Id,
) -> Result<Json<Shown>, ApiError> {
    let run = run::withdraw(&product.store, RunId(id), &actor).await?;
    // As it is stored, which is what whoever looks next will see.
    shown(&product.store, product.store.history.run(run.id).await?).await.map(Json)
}
