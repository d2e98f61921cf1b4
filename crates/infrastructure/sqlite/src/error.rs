//! Translates the errors of SQLite.

use quire_ports::PortError;
use rusqlite::ffi::{ErrorCode, SQLITE_CONSTRAINT_TRIGGER};

/// The error for the application. SQLite's own messages may name files, so only the messages of our own constraints
/// pass through.
#[allow(clippy::needless_pass_by_value)] // `map_err(translate)` reads best.
pub(crate) fn translate(error: rusqlite::Error) -> PortError {
    let unavailable = |reason: &str, contention| PortError::Unavailable {
        service: "database",
        reason: reason.to_owned(),
        contention,
    };
    match &error {
        rusqlite::Error::QueryReturnedNoRows => PortError::NotFound("what was asked for".to_owned()),
        rusqlite::Error::SqliteFailure(failure, message) => match failure.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                unavailable("another process is writing to it", true)
            }
            // SQLite reports it only for what it could not write, so that nothing is committed.
            ErrorCode::DiskFull => PortError::Full { service: "database" },
            ErrorCode::CannotOpen => unavailable("the file cannot be opened", false),
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => {
                unavailable("the file cannot be written", false)
            }
            // Only the limit on the time of a search interrupts anything.
            ErrorCode::OperationInterrupted => took_too_long(),
            ErrorCode::SystemIoFailure | ErrorCode::OutOfMemory => {
                unavailable("the disk does not answer as it should", false)
            }
            ErrorCode::ConstraintViolation => PortError::Conflict(match message {
                // The messages of our triggers are written for users. SQLite's messages about constraints name tables.
                Some(message) if failure.extended_code == SQLITE_CONSTRAINT_TRIGGER => message.clone(),
                _ => "a rule of the database refused it".to_owned(),
            }),
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                PortError::Corrupt("the file is not a sound database".to_owned())
            }
            _ => PortError::Corrupt(message.clone().unwrap_or_else(|| error.to_string())),
        },
        _ => PortError::Corrupt(error.to_string()),
    }
}

/// A search was ended, so that others can read.
pub(crate) fn took_too_long() -> PortError {
    let reason = "the search took too long; ask for fewer or longer words".to_owned();
    PortError::Unavailable { service: "database", reason, contention: true }
}

/// The writer or the reader has stopped, because the process is shutting down.
pub(crate) fn stopped() -> PortError {
    PortError::Unavailable { service: "database", reason: "it was closed".to_owned(), contention: false }
}
