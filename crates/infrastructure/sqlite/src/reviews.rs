//! What was understood, and what people make of it.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{
    ArtifactId, CandidateId, Document, DocumentId, Event, EventType, FieldId, InterpretationId, Run, RunId,
    RunState,
};
use quire_ports::{
    DocumentReview, EditBlocked, EditableRun, FirstVersion, InterpretationVersion, NewInterpretationVersion,
    PortError, PortResult, ReviewMark, ReviewMarkRequest, Reviews, SavedEdit, VersionHistoryEntry,
};
use quire_understanding::edit::{ChangeType, FieldChange};
use quire_understanding::structure::StructuralEdit;
use quire_understanding::{MadeBy, Schema, ValueType, document_confidence, search_text};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::documents::{missing, overview};
use crate::error::{bad_json, corrupt, translate};
use crate::row::{get, micros, timestamp, uuid};
use crate::transition::append;
use crate::{SqliteStore, marks, queue, sql};

/// Where the columns of a version begin behind those of a document with its run.
const VERSION: usize = 36;

#[async_trait]
impl Reviews for SqliteStore {
    async fn review(&self, document: DocumentId) -> PortResult<DocumentReview> {
        let of_document = |row: &Row<'_>| {
            let has_version = get::<Option<[u8; 16]>>(row, VERSION)?.is_some();
            let active = has_version.then(|| version(row, VERSION)).transpose()?;
            Ok(DocumentReview { overview: overview(row)?, active })
        };
        let found = self.rows(sql!("documents/review"), [document.0.into_bytes()], of_document).await?.pop();
        found.ok_or_else(|| missing(document))
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
                    let version = one(connection, query, document.0.as_bytes(), |row| version(row, 0))?;
                    found.extend(version.map(|version| (document, version)));
                }
                Ok(found)
            })
            .await
    }

    async fn found_by(&self, documents: &[DocumentId], words: &str) -> PortResult<Vec<DocumentId>> {
        let (mut documents, words) = (documents.to_vec(), words.to_owned());
        self.readers
            .read(move |connection| {
                let mut query =
                    connection.prepare_cached(sql!("interpretations/found_by")).map_err(translate)?;
                let mut found = Vec::new();
                for document in documents.drain(..) {
                    if query.exists(params![document.0.as_bytes(), words]).map_err(translate)? {
                        found.push(document);
                    }
                }
                Ok(found)
            })
            .await
    }

    async fn editable(&self, run: RunId) -> PortResult<EditableRun> {
        self.readers
            .read(move |connection| {
                // One transaction, so that all of it is of one moment.
                let transaction = connection.unchecked_transaction().map_err(translate)?;
                let run = queue::find(&transaction, run)?;
                let is_busy = is_busy(&transaction, &run)?;
                let query = sql!("interpretations/active");
                let active = one(&transaction, query, run.id.0.as_bytes(), |row| version(row, 0))?;
                Ok(EditableRun { run, is_busy, active })
            })
            .await
    }

    async fn save(&self, version: &NewInterpretationVersion) -> PortResult<Result<SavedEdit, EditBlocked>> {
        let version = version.clone();
        self.writer.write(move |connection| save(connection, &version)).await
    }

    async fn versions(&self, run: RunId) -> PortResult<Vec<VersionHistoryEntry>> {
        let id = run.0.into_bytes();
        // In this order: what is added in between is left out whole.
        let versions = self.rows(sql!("interpretations/versions"), [id], record).await?;
        let changes = self.rows(sql!("interpretations/changes"), [id], change).await?;
        Ok(VersionHistoryEntry::with_changes(versions, changes))
    }

    async fn tokens_since(&self, from: Timestamp) -> PortResult<u64> {
        let query = sql!("interpretations/tokens_since");
        let sums = self.rows(query, [micros(from)], |row| get::<i64>(row, 0)).await?;
        Ok(sums.first().map_or(0, |sum| sum.unsigned_abs()))
    }

    async fn version(&self, run: RunId, number: Option<u32>) -> PortResult<Option<InterpretationVersion>> {
        let named = (run.0.into_bytes(), number);
        Ok(self.rows(sql!("interpretations/find"), named, |row| version(row, 0)).await?.pop())
    }

    async fn version_of_run_before(&self, run: RunId) -> PortResult<Option<InterpretationVersion>> {
        let id = [run.0.into_bytes()];
        Ok(self.rows(sql!("interpretations/before"), id, |row| version(row, 0)).await?.pop())
    }

    async fn mark(&self, marking: &ReviewMarkRequest) -> PortResult<ReviewMark> {
        let marking = marking.clone();
        self.writer.write(move |connection| marks::mark(connection, &marking)).await
    }
}

/// Stores what a run understood, with the success of its step.
pub(crate) fn insert_first(
    connection: &Connection,
    run: RunId,
    first: &FirstVersion,
    at: Timestamp,
) -> PortResult<()> {
    insert(connection, first.id, run, 1, &first.data, at, None, false, first.made_by.as_ref())
}

#[allow(clippy::too_many_arguments)] // One for each column.
fn insert(
    connection: &Connection,
    id: InterpretationId,
    run: RunId,
    number: u32,
    data: &quire_understanding::Interpretation,
    at: Timestamp,
    by: Option<&str>,
    is_structural: bool,
    made_by: Option<&MadeBy>,
) -> PortResult<()> {
    let certainty = document_confidence(&data.fields);
    connection
        .prepare_cached(sql!("interpretations/set_words"))
        .and_then(|mut statement| statement.execute(params![run.0.as_bytes(), search_text(&data.fields)]))
        .map_err(translate)?;
    let data = serde_json::to_string(data).map_err(corrupt)?;
    let tokens = made_by.map(|made_by| i64::try_from(made_by.tokens()).unwrap_or(i64::MAX));
    let made_by = made_by.map(serde_json::to_string).transpose().map_err(corrupt)?;
    let values = params![
        id.0.as_bytes(),
        run.0.as_bytes(),
        number,
        data,
        micros(at),
        by,
        is_structural,
        certainty,
        made_by,
        tokens.unwrap_or_default(),
    ];
    connection
        .prepare_cached(sql!("interpretations/insert"))
        .and_then(|mut statement| statement.execute(values))
        .map_err(translate)?;
    Ok(())
}

fn save(
    connection: &Connection,
    version: &NewInterpretationVersion,
) -> PortResult<Result<SavedEdit, EditBlocked>> {
    let run = queue::find(connection, version.run)?;
    if is_busy(connection, &run)? {
        return Ok(Err(EditBlocked::ActiveRun));
    }
    if !matches!(run.state, RunState::Completed { .. }) {
        return Ok(Err(EditBlocked::NotCompleted));
    }
    let active: Option<u32> =
        one(connection, sql!("interpretations/active"), run.id.0.as_bytes(), |row| get(row, 1))?;
    match active {
        None => return Ok(Err(EditBlocked::Missing)),
        Some(active) if active != version.base => return Ok(Err(EditBlocked::Stale)),
        Some(_) => {}
    }
    connection
        .execute(sql!("interpretations/deactivate"), params![run.id.0.as_bytes(), version.base])
        .map_err(translate)?;
    let (number, by) = (version.base + 1, Some(version.actor.as_str()));
    let is_structural = !version.structure.is_empty();
    insert(connection, version.id, run.id, number, &version.data, version.at, by, is_structural, None)?;
    for (change, place) in version.changes.iter().zip(0u32..) {
        insert_change(connection, version, place, change)?;
    }
    let document = DocumentId(run.subject.0);
    for edit in &version.structure {
        insert_structural(connection, version, &run, edit)?;
    }
    connection
        .execute(sql!("documents/touch"), params![document.0.as_bytes(), micros(version.at)])
        .map_err(translate)?;
    let edited = Document::event_by(EventType::InterpretationEdited, document, &version.actor, version.at);
    append(connection, &Event { run: Some(run.id), ..edited })?;
    let reopened = marks::reopen(connection, document, &version.actor, version.at, &version.policy)?;
    Ok(Ok(SavedEdit { number, reopened }))
}

fn insert_change(
    connection: &Connection,
    version: &NewInterpretationVersion,
    place: u32,
    change: &FieldChange,
) -> PortResult<()> {
    let json = |value| serde_json::to_string(value).map_err(corrupt);
    let id = ArtifactId::new();
    let values = params![
        id.0.as_bytes(),
        version.id.0.as_bytes(),
        version.run.0.as_bytes(),
        place,
        change.change_type.as_str(),
        change.field_id.0.as_bytes(),
        change.field_key,
        change.field_path,
        change.value_type.as_str(),
        json(&change.old_value)?,
        json(&change.new_value)?,
        change.mapping_id,
    ];
    connection
        .prepare_cached(sql!("interpretations/insert_change"))
        .and_then(|mut statement| statement.execute(values))
        .map_err(translate)?;
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
    let candidate: [u8; 16] =
        connection.query_row(sql!("candidates/upsert"), values, |row| row.get(0)).map_err(translate)?;
    let evidence = edit.evidence.as_ref().map(serde_json::to_string).transpose().map_err(corrupt)?;
    connection
        .execute(
            sql!("candidates/insert_edit"),
            params![
                ArtifactId::new().0.as_bytes(),
                candidate,
                run.subject.0.as_bytes(),
                run.id.0.as_bytes(),
                evidence,
                micros(version.at),
            ],
        )
        .map_err(translate)?;
    Ok(())
}

fn is_busy(connection: &Connection, run: &Run) -> PortResult<bool> {
    connection
        .query_row(sql!("runs/is_running"), [run.subject.0.as_bytes()], |row| row.get(0))
        .map_err(translate)
}

/// The one row of a query by id, mapped, if there is one.
pub(crate) fn one<T>(
    connection: &Connection,
    query: &str,
    id: &[u8; 16],
    map: impl Fn(&Row<'_>) -> PortResult<T>,
) -> PortResult<Option<T>> {
    connection
        .prepare_cached(query)
        .and_then(|mut statement| statement.query_row([id], |row| Ok(map(row))).optional())
        .map_err(translate)?
        .transpose()
}

/// A version from its columns, which begin at `first`.
fn version(row: &Row<'_>, first: usize) -> PortResult<InterpretationVersion> {
    Ok(InterpretationVersion {
        id: InterpretationId(uuid(get(row, first)?)),
        number: get(row, first + 1)?,
        data: serde_json::from_str(&get::<String>(row, first + 2)?).map_err(bad_json)?,
        created_at: timestamp(get(row, first + 3)?)?,
        created_by: get(row, first + 4)?,
        made_by: made_by(row, first + 5)?,
    })
}

fn made_by(row: &Row<'_>, place: usize) -> PortResult<Option<MadeBy>> {
    let told: Option<String> = get(row, place)?;
    told.map(|told| serde_json::from_str(&told).map_err(bad_json)).transpose()
}

fn record(row: &Row<'_>) -> PortResult<VersionHistoryEntry> {
    Ok(VersionHistoryEntry {
        id: InterpretationId(uuid(get(row, 0)?)),
        number: get(row, 1)?,
        is_active: get(row, 2)?,
        created_at: timestamp(get(row, 3)?)?,
        created_by: get(row, 4)?,
        made_by: made_by(row, 5)?,
        changes: Vec::new(),
    })
}

fn change(row: &Row<'_>) -> PortResult<(InterpretationId, FieldChange)> {
    let json = |place| serde_json::from_str(&get::<String>(row, place)?).map_err(bad_json);
    let unknown = |what: &str| PortError::Corrupt(format!("a change has an unknown {what}"));
    let change = FieldChange {
        change_type: ChangeType::parse(&get::<String>(row, 1)?).ok_or_else(|| unknown("type"))?,
        field_id: FieldId(uuid(get(row, 2)?)),
        field_key: get(row, 3)?,
        field_path: get(row, 4)?,
        value_type: ValueType::parse(&get::<String>(row, 5)?).ok_or_else(|| unknown("type of value"))?,
        old_value: json(6)?,
        new_value: json(7)?,
        mapping_id: get(row, 8)?,
    };
    Ok((InterpretationId(uuid(get(row, 0)?)), change))
}
