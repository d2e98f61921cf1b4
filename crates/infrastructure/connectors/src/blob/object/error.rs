//! Translates the errors of an object store. Its messages contain addresses, which may carry signatures, so that only the
//! status, the service's own code and the kind of a network error are passed on.

use std::error::Error;

use quire_ports::PortError;

use crate::http::HttpError;

/// The longest code of a service that a message repeats.
const MAX_CODE: usize = 64;

/// The storage cannot be used at the moment.
pub(super) fn unavailable(error: &object_store::Error) -> PortError {
    match status(error) {
        Some(507) => PortError::Full { service: "storage" },
        status => unusable(reason(error, status)),
    }
}

/// The storage cannot be used, for this reason.
pub(super) fn unusable(reason: String) -> PortError {
    PortError::Unavailable { service: "storage", reason, contention: false }
}

/// Whether the service has no such object. A missing container or bucket is not a missing object.
pub(super) fn is_missing(error: &object_store::Error) -> bool {
    let is_container = matches!(code(&error.to_string()), Some("ContainerNotFound" | "NoSuchBucket"));
    matches!(error, object_store::Error::NotFound { .. }) && !is_container
}

/// Whether the service answered, and the answer was neither what was asked for nor that it is missing or not allowed.
pub(super) fn is_refused(error: &object_store::Error) -> bool {
    matches!(error, object_store::Error::Generic { .. })
        && network_error(error).is_none()
        && status(error).is_none_or(|status| status < 500)
}

fn reason(error: &object_store::Error, status: Option<u16>) -> String {
    if let Some(network) = network_error(error) {
        return network.to_string();
    }
    let text = error.to_string();
    let code = code(&text).map_or_else(String::new, |code| format!(" ({code})"));
    match status {
        Some(401 | 403) => format!(
            "the service refuses the credential{code}; check it, its permissions and the clock of this machine"
        ),
        Some(404) => format!("the container or bucket does not exist{code}; create it first"),
        Some(status) => format!("the service answered {status}{code}"),
        None => "the service gave an answer that cannot be understood".to_owned(),
    }
}

fn network_error(error: &object_store::Error) -> Option<HttpError> {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(network) = error.downcast_ref::<HttpError>() {
            return Some(*network);
        }
        cause = error.source();
    }
    None
}

/// The status of the response. The library has it in its text only.
fn status(error: &object_store::Error) -> Option<u16> {
    match error {
        object_store::Error::NotFound { .. } => return Some(404),
        object_store::Error::PermissionDenied { .. } => return Some(403),
        object_store::Error::Unauthenticated { .. } => return Some(401),
        object_store::Error::AlreadyExists { .. } => return Some(409),
        object_store::Error::Precondition { .. } => return Some(412),
        _ => {}
    }
    let text = error.to_string();
    let (_, status) = text.split_once("non-2xx status code: ")?;
    status.get(..3)?.parse().ok()
}

/// The code that both services have in the XML of an error, such as `NoSuchBucket`.
fn code(text: &str) -> Option<&str> {
    let (_, code) = text.split_once("<Code>")?;
    let (code, _) = code.split_once("</Code>")?;
    (code.len() <= MAX_CODE && code.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(status: &str, body: &str) -> object_store::Error {
        let text = format!(
            "Error performing PUT https://a.blob.core.windows.net/c/x?sig=SECRET in 3ms - Server returned non-2xx status \
             code: {status}: {body}"
        );
        object_store::Error::Generic { store: "S3", source: text.into() }
    }

    #[test]
    fn an_error_says_what_happened_without_the_address() {
        for (error, part) in [
            (answered("503 Slow Down", "<Error><Code>SlowDown</Code>"), "answered 503 (SlowDown)"),
            (answered("500 Error", "<Code>https://a?sig=SECRET</Code>"), "answered 500"),
            (
                object_store::Error::PermissionDenied { path: "SECRET".into(), source: "SECRET".into() },
                "refuses the credential",
            ),
            (
                object_store::Error::Generic { store: "S3", source: Box::new(HttpError::Unreachable) },
                "cannot be reached",
            ),
        ] {
            let text = unavailable(&error).to_string();
            assert!(text.contains(part) && !text.contains("SECRET"), "{text}");
        }
        assert_eq!(unavailable(&answered("507 Full", "")), PortError::Full { service: "storage" });
        assert!(is_refused(&answered("416 Range", "")) && !is_refused(&answered("503 Busy", "")));
    }

    #[test]
    fn a_missing_container_is_not_a_missing_file() {
        let missing = |code: &str| object_store::Error::NotFound {
            path: "a".to_owned(),
            source: format!("<Error><Code>{code}</Code></Error>").into(),
        };
        assert!(is_missing(&missing("NoSuchKey")) && is_missing(&missing("BlobNotFound")));
        assert!(!is_missing(&missing("NoSuchBucket")) && !is_missing(&missing("ContainerNotFound")));
    }
}
