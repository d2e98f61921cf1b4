//! The headers of answers, each described once.

use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{Ref, RefOr, Response};

const REQUEST_ID: &str = "X-Request-ID";
const RETRY_AFTER: &str = "Retry-After";
/// Of what may be asked only so often.
const OF_LIMITS: [(&str, &str); 3] = [
    ("X-RateLimit-Limit", "How many requests a minute has."),
    ("X-RateLimit-Remaining", "How many are left."),
    ("X-RateLimit-Reset", "Seconds until all of them are there again."),
];
/// The status of an operation that may be asked only so often.
const TOO_MANY: &str = "429";

/// All of them, by their names.
pub(super) fn all() -> impl Iterator<Item = (String, RefOr<Header>)> {
    let request_id = "Under this id the log knows the request: the caller's own, or a new one.";
    let others = [
        (REQUEST_ID, Type::String, request_id),
        (RETRY_AFTER, Type::Integer, "Seconds to wait before asking again."),
    ];
    let of_limits = OF_LIMITS.map(|(name, text)| (name, Type::Integer, text));
    others.into_iter().chain(of_limits).map(|(name, kind, text)| {
        let schema = ObjectBuilder::new().schema_type(kind);
        (name.to_owned(), HeaderBuilder::new().schema(Some(schema)).description(Some(text)).build().into())
    })
}

/// Says which an error has.
pub(super) fn of_error(name: &str, response: &mut Response) {
    refer(response, REQUEST_ID);
    if matches!(name, "TooMany" | "Unavailable") {
        refer(response, RETRY_AFTER);
    }
    if name == "TooMany" {
        refer_to_limits(response);
    }
}

/// Says which the answers of an operation have.
pub(super) fn of_answers(operation: &mut Operation) {
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
    for (header, _) in OF_LIMITS {
        refer(response, header);
    }
}

fn refer(response: &mut Response, header: &str) {
    let reference = Ref::new(format!("#/components/headers/{header}"));
    response.headers.insert(header.to_owned(), RefOr::Ref(reference));
}
