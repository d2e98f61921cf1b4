//! `GET /documents/{id}/compare`

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_application::review::{self, CompareError, ComparedVersions, VersionReference};
use quire_domain::{DocumentId, FieldId, InterpretationId, RunId};
use quire_ports::InterpretationVersion;
use quire_understanding::compare::{self as rule, Difference, FieldComparison};
use quire_understanding::{Field, Value};
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::{Code, Reason};
use crate::openapi::{errors, names, shapes};
use crate::request::{Id, Parameters};
use crate::{ApiError, Product};

/// What differs between two versions of what was understood.
#[derive(Serialize, ToSchema)]
pub(crate) struct Comparison {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    from: Side,
    to: Side,
    counts: Counts,
    /// A row for each field of either side, in the order of the schema's keys, then of the visits.
    fields: Vec<Compare>,
}

/// One of the two versions.
#[derive(Serialize, ToSchema)]
#[schema(as = ComparedVersion)]
struct Side {
    #[schema(value_type = Uuid)]
    run_id: RunId,
    #[schema(value_type = Uuid)]
    interpretation_id: InterpretationId,
    version_number: u32,
    created_at: Timestamp,
    /// Nobody for a first version, which its run made itself.
    created_by: Option<String>,
}

/// How many fields differ in which way.
#[derive(Default, Serialize, ToSchema)]
#[schema(as = ComparisonCounts)]
struct Counts {
    same: u32,
    changed: u32,
    added: u32,
    removed: u32,
}

/// A field as the two versions have it.
#[derive(Serialize, ToSchema)]
#[schema(as = ComparedField)]
struct Compare {
    key: String,
    /// The visit that it belongs to, as the later side calls it if it has the field.
    visit_id: Option<String>,
    #[schema(value_type = names::Difference)]
    change: &'static str,
    from: Option<Shown>,
    to: Option<Shown>,
}

/// A field as one of them has it.
#[derive(Serialize, ToSchema)]
#[schema(as = ComparedValue)]
struct Shown {
    #[schema(value_type = Uuid)]
    field_id: FieldId,
    #[schema(value_type = shapes::FieldValue)]
    value: Value,
    #[schema(value_type = names::ValueType)]
    value_type: &'static str,
    confidence: f64,
    #[schema(value_type = names::Origin)]
    origin: &'static str,
    visit_id: Option<String>,
    /// The page on which it was found, if it was.
    page: Option<u32>,
}

/// Compares two versions of what was understood of a document, field by field.
///
/// A version is named by its run, for the active one, or by its run and its number, as `RUN_ID:2`. Unless said, the later
/// one is what a review shows, and the earlier one is what came before it: the version before, or else the active version
/// of the run that completed before. Fields are the same whose values read the same, however sure either side is.
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
        (status = 200, description = "What differs.", body = Comparison),
        errors::Missing,
        errors::NotComparable,
    ),
)]
pub(crate) async fn compare(
    State(product): State<Product>,
    Id(id): Id,
    parameters: Parameters,
) -> Result<Json<Comparison>, ApiError> {
    let (from, to) = (named(&parameters, "from")?, named(&parameters, "to")?);
    let document_id = DocumentId(id);
    let ComparedVersions { from, to, schema } =
        review::versions_to_compare(&product.store, document_id, from, to).await?;
    let rows = rule::compare(&from.data.fields, &to.data.fields, &schema);
    Ok(Json(Comparison {
        document_id,
        counts: counts(&rows),
        fields: rows.iter().filter_map(compared).collect(),
        from: side(from),
        to: side(to),
    }))
}

fn named(parameters: &Parameters, name: &str) -> Result<Option<VersionReference>, ApiError> {
    let wrong = || ApiError::invalid(name, "must be the id of a run, or RUN_ID:NUMBER for a version of it");
    parameters.given(name).map(|text| text.parse().map_err(|()| wrong())).transpose()
}

fn counts(rows: &[FieldComparison<'_>]) -> Counts {
    let mut counts = Counts::default();
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

fn compared(row: &FieldComparison<'_>) -> Option<Compare> {
    let field = row.field()?;
    Some(Compare {
        key: field.key.clone(),
        visit_id: field.visit_id.clone(),
        change: row.difference.as_str(),
        from: row.from.map(shown),
        to: row.to.map(shown),
    })
}

fn shown(field: &Field) -> Shown {
    Shown {
        field_id: field.field_id,
        value: field.value.clone(),
        value_type: field.value_type.as_str(),
        confidence: field.confidence,
        origin: field.origin.as_str(),
        visit_id: field.visit_id.clone(),
        page: field.evidence.as_ref().map(|evidence| evidence.page),
    }
}

fn side(version: InterpretationVersion) -> Side {
    Side {
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
            CompareError::NoCompletedRun => Self::conflict(Reason::NoCompletedRun, message),
            CompareError::NoSuchRun(_) | CompareError::NoSuchVersion(..) => {
                Self::new(Code::NotFound, message)
            }
            CompareError::NotCompleted(_) => Self::conflict(Reason::InterpretationNotAvailable, message),
            CompareError::Missing(_) => Self::conflict(Reason::InterpretationMissing, message),
            CompareError::NothingBefore => Self::conflict(Reason::NothingToCompare, message),
            CompareError::Port(error) => error.into(),
        }
    }
}
