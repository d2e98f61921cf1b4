//! `GET /calibration`

use axum::Json;
use axum::extract::State;
use quire_ports::{CalibrationFilter, FieldReliability};
use quire_understanding::calibration::{BINS, ReviewCounts};
use serde::Serialize;
use utoipa::ToSchema;

use crate::openapi::names;
use crate::request::Parameters;
use crate::{ApiError, Product};

/// Items of the list, unless others are asked for, and at most.
const USUAL: u32 = 200;
const MOST: u32 = 1000;

/// What reviews have taught about confidence.
#[derive(Serialize, ToSchema)]
pub struct CalibrationList {
    /// The policy under which it was learnt.
    policy_version: String,
    items: Vec<OfKey>,
    limit: u32,
    offset: u32,
}

impl CalibrationList {
    /// What was found by that filter, in the order in which it was found.
    pub fn of(filter: CalibrationFilter, found: Vec<FieldReliability>) -> Self {
        let CalibrationFilter { policy_version, limit, skip: offset, .. } = filter;
        Self { policy_version, items: by_key(found), limit, offset }
    }
}

/// What is known of a key in certain surroundings.
#[derive(Serialize, ToSchema)]
#[schema(as = KeyReliability)]
struct OfKey {
    context_key: String,
    field_key: String,
    /// Over every way of finding it.
    total: Total,
    mappings: Vec<OfMapping>,
}

/// Signals, and how many of them were accepts.
#[derive(Serialize, ToSchema)]
#[schema(as = ReliabilityTotal)]
struct Total {
    accepts: u32,
    edits: u32,
    volume: u32,
    /// Null while there is nothing.
    share_accepted: Option<f64>,
}

/// What is known of one way of finding a key.
#[derive(Serialize, ToSchema)]
#[schema(as = MappingReliability)]
struct OfMapping {
    /// What found it; null where nothing is known of that, as for what people put in.
    mapping_id: Option<String>,
    accepts: u32,
    edits: u32,
    volume: u32,
    share_accepted: Option<f64>,
    /// By how many points it moves the confidence of what is found this way from now on.
    adjustment: f64,
    #[schema(value_type = names::Standing)]
    standing: &'static str,
    /// The same by the confidence with which it was shown, a tenth each.
    #[schema(min_items = 10, max_items = 10)]
    bins: Vec<Bin>,
}

/// What became of what was shown with a confidence between these two; the upper bound belongs to the last bin alone.
#[derive(Serialize, ToSchema)]
#[schema(as = ReliabilityBin)]
struct Bin {
    from: f64,
    to: f64,
    accepts: u32,
    edits: u32,
    share_accepted: Option<f64>,
}

/// Shows what reviews have taught about confidence: how often what was found was left as it was.
///
/// It is counted by key and by what found it, in the surroundings of the document (its schema and its language). It moves
/// the confidence of what is found later and guides attention; it hides, blocks and changes nothing.
#[utoipa::path(
    get,
    path = "/calibration",
    tag = "review",
    operation_id = "show_calibration",
    params(
        ("field_key" = Option<String>, Query, description = "Only this key.", example = "pet_name"),
        ("context" = Option<String>, Query, description = "Only in these surroundings, by their context_key."),
        ("policy_version" = Option<String>, Query, description = "Under this policy; the one in effect unless said."),
        ("limit" = Option<u32>, Query, description = "How many ways of finding keys; 200 unless said.",
            minimum = 1, maximum = 1000),
        ("offset" = Option<u32>, Query, description = "How many to pass over.", minimum = 0, maximum = 100_000),
    ),
    responses((status = 200, description = "What was learnt.", body = CalibrationList)),
)]
pub(crate) async fn show(
    State(product): State<Product>,
    parameters: Parameters,
) -> Result<Json<CalibrationList>, ApiError> {
    let given = |name: &str| parameters.text(name).map(str::to_owned);
    let filter = CalibrationFilter {
        policy_version: given("policy_version").unwrap_or_else(|| product.confidence.version.clone()),
        field_key: given("field_key"),
        context_key: given("context"),
        limit: parameters.within("limit", 1..=MOST)?.unwrap_or(USUAL),
        skip: parameters.within("offset", 0..=100_000)?.unwrap_or(0),
    };
    let found = product.store.calibration.reliability(filter.clone()).await?;
    Ok(Json(CalibrationList::of(filter, found)))
}

/// They come in the order of their keys.
fn by_key(found: Vec<FieldReliability>) -> Vec<OfKey> {
    let mut keys: Vec<OfKey> = Vec::new();
    for one in found {
        let mapping = mapping(&one);
        match keys.last_mut() {
            Some(key) if (&key.context_key, &key.field_key) == (&one.context_key, &one.field_key) => {
                key.mappings.push(mapping);
            }
            _ => keys.push(OfKey {
                context_key: one.context_key,
                field_key: one.field_key,
                total: total(one.of_key),
                mappings: vec![mapping],
            }),
        }
    }
    keys
}

fn total(counts: ReviewCounts) -> Total {
    let ReviewCounts { accepts, edits } = counts;
    Total { accepts, edits, volume: counts.volume(), share_accepted: counts.share() }
}

fn mapping(one: &FieldReliability) -> OfMapping {
    let counts = one.learnt.counts;
    OfMapping {
        mapping_id: one.mapping_id.clone(),
        accepts: counts.accepts,
        edits: counts.edits,
        volume: counts.volume(),
        share_accepted: counts.share(),
        adjustment: counts.adjustment(),
        standing: one.learnt.state.as_str(),
        bins: (0..BINS).zip(one.bins).map(|(number, counts)| bin(number, counts)).collect(),
    }
}

fn bin(number: u8, counts: ReviewCounts) -> Bin {
    let bound = |number: u8| f64::from(number) / f64::from(BINS);
    let ReviewCounts { accepts, edits } = counts;
    Bin { from: bound(number), to: bound(number + 1), accepts, edits, share_accepted: counts.share() }
}
