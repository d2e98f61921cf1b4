//! Interpretations and their edits.

use async_trait::async_trait;
use quire_domain::{CandidateId, DocumentId, EditBlocked, EditContext, MarkBlocked, Run, RunId, check_edit};
use quire_ports::{
    DocumentReview, EditState, InterpretationVersion, NewInterpretationVersion, PortResult, ReviewMark,
    ReviewMarkRequest, Reviews, SavedEdit, VersionHistoryEntry,
};
use quire_sql::{VersionColumns, corrupt, document_not_found, row};
use quire_understanding::Schema;
use quire_understanding::edit::FieldChange;
use quire_understanding::structural_change::StructuralEdit;
use rusqlite::{Connection, params};
use uuid::Uuid;

use crate::error::translate;
use crate::row::{execute, first, micros, scalar};
use crate::transition::append;
use crate::{SqliteStore, document_fields, queue, review_marks, search_entry, sql};

#[async_trait]
impl Reviews for SqliteStore {
    async fn review(&self, document: DocumentId) -> PortResult<DocumentReview> {
        let query = sql!("documents/review");
        let found = self.rows(query, [document.0.into_bytes()], row::document_review).await?.pop();
        found.ok_or_else(|| document_not_found(document))
    }

    async fn active_versions(
        &self,
        documents: &[DocumentId],
    ) -> PortResult<Vec<(DocumentId, InterpretationVersion)>> {
        let documents = documents.to_vec();
        self.readers
            .read(move |connection| {
                let mut found = Vec::with_capacity(documents.len());
                for document in documents {
                    let query = sql!("interpretations/of_document");
                    let id = [document.0.as_bytes()];
                    let version = first(connection, query, id, row::interpretation_version)?;
                    found.extend(version.map(|version| (document, version)));
                }
                Ok(found)
            })
            .await
    }

    async fn edit_state(&self, run: RunId) -> PortResult<EditState> {
        self.readers
            .read(move |connection| {
                // One transaction runs all queries, so that the results belong together.
                let transaction = connection.unchecked_transaction().map_err(translate)?;
                let run = queue::find(&transaction, run)?;
                let has_running_run = has_running_run(&transaction, &run)?;
                let query = sql!("interpretations/active");
                let active = first(&transaction, query, [run.id.0.as_bytes()], row::interpretation_version)?;
                let latest_completed_run = latest_completed_run(&transaction, &run)?;
                Ok(EditState { run, has_running_run, latest_completed_run, active })
            })
            .await
    }

    async fn save(&self, version: &NewInterpretationVersion) -> PortResult<Result<SavedEdit, EditBlocked>> {
        let version = version.clone();
        self.writer.write(move |connection| save(connection, &version)).await
    }

    async fn versions(&self, run: RunId) -> PortResult<Vec<VersionHistoryEntry>> {
        let id = run.0.into_bytes();
        // The order matters: a version that is added between the two queries is left out together with its changes.
        let versions = self.rows(sql!("interpretations/versions"), [id], row::version_history_entry).await?;
        let changes = self.rows(sql!("interpretations/changes"), [id], row::field_change).await?;
        Ok(row::with_changes(versions, changes))
    }

    async fn version(&self, run: RunId, number: Option<u32>) -> PortResult<Option<InterpretationVersion>> {
        let named = (run.0.into_bytes(), number);
        Ok(self.rows(sql!("interpretations/find"), named, row::interpretation_version).await?.pop())
    }

    async fn version_of_run_before(&self, run: RunId) -> PortResult<Option<InterpretationVersion>> {
        let id = [run.0.into_bytes()];
        Ok(self.rows(sql!("interpretations/before"), id, row::interpretation_version).await?.pop())
    }

    async fn set_review_status(
        &self,
        request: &ReviewMarkRequest,
    ) -> PortResult<Result<ReviewMark, MarkBlocked>> {
        let request = request.clone();
        self.writer.write(move |connection| review_marks::mark(connection, &request)).await
    }
}

/// Inserts a version.
pub(crate) fn insert_version(connection: &Connection, version: &VersionColumns) -> PortResult<()> {
    let run = version.run.0.as_bytes();
    let values = params![
        version.id.0.as_bytes(),
        run,
        version.number,
        version.data,
        micros(version.created_at),
        version.created_by,
        version.pending_review,
        version.confidence,
        version.made_by,
        version.model_tokens,
    ];
    execute(connection, sql!("interpretations/insert"), values)?;
    Ok(())
}

fn save(
    connection: &Connection,
    version: &NewInterpretationVersion,
) -> PortResult<Result<SavedEdit, EditBlocked>> {
    let run = queue::find(connection, version.run)?;
    let has_running_run = has_running_run(connection, &run)?;
    let active = first(connection, sql!("interpretations/active"), [run.id.0.as_bytes()], |row| {
        row.integer("version_version_number")
    })?;
    let latest_completed_run = latest_completed_run(connection, &run)?;
    let context = EditContext { run: &run, has_running_run, latest_completed_run, active };
    if let Err(blocked) = check_edit(context, version.base) {
        return Ok(Err(blocked));
    }
    let values = params![run.id.0.as_bytes(), version.base.version];
    execute(connection, sql!("interpretations/deactivate"), values)?;
    let columns = VersionColumns::of_edit(version)?;
    insert_version(connection, &columns)?;
    if latest_completed_run == Some(run.id) {
        document_fields::refresh(connection, DocumentId(run.subject.0))?;
        search_entry::refresh_values(connection, DocumentId(run.subject.0))?;
    }
    for (change, position) in version.changes.iter().zip(0u32..) {
        insert_change(connection, version, position, change)?;
    }
    for edit in &version.structural_edits {
        insert_structural(connection, version, &run, edit)?;
    }
    let document = DocumentId(run.subject.0);
    execute(connection, sql!("documents/touch"), params![document.0.as_bytes(), micros(version.at)])?;
    let mut events = vec![version.edited.clone()];
    if review_marks::reopen(connection, document, version.at, &version.policy)? {
        events.push(version.reopened.clone());
    }
    events.iter().try_for_each(|event| append(connection, event))?;
    Ok(Ok(SavedEdit { number: columns.number, events }))
}

/// The latest completed run of a run's document.
fn latest_completed_run(connection: &Connection, run: &Run) -> PortResult<Option<RunId>> {
    let query = sql!("documents/latest_version");
    let latest = first(connection, query, [run.subject.0.as_bytes()], row::latest_version)?;
    Ok(latest.flatten().map(|(run, _)| run))
}

fn insert_change(
    connection: &Connection,
    version: &NewInterpretationVersion,
    position: u32,
    change: &FieldChange,
) -> PortResult<()> {
    let json = |value| serde_json::to_string(value).map_err(corrupt);
    let id = Uuid::now_v7();
    let values = params![
        id.as_bytes(),
        version.id.0.as_bytes(),
        version.run.0.as_bytes(),
        position,
        change.change_type.as_str(),
        change.field_id.0.as_bytes(),
        change.field_key,
        change.field_path,
        change.value_type.as_str(),
        json(&change.old_value)?,
        json(&change.new_value)?,
        change.mapping_id,
    ];
    execute(connection, sql!("interpretations/insert_change"), values)?;
    Ok(())
}

fn insert_structural(
    connection: &Connection,
    version: &NewInterpretationVersion,
    run: &Run,
    edit: &StructuralEdit,
) -> PortResult<()> {
    let schema = Schema::name_for(run);
    let id = CandidateId::new();
    let values = params![
        id.0.as_bytes(),
        schema,
        edit.change.as_str(),
        edit.source_key.as_deref().unwrap_or_default(),
        edit.target_key,
        edit.touches_critical,
        micros(version.at),
    ];
    let candidate: [u8; 16] = scalar(connection, sql!("candidates/upsert"), values)?;
    let evidence = edit.evidence.as_ref().map(serde_json::to_string).transpose().map_err(corrupt)?;
    let id = Uuid::now_v7();
    let values = params![
        id.as_bytes(),
        candidate,
        run.subject.0.as_bytes(),
        run.id.0.as_bytes(),
        evidence,
        micros(version.at),
    ];
    execute(connection, sql!("candidates/insert_edit"), values)?;
    Ok(())
}

fn has_running_run(connection: &Connection, run: &Run) -> PortResult<bool> {
    scalar(connection, sql!("runs/is_running"), [run.subject.0.as_bytes()])
}
