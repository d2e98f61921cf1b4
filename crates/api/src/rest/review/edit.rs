//! `POST /runs/{id}/interpretations`

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use quire_application::App;
use quire_application::review::{self, EditError, EditRequest};
use quire_domain::{EditBase, RunId};
use quire_understanding::edit::entered_text::{TextProblem, UnclearText};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::change_description::Change;
use super::conflict::StaleEditDetails;
use super::parse_change::{self, MAX_CHANGES};
use super::{InterpretationFormat, VersionResponse, etag};
use crate::caller::Caller;
use crate::error::ConflictReason;
use crate::middleware::request_id::RequestId;
use crate::request::{Id, JsonBody, Parameters};
use crate::rest::openapi::{errors, names};
use crate::{ApiError, Code};

/// A batch of changes. All of them are applied or none.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = EditRequest)]
pub(crate) struct EditInterpretationRequest {
    /// The version that the changes are based on. May be left out if `If-Match` names it.
    #[serde(default)]
    #[schema(value_type = u32, required = true, minimum = 1, maximum = 2_147_483_647, example = 1)]
    base_version_number: Option<Value>,
    #[schema(value_type = Vec<Change>, min_items = 1, max_items = 500)]
    changes: Vec<Value>,
    /// Whether the edit is also stale if a newer run of the document has completed. Otherwise an older run can be edited.
    #[serde(default)]
    latest_run_only: bool,
}

/// The active version after the edit.
#[derive(Serialize, ToSchema)]
#[schema(as = EditResponse)]
struct EditInterpretationResponse {
    #[schema(value_type = Uuid)]
    run_id: RunId,
    #[serde(flatten)]
    version: VersionResponse,
}

/// Corrects an interpretation: a batch of changes creates one new version.
///
/// All changes are applied or none. A batch that changes nothing creates no version and returns 200. The base version must
/// still be active; name it by its number in the body or by its `ETag` in `If-Match`. If it is not, the 409 says for each
/// change whether it is done, free or in conflict, and which change makes it on top of the active version. An edit of a
/// reviewed document reopens its review.
///
/// A change has a `value` in the type of its key, or the `text` that a person typed. A text is read as the schema says: numbers
/// and dates as people write them, in its normal form. If it can be read in two ways the response is 400 `AMBIGUOUS_VALUE` with the
/// `readings`; if the key cannot have it, 400 `VALUE_NOT_ALLOWED`, and `keep` stores it all the same.
#[utoipa::path(
    post,
    path = "/runs/{id}/interpretations",
    tag = "review",
    operation_id = "edit_interpretation",
    params(
        ("id" = Uuid, Path, description = "The run."),
        ("view" = Option<names::View>, Query, description = "The format of the response (default: flat)."),
        ("If-Match" = Option<String>, Header, description = "The ETag of the base version.",
            pattern = "^(\"v[1-9][0-9]{0,8}\")?$", example = json!("\"v1\"")),
    ),
    request_body = EditInterpretationRequest,
    responses(
        (status = 201, description = "The new version, now active.", body = EditInterpretationResponse,
            headers(("ETag" = String, description = "The version, such as \"v3\"."))),
        (status = 200, description = "Nothing changed; this version stays active.", body = EditInterpretationResponse,
            headers(("ETag" = String, description = "The version, such as \"v3\"."))),
        errors::UnclearValue,
        errors::NotFound,
        errors::NotEditable,
    ),
)]
pub(crate) async fn edit(
    State(app): State<Arc<App>>,
    Extension(RequestId(correlation_id)): Extension<RequestId>,
    Caller(actor): Caller,
    Id(id): Id,
    parameters: Parameters,
    headers: HeaderMap,
    JsonBody(body): JsonBody<EditInterpretationRequest>,
) -> Result<Response, ApiError> {
    let format = InterpretationFormat::of(&parameters)?;
    let base = base(body.base_version_number.as_ref(), &headers)?;
    if body.changes.is_empty() || body.changes.len() > MAX_CHANGES {
        return Err(ApiError::invalid("changes", &format!("must be 1 to {MAX_CHANGES} changes")));
    }
    let run = RunId(id);
    let edits =
        body.changes.into_iter().enumerate().map(|(index, change)| parse_change::parse(index, change));
    let edits = edits.collect::<Result<Vec<_>, _>>().map_err(EditError::Invalid)?;
    let request = EditRequest {
        run,
        base: EditBase { version: base, latest_run_only: body.latest_run_only },
        edits,
        actor,
        correlation_id: Some(correlation_id),
    };
    let result = review::edit(&app, request).await?;
    let status = if result.is_new { StatusCode::CREATED } else { StatusCode::OK };
    let etag = etag(result.version.number);
    let response = EditInterpretationResponse {
        run_id: run,
        version: VersionResponse::of(result.version, &result.schema, format, app.confidence_policy()),
    };
    Ok((status, [(header::ETAG, etag)], Json(response)).into_response())
}

/// The number of a version: a whole number from 1. JSON does not tell 2 from 2.0.
pub(super) fn version_number(value: &Value) -> Option<u32> {
    let whole = value.as_f64().filter(|number| number.fract() == 0.0 && *number >= 1.0)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    // It is whole, positive and within range.
    (whole <= f64::from(i32::MAX)).then_some(whole as u32)
}

/// The base version, from the body or from `If-Match`.
fn base(given: Option<&Value>, headers: &HeaderMap) -> Result<u32, ApiError> {
    let in_body = given.map(|value| {
        version_number(value).ok_or_else(|| {
            ApiError::invalid("base_version_number", "must be the version_number of the base version, from 1")
        })
    });
    let in_header = headers.get(header::IF_MATCH).filter(|tag| !tag.is_empty()).map(|tag| {
        let tag = tag.to_str().ok().and_then(|tag| tag.strip_prefix("\"v")?.strip_suffix('"'));
        let tag = tag.filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        tag.and_then(|number| number.parse().ok()).ok_or_else(|| {
            ApiError::invalid("If-Match", "must be the ETag of the base version, such as \"v3\"")
        })
    });
    match (in_body.transpose()?, in_header.transpose()?) {
        // At most one of them can be active.
        (Some(one), Some(two)) if one != two => {
            let message = "base_version_number and If-Match name different versions; send one of them";
            Err(ApiError::conflict(ConflictReason::StaleInterpretationVersion, message))
        }
        (Some(base), _) | (None, Some(base)) => Ok(base),
        (None, None) => {
            Err(ApiError::invalid("base_version_number", "is missing; send it, or the ETag as If-Match"))
        }
    }
}

impl From<EditError> for ApiError {
    fn from(error: EditError) -> Self {
        let message = error.to_string();
        match error {
            EditError::RunRunning => Self::conflict(ConflictReason::ReviewBlockedByActiveRun, message),
            EditError::NotCompleted => Self::conflict(ConflictReason::InterpretationNotAvailable, message),
            EditError::Missing => Self::conflict(ConflictReason::InterpretationMissing, message),
            EditError::Stale(stale) => {
                let details = serde_json::to_value(StaleEditDetails::from(*stale)).unwrap_or_default();
                Self::new(Code::Conflict, message).with(details)
            }
            EditError::Unclear(UnclearText { index, problem }) => {
                let details = json!({ "index": index, "member": "text" });
                match problem {
                    TextProblem::Ambiguous { readings, value_type } => {
                        let mut details = details;
                        details["readings"] = json!(readings);
                        details["value_type"] = json!(value_type.as_str());
                        Self::new(Code::AmbiguousValue, message).with(details)
                    }
                    TextProblem::NotAllowed(_) => Self::new(Code::ValueNotAllowed, message).with(details),
                    TextProblem::InvalidTable(_) => Self::new(Code::InvalidRequest, message).with(details),
                }
            }
            EditError::Invalid(bad) => Self::new(Code::InvalidRequest, message).with(json!({
                "reason": format!("changes[{}].{}", bad.index, bad.member),
                "index": bad.index,
                "member": bad.member,
            })),
            EditError::Other(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(tag: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::IF_MATCH, tag.parse().unwrap())])
    }

    /// Proves R120 for how the base is given.
    #[test]
    fn the_base_version_comes_from_the_body_or_the_header_and_both_agree() {
        let none = HeaderMap::new();
        assert_eq!(base(Some(&json!(3)), &none), Ok(3));
        assert_eq!(base(None, &head("\"v3\"")), Ok(3));
        assert_eq!(base(Some(&json!(3)), &head("\"v3\"")), Ok(3));
        let differ = base(Some(&json!(2)), &head("\"v3\"")).unwrap_err();
        assert_eq!(differ.code, Code::Conflict);
        for (given, headers) in [
            (None, none.clone()),
            (Some(json!(0)), none.clone()),
            (Some(json!(-1)), none.clone()),
            (Some(json!("3")), none.clone()),
            (Some(json!(1.5)), none.clone()),
            (None, head("*")),
            (None, head("\"v+3\"")),
            (None, head("W/\"v3\"")),
            (None, head("\"v\"")),
        ] {
            let refused = base(given.as_ref(), &headers).unwrap_err();
            assert_eq!(refused.code, Code::InvalidRequest, "{given:?} {headers:?}");
        }
    }
}
