//! Documents.

use quire_domain::{Document, DocumentId, Event, Hidden, ReviewStatus, RunId, SignedVersion};
use quire_ports::{DocumentOverview, PortResult, ReviewMark, SubjectPresence};

use super::{ColumnReader, run};

/// A row of `{document}`.
pub fn document(row: &dyn ColumnReader) -> PortResult<Document> {
    Ok(Document {
        id: DocumentId(row.uuid("document_id")?),
        original_filename: row.string("document_original_filename")?,
        content_type: row.string("document_content_type")?,
        file_size: row.integer("document_file_size")?,
        content_hash: row.bytes("document_content_hash")?,
        storage_path: row.string("document_storage_path")?,
        created_at: row.timestamp("document_created_at")?,
        review_status: review_status(row)?,
        language_override: row.optional_string("document_language_override")?,
        schema: row.string("document_schema_name")?,
    })
}

/// A row of `{document_overview}`.
pub fn document_overview(row: &dyn ColumnReader) -> PortResult<DocumentOverview> {
    let has_run = row.optional_uuid("run_id")?.is_some();
    Ok(DocumentOverview {
        document: document(row)?,
        updated_at: row.timestamp("document_updated_at")?,
        reviewed_at: row.optional_timestamp("document_reviewed_at")?,
        reviewed_by: row.optional_string("document_reviewed_by")?,
        latest_run: if has_run { Some(run(row)?) } else { None },
        text: row.optional_string("document_text")?,
        confidence: row.optional_float("document_confidence")?,
        hidden: hidden(row)?,
    })
}

/// A row of `{hidden}`.
pub fn hidden(row: &dyn ColumnReader) -> PortResult<Option<Hidden>> {
    let (at, by) =
        (row.optional_timestamp("document_hidden_at")?, row.optional_string("document_hidden_by")?);
    Ok(at.map(|at| Hidden { at, by: by.unwrap_or_default() }))
}

/// A row of `{review_mark}`, and the event that a request has just recorded with it.
pub fn review_mark(row: &dyn ColumnReader, recorded: Option<Event>) -> PortResult<ReviewMark> {
    let run = row.optional_uuid("document_reviewed_run_id")?.map(RunId);
    let number = row.optional_number("document_reviewed_version")?;
    Ok(ReviewMark {
        status: review_status(row)?,
        reviewed_at: row.optional_timestamp("document_reviewed_at")?,
        reviewed_by: row.optional_string("document_reviewed_by")?,
        signed: run.zip(number).map(|(run, number)| SignedVersion { run, number }),
        recorded,
    })
}

/// The latest completed run of a document with the number of its active version, from `documents/latest_version`.
pub fn latest_version(row: &dyn ColumnReader) -> PortResult<Option<(RunId, Option<u32>)>> {
    let run = row.optional_uuid("run_id")?.map(RunId);
    let number = row.optional_number("version_number")?;
    Ok(run.map(|run| (run, number)))
}

fn review_status(row: &dyn ColumnReader) -> PortResult<ReviewStatus> {
    Ok(ReviewStatus::parse(row.text("document_review_status")?).unwrap_or_default())
}

/// A row of `is_stored` and `is_purged`.
pub fn presence(row: &dyn ColumnReader) -> PortResult<SubjectPresence> {
    Ok(match (row.boolean("is_stored")?, row.boolean("is_purged")?) {
        (true, _) => SubjectPresence::Stored,
        (false, true) => SubjectPresence::Purged,
        (false, false) => SubjectPresence::Unknown,
    })
}
