//! `GET /model-usage`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_application::App;
use quire_application::model_usage::{self, DailyModelUsage, ModelUsage};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::request::Parameters;

const TIME_RULE: &str = "must be a date and time with a time zone, such as 2026-01-08T10:00:00Z";

/// Requests to language models, added up.
#[derive(Serialize, ToSchema)]
#[schema(as = ModelUsage)]
pub(crate) struct ModelUsageResponse {
    calls: u64,
    failed_calls: u64,
    tokens_in: u64,
    tokens_out: u64,
    /// The sum of the costs that are known. None if none is known.
    cost: Option<f64>,
    /// The time that the requests took together.
    milliseconds: u64,
}

/// What requests to language models cost in a period.
#[derive(Serialize, ToSchema)]
#[schema(as = ModelUsageReport)]
pub(crate) struct ModelUsageReportResponse {
    from: Timestamp,
    /// The end, which is no part of the period.
    before: Timestamp,
    total: ModelUsageResponse,
    days: Vec<DailyModelUsageResponse>,
}

/// The requests of one day, credential and model.
#[derive(Serialize, ToSchema)]
#[schema(as = DailyModelUsage)]
struct DailyModelUsageResponse {
    /// Midnight UTC.
    day: Timestamp,
    /// The name of the credential that asked for the work; `local` on a server without credentials.
    credential: Option<String>,
    model: String,
    #[serde(flatten)]
    usage: ModelUsageResponse,
}

/// Shows what requests to language models cost, by day, credential and model.
#[utoipa::path(
    get,
    path = "/model-usage",
    tag = "runs",
    operation_id = "show_model_usage",
    params(
        ("from" = Option<String>, Query, description = "The beginning, with a time zone (default: 30 days ago).", format = DateTime),
        ("before" = Option<String>, Query, description = "The end, with a time zone (default: now).", format = DateTime),
    ),
    responses((status = 200, description = "The sums.", body = ModelUsageReportResponse)),
)]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    parameters: Parameters,
) -> Result<Json<ModelUsageReportResponse>, ApiError> {
    let time = |name| parameters.value::<Timestamp>(name, TIME_RULE);
    let report = model_usage::report(&app, time("from")?, time("before")?).await?;
    Ok(Json(ModelUsageReportResponse {
        from: report.from,
        before: report.before,
        total: ModelUsageResponse::of(&report.total),
        days: report.days.into_iter().map(of_day).collect(),
    }))
}

fn of_day(of_day: DailyModelUsage) -> DailyModelUsageResponse {
    let DailyModelUsage { day, credential, model, usage } = of_day;
    DailyModelUsageResponse { day, credential, model, usage: ModelUsageResponse::of(&usage) }
}

impl ModelUsageResponse {
    pub(crate) fn of(usage: &ModelUsage) -> Self {
        Self {
            calls: usage.calls,
            failed_calls: usage.failed,
            tokens_in: usage.tokens_in,
            tokens_out: usage.tokens_out,
            cost: usage.cost,
            milliseconds: u64::try_from(usage.latency.as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// None without a call.
    pub(crate) fn of_any(usage: &ModelUsage) -> Option<Self> {
        (usage.calls > 0).then(|| Self::of(usage))
    }
}
