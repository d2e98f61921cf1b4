//! `GET /v1/runs`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use quire_application::App;
use quire_application::proposal::{self, ProposalFilter, ProposalSummary};
use quire_domain::RunId;
use quire_domain::proposal::Verdict;
use serde::Serialize;
use utoipa::ToSchema;

use super::bodies::ProposalRunHead;
use super::names::STATUSES;
use crate::ApiError;
use crate::request::{Parameters, uuid};
use crate::rest::openapi::names;

const DEFAULT_LIMIT: u32 = 30;
const MAX_LIMIT: u32 = 100;
const MAX_OFFSET: u32 = 100_000;
const DATE_RULE: &str = "must be a date and time with a time zone, such as 2026-01-08T10:00:00Z";
const CONFIDENCE_RULE: &str = "must be a number from 0 to 1";

/// A page of proposal runs.
#[derive(Serialize, ToSchema)]
#[schema(as = ProposalRunList)]
pub(crate) struct ProposalRunListResponse {
    runs: Vec<ProposalRunItemResponse>,
    /// All runs that match.
    total: u64,
    limit: u32,
    offset: u32,
}

/// A proposal run in a list.
#[derive(Serialize, ToSchema)]
#[schema(as = ProposalRunItem)]
struct ProposalRunItemResponse {
    #[serde(flatten)]
    head: ProposalRunHead,
    proposal_title: Option<String>,
    proposal_summary: Option<String>,
}

/// Lists proposal runs, the newest first.
#[utoipa::path(
    get,
    path = "/v1/runs",
    tag = "proposals",
    operation_id = "list_proposal_runs",
    params(
        ("limit" = Option<u32>, Query, description = "The number of items (default: 30).", minimum = 1, maximum = 100),
        ("offset" = Option<u32>, Query, description = "The number of items to skip.", minimum = 0, maximum = 100_000),
        ("status" = Option<names::ProposalRunStatus>, Query, description = "Runs with this status."),
        ("run_type" = Option<names::ProposalRunType>, Query, description = "Runs of this type."),
        ("parent_run_id" = Option<Uuid>, Query, description = "Revisions of this run."),
        ("decision" = Option<names::Verdict>, Query, description = "Runs with this decision."),
        ("min_confidence" = Option<f64>, Query, description = "Runs with at least this weighted confidence.", minimum = 0, maximum = 1),
        ("start_date" = Option<String>, Query, description = "Runs created at this time or later, with a time zone.", format = DateTime),
        ("end_date" = Option<String>, Query, description = "Runs created at this time or earlier, with a time zone.", format = DateTime),
    ),
    responses((status = 200, description = "The runs.", body = ProposalRunListResponse)),
)]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    parameters: Parameters,
) -> Result<Json<ProposalRunListResponse>, ApiError> {
    let filter = filter(&parameters)?;
    let (runs, total) = proposal::list(&app, &filter).await?;
    let runs = runs.into_iter().map(item).collect();
    Ok(Json(ProposalRunListResponse { runs, total, limit: filter.limit, offset: filter.offset }))
}

/// The runs that these parameters ask for.
pub(crate) fn filter(parameters: &Parameters) -> Result<ProposalFilter, ApiError> {
    let status = parameters.one_of("status", &STATUSES, |(name, _)| name)?;
    let run_type =
        parameters.one_of("run_type", &[("initial", false), ("revision", true)], |(name, _)| name)?;
    let parent = parameters.raw("parent_run_id").map(|text| uuid("parent_run_id", text)).transpose()?;
    let confidence = parameters.value::<f64>("min_confidence", CONFIDENCE_RULE)?;
    if confidence.is_some_and(|number| !(0.0..=1.0).contains(&number)) {
        return Err(ApiError::invalid("min_confidence", CONFIDENCE_RULE));
    }
    Ok(ProposalFilter {
        states: status.map(|(_, states)| states.to_vec()).unwrap_or_default(),
        is_revision: run_type.map(|(_, is_revision)| is_revision),
        parent: parent.map(RunId),
        verdict: parameters.one_of("decision", &Verdict::ALL, Verdict::as_str)?,
        min_confidence: confidence,
        created_from: parameters.value("start_date", DATE_RULE)?,
        created_until: parameters.value("end_date", DATE_RULE)?,
        limit: parameters.within("limit", 1..=MAX_LIMIT)?.unwrap_or(DEFAULT_LIMIT),
        offset: parameters.within("offset", 0..=MAX_OFFSET)?.unwrap_or_default(),
    })
}

fn item(summary: ProposalSummary) -> ProposalRunItemResponse {
    let parent = summary.parent.map(|id| id.0);
    let verdict = summary.verdict.map(Verdict::as_str);
    ProposalRunItemResponse {
        head: ProposalRunHead::of(&summary.run, parent, summary.confidence, verdict),
        proposal_title: summary.title,
        proposal_summary: summary.summary,
    }
}
