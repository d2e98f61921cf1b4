//! `GET /lanes`, `POST /lanes/{name}/pause` and `POST /lanes/{name}/resume`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_application::App;
use quire_application::lanes::{self, LaneOverview};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::caller::Caller;
use crate::request::LanePath;
use crate::rest::openapi::{errors, names};

/// The lanes of the installation.
#[derive(Serialize, ToSchema)]
#[schema(as = Lanes)]
pub(crate) struct LanesResponse {
    items: Vec<LaneResponse>,
}

/// A lane and the runs that wait in it.
#[derive(Serialize, ToSchema)]
#[schema(as = Lane)]
struct LaneResponse {
    #[schema(example = "model:api.openai.com")]
    name: String,
    #[schema(value_type = names::LaneState)]
    state: &'static str,
    /// When a closed lane opens by itself.
    closed_until: Option<Timestamp>,
    /// Why it is closed.
    reason: Option<String>,
    paused_at: Option<Timestamp>,
    paused_by: Option<String>,
    /// How many runs wait in the lane.
    waiting: u64,
    /// When the first of them goes on, if nothing wakes it before.
    next_at: Option<Timestamp>,
}

impl LanesResponse {
    async fn of(app: &App) -> Result<Json<Self>, ApiError> {
        let (now, lanes) = lanes::list(app).await?;
        Ok(Json(Self { items: lanes.into_iter().map(|one| LaneResponse::of(one, now)).collect() }))
    }
}

impl LaneResponse {
    fn of(LaneOverview { lane, waiting, next_at }: LaneOverview, now: Timestamp) -> Self {
        let state = lane.state(now).as_str();
        let closing = lane.closing(now).cloned();
        Self {
            name: lane.name.to_string(),
            state,
            closed_until: closing.as_ref().map(|closing| closing.until),
            reason: closing.map(|closing| closing.reason),
            paused_at: lane.paused.as_ref().map(|pause| pause.at),
            paused_by: lane.paused.map(|pause| pause.by),
            waiting,
            next_at,
        }
    }
}

/// Lists the lanes (shared, limited resources) and the runs that wait in each.
#[utoipa::path(
    get,
    path = "/lanes",
    tag = "runs",
    operation_id = "list_lanes",
    responses((status = 200, description = "All lanes, by name.", body = LanesResponse)),
)]
pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<Json<LanesResponse>, ApiError> {
    LanesResponse::of(&app).await
}

/// Pauses a lane.
///
/// No further call is made in it. The lane of a pipeline lets no further run start. Calls and runs that have begun go on.
#[utoipa::path(
    post,
    path = "/lanes/{name}/pause",
    tag = "runs",
    operation_id = "pause_lane",
    params(("name" = String, Path, description = "The lane, such as `model:api.openai.com` or `pipeline:document`.")),
    responses((status = 200, description = "All lanes.", body = LanesResponse), errors::NotFound),
)]
pub(crate) async fn pause(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    LanePath(lane): LanePath,
) -> Result<Json<LanesResponse>, ApiError> {
    lanes::pause(&app, &lane, &actor).await?;
    LanesResponse::of(&app).await
}

/// Opens a lane that is paused or closed.
///
/// Every run that waits in it goes on at once.
#[utoipa::path(
    post,
    path = "/lanes/{name}/resume",
    tag = "runs",
    operation_id = "resume_lane",
    params(("name" = String, Path, description = "The lane, such as `model:api.openai.com` or `pipeline:document`.")),
    responses((status = 200, description = "All lanes.", body = LanesResponse), errors::NotFound),
)]
pub(crate) async fn resume(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    LanePath(lane): LanePath,
) -> Result<Json<LanesResponse>, ApiError> {
    lanes::resume(&app, &lane, &actor).await?;
    LanesResponse::of(&app).await
}
