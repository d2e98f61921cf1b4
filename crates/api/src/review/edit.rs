//! `POST /runs/{id}/interpretations`

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use quire_application::review::{self, EditError, EditRequest};
use quire_domain::RunId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::changes::{self, MOST_CHANGES};
use super::conflict::StaleEditDetails;
use super::{ShownVersion, View, tag};
use crate::caller::Caller;
use crate::error::Reason;
use crate::openapi::{errors, names, shapes};
use crate::request::{Id, JsonBody, Parameters};
use crate::request_id::RequestId;
use crate::{ApiError, Code, Product};

/// A batch of changes; all are made or none.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Edit)]
pub(crate) struct Wish {
    /// The version that somebody looked at. It may be left out where `If-Match` names it.
    #[serde(default)]
    #[schema(value_type = u32, required = true, minimum = 1, maximum = 2_147_483_647, example = 1)]
    base_version_number: Option<Value>,
    #[schema(value_type = Vec<shapes::Change>, min_items = 1, max_items = 500)]
    changes: Vec<Value>,
    /// Whether the edit is also stale if the document has been processed again since. Otherwise an older run can be edited.
    #[serde(default)]
    latest_run_only: bool,
}

/// The version that is active now.
#[derive(Serialize, ToSchema)]
#[schema(as = Edited)]
struct Body {
    #[schema(value_type = Uuid)]
    run_id: RunId,
    #[serde(flatten)]
    version: ShownVersion,
}

/// Corrects what a run understood: a batch of changes makes one new version.
///
/// All changes are made or none. A batch that changes nothing makes no version and is answered with 200. The version that
/// was looked at must still be the active one; its number goes into the body, or its `ETag` into `If-Match`. If it is not, the
/// 409 says for each change whether it is done, free or in conflict, and how to make it on top of the active version. An edit
/// of a reviewed document reopens its review.
#[utoipa::path(
    post,
    path = "/runs/{id}/interpretations",
    tag = "review",
    operation_id = "edit_interpretation",
    params(
        ("id" = Uuid, Path, description = "The run."),
        ("view" = Option<names::View>, Query, description = "How to show the result: as a flat list, unless by visits."),
        ("If-Match" = Option<String>, Header, description = "The ETag of the version that was looked at.",
            pattern = "^(\"v[1-9][0-9]{0,8}\")?$", example = json!("\"v1\"")),
    ),
    request_body = Wish,
    responses(
        (status = 201, description = "The new version, which is active now.", body = Body,
            headers(("ETag" = String, description = "The version, such as \"v3\"."))),
        (status = 200, description = "Nothing changed; this version is still active.", body = Body,
            headers(("ETag" = String, description = "The version, such as \"v3\"."))),
        errors::Missing,
        errors::NotEditable,
    ),
)]
pub(crate) async fn edit(
    State(product): State<Product>,
    Extension(RequestId(correlation_id)): Extension<RequestId>,
    Caller(actor): Caller,
    Id(id): Id,
    parameters: Parameters,
    headers: HeaderMap,
    JsonBody(wish): JsonBody<Wish>,
) -> Result<Response, ApiError> {
    let view = View::of(&parameters)?;
    let base = base(wish.base_version_number.as_ref(), &headers)?;
    if wish.changes.is_empty() || wish.changes.len() > MOST_CHANGES {
        return Err(ApiError::invalid("changes", &format!("must be 1 to {MOST_CHANGES} changes")));
    }
    let run = RunId(id);
    let changes = wish.changes.into_iter().enumerate().map(|(index, change)| changes::parse(index, change));
    let changes = changes.collect::<Result<Vec<_>, _>>().map_err(EditError::Bad)?;
    let request = EditRequest {
        run,
        base,
        changes,
        latest_run_only: wish.latest_run_only,
        actor,
        correlation_id: Some(correlation_id),
    };
    let result = review::edit(&product.store, &product.confidence, request).await?;
    let status = if result.is_new { StatusCode::CREATED } else { StatusCode::OK };
    let tag = tag(result.version.number);
    let body = Body {
        run_id: run,
        version: ShownVersion::of(result.version, &result.schema, view, &product.confidence),
    };
    Ok((status, [(header::ETAG, tag)], Json(body)).into_response())
}

/// The version that somebody looked at, from the body or from `If-Match`.
fn base(given: Option<&Value>, headers: &HeaderMap) -> Result<u32, ApiError> {
    let number = |value: &Value| value.as_u64().and_then(|number| u32::try_from(number).ok());
    let in_body = given.map(|value| {
        number(value).filter(|number| *number >= 1).ok_or_else(|| {
            ApiError::invalid("base_version_number", "must be the version_number that was edited, from 1")
        })
    });
    let in_head = headers.get(header::IF_MATCH).filter(|tag| !tag.is_empty()).map(|tag| {
        let tag = tag.to_str().ok().and_then(|tag| tag.strip_prefix("\"v")?.strip_suffix('"'));
        let tag = tag.filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        tag.and_then(|number| number.parse().ok()).ok_or_else(|| {
            ApiError::invalid("If-Match", "must be the ETag of the version that was edited, such as \"v3\"")
        })
    });
    match (in_body.transpose()?, in_head.transpose()?) {
        // At most one of them is active.
        (Some(one), Some(two)) if one != two => {
            let message = "base_version_number and If-Match name different versions; send one of them";
            Err(ApiError::conflict(Reason::StaleInterpretationVersion, message))
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
            EditError::ActiveRun => Self::conflict(Reason::ReviewBlockedByActiveRun, message),
            EditError::NotCompleted => Self::conflict(Reason::InterpretationNotAvailable, message),
            EditError::Missing => Self::conflict(Reason::InterpretationMissing, message),
            EditError::Stale(stale) => {
                let details = serde_json::to_value(StaleEditDetails::from(*stale)).unwrap_or_default();
                Self::new(Code::Conflict, message).with(details)
            }
            EditError::Bad(bad) => Self::new(Code::InvalidRequest, message).with(json!({
                "reason": format!("changes[{}].{}", bad.index, bad.member),
                "index": bad.index,
                "member": bad.member,
            })),
            EditError::Port(error) => error.into(),
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
    fn the_base_is_a_number_in_the_body_or_a_tag_in_the_head_and_they_agree() {
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
