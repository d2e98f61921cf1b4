//! What was understood of a document, over HTTP: looking at it, correcting it, saying that it is checked.

mod changes;
pub(crate) mod compare;
pub(crate) mod edit;
pub(crate) mod reviewed;
pub(crate) mod show;
pub(crate) mod versions;

use quire_domain::InterpretationId;
use quire_ports::InterpretationVersion;
use quire_understanding::calibration::ConfidencePolicy;
use quire_understanding::view::FlatView;
use quire_understanding::visits::{self, VisitGroupedView};
use quire_understanding::{Interpretation, MadeBy, Schema};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::openapi::shapes;
use crate::request::Parameters;

pub(crate) use compare::compare;
pub(crate) use edit::edit;
pub(crate) use reviewed::{mark, reopen};
pub(crate) use show::show;
pub(crate) use versions::versions;

/// How somebody wants to see an interpretation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    /// As it is stored, a flat list.
    Flat,
    /// Grouped by visits.
    Visits,
}

impl View {
    fn of(parameters: &Parameters) -> Result<Self, ApiError> {
        match parameters.given("view") {
            None | Some("flat") => Ok(Self::Flat),
            Some("visits") => Ok(Self::Visits),
            Some(_) => Err(ApiError::invalid("view", "must be flat or visits")),
        }
    }

    fn show(self, data: Interpretation, schema: &Schema, policy: &ConfidencePolicy) -> Shown {
        match self {
            Self::Flat => Shown::Flat(Box::new(FlatView::of(data, policy))),
            Self::Visits => Shown::Visits(Box::new(visits::group_by_visit(&data, schema, policy))),
        }
    }
}

/// An interpretation, one way or the other.
#[derive(Serialize)]
#[serde(untagged)]
enum Shown {
    Flat(Box<FlatView>),
    Visits(Box<VisitGroupedView>),
}

/// A version of an interpretation.
#[derive(Serialize, ToSchema)]
#[schema(as = InterpretationVersion)]
struct ShownVersion {
    #[schema(value_type = Uuid)]
    interpretation_id: InterpretationId,
    version_number: u32,
    /// What understood the document. Null if a person made this version.
    #[schema(value_type = Option<shapes::MadeBy>)]
    made_by: Option<MadeBy>,
    #[schema(value_type = shapes::Shown)]
    data: Shown,
}

impl ShownVersion {
    fn of(version: InterpretationVersion, schema: &Schema, view: View, policy: &ConfidencePolicy) -> Self {
        let data = view.show(version.data, schema, policy);
        Self { interpretation_id: version.id, version_number: version.number, made_by: version.made_by, data }
    }
}

/// A version as `ETag` and `If-Match` write it.
fn tag(number: u32) -> String {
    format!("\"v{number}\"")
}
