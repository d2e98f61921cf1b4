//! A handler that panics answers like any other that failed; the connection and the server go on.

use std::panic::AssertUnwindSafe;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt as _;

use crate::ApiError;

pub(crate) async fn catch(request: Request, next: Next) -> Response {
    // What was half changed in memory belonged to this request, and goes with it.
    match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        // What it says may quote a document, and is nobody's business.
        Err(_) => ApiError::internal("a handler panicked").into_response(),
    }
}
