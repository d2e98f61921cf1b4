//! Ends requests whose clients send their body too slowly, or not at all. Each of them holds a connection and memory.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::middleware::body_limit::is_open_form;
use crate::middleware::client_limit::closing;
use crate::{ApiError, Code};

/// A client that sends less than this many bytes per second is too slow.
const MIN_BYTES_PER_SECOND: u32 = 1 << 10;
/// The whole body of a form that needs no credential.
const OPEN_FORM_TIMEOUT: Duration = Duration::from_secs(10);

/// Runs a request. One whose body came too slowly is answered with 408, whatever its handler says about the incomplete body.
pub(crate) async fn refuse(State(pause): State<Duration>, request: Request, next: Next) -> Response {
    let is_late = Arc::new(AtomicBool::new(false));
    let form = is_open_form(request.uri().path()).then(|| OPEN_FORM_TIMEOUT.min(pause));
    let limits = BodyTimeLimits { pause: form.unwrap_or(pause), may_be_long: form.is_none() };
    let late = is_late.clone();
    let response = next.run(request.map(|body| Body::new(TimedBody::new(body, limits, late)))).await;
    let is_refused = response.extensions().get::<ApiError>().is_some() || response.status().is_client_error();
    if !(is_late.load(Ordering::Relaxed) && is_refused) {
        return response;
    }
    let message = "the body of the request came too slowly; send it again over a faster connection";
    closing(ApiError::new(Code::RequestTimeout, message).into_response())
}

/// How long a client may take.
#[derive(Clone, Copy)]
struct BodyTimeLimits {
    /// The longest pause, and the time before the speed of a client counts.
    pause: Duration,
    /// Whether more data has more time.
    may_be_long: bool,
}

/// A request body with time limits. Only the time in which the server waits for the client counts.
struct TimedBody {
    body: Body,
    limits: BodyTimeLimits,
    received: u64,
    waited: Duration,
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
    is_late: Arc<AtomicBool>,
}

impl TimedBody {
    fn new(body: Body, limits: BodyTimeLimits, is_late: Arc<AtomicBool>) -> Self {
        Self { body, limits, received: 0, waited: Duration::ZERO, waiting: None, is_late }
    }

    /// How long the server waits for the next bytes.
    fn patience(&self) -> Duration {
        let earned = Duration::from_secs(self.received) / MIN_BYTES_PER_SECOND;
        let earned = if self.limits.may_be_long { earned } else { Duration::ZERO };
        self.limits.pause.min((self.limits.pause + earned).saturating_sub(self.waited))
    }
}

impl HttpBody for TimedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            if let Some((since, _)) = self.waiting.take() {
                self.waited += since.elapsed();
            }
            if let Some(Ok(data)) = frame.as_ref().map(|frame| frame.as_ref().map(Frame::data_ref)) {
                self.received += data.map_or(0, |data| data.len() as u64);
            }
            return Poll::Ready(frame);
        }
        let now = Instant::now();
        let patience = self.patience();
        let (_, timer) = self.waiting.get_or_insert_with(|| (now, Box::pin(sleep_until(now + patience))));
        if timer.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.is_late.store(true, Ordering::Relaxed);
        let error = std::io::Error::from(std::io::ErrorKind::TimedOut);
        Poll::Ready(Some(Err(axum::Error::new(error))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::http::StatusCode;
    use axum::middleware::from_fn_with_state;
    use axum::routing::post;
    use futures_util::{StreamExt as _, stream};
    use tower::ServiceExt as _;

    use super::*;

    /// Sends a body in pieces of that size, with that pause before each. Time passes as fast as it can.
    async fn send(path: &str, piece: usize, pauses: &[u64]) -> StatusCode {
        let sizes: Vec<_> = pauses.iter().map(|seconds| (Duration::from_secs(*seconds), piece)).collect();
        let pieces = stream::iter(sizes).then(|(pause, size)| async move {
            tokio::time::sleep(pause).await;
            Ok::<_, std::convert::Infallible>(vec![b'x'; size])
        });
        let read = post(|body: Result<Bytes, axum::extract::rejection::BytesRejection>| async move {
            body.map_err(|_| ApiError::invalid("body", "is incomplete")).map(|body| body.len().to_string())
        });
        let router = Router::new()
            .route("/documents", read.clone())
            .route("/app/login", read)
            .layer(from_fn_with_state(Duration::from_secs(30), refuse));
        let request = Request::post(path).body(Body::from_stream(pieces)).unwrap();
        let response = router.oneshot(request).await.unwrap();
        response.extensions().get::<ApiError>().map_or(response.status(), |error| error.code.status())
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_stalls_or_trickles_is_refused() {
        assert_eq!(send("/documents", 1 << 16, &[0, 29, 29, 29]).await, StatusCode::OK, "slow but steady");
        assert_eq!(send("/documents", 1 << 16, &[0, 31]).await, StatusCode::REQUEST_TIMEOUT, "a long pause");
        assert_eq!(send("/documents", 1, &[10; 5]).await, StatusCode::REQUEST_TIMEOUT, "a byte at a time");
        assert_eq!(send("/documents", 1, &[1; 20]).await, StatusCode::OK, "short bodies have time");
        assert_eq!(send("/app/login", 100, &[4, 4]).await, StatusCode::OK);
        assert_eq!(send("/app/login", 100, &[6, 6]).await, StatusCode::REQUEST_TIMEOUT, "ten seconds in all");
    }
}
