//! What was understood, and what people make of it.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{
    ArtifactId, CandidateId, Document, DocumentId, Event, EventType, FieldId, InterpretationId, Run, RunId,
    RunState,
};
use quire_ports::{
    DocumentReview, EditBlocked, EditableRun, InterpretationVersion, NewInterpretationVersion, PortError,
    PortResult, ReviewMark, ReviewMarkRequest, Reviews, SavedEdit, VersionHistoryEntry,
};
use quire_understanding::edit::{ChangeType, FieldChange};
use quire_understanding::structure::StructuralEdit;
use quire_understanding::{MadeBy, Schema, ValueType, document_confidence, search_text};
use sqlx::PgConnection;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::database::{commit, rollback};
use crate::documents::{missing, overview};
use crate::error::{bad_json, corrupt, translate};
use crate::row::{self, At, count, get, int, text, timestamp};
use crate::transition::{Woke, append};
use crate::{PgStore, marks, sql};

/// Where the columns of a version begin behind those of a document with its run.
const VERSION: usize = 36;

#[async_trait]
impl Reviews for PgStore {
    async fn review(&self, document: DocumentId) -> PortResult<DocumentReview> {
        let of_document = |row: &PgRow| {
            let has_version = get::<Option<Uuid>>(row, VERSION)?.is_some();
            let active = has_version.then(|| version(row, VERSION)).transpose()?;
            Ok(DocumentReview { overview: overview(row)?, active })
        };
        let rows = self.database.read(|| sqlx::query(sql!("documents/review")).bind(document.0)).await?;
        rows.first().map_or_else(|| Err(missing(document)), of_document)
    }

    async fn active_versions(
        &self,
        documents: &[DocumentId],
    ) -> PortResult<Vec<(DocumentId, InterpretationVersion)>> {
        let ids: Vec<Uuid> = documents.iter().map(|document| document.0).collect();
        let query = || sqlx::query(sql!("interpretations/of_documents")).bind(ids.clone());
        self.rows(query, |row| Ok((DocumentId(get(row, 6)?), version(row, 0)?))).await
    }

    async fn found_by(&self, documents: &[DocumentId], words: &str) -> PortResult<Vec<DocumentId>> {
        let ids: Vec<Uuid> = documents.iter().map(|document| document.0).collect();
        let query = || sqlx::query(sql!("interpretations/found_by")).bind(ids.clone()).bind(text(words));
        self.rows(query, |row| get(row, 0).map(DocumentId)).await
    }

    async fn editable(&self, run: RunId) -> PortResult<EditableRun> {
        self.database
            .bounded(async {
                let mut transaction = self.database.begin().await?;
                // All of it is of one moment.
                sqlx::raw_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                let editable = editable(&mut transaction, run).await;
                rollback(transaction).await?;
                editable
            })
            .await
    }

    async fn save(&self, version: &NewInterpretationVersion) -> PortResult<Result<SavedEdit, EditBlocked>> {
        self.database
            .bounded(async {
                let mut transaction = self.database.begin().await?;
                match save(&mut transaction, version).await {
                    Ok(Ok((saved, events))) => {
                        append(&mut transaction, &events, Woke(false)).await?;
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
        // In this order: what is added in between is left out whole.
        let query = || sqlx::query(sql!("interpretations/versions")).bind(run.0);
        let versions = self.rows(query, record).await?;
        let query = || sqlx::query(sql!("interpretations/changes")).bind(run.0);
        let changes = self.rows(query, change).await?;
        Ok(VersionHistoryEntry::with_changes(versions, changes))
    }

    async fn tokens_since(&self, from: Timestamp) -> PortResult<u64> {
        let query = || sqlx::query(sql!("interpretations/tokens_since")).bind(At(from));
        let sums = self.rows(query, |row| get::<i64>(row, 0)).await?;
        Ok(sums.first().map_or(0, |sum| sum.unsigned_abs()))
    }

    async fn version(&self, run: RunId, number: Option<u32>) -> PortResult<Option<InterpretationVersion>> {
        let query = || sqlx::query(sql!("interpretations/find")).bind(run.0).bind(number.map(int));
        Ok(self.rows(query, |row| version(row, 0)).await?.pop())
    }

    async fn version_of_run_before(&self, run: RunId) -> PortResult<Option<InterpretationVersion>> {
        let query = || sqlx::query(sql!("interpretations/before")).bind(run.0);
        Ok(self.rows(query, |row| version(row, 0)).await?.pop())
    }

    async fn mark(&self, marking: &ReviewMarkRequest) -> PortResult<ReviewMark> {
        self.database
            .bounded(async {
                let mut transaction = self.database.begin().await?;
                let (mark, event) = marks::mark(&mut transaction, marking).await?;
                append(&mut transaction, &Vec::from_iter(event), Woke(false)).await?;
                commit(transaction).await?;
                Ok(mark)
            })
            .await
    }
}

async fn editable(connection: &mut PgConnection, run: RunId) -> PortResult<EditableRun> {
    let run = find(connection, run).await?;
    let is_busy = is_busy(connection, &run).await?;
    let active = sqlx::query(sql!("interpretations/active"))
        .bind(run.id.0)
        .fetch_optional(connection)
        .await
        .map_err(translate)?;
    let active = active.map(|row| version(&row, 0)).transpose()?;
    Ok(EditableRun { run, is_busy, active })
}

/// Writes all of it but for the events, which come last.
async fn save(
    connection: &mut PgConnection,
    version: &NewInterpretationVersion,
) -> PortResult<Result<(SavedEdit, Vec<Event>), EditBlocked>> {
    let run = find(connection, version.run).await?;
    let document = DocumentId(run.subject.0);
    // The document first: the order in which everybody takes them.
    sqlx::query(sql!("documents/lock"))
        .bind(document.0)
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    // With the front locked, none of its runs can start before this is done.
    sqlx::query(sql!("runs/front"))
        .bind(document.0)
        .bind(None::<&str>)
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    if is_busy(connection, &run).await? {
        return Ok(Err(EditBlocked::ActiveRun));
    }
    if !matches!(run.state, RunState::Completed { .. }) {
        return Ok(Err(EditBlocked::NotCompleted));
    }
    if let Some(blocked) = deactivate(connection, version).await? {
        return Ok(Err(blocked));
    }
    let number = version.base + 1;
    let new = Row {
        id: version.id,
        run: run.id,
        number,
        data: serde_json::to_string(&version.data).map_err(corrupt)?,
        words: search_text(&version.data.fields),
        at: version.at,
        by: Some(text(&version.actor)),
        is_structural: !version.structure.is_empty(),
        certainty: document_confidence(&version.data.fields),
        made_by: None,
    };
    insert(connection, &[new]).await?;
    insert_changes(connection, version).await?;
    for edit in &version.structure {
        insert_structural(connection, version, &run, edit).await?;
    }
    sqlx::query(sql!("documents/touch"))
        .bind(document.0)
        .bind(At(version.at))
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    let edited = Document::event_by(EventType::InterpretationEdited, document, &version.actor, version.at);
    let mut events = vec![Event { run: Some(run.id), ..edited }];
    let reopened = marks::reopen(connection, document, &version.actor, version.at, &version.policy).await?;
    let saved = SavedEdit { number, reopened: reopened.is_some() };
    events.extend(reopened);
    Ok(Ok((saved, events)))
}

/// Why the version that was edited is not the active one, if it is not.
async fn deactivate(
    connection: &mut PgConnection,
    version: &NewInterpretationVersion,
) -> PortResult<Option<EditBlocked>> {
    let deactivated = sqlx::query(sql!("interpretations/deactivate"))
        .bind(version.run.0)
        .bind(int(version.base))
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    if deactivated.rows_affected() > 0 {
        return Ok(None);
    }
    let active = sqlx::query(sql!("interpretations/active"))
        .bind(version.run.0)
        .fetch_optional(connection)
        .await
        .map_err(translate)?;
    Ok(Some(if active.is_some() { EditBlocked::Stale } else { EditBlocked::Missing }))
}

/// A row of versions.
pub(crate) struct Row {
    pub(crate) id: InterpretationId,
    pub(crate) run: RunId,
    pub(crate) number: u32,
    pub(crate) data: String,
    /// By what it is found.
    pub(crate) words: String,
    pub(crate) at: Timestamp,
    pub(crate) by: Option<String>,
    pub(crate) is_structural: bool,
    pub(crate) certainty: f64,
    pub(crate) made_by: Option<MadeBy>,
}

pub(crate) async fn insert(connection: &mut PgConnection, rows: &[Row]) -> PortResult<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let json = |made_by: &MadeBy| serde_json::to_string(made_by).map(|json| text(&json)).map_err(corrupt);
    let made_by = rows.iter().map(|row| row.made_by.as_ref().map(json).transpose());
    let made_by = made_by.collect::<PortResult<Vec<_>>>()?;
    let tokens = rows.iter().map(|row| row.made_by.as_ref().map_or(0, MadeBy::tokens));
    let tokens: Vec<i64> = tokens.map(|tokens| i64::try_from(tokens).unwrap_or(i64::MAX)).collect();
    sqlx::query(sql!("interpretations/insert"))
        .bind(rows.iter().map(|row| row.id.0).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.run.0).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| int(row.number)).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| text(&row.data)).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| At(row.at)).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.by.clone()).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.is_structural).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.certainty).collect::<Vec<_>>())
        .bind(made_by)
        .bind(tokens)
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    sqlx::query(sql!("interpretations/set_words"))
        .bind(rows.iter().map(|row| row.run.0).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| text(&row.words)).collect::<Vec<_>>())
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
        .bind(changes.iter().map(|_| ArtifactId::new().0).collect::<Vec<_>>())
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
        .bind(At(version.at))
        .fetch_one(&mut *connection)
        .await
        .map_err(translate)?;
    let evidence = edit.evidence.as_ref().map(serde_json::to_string).transpose().map_err(corrupt)?;
    sqlx::query(sql!("candidates/insert_edit"))
        .bind(ArtifactId::new().0)
        .bind(candidate)
        .bind(run.subject.0)
        .bind(run.id.0)
        .bind(evidence.as_deref().map(text))
        .bind(At(version.at))
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

async fn find(connection: &mut PgConnection, id: RunId) -> PortResult<Run> {
    let found =
        sqlx::query(sql!("runs/find")).bind(id.0).fetch_optional(connection).await.map_err(translate)?;
    found.map_or_else(|| Err(PortError::NotFound(format!("run {id}"))), |found| row::run(&found))
}

async fn is_busy(connection: &mut PgConnection, run: &Run) -> PortResult<bool> {
    sqlx::query_scalar(sql!("runs/is_running"))
        .bind(run.subject.0)
        .fetch_one(connection)
        .await
        .map_err(translate)
}

/// A version from its columns, which begin at `first`.
fn version(row: &PgRow, first: usize) -> PortResult<InterpretationVersion> {
    Ok(InterpretationVersion {
        id: InterpretationId(get(row, first)?),
        number: count(row, first + 1)?,
        data: serde_json::from_str(get(row, first + 2)?).map_err(bad_json)?,
        created_at: timestamp(row, first + 3)?,
        created_by: get(row, first + 4)?,
        made_by: made_by(row, first + 5)?,
    })
}

fn made_by(row: &PgRow, place: usize) -> PortResult<Option<MadeBy>> {
    let told: Option<&str> = get(row, place)?;
    told.map(|told| serde_json::from_str(told).map_err(bad_json)).transpose()
}

fn record(row: &PgRow) -> PortResult<VersionHistoryEntry> {
    Ok(VersionHistoryEntry {
        id: InterpretationId(get(row, 0)?),
        number: count(row, 1)?,
        is_active: get(row, 2)?,
        created_at: timestamp(row, 3)?,
        created_by: get(row, 4)?,
        made_by: made_by(row, 5)?,
        changes: Vec::new(),
    })
}

fn change(row: &PgRow) -> PortResult<(InterpretationId, FieldChange)> {
    let json = |place| serde_json::from_str(get(row, place)?).map_err(bad_json);
    let unknown = |what: &str| PortError::Corrupt(format!("a change has an unknown {what}"));
    let change = FieldChange {
        change_type: ChangeType::parse(get(row, 1)?).ok_or_else(|| unknown("type"))?,
        field_id: FieldId(get(row, 2)?),
        field_key: get(row, 3)?,
        field_path: get(row, 4)?,
        value_type: ValueType::parse(get(row, 5)?).ok_or_else(|| unknown("type of value"))?,
        old_value: json(6)?,
        new_value: json(7)?,
        mapping_id: get(row, 8)?,
    };
    Ok((InterpretationId(get(row, 0)?), change))
}
