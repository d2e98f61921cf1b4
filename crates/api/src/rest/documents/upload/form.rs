//! The files of a form, streamed one after another.
//!
//! The server stores a file when the next one begins or the form ends. Only then does it know that the file is
//! complete, and whether it is the last. If the connection breaks later, the stored file remains.

use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{DefaultBodyLimit, FromRequest, Multipart, Request};
use axum::http::{HeaderMap, StatusCode, header};
use quire_application::document::DocumentView;
use quire_application::document::upload::{Upload, UploadBatch, UploadError};
use quire_domain::Priority;
use serde_json::json;

use super::form_overhead::FormOverhead;
use crate::middleware::drain_body;
use crate::middleware::rate_limit::Client;
use crate::request::extractor;
use crate::{ApiError, Code, ConflictReason};

/// Bytes of a form beside its files: boundaries, names and options.
const MAX_OVERHEAD: u64 = 64 << 10;
/// The name of the field with a file.
pub(super) const FILE_FIELD: &str = "file";
/// Files of one form.
const MAX_FILES: usize = 100;

/// The options that may also be fields of the form.
const OPTIONS: [&str; 3] = ["priority", "schema", "extractor"];
/// Bytes of the longest value of an option.
const MAX_OPTION: usize = 256;

/// The outcome of one file.
pub(super) struct FileOutcome {
    /// The file name that the client sent.
    pub(super) name: String,
    pub(super) result: Result<DocumentView, ApiError>,
}

impl FileOutcome {
    /// An idempotency key of another request refuses the whole request, unless some of its files are stored already:
    /// the response must report the stored files.
    fn unless_key_reused(self, others: &[Self]) -> Result<Self, ApiError> {
        match self.result {
            Err(error) if others.is_empty() && error.is_conflict(ConflictReason::IdempotencyKeyReused) => {
                Err(error)
            }
            result => Ok(Self { result, ..self }),
        }
    }
}

/// A file that arrived whole, or why it is refused.
struct ReceivedFile {
    name: String,
    upload: Result<Upload, ApiError>,
    /// Whether reading on is useless.
    is_end: bool,
}

/// Stores the files of a form, each on its own, without waiting for processing. Refuses the whole request if it has no file, or
/// if its idempotency key belongs to another request.
pub(super) async fn receive_files(
    batch: &mut UploadBatch<'_>,
    mut request: Request,
) -> Result<Vec<FileOutcome>, ApiError> {
    let largest = batch.max_bytes();
    refuse_by_length(request.headers(), largest)?;
    // Also limits a form without a Content-Length.
    let most = usize::try_from(largest + MAX_OVERHEAD).unwrap_or(usize::MAX);
    DefaultBodyLimit::max(most).apply(&mut request);
    let request_query = request.uri().query().map(str::to_owned);
    let client = request.extensions().get::<Client>().cloned();
    let (request, overhead) = FormOverhead::watch(request);
    let mut form = Multipart::from_request(request, &()).await.map_err(|_| {
        ApiError::invalid("body", "must be multipart/form-data with the file in the field `file`")
    })?;
    let mut options = FormOptions::of_query(request_query.as_deref());
    let mut outcomes = Vec::new();
    let mut pending: Option<ReceivedFile> = None;
    while pending.as_ref().is_none_or(|received| !received.is_end) {
        let field = match form.next_field().await {
            Ok(Some(field)) if field.name() == Some(FILE_FIELD) => field,
            Ok(Some(field)) => match options.apply(batch, field, outcomes.len()).await {
                Ok(()) => continue,
                Err(error) => {
                    skip(&mut form).await;
                    // Files that are stored already must be reported.
                    let Some(received) = pending.as_mut().filter(|_| !outcomes.is_empty()) else {
                        return Err(error);
                    };
                    received.upload = Err(error);
                    break;
                }
            },
            Ok(None) => break,
            Err(error) => {
                // The form is incomplete, and so may the file be.
                let Some(received) = &mut pending else { return Err(malformed(&error, largest)) };
                received.upload = Err(malformed(&error, largest));
                break;
            }
        };
        if let Some(before) = pending.take() {
            let outcome = finish(batch, before, outcomes.len(), false).await;
            outcomes.push(outcome.unless_key_reused(&outcomes)?);
        }
        let counted = match &client {
            Some(client) if !outcomes.is_empty() => client.take_file(),
            _ => Ok(()),
        };
        pending = Some(match counted {
            Ok(()) if outcomes.len() < MAX_FILES => receive(batch, field, &overhead).await,
            Ok(()) => too_many_files(&field),
            Err(error) => not_received(&field, error),
        });
    }
    match pending {
        Some(last) => {
            let outcome = finish(batch, last, outcomes.len(), true).await;
            outcomes.push(outcome.unless_key_reused(&outcomes)?);
        }
        None => return Err(ApiError::invalid(FILE_FIELD, "is missing; send the file in this field")),
    }
    Ok(outcomes)
}

/// The options of a form that were given so far.
struct FormOptions(Vec<String>);

impl FormOptions {
    /// Those that the address names already.
    fn of_query(query: Option<&str>) -> Self {
        let names = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        Self(names.map(|(name, _)| name.into_owned()).collect())
    }

    /// Sets the option of a field for all files of the form. Refuses a field that the API does not know: a misspelt option
    /// must not be ignored.
    async fn apply(
        &mut self,
        batch: &mut UploadBatch<'_>,
        mut field: Field<'_>,
        stored: usize,
    ) -> Result<(), ApiError> {
        let name = field.name().unwrap_or_default().to_owned();
        let Some(option) = OPTIONS.into_iter().find(|option| *option == name) else {
            let shortened: String = name.chars().take(MAX_OPTION).collect();
            let message = format!("unknown field; this form has {FILE_FIELD}, {}", OPTIONS.join(", "));
            return Err(ApiError::invalid(&shortened, &message));
        };
        if self.0.contains(&name) {
            return Err(ApiError::invalid(option, "is given twice; remove one"));
        }
        if stored > 0 {
            return Err(ApiError::invalid(option, "must come before the second file of the form"));
        }
        let value = text_of(&mut field).await.ok_or_else(|| {
            ApiError::invalid(option, &format!("must be text of at most {MAX_OPTION} bytes"))
        })?;
        self.0.push(name);
        // A form also sends its empty fields.
        if value.is_empty() {
            return Ok(());
        }
        if option == "schema" {
            return Ok(batch.set_schema(value).await?);
        }
        if option == "extractor" {
            return Ok(batch.set_extractor(extractor(&value)?)?);
        }
        let priority = Priority::parse(&value);
        batch.set_priority(priority.map_err(|_| ApiError::invalid(option, "must be high or normal"))?);
        Ok(())
    }
}

/// The text of a short field.
async fn text_of(field: &mut Field<'_>) -> Option<String> {
    let mut bytes = Vec::new();
    while let Some(piece) = field.chunk().await.ok()? {
        bytes.extend_from_slice(&piece);
        if bytes.len() > MAX_OPTION {
            return None;
        }
    }
    String::from_utf8(bytes).ok()
}

/// Reads and discards the rest of a refused form: a client that is still sending would lose the response.
async fn skip(form: &mut Multipart) {
    let rest = async { while let Ok(Some(_)) = form.next_field().await {} };
    let _ = tokio::time::timeout(drain_body::TIME_LIMIT, rest).await;
}

/// Stores a file that arrived whole.
async fn finish(
    batch: &UploadBatch<'_>,
    received: ReceivedFile,
    position: usize,
    is_last: bool,
) -> FileOutcome {
    let ReceivedFile { name, upload, .. } = received;
    let position = u32::try_from(position).unwrap_or(u32::MAX);
    let result = match upload {
        Ok(upload) => batch.finish_file(upload, &name, position, is_last).await.map_err(ApiError::from),
        Err(error) => Err(error),
    };
    FileOutcome { name, result }
}

/// Reads a file to its end even if it is refused: a client that is still sending would lose the response. A file that is too
/// large is not read on.
async fn receive(batch: &UploadBatch<'_>, mut field: Field<'_>, overhead: &FormOverhead) -> ReceivedFile {
    let Some(name) = field.file_name().map(str::to_owned) else { return not_a_file() };
    overhead.file_begins();
    let received = copy(&mut field, Ok(batch.begin_file()), batch.max_bytes()).await;
    overhead.file_ends();
    let is_end = !matches!(
        received,
        Ok(Ok(_) | Err(UploadError::Empty | UploadError::Unsupported { .. } | UploadError::Other(_)))
    );
    let upload = match received {
        Ok(upload) => upload.map_err(ApiError::from),
        Err(error) => Err(error),
    };
    ReceivedFile { name, upload, is_end }
}

async fn copy(
    field: &mut Field<'_>,
    mut upload: Result<Upload, UploadError>,
    largest: u64,
) -> Result<Result<Upload, UploadError>, ApiError> {
    while let Some(piece) = field.chunk().await.map_err(|error| malformed(&error, largest))? {
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

/// A text field instead of a file: the client forgot the @ of curl.
fn not_a_file() -> ReceivedFile {
    let message = "must be a file; with curl, write -F file=@record.pdf";
    ReceivedFile { name: String::new(), upload: Err(ApiError::invalid(FILE_FIELD, message)), is_end: false }
}

fn too_many_files(field: &Field<'_>) -> ReceivedFile {
    let message = format!("has more than {MAX_FILES} files; send the rest in another request");
    not_received(field, ApiError::invalid(FILE_FIELD, &message))
}

/// A file that is not read. Neither are those after it.
fn not_received(field: &Field<'_>, error: ApiError) -> ReceivedFile {
    ReceivedFile { name: field.file_name().unwrap_or_default().to_owned(), upload: Err(error), is_end: true }
}

/// Refuses a request by its Content-Length before reading it.
fn refuse_by_length(headers: &HeaderMap, largest: u64) -> Result<(), ApiError> {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    match length {
        Some(length) if length > largest + MAX_OVERHEAD => Err(request_too_large(Some(length), largest)),
        _ => Ok(()),
    }
}

/// The limit holds for one file and for all files of a request together.
fn request_too_large(length: Option<u64>, largest: u64) -> ApiError {
    let limit = largest >> 20;
    let size = match length {
        Some(length) => format!("the request is {} MB; the limit is {limit} MB", length.div_ceil(1 << 20)),
        None => format!("the request is larger than the limit of {limit} MB"),
    };
    let message = format!("{size}; split it or raise uploads.max_mb");
    ApiError::new(Code::FileTooLarge, message).with(json!({ "max_bytes": largest }))
}

fn malformed(error: &MultipartError, largest: u64) -> ApiError {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return request_too_large(None, largest);
    }
    ApiError::invalid("body", "is not a complete form; send it again as multipart/form-data")
}
