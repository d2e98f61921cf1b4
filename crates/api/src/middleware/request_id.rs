//! Every request has an id: the client's own, or a new one. Responses and error bodies carry it, so that a user's report can be
//! found in the log.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use uuid::Uuid;

use crate::ApiError;

/// Either header is accepted; both are sent.
pub(crate) const NAMES: [HeaderName; 2] =
    [HeaderName::from_static("x-request-id"), HeaderName::from_static("x-correlation-id")];
/// Longer ids are replaced: the id is in every log line.
const MAX_LENGTH: usize = 128;

/// The id of a request.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(pub(crate) String);

pub(crate) async fn attach(mut request: Request, next: Next) -> Response {
    let id = given(request.headers()).unwrap_or_else(generated);
    request.extensions_mut().insert(RequestId(id.clone()));
    let mut response = next.run(request).await;
    if let Some(error) = response.extensions_mut().remove::<ApiError>() {
        let headers = std::mem::take(response.headers_mut());
        response = error.to_response(&id);
        // Other headers of the fallback, such as Allow, still hold.
        for (name, value) in &headers {
            if *name != axum::http::header::CONTENT_LENGTH && *name != axum::http::header::CONTENT_TYPE {
                response.headers_mut().insert(name.clone(), value.clone());
            }
        }
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        for name in NAMES {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}

/// The client's id, if it is safe to log.
fn given(headers: &HeaderMap) -> Option<String> {
    let id = NAMES.iter().find_map(|name| headers.get(name))?.to_str().ok()?;
    let sound = !id.is_empty() && id.len() <= MAX_LENGTH && id.bytes().all(|byte| byte.is_ascii_graphic());
    sound.then(|| id.to_owned())
}

/// Sixteen hexadecimal digits from the random half of a new UUID.
fn generated() -> String {
    format!("{:016x}", Uuid::now_v7().as_u64_pair().1)
}
