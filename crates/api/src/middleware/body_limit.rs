//! The largest request body, except for uploads, which have a limit of their own.

use axum::extract::DefaultBodyLimit;

use crate::{ApiError, Code};

/// Bytes of the largest body that is not an upload: 1 MB.
pub(crate) const MAX_BODY: usize = 1 << 20;

/// Refuses larger bodies.
pub(crate) fn layer() -> DefaultBodyLimit {
    DefaultBodyLimit::max(MAX_BODY)
}

/// The error for a larger body.
pub(crate) fn too_large() -> ApiError {
    let message = format!("the request body is larger than the limit of {} MB", MAX_BODY >> 20);
    ApiError::new(Code::RequestBodyTooLarge, message).with(serde_json::json!({ "max_bytes": MAX_BODY }))
}
