//! Interpretations and their versions.

use std::collections::HashMap;

use quire_domain::{FieldId, InterpretationId};
use quire_ports::{DocumentReview, InterpretationVersion, PortResult, VersionHistoryEntry};
use quire_understanding::edit::{ChangeType, FieldChange};
use quire_understanding::{FieldRow, ValueType, field_rows as rows_of};

use super::{ColumnReader, document_overview, known};

/// A row of `{version}`.
pub fn interpretation_version(row: &dyn ColumnReader) -> PortResult<InterpretationVersion> {
    Ok(InterpretationVersion {
        id: InterpretationId(row.uuid("version_id")?),
        number: row.integer("version_version_number")?,
        data: row.json("version_data")?,
        created_at: row.timestamp("version_created_at")?,
        created_by: row.optional_string("version_created_by")?,
        made_by: row.optional_json("version_made_by")?,
    })
}

/// The rows of `document_fields` that a version makes: a row with its `version_number` and its `data`.
pub fn field_rows(row: &dyn ColumnReader) -> PortResult<Vec<FieldRow>> {
    Ok(rows_of(row.integer("version_number")?, &row.json("data")?))
}

/// A row of `documents/review.sql`: a `{document_overview}` whose run is the latest completed one, and a `{version}`,
/// which may be missing.
pub fn document_review(row: &dyn ColumnReader) -> PortResult<DocumentReview> {
    let has_version = row.optional_uuid("version_id")?.is_some();
    let overview = document_overview(row)?;
    Ok(DocumentReview {
        document: overview.document,
        reviewed_at: overview.reviewed_at,
        reviewed_by: overview.reviewed_by,
        latest_completed_run: overview.latest_run,
        text: overview.text,
        active: if has_version { Some(interpretation_version(row)?) } else { None },
    })
}

/// A row of `{version_history}`, still without its changes.
pub fn version_history_entry(row: &dyn ColumnReader) -> PortResult<VersionHistoryEntry> {
    Ok(VersionHistoryEntry {
        id: InterpretationId(row.uuid("version_id")?),
        number: row.integer("version_version_number")?,
        is_active: row.boolean("version_is_active")?,
        created_at: row.timestamp("version_created_at")?,
        created_by: row.optional_string("version_created_by")?,
        made_by: row.optional_json("version_made_by")?,
        changes: Vec::new(),
    })
}

/// A row of `{field_change}`, with the version that the change made.
pub fn field_change(row: &dyn ColumnReader) -> PortResult<(InterpretationId, FieldChange)> {
    let (change_type, value_type) = (row.text("change_change_type")?, row.text("change_value_type")?);
    let change = FieldChange {
        change_type: known(ChangeType::parse(change_type), "type of change", change_type)?,
        field_id: FieldId(row.uuid("change_field_id")?),
        field_key: row.string("change_field_key")?,
        field_path: row.string("change_field_path")?,
        value_type: known(ValueType::parse(value_type), "type of value", value_type)?,
        old_value: row.json("change_old_value")?,
        new_value: row.json("change_new_value")?,
        mapping_id: row.optional_string("change_mapping_id")?,
    };
    Ok((InterpretationId(row.uuid("change_interpretation_id")?), change))
}

/// These versions, each with its changes. The order of versions and changes stays the same.
pub fn with_changes(
    versions: Vec<VersionHistoryEntry>,
    changes: Vec<(InterpretationId, FieldChange)>,
) -> Vec<VersionHistoryEntry> {
    let mut by_version: HashMap<InterpretationId, Vec<FieldChange>> = HashMap::new();
    for (version, change) in changes {
        by_version.entry(version).or_default().push(change);
    }
    let with = |version: VersionHistoryEntry| {
        let changes = by_version.remove(&version.id).unwrap_or_default();
        VersionHistoryEntry { changes, ..version }
    };
    versions.into_iter().map(with).collect()
}
