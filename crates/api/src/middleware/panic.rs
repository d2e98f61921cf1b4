//! Turns a panic of a handler into an internal error. The connection and the server go on.

use std::panic::AssertUnwindSafe;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt as _;

use crate::ApiError;

pub(crate) async fn catch(request: Request, next: Next) -> Response {
    // State that the handler half changed belonged to this request alone.
    match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        // The panic message may quote a document, so it is not logged.
        Err(_) => ApiError::internal("a handler panicked").into_response(),
    }
}
