//! Interpretations: showing, correcting and marking them as reviewed.

mod change_description;
pub(crate) mod compare;
pub(crate) mod conflict;
pub(crate) mod edit;
pub(crate) mod field;
mod interpretation;
mod made_by;
pub(crate) mod mark;
mod parse_change;
pub(crate) mod show;
pub(crate) mod versions;

use quire_application::review::InterpretationVersion;
use quire_domain::InterpretationId;
use quire_understanding::calibration::ConfidencePolicy;
use quire_understanding::view::FlatView;
use quire_understanding::visits;
use quire_understanding::{Interpretation, Schema};
use serde::Serialize;
use utoipa::ToSchema;

use self::interpretation::InterpretationData;
use self::made_by::MadeByResponse;
use crate::ApiError;
use crate::request::Parameters;

pub(crate) use compare::compare;
pub(crate) use edit::edit;
pub(crate) use mark::{mark, reopen};
pub(crate) use show::show;
pub(crate) use versions::versions;

/// How an interpretation is formatted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InterpretationFormat {
    /// A flat list of fields.
    Flat,
    /// Fields grouped by visits.
    Visits,
}

impl InterpretationFormat {
    fn of(parameters: &Parameters) -> Result<Self, ApiError> {
        match parameters.raw("view") {
            None | Some("flat") => Ok(Self::Flat),
            Some("visits") => Ok(Self::Visits),
            Some(_) => Err(ApiError::invalid("view", "must be flat or visits")),
        }
    }

    fn show(self, data: Interpretation, schema: &Schema, policy: &ConfidencePolicy) -> InterpretationData {
        match self {
            Self::Flat => InterpretationData::Flat(Box::new(FlatView::of(data, policy).into())),
            Self::Visits => {
                InterpretationData::Visits(Box::new(visits::group_by_visit(&data, schema, policy).into()))
            }
        }
    }
}

/// A version of an interpretation.
#[derive(Serialize, ToSchema)]
#[schema(as = InterpretationVersion)]
struct VersionResponse {
    #[schema(value_type = Uuid)]
    interpretation_id: InterpretationId,
    version_number: u32,
    /// What made the interpretation. Null if a person made this version.
    made_by: Option<MadeByResponse>,
    data: InterpretationData,
}

impl VersionResponse {
    fn of(
        version: InterpretationVersion,
        schema: &Schema,
        format: InterpretationFormat,
        policy: &ConfidencePolicy,
    ) -> Self {
        let data = format.show(version.data, schema, policy);
        Self {
            interpretation_id: version.id,
            version_number: version.number,
            made_by: version.made_by.map(MadeByResponse::from),
            data,
        }
    }
}

/// A version as `ETag` and `If-Match` write it.
fn etag(number: u32) -> String {
    format!("\"v{number}\"")
}
