//! What a form says outside its file. It is gathered in memory until it makes sense, so there may not be much of it; the
//! file itself passes through.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use axum::body::{Body, BodyDataStream, Bytes};
use axum::extract::Request;
use futures_core::Stream;

/// Bytes that may come outside the file in a row. More than one piece, in which the file may begin.
const MOST: usize = 1 << 20;
/// While the file passes.
const ANY: usize = usize::MAX;

/// Says whether what passes is the file.
#[derive(Clone)]
pub(super) struct FormOverhead(Arc<AtomicUsize>);

impl FormOverhead {
    /// The request, its body watched from here on.
    pub(super) fn watch(request: Request) -> (Request, Self) {
        let outside = Self(Arc::new(AtomicUsize::new(MOST)));
        let left = outside.clone();
        let watched = |body: Body| Body::from_stream(Watched { body: body.into_data_stream(), left });
        (request.map(watched), outside)
    }

    /// The file begins.
    pub(super) fn leave(&self) {
        self.0.store(ANY, Ordering::Relaxed);
    }

    /// The file has ended.
    pub(super) fn enter(&self) {
        self.0.store(MOST, Ordering::Relaxed);
    }

    /// Whether so many bytes may pass.
    fn allows(&self, bytes: usize) -> bool {
        let left = self.0.load(Ordering::Relaxed);
        if left != ANY {
            self.0.store(left.saturating_sub(bytes), Ordering::Relaxed);
        }
        left >= bytes
    }
}

struct Watched {
    body: BodyDataStream,
    left: FormOverhead,
}

impl Stream for Watched {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = Pin::new(&mut self.body).poll_next(context);
        match &polled {
            Poll::Ready(Some(Ok(piece))) if !self.left.allows(piece.len()) => {
                let too_much = io::Error::other("there is too much outside the file");
                Poll::Ready(Some(Err(axum::Error::new(too_much))))
            }
            _ => polled,
        }
    }
}
