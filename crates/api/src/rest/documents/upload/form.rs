//! The files of a form, one after another, each passed on piece by piece as it arrives.
//!
//! A file is taken in when the next one begins or the form ends: only then is it known that it came whole, and whether
//! it was the last. What comes after it can break off without touching it.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{DefaultBodyLimit, FromRequest, Multipart, Request};
use axum::http::{HeaderMap, StatusCode, header};
use quire_application::document::DocumentView;
use quire_application::document::upload::{Upload, UploadBatch, UploadError};
use serde_json::json;
use tokio::time::timeout;

use super::form_overhead::FormOverhead;
use crate::{ApiError, Code, Reason};

/// Bytes that a form may have around its files: boundaries, names and small fields that are passed over.
const AROUND_THE_FILES: u64 = 64 << 10;
/// The field with a file.
pub(super) const FIELD: &str = "file";
/// How many files a form may have.
const MOST_FILES: usize = 100;

/// How long a client may send nothing in the middle of a file.
const MOST_SILENCE: Duration = Duration::from_mins(1);

/// What became of one file.
pub(super) struct Outcome {
    /// As the sender calls it.
    pub(super) name: String,
    pub(super) taken: Result<DocumentView, ApiError>,
}

impl Outcome {
    /// A key that was used for another request refuses this one, unless some of its files were taken in already: those
    /// must be told.
    fn beside(self, others: &[Self]) -> Result<Self, ApiError> {
        match self.taken {
            Err(error) if others.is_empty() && error.is_conflict(Reason::IdempotencyKeyReused) => Err(error),
            taken => Ok(Self { taken, ..self }),
        }
    }
}

/// A file that came whole, or why it will not be taken.
struct Received {
    name: String,
    upload: Result<Upload, ApiError>,
    /// Whether there is no use in reading on.
    is_end: bool,
}

/// Takes in the files of a form, each on its own. It does not wait for anything to become of them. Refuses the request
/// as a whole if there is no file in it, or if its key was used for another.
pub(super) async fn take_all(
    batch: &UploadBatch<'_>,
    mut request: Request,
) -> Result<Vec<Outcome>, ApiError> {
    let largest = batch.max_bytes();
    refuse_by_length(request.headers(), largest)?;
    // Also for a form that does not say how long it is, and for fields that are passed over.
    let most = usize::try_from(largest + AROUND_THE_FILES).unwrap_or(usize::MAX);
    DefaultBodyLimit::max(most).apply(&mut request);
    let (request, outside) = FormOverhead::watch(request);
    let mut form = Multipart::from_request(request, &()).await.map_err(|_| {
        ApiError::invalid("body", "must be multipart/form-data with the document in the field `file`")
    })?;
    let mut outcomes = Vec::new();
    let mut pending: Option<Received> = None;
    while pending.as_ref().is_none_or(|received| !received.is_end) {
        let field = match form.next_field().await {
            Ok(Some(field)) if field.name() == Some(FIELD) => field,
            Ok(Some(_)) => continue,
            Ok(None) => break,
            Err(error) => {
                // What came before the break may not be all that was meant.
                let Some(received) = &mut pending else { return Err(broken(&error, largest)) };
                received.upload = Err(broken(&error, largest));
                break;
            }
        };
        if let Some(before) = pending.take() {
            let outcome = finish(batch, before, outcomes.len(), false).await;
            outcomes.push(outcome.beside(&outcomes)?);
        }
        pending = Some(if outcomes.len() < MOST_FILES {
            receive(batch, field, &outside).await
        } else {
            one_too_many(&field)
        });
    }
    match pending {
        Some(last) => {
            let outcome = finish(batch, last, outcomes.len(), true).await;
            outcomes.push(outcome.beside(&outcomes)?);
        }
        None => return Err(ApiError::invalid(FIELD, "is missing; send the document in this field")),
    }
    Ok(outcomes)
}

/// Stores a file that arrived whole.
async fn finish(batch: &UploadBatch<'_>, received: Received, place: usize, is_last: bool) -> Outcome {
    let Received { name, upload, .. } = received;
    let place = u32::try_from(place).unwrap_or(u32::MAX);
    let taken = match upload {
        Ok(upload) => batch.finish_file(upload, &name, place, is_last).await.map_err(ApiError::from),
        Err(error) => Err(error),
    };
    Outcome { name, taken }
}

/// Reads a file to its end, whatever is wrong with it: a client that is still sending would lose the answer with the
/// connection. Only what is too large is not worth it.
async fn receive(batch: &UploadBatch<'_>, mut field: Field<'_>, outside: &FormOverhead) -> Received {
    let Some(name) = field.file_name().map(str::to_owned) else { return no_file() };
    let begun = batch.begin_file().await;
    outside.leave();
    let received = pass_on(&mut field, begun, batch.max_bytes()).await;
    outside.enter();
    let is_end = !matches!(
        received,
        Ok(Ok(_) | Err(UploadError::Empty | UploadError::Unsupported { .. } | UploadError::Store(_)))
    );
    let upload = match received {
        Ok(upload) => upload.map_err(ApiError::from),
        Err(error) => Err(error),
    };
    Received { name, upload, is_end }
}

async fn pass_on(
    field: &mut Field<'_>,
    mut upload: Result<Upload, UploadError>,
    largest: u64,
) -> Result<Result<Upload, UploadError>, ApiError> {
    while let Some(piece) = next_piece(field, largest).await? {
        if let Ok(taking) = &mut upload
            && let Err(error) = taking.write(&piece).await
        {
            upload = Err(error);
        }
        if matches!(upload, Err(UploadError::TooLarge { .. })) {
            break;
        }
    }
    Ok(upload)
}

/// A client that falls silent is not waited for: it holds a file and a connection.
async fn next_piece(field: &mut Field<'_>, largest: u64) -> Result<Option<Bytes>, ApiError> {
    match timeout(MOST_SILENCE, field.chunk()).await {
        Ok(piece) => piece.map_err(|error| broken(&error, largest)),
        Err(_) => Err(ApiError::invalid("body", "broke off; send the file again")),
    }
}

/// Text in a field, as from somebody who forgot to say that it is the name of a file.
fn no_file() -> Received {
    let message = "must be a file and not its name; with curl, write -F file=@record.pdf";
    Received { name: String::new(), upload: Err(ApiError::invalid(FIELD, message)), is_end: false }
}

fn one_too_many(field: &Field<'_>) -> Received {
    let message = format!("is there more than {MOST_FILES} times; send the rest in another request");
    let name = field.file_name().unwrap_or_default().to_owned();
    Received { name, upload: Err(ApiError::invalid(FIELD, &message)), is_end: true }
}

/// What says itself that it is too long is not even read.
fn refuse_by_length(headers: &HeaderMap, largest: u64) -> Result<(), ApiError> {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: u64| length > largest + AROUND_THE_FILES) {
        return Err(too_much(largest));
    }
    Ok(())
}

/// One file may be as large as all of them together.
fn too_much(largest: u64) -> ApiError {
    let message = format!(
        "the request is larger than {largest} bytes, the most that is taken, whether in one file or in several; split it"
    );
    ApiError::new(Code::FileTooLarge, message).with(json!({ "max_bytes": largest }))
}

fn broken(error: &MultipartError, largest: u64) -> ApiError {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return too_much(largest);
    }
    ApiError::invalid("body", "is not a whole form; send it again as multipart/form-data")
}
