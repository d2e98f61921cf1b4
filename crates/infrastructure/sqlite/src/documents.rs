//! Documents.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{Document, DocumentId, Event, NewRun, Run, SubjectId};
use quire_ports::{
    AddOutcome, DocumentFilter, DocumentListQuery, DocumentOverview, Documents, HideOutcome, HideRequest,
    LeastConfidentQuery, NewDocument, PortResult, SubjectPresence,
};
use quire_sql::{
    BEFORE_FIRST_DOCUMENT, BEFORE_LEAST_CONFIDENT, ColumnReader, DocumentFilterColumns, document_not_found,
    row, run_is_running, subject_not_found,
};
use rusqlite::params;

use crate::queue::enqueue;
use crate::row::{all, execute, first, micros, scalar};
use crate::transition::append;
use crate::{SqliteStore, new_documents, search_entry, sql};

#[async_trait]
impl Documents for SqliteStore {
    async fn add(&self, new: NewDocument, at: Timestamp) -> PortResult<AddOutcome> {
        let outcome = self.writer.write(move |connection| new_documents::add(connection, &new, at)).await?;
        self.wakeup.notify_one();
        Ok(outcome)
    }

    async fn find(&self, id: DocumentId) -> PortResult<Document> {
        self.one(sql!("documents/find"), id, row::document).await
    }

    async fn overview(&self, id: DocumentId) -> PortResult<DocumentOverview> {
        self.one(sql!("documents/overview"), id, row::document_overview).await
    }

    async fn overviews(&self, ids: &[DocumentId]) -> PortResult<Vec<DocumentOverview>> {
        let ids = ids.to_vec();
        self.readers
            .read(move |connection| {
                let mut found = Vec::with_capacity(ids.len());
                for id in ids {
                    let id = [id.0.as_bytes()];
                    found.extend(first(connection, sql!("documents/overview"), id, row::document_overview)?);
                }
                Ok(found)
            })
            .await
    }

    async fn list(&self, part: DocumentListQuery) -> PortResult<Vec<DocumentOverview>> {
        let after = part.after.unwrap_or(BEFORE_FIRST_DOCUMENT);
        let filter = DocumentFilterColumns::from(part.filter);
        let parameters = (
            micros(after.created_at),
            after.id.0.into_bytes(),
            i64::from(part.limit),
            i64::from(part.skip),
            filter.all,
            filter.states[0],
            filter.states[1],
            filter.review,
            filter.hidden,
        );
        self.rows(sql!("documents/list"), parameters, row::document_overview).await
    }

    async fn count(&self, filter: DocumentFilter, most: u32) -> PortResult<u32> {
        let filter = DocumentFilterColumns::from(filter);
        let parameters = (most, filter.all, filter.states[0], filter.states[1], filter.review, filter.hidden);
        let counted = self.rows(sql!("documents/count"), parameters, |row| row.integer("counted")).await?;
        Ok(counted.first().copied().unwrap_or_default())
    }

    async fn least_confident(&self, part: LeastConfidentQuery) -> PortResult<Vec<DocumentOverview>> {
        let after = part.after.unwrap_or(BEFORE_LEAST_CONFIDENT);
        let parameters =
            (after.confidence, after.id.0.into_bytes(), i64::from(part.limit), i64::from(part.skip));
        self.rows(sql!("documents/least_confident"), parameters, row::document_overview).await
    }

    async fn count_awaiting_review(&self, most: u32) -> PortResult<u32> {
        let counted =
            self.rows(sql!("documents/count_awaiting_review"), [most], |row| row.integer("counted")).await?;
        Ok(counted.first().copied().unwrap_or_default())
    }

    async fn duplicates(&self, document: &Document, limit: u32) -> PortResult<Vec<DocumentId>> {
        let parameters = (document.content_hash, document.id.0.into_bytes(), limit);
        self.rows(sql!("documents/duplicates"), parameters, |row| row.uuid("document_id").map(DocumentId))
            .await
    }

    async fn reprocess_as(&self, run: &NewRun, schema: Option<&str>, requested: Event) -> PortResult<Run> {
        let (new, schema) = (run.clone(), schema.map(str::to_owned));
        let run = self
            .writer
            .write(move |connection| {
                let id = DocumentId(new.subject.0);
                if !scalar::<bool>(connection, sql!("documents/exists"), [id.0.as_bytes()])? {
                    return Err(document_not_found(id));
                }
                if let Some(schema) = &schema {
                    let values = params![id.0.as_bytes(), schema, micros(requested.at)];
                    execute(connection, sql!("documents/set_schema"), values)?;
                }
                append(connection, &requested)?;
                enqueue(connection, &new, requested.at)
            })
            .await?;
        self.wakeup.notify_one();
        Ok(run)
    }

    async fn set_language(
        &self,
        id: DocumentId,
        language: Option<&str>,
        overridden: Event,
    ) -> PortResult<()> {
        let language = language.map(str::to_owned);
        self.writer
            .write(move |connection| {
                let values = params![id.0.as_bytes(), language, micros(overridden.at)];
                if execute(connection, sql!("documents/set_language"), values)? == 0 {
                    return Err(document_not_found(id));
                }
                append(connection, &overridden)
            })
            .await
    }

    async fn set_hidden(&self, request: &HideRequest) -> PortResult<HideOutcome> {
        let HideRequest { document, change, actor, at } = request.clone();
        self.writer
            .write(move |connection| {
                let id = document.0.as_bytes();
                let hidden = first(connection, sql!("documents/hidden"), [id], row::hidden)?
                    .ok_or_else(|| document_not_found(document))?;
                if !change.applies_to(hidden.as_ref()) {
                    return Ok(HideOutcome { hidden, recorded: None });
                }
                let (hidden, event) = (change.result(&actor, at), change.event(document, &actor, at));
                let (since, by) =
                    (hidden.as_ref().map(|one| micros(one.at)), hidden.as_ref().map(|one| &one.by));
                execute(connection, sql!("documents/set_hidden"), params![id, since, by, micros(at)])?;
                append(connection, &event)?;
                Ok(HideOutcome { hidden, recorded: Some(event) })
            })
            .await
    }

    async fn purge(&self, subject: SubjectId, at: Timestamp) -> PortResult<u64> {
        self.writer
            .write(move |connection| {
                let id = [subject.0.as_bytes()];
                if scalar(connection, sql!("runs/is_running"), id)? {
                    return Err(run_is_running());
                }
                let all = search_entry::ALL_CHUNKS;
                let words = search_entry::vocabulary_of(connection, subject.0.as_bytes(), all)?;
                let runs = execute(connection, sql!("runs/delete"), id)?;
                let documents = execute(connection, sql!("documents/delete"), id)?;
                execute(connection, sql!("idempotency_keys/delete"), id)?;
                search_entry::forget(connection, words)?;
                if runs + documents == 0 {
                    return Err(subject_not_found(subject));
                }
                execute(
                    connection,
                    sql!("purged_subjects/insert"),
                    params![subject.0.as_bytes(), micros(at)],
                )?;
                append(connection, &Event::subject_purged(subject, at))?;
                Ok(runs as u64)
            })
            .await
    }

    async fn presence(&self, subjects: &[SubjectId]) -> PortResult<Vec<SubjectPresence>> {
        let subjects = subjects.to_vec();
        self.readers
            .read(move |connection| {
                let mut presences = Vec::with_capacity(subjects.len());
                for subject in subjects {
                    let id = [subject.0.into_bytes()];
                    presences.extend(all(connection, sql!("documents/presence"), id, row::presence)?);
                }
                Ok(presences)
            })
            .await
    }
}

impl SqliteStore {
    /// The one row of a document, mapped.
    async fn one<T, M>(&self, query: &'static str, id: DocumentId, map: M) -> PortResult<T>
    where
        T: Send + 'static,
        M: Fn(&dyn ColumnReader) -> PortResult<T> + Send + 'static,
    {
        let found = self.rows(query, [id.0.into_bytes()], map).await?.pop();
        found.ok_or_else(|| document_not_found(id))
    }
}
