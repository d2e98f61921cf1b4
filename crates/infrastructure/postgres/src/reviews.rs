//! Interpretations and their edits.

use async_trait::async_trait;
use quire_domain::{CandidateId, DocumentId, EditBlocked, EditContext, MarkBlocked, Run, RunId, check_edit};
use quire_ports::{
    DocumentReview, EditState, InterpretationVersion, NewInterpretationVersion, PortResult, ReviewMark,
    ReviewMarkRequest, Reviews, SavedEdit, VersionHistoryEntry,
};
use quire_sql::{VersionColumns, corrupt, document_not_found, row, run_not_found};
use quire_understanding::Schema;
use quire_understanding::edit::FieldChange;
use quire_understanding::structural_change::StructuralEdit;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::database::{commit, rollback};
use crate::error::translate;
use crate::row::{StoredTime, first, int, text};
use crate::transition::append;
use crate::{PgStore, document_fields, review_marks, search_entry, sql};

#[async_trait]
impl Reviews for PgStore {
    async fn review(&self, document: DocumentId) -> PortResult<DocumentReview> {
        let rows = self.database.read(|| sqlx::query(sql!("documents/review")).bind(document.0)).await?;
        first(rows.first(), row::document_review)?.ok_or_else(|| document_not_found(document))
    }

    async fn active_versions(
        &self,
        documents: &[DocumentId],
    ) -> PortResult<Vec<(DocumentId, InterpretationVersion)>> {
        let ids: Vec<Uuid> = documents.iter().map(|document| document.0).collect();
        let query = || sqlx::query(sql!("interpretations/of_documents")).bind(ids.clone());
        self.rows(query, |row| Ok((DocumentId(row.uuid("document_id")?), row::interpretation_version(row)?)))
            .await
    }

    async fn edit_state(&self, run: RunId) -> PortResult<EditState> {
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                // One snapshot answers all queries, so that the results belong together.
                sqlx::raw_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                let state = edit_state(&mut transaction, run).await;
                rollback(transaction).await?;
                state
            })
            .await
    }

    async fn save(&self, version: &NewInterpretationVersion) -> PortResult<Result<SavedEdit, EditBlocked>> {
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                match save(&mut transaction, version).await {
                    Ok(Ok(saved)) => {
                        append(&mut transaction, &saved.events, false).await?;
                        commit(transaction).await?;
                        Ok(Ok(saved))
                    }
                    Ok(Err(blocked)) => {
                        rollback(transaction).await?;
                        Ok(Err(blocked))
                    }
                    Err(error) => Err(error),
                }
            })
            .await
    }

    async fn versions(&self, run: RunId) -> PortResult<Vec<VersionHistoryEntry>> {
        // The order matters: a version that is added between the two queries is left out together with its changes.
        let query = || sqlx::query(sql!("interpretations/versions")).bind(run.0);
        let versions = self.rows(query, row::version_history_entry).await?;
        let query = || sqlx::query(sql!("interpretations/changes")).bind(run.0);
        let changes = self.rows(query, row::field_change).await?;
        Ok(row::with_changes(versions, changes))
    }

    async fn version(&self, run: RunId, number: Option<u32>) -> PortResult<Option<InterpretationVersion>> {
        let query = || sqlx::query(sql!("interpretations/find")).bind(run.0).bind(number.map(int));
        Ok(self.rows(query, row::interpretation_version).await?.pop())
    }

    async fn version_of_run_before(&self, run: RunId) -> PortResult<Option<InterpretationVersion>> {
        let query = || sqlx::query(sql!("interpretations/before")).bind(run.0);
        Ok(self.rows(query, row::interpretation_version).await?.pop())
    }

    async fn set_review_status(
        &self,
        request: &ReviewMarkRequest,
    ) -> PortResult<Result<ReviewMark, MarkBlocked>> {
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                let mark = match review_marks::mark(&mut transaction, request).await? {
                    Ok(mark) => mark,
                    Err(blocked) => {
                        rollback(transaction).await?;
                        return Ok(Err(blocked));
                    }
                };
                append(&mut transaction, mark.recorded.as_slice(), false).await?;
                commit(transaction).await?;
                Ok(Ok(mark))
            })
            .await
    }
}

async fn edit_state(connection: &mut PgConnection, run: RunId) -> PortResult<EditState> {
    let run = find(connection, run).await?;
    let has_running_run = has_running_run(connection, &run).await?;
    let active = sqlx::query(sql!("interpretations/active"))
        .bind(run.id.0)
        .fetch_optional(&mut *connection)
        .await
        .map_err(translate)?;
    let active = first(active.as_ref(), row::interpretation_version)?;
    let latest_completed_run = latest_completed_run(connection, DocumentId(run.subject.0)).await?;
    Ok(EditState { run, has_running_run, latest_completed_run, active })
}

/// Writes the edit except its events, which the caller appends last.
async fn save(
    connection: &mut PgConnection,
    version: &NewInterpretationVersion,
) -> PortResult<Result<SavedEdit, EditBlocked>> {
    let run = find(connection, version.run).await?;
    let document = DocumentId(run.subject.0);
    lock(connection, document).await?;
    let has_running_run = has_running_run(connection, &run).await?;
    let latest_completed_run = latest_completed_run(connection, document).await?;
    let active = active_number(connection, run.id).await?;
    let context = EditContext { run: &run, has_running_run, latest_completed_run, active };
    if let Err(blocked) = check_edit(context, version.base) {
        return Ok(Err(blocked));
    }
    let deactivated = sqlx::query(sql!("interpretations/deactivate"))
        .bind(version.run.0)
        .bind(int(version.base.version))
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    if deactivated.rows_affected() == 0 {
        // A run without a document has no row to lock, so another edit can come in between.
        let active = active_number(connection, run.id).await?;
        if let Err(blocked) = check_edit(EditContext { active, ..context }, version.base) {
            return Ok(Err(blocked));
        }
    }
    let columns = VersionColumns::of_edit(version)?;
    let number = columns.number;
    insert_versions(connection, &[columns]).await?;
    if latest_completed_run == Some(run.id) {
        document_fields::refresh(connection, &[document.0]).await?;
        search_entry::refresh_values(connection, document).await?;
    }
    insert_changes(connection, version).await?;
    for edit in &version.structural_edits {
        insert_structural(connection, version, &run, edit).await?;
    }
    sqlx::query(sql!("documents/touch"))
        .bind(document.0)
        .bind(StoredTime(version.at))
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    let mut events = vec![version.edited.clone()];
    if review_marks::reopen(connection, document, version.at, &version.policy).await? {
        events.push(version.reopened.clone());
    }
    Ok(Ok(SavedEdit { number, events }))
}

/// Locks a document and its front. Every transaction locks the document first. While it is locked, it cannot be edited or
/// marked; while its front is locked, none of its runs can start or end.
pub(crate) async fn lock(connection: &mut PgConnection, document: DocumentId) -> PortResult<()> {
    sqlx::query(sql!("documents/lock"))
        .bind(document.0)
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    sqlx::query(sql!("runs/lock_front_for_update"))
        .bind(document.0)
        .bind(None::<&str>)
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

/// The latest completed run of a document.
async fn latest_completed_run(
    connection: &mut PgConnection,
    document: DocumentId,
) -> PortResult<Option<RunId>> {
    let latest = sqlx::query(sql!("documents/latest_version"))
        .bind(document.0)
        .fetch_optional(connection)
        .await
        .map_err(translate)?;
    Ok(first(latest.as_ref(), row::latest_version)?.flatten().map(|(run, _)| run))
}

/// The number of a run's active version.
async fn active_number(connection: &mut PgConnection, run: RunId) -> PortResult<Option<u32>> {
    let active = sqlx::query(sql!("interpretations/active"))
        .bind(run.0)
        .fetch_optional(connection)
        .await
        .map_err(translate)?;
    first(active.as_ref(), |row| row.integer("version_version_number"))
}

/// Inserts versions.
pub(crate) async fn insert_versions(
    connection: &mut PgConnection,
    versions: &[VersionColumns],
) -> PortResult<()> {
    if versions.is_empty() {
        return Ok(());
    }
    let optional = |value: &Option<String>| value.as_deref().map(text);
    sqlx::query(sql!("interpretations/insert"))
        .bind(versions.iter().map(|version| version.id.0).collect::<Vec<_>>())
        .bind(versions.iter().map(|version| version.run.0).collect::<Vec<_>>())
        .bind(versions.iter().map(|version| int(version.number)).collect::<Vec<_>>())
        .bind(versions.iter().map(|version| text(&version.data)).collect::<Vec<_>>())
        .bind(versions.iter().map(|version| StoredTime(version.created_at)).collect::<Vec<_>>())
        .bind(versions.iter().map(|version| optional(&version.created_by)).collect::<Vec<_>>())
        .bind(versions.iter().map(|version| version.pending_review).collect::<Vec<_>>())
        .bind(versions.iter().map(|version| version.confidence).collect::<Vec<_>>())
        .bind(versions.iter().map(|version| optional(&version.made_by)).collect::<Vec<_>>())
        .bind(versions.iter().map(|version| version.model_tokens).collect::<Vec<_>>())
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

async fn insert_changes(connection: &mut PgConnection, version: &NewInterpretationVersion) -> PortResult<()> {
    let changes = &version.changes;
    let json = |value| serde_json::to_string(value).map(|json| text(&json)).map_err(corrupt);
    let all = |column: &dyn Fn(&FieldChange) -> String| changes.iter().map(column).collect::<Vec<_>>();
    sqlx::query(sql!("interpretations/insert_changes"))
        .bind(version.id.0)
        .bind(version.run.0)
        .bind(changes.iter().map(|_| Uuid::now_v7()).collect::<Vec<_>>())
        .bind(all(&|change| change.change_type.as_str().to_owned()))
        .bind(changes.iter().map(|change| change.field_id.0).collect::<Vec<_>>())
        .bind(all(&|change| text(&change.field_key)))
        .bind(all(&|change| change.field_path.clone()))
        .bind(all(&|change| change.value_type.as_str().to_owned()))
        .bind(changes.iter().map(|change| json(&change.old_value)).collect::<PortResult<Vec<_>>>()?)
        .bind(changes.iter().map(|change| json(&change.new_value)).collect::<PortResult<Vec<_>>>()?)
        .bind(changes.iter().map(|change| change.mapping_id.as_deref().map(text)).collect::<Vec<_>>())
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

async fn insert_structural(
    connection: &mut PgConnection,
    version: &NewInterpretationVersion,
    run: &Run,
    edit: &StructuralEdit,
) -> PortResult<()> {
    let schema = Schema::name_for(run);
    let candidate: Uuid = sqlx::query_scalar(sql!("candidates/upsert"))
        .bind(CandidateId::new().0)
        .bind(schema)
        .bind(edit.change.as_str())
        .bind(edit.source_key.as_deref().unwrap_or_default())
        .bind(&edit.target_key)
        .bind(edit.touches_critical)
        .bind(StoredTime(version.at))
        .fetch_one(&mut *connection)
        .await
        .map_err(translate)?;
    let evidence = edit.evidence.as_ref().map(serde_json::to_string).transpose().map_err(corrupt)?;
    sqlx::query(sql!("candidates/insert_edit"))
        .bind(Uuid::now_v7())
        .bind(candidate)
        .bind(run.subject.0)
        .bind(run.id.0)
        .bind(evidence.as_deref().map(text))
        .bind(StoredTime(version.at))
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

async fn find(connection: &mut PgConnection, id: RunId) -> PortResult<Run> {
    let found =
        sqlx::query(sql!("runs/find")).bind(id.0).fetch_optional(connection).await.map_err(translate)?;
    first(found.as_ref(), row::run)?.ok_or_else(|| run_not_found(id))
}

async fn has_running_run(connection: &mut PgConnection, run: &Run) -> PortResult<bool> {
    sqlx::query_scalar(sql!("runs/is_running"))
        .bind(run.subject.0)
        .fetch_one(connection)
        .await
        .map_err(translate)
}
