//! A response whose body is read piece by piece.

use std::time::{Duration, Instant};

use http_body_util::BodyExt as _;
use hyper::StatusCode;
use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderMap;

use super::{HttpError, HttpLimits};

/// A response whose body is still to be read.
pub struct HttpStream {
    /// The status, including errors.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: HttpBody,
}

/// The body of a response, within the limits of its request.
pub struct HttpBody {
    body: Incoming,
    deadline: Instant,
    idle: Duration,
    bytes_left: usize,
}

impl HttpBody {
    pub(super) fn new(body: Incoming, deadline: Instant, limits: HttpLimits) -> Self {
        Self { body, deadline, idle: limits.idle, bytes_left: limits.bytes }
    }

    /// The next piece of the body. None at its end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, HttpError> {
        loop {
            let frame = within(self.deadline, self.idle, self.body.frame()).await?;
            let Some(frame) = frame else { return Ok(None) };
            let frame = frame.map_err(|_| HttpError::Interrupted)?;
            // Trailers are of no use here.
            let Ok(data) = frame.into_data() else { continue };
            self.bytes_left = self.bytes_left.checked_sub(data.len()).ok_or(HttpError::ResponseTooLarge)?;
            return Ok(Some(data));
        }
    }

    /// The rest of the body.
    pub async fn collect(&mut self) -> Result<Bytes, HttpError> {
        let mut whole = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            whole.extend_from_slice(&chunk);
        }
        Ok(whole.into())
    }
}

/// Waits for something to arrive, until the deadline and no longer than the limit on silence.
pub(super) async fn within<T>(
    deadline: Instant,
    idle: Duration,
    arrival: impl Future<Output = T>,
) -> Result<T, HttpError> {
    let left = deadline.saturating_duration_since(Instant::now());
    let too_late = if left <= idle { HttpError::Timeout } else { HttpError::Silent };
    tokio::time::timeout(left.min(idle), arrival).await.map_err(|_| too_late)
}
