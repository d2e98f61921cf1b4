//! Translates I/O errors into port errors. The messages of the system may contain paths, so they are not passed on.

use std::io::{Error, ErrorKind};

use quire_ports::PortError;

/// The storage cannot be used at the moment.
pub(super) fn unavailable(error: impl Into<Error>) -> PortError {
    let error = error.into();
    let reason = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => return full(),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "this program has no permission to read or write the storage folder"
        }
        ErrorKind::NotFound | ErrorKind::NotADirectory => "the storage folder does not exist",
        _ => "the disk reported an error",
    };
    // The error number is precise and never contains a path.
    let number = error.raw_os_error().map_or_else(String::new, |number| format!(" (os error {number})"));
    PortError::Unavailable { service: "storage", reason: format!("{reason}{number}"), contention: false }
}

/// The disk has no space for what should be written.
pub(super) fn full() -> PortError {
    PortError::Full { service: "storage" }
}

/// Other calls kept removing the folder that this call needs.
pub(super) fn contended() -> PortError {
    PortError::Unavailable {
        service: "storage",
        reason: "the folder is being removed by another call".to_owned(),
        contention: true,
    }
}

/// The process is shutting down.
pub(super) fn shutting_down() -> PortError {
    PortError::Unavailable {
        service: "storage",
        reason: "the process is shutting down".to_owned(),
        contention: false,
    }
}
