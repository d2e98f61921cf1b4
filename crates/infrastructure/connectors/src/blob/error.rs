//! The errors that every kind of storage has.

use std::ops::Range;

use quire_ports::PortError;

use super::name::BlobName;

pub(super) fn not_found(name: &BlobName) -> PortError {
    PortError::NotFound(format!("file {name}"))
}

pub(super) fn too_large(name: &BlobName, limit: u64) -> PortError {
    let limit = if limit < 1 << 20 { format!("{limit} bytes") } else { format!("{} MB", limit >> 20) };
    PortError::Conflict(format!("the file {name} is larger than the limit of {limit}"))
}

pub(super) fn too_short(name: &BlobName, range: &Range<u64>) -> PortError {
    PortError::Corrupt(format!("the file {name} ends before byte {}", range.end))
}

pub(super) fn reversed_range() -> PortError {
    PortError::Conflict("the range ends before it starts".to_owned())
}

/// The error of every call after a write that failed or was cancelled.
pub(super) fn earlier_write_failed() -> PortError {
    PortError::Unavailable {
        service: "storage",
        reason: "an earlier part of this file could not be written".to_owned(),
        contention: false,
    }
}
