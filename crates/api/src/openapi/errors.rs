//! What can go wrong, as the description says it: each operation names what it can answer, and all of it has one body.

use std::collections::BTreeMap;

use utoipa::IntoResponses;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder};

use crate::{Code, Reason};

/// Under this name a response lists the codes that it can have.
pub(super) const CODES: &str = "x-error-codes";

/// The schema of an error's body, unless it has one with more members.
const BODY: &str = "Error";

macro_rules! answers {
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

        /// All of them, by their names.
        pub(super) fn all() -> Vec<(&'static str, Response)> {
            vec![$((
                stringify!($name),
                response(
                    &[Code::$first $(, Code::$code)*],
                    &[$($(Reason::$reason),+)?],
                    $text,
                    [$(stringify!($body),)? BODY][0],
                ),
            )),+]
        }
    };
}

answers! {
    Invalid = [InvalidRequest] "Something in the request is not as it must be; `details` says what.";
    UnknownSchema = [InvalidRequest, UnknownSchema]
        "Something in the request is not as it must be, or there is no such schema; `details` says what.";
    Unknown = [Unauthorized] "No credential, or one that is not known.";
    Forbidden = [Forbidden] "The credential does not allow this, or the request comes from a page of another site.";
    Missing = [NotFound] "There is no such thing.";
    Gone = [ArtifactMissing] "It was there once and its file is gone.";
    Conflicting = [Conflict] "It conflicts with what is there.";
    NotReviewable = [Conflict] { NoCompletedRun, InterpretationMissing }
        "There is nothing to review yet.";
    NotComparable = [Conflict] {
        NoCompletedRun, InterpretationNotAvailable, InterpretationMissing, NothingToCompare
    } "There are not two versions to compare.";
    NotEditable = [Conflict] {
        ReviewBlockedByActiveRun, InterpretationNotAvailable, InterpretationMissing, StaleInterpretationVersion
    } "What was understood cannot be edited now, or somebody else edited it meanwhile." as EditRefused;
    NoText = [Conflict] { RawTextNotReady, RawTextNotAvailable } "There is no text, or not yet.";
    NotRetried = [Conflict] { RetryNotAllowed } "This run is not one that can be tried again.";
    KeyReused = [Conflict] { IdempotencyKeyReused } "The Idempotency-Key came before with another request.";
    FileTooLarge = [FileTooLarge, RequestBodyTooLarge] "The file, or the form around it, is larger than allowed.";
    BodyTooLarge = [RequestBodyTooLarge] "The body is larger than allowed.";
    Unsupported = [UnsupportedMediaType] "The file is of no kind that can be read.";
    TooMany = [RateLimited] "Too many requests; ask again after the seconds in Retry-After.";
    Broken = [InternalError] "Something went wrong here; the log has it under the `correlation_id`.";
    Unavailable = [ServiceUnavailable] "Something that is needed does not answer; ask again after the seconds in Retry-After.";
}

fn response(codes: &[Code], reasons: &[Reason], text: &str, body: &str) -> Response {
    let names = codes.iter().map(|code| code.as_str()).chain(reasons.iter().map(|reason| reason.as_str()));
    let names: Vec<_> = names.collect();
    ResponseBuilder::new()
        .description(text)
        .content("application/json", Content::new(Some(Ref::from_schema_name(body))))
        .extensions(Some(Extensions::from_iter([(CODES, names)])))
        .build()
}
