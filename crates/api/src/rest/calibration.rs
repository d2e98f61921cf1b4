//! `GET /calibration`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use quire_application::App;
use quire_application::calibration::{self, CalibrationFilter, FieldReliability};
use quire_understanding::calibration::{BINS, ReviewCounts};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::request::Parameters;
use crate::rest::openapi::names;

/// The default and the largest number of items.
const DEFAULT_LIMIT: u32 = 200;
const MAX_LIMIT: u32 = 1000;

/// What reviews have taught about confidence.
#[derive(Serialize, ToSchema)]
pub struct CalibrationList {
    /// The confidence policy of these counts.
    policy_version: String,
    items: Vec<KeyReliabilityResponse>,
    limit: u32,
    offset: u32,
}

impl CalibrationList {
    /// The response for these rows, in their order.
    pub fn of(filter: CalibrationFilter, found: Vec<FieldReliability>) -> Self {
        let CalibrationFilter { policy_version, limit, skip: offset, .. } = filter;
        Self { policy_version, items: by_key(found), limit, offset }
    }
}

/// Reviews of a key in one context.
#[derive(Serialize, ToSchema)]
#[schema(as = KeyReliability)]
struct KeyReliabilityResponse {
    context_key: String,
    field_key: String,
    /// The sum over all mappings.
    total: ReliabilityTotal,
    mappings: Vec<MappingReliabilityResponse>,
}

/// Reviews of a key: accepted and edited values.
#[derive(Serialize, ToSchema)]
struct ReliabilityTotal {
    accepts: u32,
    edits: u32,
    volume: u32,
    /// Null without reviews.
    share_accepted: Option<f64>,
}

/// Reviews of one mapping of a key.
#[derive(Serialize, ToSchema)]
#[schema(as = MappingReliability)]
struct MappingReliabilityResponse {
    /// The rule or label that found the value; null for values that people added.
    mapping_id: Option<String>,
    accepts: u32,
    edits: u32,
    volume: u32,
    share_accepted: Option<f64>,
    /// By how many points it moves the confidence of later values of this mapping.
    adjustment: f64,
    #[schema(value_type = names::Standing)]
    standing: &'static str,
    /// The same by the confidence that was shown, in tenths.
    #[schema(min_items = 10, max_items = 10)]
    bins: Vec<ReliabilityBin>,
}

/// Reviews of values whose shown confidence was in this range. Only the last bin includes its upper bound.
#[derive(Serialize, ToSchema)]
struct ReliabilityBin {
    from: f64,
    to: f64,
    accepts: u32,
    edits: u32,
    share_accepted: Option<f64>,
}

/// Shows what reviews have taught about confidence: how often reviewers kept the value that Quire found.
///
/// Counts are by key and mapping, in one context (schema and language). They move the confidence of later values and the
/// order of reviews. They never hide, block or change a value.
#[utoipa::path(
    get,
    path = "/calibration",
    tag = "review",
    operation_id = "show_calibration",
    params(
        ("field_key" = Option<String>, Query, description = "Filter: the key of the field.", example = "pet_name"),
        ("context" = Option<String>, Query, description = "Filter: the `context_key` of the context."),
        ("policy_version" = Option<String>, Query, description = "The confidence policy (default: the one in effect)."),
        ("limit" = Option<u32>, Query, description = "The number of mappings (default: 200).",
            minimum = 1, maximum = 1000),
        ("offset" = Option<u32>, Query, description = "The number of items to skip.", minimum = 0, maximum = 100_000),
    ),
    responses((status = 200, description = "The counts by key and mapping.", body = CalibrationList)),
)]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    parameters: Parameters,
) -> Result<Json<CalibrationList>, ApiError> {
    let given = |name: &str| parameters.non_empty(name).map(str::to_owned);
    let filter = CalibrationFilter {
        policy_version: given("policy_version").unwrap_or_else(|| app.confidence_policy().version.clone()),
        field_key: given("field_key"),
        context_key: given("context"),
        limit: parameters.within("limit", 1..=MAX_LIMIT)?.unwrap_or(DEFAULT_LIMIT),
        skip: parameters.within("offset", 0..=100_000)?.unwrap_or(0),
    };
    let found = calibration::list(&app, filter.clone()).await?;
    Ok(Json(CalibrationList::of(filter, found)))
}

/// The rows come sorted by key.
fn by_key(found: Vec<FieldReliability>) -> Vec<KeyReliabilityResponse> {
    let mut keys: Vec<KeyReliabilityResponse> = Vec::new();
    for one in found {
        let mapping = mapping(&one);
        match keys.last_mut() {
            Some(key) if (&key.context_key, &key.field_key) == (&one.context_key, &one.field_key) => {
                key.mappings.push(mapping);
            }
            _ => keys.push(KeyReliabilityResponse {
                context_key: one.context_key,
                field_key: one.field_key,
                total: total(one.of_key),
                mappings: vec![mapping],
            }),
        }
    }
    keys
}

fn total(counts: ReviewCounts) -> ReliabilityTotal {
    let ReviewCounts { accepts, edits } = counts;
    ReliabilityTotal { accepts, edits, volume: counts.volume(), share_accepted: counts.share() }
}

fn mapping(one: &FieldReliability) -> MappingReliabilityResponse {
    let counts = one.entry.counts;
    MappingReliabilityResponse {
        mapping_id: one.mapping_id.clone(),
        accepts: counts.accepts,
        edits: counts.edits,
        volume: counts.volume(),
        share_accepted: counts.share(),
        adjustment: counts.adjustment(),
        standing: one.entry.standing.as_str(),
        bins: (0..BINS).zip(one.bins).map(|(number, counts)| bin(number, counts)).collect(),
    }
}

fn bin(number: u8, counts: ReviewCounts) -> ReliabilityBin {
    let bound = |number: u8| f64::from(number) / f64::from(BINS);
    let ReviewCounts { accepts, edits } = counts;
    ReliabilityBin {
        from: bound(number),
        to: bound(number + 1),
        accepts,
        edits,
        share_accepted: counts.share(),
    }
}
