//! `GET /reviewer/structural-changes`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_application::App;
use quire_application::governance::{self, CandidateFilter, CandidateSample, StructuralCandidate};
use quire_domain::{CandidateId, DocumentId};
use quire_understanding::structural_change::{CandidateStatus, SchemaChangeType};
use serde::Serialize;
use utoipa::ToSchema;

use super::{DEFAULT_LIMIT, MAX_LIMIT};
use crate::ApiError;
use crate::request::Parameters;
use crate::rest::openapi::names;

/// Candidates for changes of schemas.
#[derive(Serialize, ToSchema)]
#[schema(as = CandidateList)]
pub(crate) struct CandidateListResponse {
    items: Vec<CandidateResponse>,
    limit: u32,
    offset: u32,
}

/// A candidate for a change of a schema, collected from edits.
#[derive(Serialize, ToSchema)]
#[schema(as = Candidate)]
struct CandidateResponse {
    #[schema(value_type = Uuid)]
    candidate_id: CandidateId,
    #[schema(value_type = names::StructureChange)]
    change_type: &'static str,
    source_key: Option<String>,
    target_key: String,
    occurrence_count: u32,
    #[schema(value_type = names::CandidateStatus)]
    status: &'static str,
    is_critical: bool,
    evidence_samples: Vec<EvidenceSampleResponse>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// An edit that suggests the change.
#[derive(Serialize, ToSchema)]
#[schema(as = EvidenceSample)]
struct EvidenceSampleResponse {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    page: Option<u32>,
    snippet: Option<String>,
}

/// Lists the changes of schemas that edits suggest.
#[utoipa::path(
    get,
    path = "/reviewer/structural-changes",
    tag = "governance",
    operation_id = "list_structural_changes",
    params(
        ("status" = Option<names::CandidateStatus>, Query, description = "Filter: the status of the candidate."),
        ("change_type" = Option<names::StructureChange>, Query, description = "Filter: the kind of change."),
        ("is_critical" = Option<bool>, Query, description = "Filter: whether the key is critical."),
        ("limit" = Option<u32>, Query, description = "The number of items (default: 50).", minimum = 1, maximum = 200),
        ("offset" = Option<u32>, Query, description = "The number of items to skip.", minimum = 0, maximum = 100_000),
    ),
    responses((status = 200, description = "The candidates.", body = CandidateListResponse)),
)]
pub(crate) async fn structural_changes(
    State(app): State<Arc<App>>,
    parameters: Parameters,
) -> Result<Json<CandidateListResponse>, ApiError> {
    let filter = filter(&parameters)?;
    let candidates = governance::candidates(&app, filter).await?;
    let items = candidates.into_iter().map(candidate_response).collect();
    Ok(Json(CandidateListResponse { items, limit: filter.limit, offset: filter.skip }))
}

fn filter(parameters: &Parameters) -> Result<CandidateFilter, ApiError> {
    Ok(CandidateFilter {
        status: parameters.one_of("status", CandidateStatus::ALL, CandidateStatus::as_str)?,
        change: parameters.one_of("change_type", SchemaChangeType::ALL, SchemaChangeType::as_str)?,
        is_critical: parameters.value("is_critical", "must be true or false")?,
        limit: parameters.within("limit", 1..=MAX_LIMIT)?.unwrap_or(DEFAULT_LIMIT),
        skip: parameters.within("offset", 0..=100_000)?.unwrap_or(0),
    })
}

fn candidate_response(candidate: StructuralCandidate) -> CandidateResponse {
    CandidateResponse {
        candidate_id: candidate.id,
        change_type: candidate.change.as_str(),
        source_key: candidate.source_key,
        target_key: candidate.target_key,
        occurrence_count: candidate.occurrence_count,
        status: candidate.status.as_str(),
        is_critical: candidate.is_critical,
        evidence_samples: candidate.samples.into_iter().map(sample).collect(),
        created_at: candidate.created_at,
        updated_at: candidate.updated_at,
    }
}

fn sample(sample: CandidateSample) -> EvidenceSampleResponse {
    let (page, snippet) = sample.evidence.map(|evidence| (evidence.page, evidence.snippet)).unzip();
    EvidenceSampleResponse { document_id: sample.document, page, snippet }
}
