//! The response headers, each described once.

use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{Ref, RefOr, Response};

const REQUEST_ID: &str = "X-Request-ID";
const RETRY_AFTER: &str = "Retry-After";
/// The headers of rate limits.
const RATE_LIMIT_HEADERS: [(&str, &str); 3] = [
    ("X-RateLimit-Limit", "Requests per minute."),
    ("X-RateLimit-Remaining", "Requests left."),
    ("X-RateLimit-Reset", "Seconds until the limit is full again."),
];
/// The status of operations with a rate limit.
const TOO_MANY: &str = "429";

/// All headers by name.
pub(super) fn all() -> impl Iterator<Item = (String, RefOr<Header>)> {
    let request_id = "The id of the request in the log: the client's own, or a new one.";
    let others = [
        (REQUEST_ID, Type::String, request_id),
        (RETRY_AFTER, Type::Integer, "Seconds to wait before a retry."),
    ];
    let rate_limit_headers = RATE_LIMIT_HEADERS.map(|(name, text)| (name, Type::Integer, text));
    others.into_iter().chain(rate_limit_headers).map(|(name, kind, text)| {
        let schema = ObjectBuilder::new().schema_type(kind);
        (name.to_owned(), HeaderBuilder::new().schema(Some(schema)).description(Some(text)).build().into())
    })
}

/// Adds the headers of an error response.
pub(super) fn of_error(name: &str, response: &mut Response) {
    refer(response, REQUEST_ID);
    if matches!(name, "TooMany" | "Throttled" | "Unavailable") {
        refer(response, RETRY_AFTER);
    }
    if name == "TooMany" {
        refer_to_limits(response);
    }
}

/// Adds the headers of the responses of an operation.
pub(super) fn of_responses(operation: &mut Operation) {
    let is_limited = operation.responses.responses.contains_key(TOO_MANY);
    for response in operation.responses.responses.values_mut() {
        if let RefOr::T(response) = response {
            refer(response, REQUEST_ID);
            if is_limited {
                refer_to_limits(response);
            }
        }
    }
}

fn refer_to_limits(response: &mut Response) {
    for (header, _) in RATE_LIMIT_HEADERS {
        refer(response, header);
    }
}

fn refer(response: &mut Response, header: &str) {
    let reference = Ref::new(format!("#/components/headers/{header}"));
    response.headers.insert(header.to_owned(), RefOr::Ref(reference));
}
