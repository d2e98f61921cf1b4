//! What the disk says, translated once. Its own words may name paths, so none of them pass.

use std::io::{Error, ErrorKind};

use quire_ports::PortError;

use crate::blob::name::Name;

/// The disk cannot do it now.
pub(super) fn unavailable(error: impl Into<Error>) -> PortError {
    let error = error.into();
    let reason = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "the disk is full",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "the folder for files cannot be read or written by this program"
        }
        ErrorKind::NotFound | ErrorKind::NotADirectory => "the folder for files is not there",
        _ => "the disk does not answer as it should",
    };
    // The number says what the words leave open, and never a path.
    let number = error.raw_os_error().map_or_else(String::new, |number| format!(" (os error {number})"));
    PortError::Unavailable { service: "storage", reason: format!("{reason}{number}"), contention: false }
}

/// Others keep undoing what this call needs.
pub(super) fn crowded() -> PortError {
    PortError::Unavailable {
        service: "storage",
        reason: "the folder is being removed".to_owned(),
        contention: true,
    }
}

/// The process is on its way out.
pub(super) fn closed() -> PortError {
    PortError::Unavailable { service: "storage", reason: "it was closed".to_owned(), contention: false }
}

pub(super) fn missing(name: &Name) -> PortError {
    PortError::NotFound(format!("file {name}"))
}
