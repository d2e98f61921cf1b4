//! Strict extractors: ids, parameters and bodies. Each error names the wrong part.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::str::FromStr;

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, FailedToBufferBody};
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use quire_domain::reading::Extractor;
use quire_domain::{LaneName, Priority};
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::ApiError;
use crate::middleware::body_limit;

/// The id in the path. Accepts only the hyphenated lower-case form of a UUID, so that no other text reaches a file name.
pub(crate) struct Id(pub(crate) Uuid);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        segment(parts, state, "id").await.and_then(|text| id(&text)).map(Self)
    }
}

/// The lane in the path.
pub(crate) struct LanePath(pub(crate) LaneName);

impl<S: Send + Sync> FromRequestParts<S> for LanePath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let name = segment(parts, state, "name").await?;
        let lane = LaneName::parse(&name);
        lane.map(Self).map_err(|error| ApiError::invalid("name", &error.to_string()))
    }
}

/// The id of a document and a page number, from 1.
pub(crate) struct PagePath(pub(crate) Uuid, pub(crate) usize);

impl<S: Send + Sync> FromRequestParts<S> for PagePath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let document = segment(parts, state, "id").await.and_then(|text| id(&text))?;
        let number = segment(parts, state, "number").await?;
        let number = number.parse().ok().filter(|number| *number > 0);
        let number = number.ok_or_else(|| ApiError::invalid("number", "must be a page number, from 1"))?;
        Ok(Self(document, number))
    }
}

async fn segment<S: Send + Sync>(parts: &mut Parts, state: &S, name: &str) -> Result<String, ApiError> {
    let path = Path::<HashMap<String, String>>::from_request_parts(parts, state).await;
    let segment = path.ok().and_then(|Path(mut segments)| segments.remove(name));
    segment.ok_or_else(|| ApiError::invalid(name, "must be readable text"))
}

fn id(text: &str) -> Result<Uuid, ApiError> {
    uuid("id", text)
}

/// Parses an id; `name` is the parameter for the error message.
pub(crate) fn uuid(name: &str, text: &str) -> Result<Uuid, ApiError> {
    let refused = || {
        ApiError::invalid(name, "must be a UUID in lower case, such as 0192f0c1-5b7a-7c3e-8f00-0123456789ab")
    };
    let id = Uuid::from_str(text).map_err(|_| refused())?;
    if id.to_string() == text { Ok(id) } else { Err(refused()) }
}

/// The query parameters. `middleware::query_parameters` has refused unknown and repeated ones.
pub(crate) struct Parameters(HashMap<String, String>);

impl<S: Send + Sync> FromRequestParts<S> for Parameters {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        Ok(Self::parse(parts.uri.query().unwrap_or_default()))
    }
}

impl Parameters {
    pub(crate) fn parse(query: &str) -> Self {
        Self(form_urlencoded::parse(query.as_bytes()).into_owned().collect())
    }

    /// The same without empty ones: a form also sends its empty fields.
    pub(crate) fn filled(mut self) -> Self {
        self.0.retain(|_, value| !value.is_empty());
        self
    }

    /// The parameter unless it is empty: a form also sends its empty fields.
    pub(crate) fn non_empty(&self, name: &str) -> Option<&str> {
        self.raw(name).filter(|text| !text.is_empty())
    }

    /// The parameter, even if it is empty.
    pub(crate) fn raw(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The parameter parsed; `must` is the rule for the error message.
    pub(crate) fn value<T: FromStr>(&self, name: &str, must: &str) -> Result<Option<T>, ApiError> {
        let parse = |text: &String| text.parse().map_err(|_| ApiError::invalid(name, must));
        self.0.get(name).map(parse).transpose()
    }

    /// The parameter as a whole number in this range.
    pub(crate) fn within(&self, name: &str, range: RangeInclusive<u32>) -> Result<Option<u32>, ApiError> {
        let rule = format!("must be a whole number from {} to {}", range.start(), range.end());
        match self.value(name, &rule)? {
            Some(number) if !range.contains(&number) => Err(ApiError::invalid(name, &rule)),
            number => Ok(number),
        }
    }

    /// The parameter as one of a closed set, by its name.
    pub(crate) fn one_of<T: Copy>(
        &self,
        name: &str,
        all: &[T],
        called: fn(T) -> &'static str,
    ) -> Result<Option<T>, ApiError> {
        let Some(given) = self.raw(name) else { return Ok(None) };
        let known = all.iter().copied().find(|one| called(*one) == given);
        known.map(Some).ok_or_else(|| {
            let names: Vec<_> = all.iter().map(|one| called(*one)).collect();
            ApiError::invalid(name, &format!("must be one of {}", names.join(", ")))
        })
    }

    /// The priority of the run that the request creates; normal by default.
    pub(crate) fn priority(&self) -> Result<Priority, ApiError> {
        let given = self.raw("priority").map(Priority::parse).transpose();
        let given = given.map_err(|_| ApiError::invalid("priority", "must be high or normal"))?;
        Ok(given.unwrap_or_default())
    }

    /// Who reads the document, if the request names it.
    pub(crate) fn extractor(&self) -> Result<Option<Extractor>, ApiError> {
        self.raw("extractor").map(extractor).transpose()
    }
}

/// Who reads a document, as a request names it.
pub(crate) fn extractor(name: &str) -> Result<Extractor, ApiError> {
    let known = Extractor::ALL.map(Extractor::as_str).join(" or ");
    Extractor::parse(name).map_err(|_| ApiError::invalid("extractor", &format!("must be {known}")))
}

/// An empty body. A body up to the usual size is ignored.
pub(crate) struct NoBody;

impl<S: Send + Sync> FromRequest<S> for NoBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let body = Bytes::from_request(request, state).await;
        body.map(|_| Self).map_err(|rejection| body_error(&rejection))
    }
}

/// A JSON object as the body, whatever its content type.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let body = Bytes::from_request(request, state).await.map_err(|rejection| body_error(&rejection))?;
        if body.is_empty() {
            return Err(ApiError::invalid("body", "is empty; send a JSON object"));
        }
        // serde would fill the members of a struct from an array, by their order.
        if body.trim_ascii_start().first() == Some(&b'[') {
            return Err(ApiError::invalid("body", "is an array; send a JSON object"));
        }
        let parsed = serde_json::from_slice(&body);
        // The message of serde_json names members and positions of the request only.
        parsed.map(Self).map_err(|error| ApiError::invalid("body", &format!("is not valid: {error}")))
    }
}

fn body_error(rejection: &BytesRejection) -> ApiError {
    match rejection {
        BytesRejection::FailedToBufferBody(FailedToBufferBody::LengthLimitError(_)) => {
            body_limit::too_large()
        }
        _ => ApiError::invalid("body", "is incomplete; send the request again"),
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::{Body, to_bytes};
    use axum::routing::get;
    use tower::ServiceExt;

    use super::*;
    use crate::Code;

    /// Proves R076.
    #[test]
    fn only_the_hyphenated_lower_case_form_of_an_id_is_accepted() {
        assert!(id("0192f0c1-5b7a-7c3e-8f00-0123456789ab").is_ok());
        for wrong in [
            "",
            "..",
            "7",
            "0192F0C1-5B7A-7C3E-8F00-0123456789AB",
            "0192f0c15b7a7c3e8f000123456789ab",
            "{0192f0c1-5b7a-7c3e-8f00-0123456789ab}",
            "urn:uuid:0192f0c1-5b7a-7c3e-8f00-0123456789ab",
        ] {
            assert_eq!(id(wrong).unwrap_err().code, Code::InvalidRequest, "{wrong}");
        }
    }

    #[tokio::test]
    async fn a_lane_that_cannot_exist_is_refused_with_all_kinds_of_lanes() {
        let show = async |lane: Result<LanePath, ApiError>| match lane {
            Ok(LanePath(lane)) => lane.to_string(),
            Err(error) => error.message,
        };
        let router = Router::new().route("/lanes/{name}", get(show));
        let body = async |lane: &str| {
            let request = Request::get(format!("/lanes/{lane}")).body(Body::empty()).unwrap();
            let response = router.clone().oneshot(request).await.unwrap();
            let bytes = to_bytes(response.into_body(), 10_000).await.unwrap();
            String::from_utf8(bytes.to_vec()).unwrap()
        };
        assert_eq!(body("document_intelligence").await, "document_intelligence");
        let refused = body("fast").await;
        for kind in ["ocr", "indexing", "document_intelligence", "model:NAME", "host:NAME", "pipeline:NAME"] {
            assert!(refused.contains(kind), "{refused}");
        }
    }

    #[test]
    fn parameters_are_decoded_and_an_error_names_the_wrong_one() {
        let parameters = Parameters::parse("q=informe+m%C3%A9dico&limit=ten&other=%FF&empty=");
        assert_eq!(parameters.non_empty("q"), Some("informe médico"));
        assert_eq!((parameters.non_empty("empty"), parameters.non_empty("absent")), (None, None));
        assert_eq!(parameters.value::<u32>("absent", "must be a number"), Ok(None));
        let refused = parameters.value::<u32>("limit", "must be a number").unwrap_err();
        assert_eq!(
            (refused.code, refused.message.as_str()),
            (Code::InvalidRequest, "limit: must be a number")
        );
    }
}
