//! A response whose body is read piece by piece.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http_body_util::BodyExt as _;
use hyper::StatusCode;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::HeaderMap;
use tokio::time::Sleep;

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
    /// Runs while nothing comes, and what it means when it ends.
    silence: Option<(Pin<Box<Sleep>>, HttpError)>,
}

impl HttpBody {
    pub(super) fn new(body: Incoming, deadline: Instant, limits: HttpLimits) -> Self {
        Self { body, deadline, idle: limits.idle, bytes_left: limits.bytes, silence: None }
    }

    /// Limits the silence between two pieces from now on.
    pub fn limit_silence(&mut self, idle: Duration) {
        self.idle = idle;
        self.silence = None;
    }

    /// The next piece of the body. None at its end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, HttpError> {
        let frame = self.frame().await.transpose()?;
        // Every frame has data: trailers are left out below.
        Ok(frame.and_then(|frame| frame.into_data().ok()))
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

impl Body for HttpBody {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        let this = self.get_mut();
        loop {
            let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) else {
                let (silence, too_late) = this.silence.get_or_insert_with(|| {
                    let (time, too_late) = longest_wait(this.deadline, this.idle);
                    (Box::pin(tokio::time::sleep(time)), too_late)
                });
                return silence.as_mut().poll(context).map(|()| Some(Err(*too_late)));
            };
            this.silence = None;
            let Some(frame) = frame else { return Poll::Ready(None) };
            let Ok(frame) = frame else { return Poll::Ready(Some(Err(HttpError::Interrupted))) };
            // Trailers are of no use here.
            let Ok(data) = frame.into_data() else { continue };
            let Some(left) = this.bytes_left.checked_sub(data.len()) else {
                return Poll::Ready(Some(Err(HttpError::ResponseTooLarge)));
            };
            this.bytes_left = left;
            return Poll::Ready(Some(Ok(Frame::data(data))));
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Waits for something to arrive, until the deadline and no longer than the limit on silence.
pub(super) async fn within<T>(
    deadline: Instant,
    idle: Duration,
    arrival: impl Future<Output = T>,
) -> Result<T, HttpError> {
    let (time, too_late) = longest_wait(deadline, idle);
    tokio::time::timeout(time, arrival).await.map_err(|_| too_late)
}

/// How long to wait, and what to say afterwards.
fn longest_wait(deadline: Instant, idle: Duration) -> (Duration, HttpError) {
    let left = deadline.saturating_duration_since(Instant::now());
    let too_late = if left <= idle { HttpError::Timeout } else { HttpError::Silent };
    (left.min(idle), too_late)
}
