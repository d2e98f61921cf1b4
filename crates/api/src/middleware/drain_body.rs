//! What a client is still sending when it is already refused. A connection that is closed on it takes the answer along, so the
//! rest is taken and thrown away, within reason.

use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::http::{HeaderMap, header};
use futures_util::StreamExt as _;
use tokio::time::timeout;

/// Bytes that are thrown away for the sake of an answer.
const MOST: usize = 32 << 20;
/// For how long.
const PATIENCE: Duration = Duration::from_secs(10);

/// Takes the rest of a body, unless its client waits to be asked for it.
pub(crate) async fn drain(headers: &HeaderMap, body: Body) {
    if body.is_end_stream() || headers.contains_key(header::EXPECT) {
        return;
    }
    let passing = async {
        let (mut pieces, mut passed) = (body.into_data_stream(), 0);
        while let Some(Ok(piece)) = pieces.next().await {
            passed += piece.len();
            if passed > MOST {
                break;
            }
        }
    };
    // Whoever is slower than that does not get the answer.
    let _ = timeout(PATIENCE, passing).await;
}
