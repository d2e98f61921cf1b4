//! Errors that every store reports in the same words.

use std::fmt::Display;

use quire_domain::{CandidateId, DocumentId, LaneName, RunId, SubjectId, SummaryId};
use quire_ports::PortError;

/// A stored value that this program cannot read.
pub fn corrupt(error: impl Display) -> PortError {
    PortError::Corrupt(error.to_string())
}

/// Stored JSON that this program cannot read. The parser's own message would quote the JSON, which may hold words of a
/// document. So the error contains only the kind of fault and its place.
#[allow(clippy::needless_pass_by_value)] // `map_err(bad_json)` reads best.
pub fn bad_json(error: serde_json::Error) -> PortError {
    let (line, column) = (error.line(), error.column());
    PortError::Corrupt(format!("JSON with a fault of kind {:?} at {line}:{column}", error.classify()))
}

/// An operation panicked. Its changes were rolled back, and a retry would panic again.
pub fn panicked() -> PortError {
    PortError::Corrupt("an operation of the database stopped unexpectedly; please report this".to_owned())
}

/// There is no such run.
pub fn run_not_found(id: RunId) -> PortError {
    PortError::NotFound(format!("run {id}"))
}

/// There is no such lane.
pub fn lane_not_found(lane: &LaneName) -> PortError {
    PortError::NotFound(format!("lane {lane}"))
}

/// There is no such summary.
pub fn summary_not_found(id: SummaryId) -> PortError {
    PortError::NotFound(format!("summary {id}"))
}

/// There is no such document.
pub fn document_not_found(id: DocumentId) -> PortError {
    PortError::NotFound(format!("document {id}"))
}

/// Nothing is stored about this subject.
pub fn subject_not_found(id: SubjectId) -> PortError {
    PortError::NotFound(format!("subject {id}"))
}

/// There is no such candidate.
pub fn candidate_not_found(id: CandidateId) -> PortError {
    PortError::NotFound(format!("candidate {id}"))
}

/// There is no schema of that name.
pub fn schema_not_found(name: &str) -> PortError {
    PortError::NotFound(format!("schema {name}"))
}

/// The schema has no such version.
pub fn schema_version_not_found(name: &str, number: u32) -> PortError {
    PortError::NotFound(format!("version {number} of schema {name}"))
}

/// There is no key with that name or id.
pub fn key_not_found(name_or_id: &str) -> PortError {
    PortError::NotFound(format!("key {name_or_id}"))
}

/// A run of another subject or pipeline has this id.
pub fn another_run_has_the_id(id: RunId) -> PortError {
    PortError::Conflict(format!("another run has the id {id}"))
}

/// The subject cannot be purged now.
pub fn run_is_running() -> PortError {
    PortError::Conflict("a run of this subject is RUNNING; wait for it to end".to_owned())
}

/// A key with this name exists or existed. Two keys never get the same name.
pub fn key_name_taken(name: &str) -> PortError {
    PortError::Conflict(format!("there is, or was, a key with the name {name}; choose another one"))
}

/// The key was revoked or rotated since it was looked at.
pub fn key_changed_meanwhile() -> PortError {
    PortError::Conflict(
        "somebody else has rotated or revoked this key meanwhile; see `quire keys list`".to_owned(),
    )
}
