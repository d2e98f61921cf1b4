//! Whether documents are reviewed.

use jiff::Timestamp;
use quire_domain::{DocumentId, MarkBlocked, SignedVersion, check_mark};
use quire_ports::{PortResult, ReviewChange, ReviewMark, ReviewMarkRequest};
use quire_sql::{document_not_found, row};
use quire_understanding::calibration::ConfidencePolicy;
use rusqlite::{Connection, params};

use crate::calibration::{add_signals, remove_signals};
use crate::row::{execute, first, micros};
use crate::sql;
use crate::transition::append;

pub(crate) fn mark(
    connection: &Connection,
    request: &ReviewMarkRequest,
) -> PortResult<Result<ReviewMark, MarkBlocked>> {
    let ReviewMarkRequest { document, at, policy, .. } = request;
    let is_changed = match request.change {
        ReviewChange::Mark(signed) => match review(connection, request, signed)? {
            Ok(is_changed) => is_changed,
            Err(blocked) => return Ok(Err(blocked)),
        },
        ReviewChange::Reopen => reopen(connection, *document, *at, policy)?,
    };
    if is_changed {
        append(connection, &request.event)?;
    }
    let recorded = is_changed.then(|| request.event.clone());
    let query = sql!("documents/review_mark");
    let mark =
        first(connection, query, [document.0.as_bytes()], |row| row::review_mark(row, recorded.clone()))?;
    mark.ok_or_else(|| document_not_found(*document)).map(Ok)
}

/// Whether the document was `IN_REVIEW` until now.
fn review(
    connection: &Connection,
    request: &ReviewMarkRequest,
    signed: SignedVersion,
) -> PortResult<Result<bool, MarkBlocked>> {
    let ReviewMarkRequest { document, actor, at, policy, .. } = request;
    let query = sql!("documents/latest_version");
    let latest = first(connection, query, [document.0.as_bytes()], row::latest_version)?;
    if let Err(blocked) = check_mark(latest.ok_or_else(|| document_not_found(*document))?, signed) {
        return Ok(Err(blocked));
    }
    let SignedVersion { run, number } = signed;
    let values = params![document.0.as_bytes(), micros(*at), actor, run.0.as_bytes(), number];
    let is_changed = execute(connection, sql!("documents/mark_reviewed"), values)? > 0;
    if is_changed {
        // The signals of a mark that a newer run has ended still count.
        remove_signals(connection, *document, policy, *at)?;
        add_signals(connection, *document, policy, *at)?;
    }
    Ok(Ok(is_changed))
}

/// Whether the document was REVIEWED until now. The caller records the event.
pub(crate) fn reopen(
    connection: &Connection,
    document: DocumentId,
    at: Timestamp,
    policy: &ConfidencePolicy,
) -> PortResult<bool> {
    let values = params![document.0.as_bytes(), micros(at)];
    let is_changed = execute(connection, sql!("documents/reopen"), values)? > 0;
    if is_changed {
        remove_signals(connection, document, policy, at)?;
    }
    Ok(is_changed)
}
