//! Reads and discards the rest of a refused request. Closing the connection while a client still sends would lose the response.

use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::http::{HeaderMap, header};
use futures_util::StreamExt as _;
use tokio::time::timeout;

/// Bytes to discard at most: 32 MB.
const MAX_BYTES: usize = 32 << 20;
/// How long to read.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Reads the rest of a body, unless the client waits for `100 Continue`.
pub(crate) async fn drain(headers: &HeaderMap, body: Body) {
    if body.is_end_stream() || headers.contains_key(header::EXPECT) {
        return;
    }
    let passing = async {
        let (mut pieces, mut passed) = (body.into_data_stream(), 0);
        while let Some(Ok(piece)) = pieces.next().await {
            passed += piece.len();
            if passed > MAX_BYTES {
                break;
            }
        }
    };
    // A slower client loses the response.
    let _ = timeout(TIME_LIMIT, passing).await;
}
