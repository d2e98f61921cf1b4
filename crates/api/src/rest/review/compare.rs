//! `GET /documents/{id}/compare`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_application::App;
use quire_application::review::{
    self, CompareError, ComparedVersions, InterpretationVersion, VersionReference,
};
use quire_domain::{DocumentId, FieldId, InterpretationId, RunId};
use quire_understanding::Field;
use quire_understanding::compare::{self as rule, Difference, FieldComparison};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::error::{Code, ConflictReason};
use crate::request::{Id, Parameters};
use crate::rest::openapi::{errors, names};
use crate::rest::value::FieldValue;

/// The differences between two versions of an interpretation.
#[derive(Serialize, ToSchema)]
#[schema(as = Comparison)]
pub(crate) struct ComparisonResponse {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    from: ComparedVersionResponse,
    to: ComparedVersionResponse,
    counts: ComparisonCounts,
    /// One row per field of either version, in the order of the schema and then of the visits.
    fields: Vec<ComparedFieldResponse>,
}

/// One of the two versions.
#[derive(Serialize, ToSchema)]
#[schema(as = ComparedVersion)]
struct ComparedVersionResponse {
    #[schema(value_type = Uuid)]
    run_id: RunId,
    #[schema(value_type = Uuid)]
    interpretation_id: InterpretationId,
    version_number: u32,
    created_at: Timestamp,
    /// Null for a first version, which the run made.
    created_by: Option<String>,
}

/// The number of fields by kind of difference.
#[derive(Default, Serialize, ToSchema)]
struct ComparisonCounts {
    same: u32,
    changed: u32,
    added: u32,
    removed: u32,
}

/// A field in both versions.
#[derive(Serialize, ToSchema)]
#[schema(as = ComparedField)]
struct ComparedFieldResponse {
    key: String,
    /// The visit of the field, as the later version names it.
    visit_id: Option<String>,
    #[schema(value_type = names::Difference)]
    change: &'static str,
    from: Option<ComparedValueResponse>,
    to: Option<ComparedValueResponse>,
}

/// A field in one version.
#[derive(Serialize, ToSchema)]
#[schema(as = ComparedValue)]
struct ComparedValueResponse {
    #[schema(value_type = Uuid)]
    field_id: FieldId,
    value: FieldValue,
    #[schema(value_type = names::ValueType)]
    value_type: &'static str,
    confidence: f64,
    #[schema(value_type = names::Origin)]
    origin: &'static str,
    visit_id: Option<String>,
    /// The page where the value was found.
    page: Option<u32>,
}

/// Compares two versions of an interpretation field by field.
///
/// `RUN_ID` names the active version of a run, `RUN_ID:2` its second version. By default the later version is the one that a
/// review shows, and the earlier one is the version before it, or else the active version of the previous completed run.
/// Fields are the same if their values are, whatever their confidence.
#[utoipa::path(
    get,
    path = "/documents/{id}/compare",
    tag = "review",
    operation_id = "compare_versions",
    params(
        ("id" = Uuid, Path, description = "The document."),
        ("from" = Option<String>, Query, description = "The earlier version, as `RUN_ID` or `RUN_ID:NUMBER`.",
            pattern = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(:[1-9][0-9]{0,8})?$"),
        ("to" = Option<String>, Query, description = "The later version, as `RUN_ID` or `RUN_ID:NUMBER`.",
            pattern = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(:[1-9][0-9]{0,8})?$"),
    ),
    responses(
        (status = 200, description = "The differences.", body = ComparisonResponse),
        errors::NotFound,
        errors::NotComparable,
    ),
)]
pub(crate) async fn compare(
    State(app): State<Arc<App>>,
    Id(id): Id,
    parameters: Parameters,
) -> Result<Json<ComparisonResponse>, ApiError> {
    let (from, to) = (named(&parameters, "from")?, named(&parameters, "to")?);
    let document_id = DocumentId(id);
    let ComparedVersions { from, to, schema } =
        review::versions_to_compare(&app, document_id, from, to).await?;
    let rows = rule::compare(&from.data.fields, &to.data.fields, &schema);
    Ok(Json(ComparisonResponse {
        document_id,
        counts: counts(&rows),
        fields: rows.iter().filter_map(compared).collect(),
        from: side(from),
        to: side(to),
    }))
}

fn named(parameters: &Parameters, name: &str) -> Result<Option<VersionReference>, ApiError> {
    let wrong = || ApiError::invalid(name, "must be RUN_ID, or RUN_ID:NUMBER for one version");
    parameters.raw(name).map(|text| text.parse().map_err(|()| wrong())).transpose()
}

fn counts(rows: &[FieldComparison<'_>]) -> ComparisonCounts {
    let mut counts = ComparisonCounts::default();
    for row in rows {
        *match row.difference {
            Difference::Same => &mut counts.same,
            Difference::Changed => &mut counts.changed,
            Difference::Added => &mut counts.added,
            Difference::Removed => &mut counts.removed,
        } += 1;
    }
    counts
}

fn compared(row: &FieldComparison<'_>) -> Option<ComparedFieldResponse> {
    let field = row.field()?;
    Some(ComparedFieldResponse {
        key: field.key.clone(),
        visit_id: field.visit_id.clone(),
        change: row.difference.as_str(),
        from: row.from.map(compared_value),
        to: row.to.map(compared_value),
    })
}

fn compared_value(field: &Field) -> ComparedValueResponse {
    ComparedValueResponse {
        field_id: field.field_id,
        value: field.value.clone().into(),
        value_type: field.value_type.as_str(),
        confidence: field.confidence,
        origin: field.origin.as_str(),
        visit_id: field.visit_id.clone(),
        page: field.evidence.as_ref().map(|evidence| evidence.page),
    }
}

fn side(version: InterpretationVersion) -> ComparedVersionResponse {
    ComparedVersionResponse {
        run_id: version.data.processing_run_id,
        interpretation_id: version.id,
        version_number: version.number,
        created_at: version.created_at,
        created_by: version.created_by,
    }
}

impl From<CompareError> for ApiError {
    fn from(error: CompareError) -> Self {
        let message = error.to_string();
        match error {
            CompareError::NoCompletedRun => Self::conflict(ConflictReason::NoCompletedRun, message),
            CompareError::NoSuchRun(_) | CompareError::NoSuchVersion(..) => {
                Self::new(Code::NotFound, message)
            }
            CompareError::NotCompleted(_) => {
                Self::conflict(ConflictReason::InterpretationNotAvailable, message)
            }
            CompareError::Missing(_) => Self::conflict(ConflictReason::InterpretationMissing, message),
            CompareError::NothingBefore => Self::conflict(ConflictReason::NothingToCompare, message),
            CompareError::Other(error) => error.into(),
        }
    }
}
