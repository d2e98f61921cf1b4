//! The error responses of the description. Each operation names the errors that it can return; all have one body.

// Outside tests nothing builds the description.
#![cfg_attr(not(test), allow(dead_code))]

use std::collections::BTreeMap;

use utoipa::IntoResponses;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder};

use crate::{Code, ConflictReason};

/// The extension with the error codes of a response.
pub(super) const CODES: &str = "x-error-codes";

/// The schema of an error response, unless it has one with more members.
const BODY: &str = "Error";

macro_rules! error_responses {
    ($($name:ident = [$first:ident $(, $code:ident)*] $({ $($reason:ident),+ })? $text:literal $(as $body:ident)?;)+) => {
        $(
            #[doc = $text]
            pub(crate) enum $name {}

            impl IntoResponses for $name {
                fn responses() -> BTreeMap<String, RefOr<Response>> {
                    let reference = Ref::from_response_name(stringify!($name));
                    [(Code::$first.status().as_str().to_owned(), reference.into())].into()
                }
            }
        )+

        /// All error responses by name.
        pub(super) fn all() -> Vec<(&'static str, Response)> {
            vec![$((
                stringify!($name),
                response(
                    &[Code::$first $(, Code::$code)*],
                    &[$($(ConflictReason::$reason),+)?],
                    $text,
                    [$(stringify!($body),)? BODY][0],
                ),
            )),+]
        }
    };
}

error_responses! {
    Invalid = [InvalidRequest] "A part of the request is wrong; `details` names it.";
    UnknownSchema = [InvalidRequest, UnknownSchema]
        "A part of the request is wrong, or the schema does not exist; `details` names it.";
    UnclearValue = [InvalidRequest, AmbiguousValue, ValueNotAllowed]
        "A part of the request is wrong, or a text is not clearly a value of its key; `details` names it.";
    UnsupportedVersion = [InvalidRequest, UnsupportedVersion]
        "A part of the request is wrong, or the version is not supported; `details` names it.";
    NotValid = [ValidationError] "A member of the request breaks a rule; `details` names its path.";
    ModelFailed = [LlmFailed] "The model gave no usable answer; `details` has the step and what there is of the result.";
    NotConfigured = [ServiceUnavailable, ProviderNotConfigured]
        "No language model is configured, or a service does not answer.";
    NoExtractor = [ServiceUnavailable, ProviderNotConfigured]
        "The requested extractor is not configured, or a service does not answer.";
    NotRevisable = [Conflict] { RunNotCompleted } "Only a completed run can be revised.";
    Unauthorized = [Unauthorized] "The credential is missing or unknown.";
    Forbidden = [Forbidden] "The credential does not allow this, or the request comes from a page of another site.";
    NotFound = [NotFound] "Not found.";
    FileMissing = [ArtifactMissing] "The stored file is missing.";
    NotWithdrawn = [Conflict] { RunNotQueued } "Only a run that waits in the queue can be withdrawn.";
    NotCancelled = [Conflict] { RunNotRunning } "Only a run that is running can be cancelled.";
    NotProcessed = [Conflict] { ProcessingDisabled, StateChanged } "The server processes no documents.";
    DecisionConflict = [Conflict] { CandidateDecided } "Another decision about the candidate came first.";
    DocumentUnreadable = [Conflict] { DocumentUnreadable } "The document cannot be read.";
    NotReviewable = [Conflict] { NoCompletedRun, InterpretationMissing }
        "There is nothing to review yet.";
    NotMarkable = [Conflict] { NoCompletedRun, InterpretationMissing, StaleInterpretationVersion }
        "There is nothing to review yet, or another version is active than the one that was reviewed.";
    NotComparable = [Conflict] {
        NoCompletedRun, InterpretationNotAvailable, InterpretationMissing, NothingToCompare
    } "There are not two versions to compare.";
    NotEditable = [Conflict] {
        ReviewBlockedByActiveRun, InterpretationNotAvailable, InterpretationMissing, StaleInterpretationVersion
    } "The interpretation cannot be edited now, or another edit came first." as EditRefused;
    NoText = [Conflict] { RawTextNotReady, RawTextNotAvailable } "The run has no text, or not yet.";
    NotRetried = [Conflict] { RetryNotAllowed } "This run cannot be retried.";
    KeyReused = [Conflict] { IdempotencyKeyReused } "The Idempotency-Key belongs to another request.";
    FileTooLarge = [FileTooLarge, RequestBodyTooLarge] "The file or the form is larger than the limit.";
    BodyTooLarge = [RequestBodyTooLarge] "The body is larger than the limit.";
    TooSlow = [RequestTimeout] "The body came too slowly; send the request again.";
    Unsupported = [UnsupportedMediaType] "The file type is not supported.";
    TooMany = [RateLimited] "Too many requests; retry after the seconds in Retry-After.";
    Throttled = [RateLimited] "Too many requests at once, or too many wrong credentials; retry after the seconds in Retry-After.";
    StorageFull = [StorageFull] "The disk of the server is nearly full.";
    OutsideOfFile = [RangeNotSatisfiable] "The file does not have this part.";
    InternalError = [InternalError] "An internal error; the server log has details under the `correlation_id`.";
    Unavailable = [ServiceUnavailable] "A service does not answer; retry after the seconds in Retry-After.";
}

fn response(codes: &[Code], reasons: &[ConflictReason], text: &str, body: &str) -> Response {
    let names = codes.iter().map(|code| code.as_str()).chain(reasons.iter().map(|reason| reason.as_str()));
    let names: Vec<_> = names.collect();
    ResponseBuilder::new()
        .description(text)
        .content("application/json", Content::new(Some(Ref::from_schema_name(body))))
        .extensions(Some(Extensions::from_iter([(CODES, names)])))
        .build()
}
