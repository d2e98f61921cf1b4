//! Limits the bytes of a form beside its files. The form parser buffers them in memory; files are streamed.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::{Body, Bytes};
use axum::extract::Request;
use futures_util::StreamExt as _;

/// Bytes in a row outside the files. More than one chunk, because a file may begin within a chunk.
const MAX_IN_A_ROW: usize = 1 << 20;
/// The limit within a file.
const UNLIMITED: usize = usize::MAX;

/// The number of bytes that are still allowed before the next file begins. Beyond it the body of the request ends with an error.
#[derive(Clone)]
pub(super) struct FormOverhead(Arc<AtomicUsize>);

impl FormOverhead {
    /// The request with its body counted.
    pub(super) fn watch(request: Request) -> (Request, Self) {
        let overhead = Self(Arc::new(AtomicUsize::new(MAX_IN_A_ROW)));
        let left = overhead.clone();
        let check = move |piece: Result<Bytes, axum::Error>| match piece {
            Ok(piece) if !left.allows(piece.len()) => {
                Err(axum::Error::new(io::Error::other("the form has too much data beside its files")))
            }
            piece => piece,
        };
        (request.map(|body| Body::from_stream(body.into_data_stream().map(check))), overhead)
    }

    /// A file begins.
    pub(super) fn file_begins(&self) {
        self.0.store(UNLIMITED, Ordering::Relaxed);
    }

    /// The file has ended.
    pub(super) fn file_ends(&self) {
        self.0.store(MAX_IN_A_ROW, Ordering::Relaxed);
    }

    /// Whether that many bytes may pass.
    fn allows(&self, bytes: usize) -> bool {
        let left = self.0.load(Ordering::Relaxed);
        if left != UNLIMITED {
            self.0.store(left.saturating_sub(bytes), Ordering::Relaxed);
        }
        left >= bytes
    }
}
