//! Documents.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{Document, DocumentId, Event, NewRun, Run, SubjectId};
use quire_ports::{
    AddOutcome, DocumentFilter, DocumentListQuery, DocumentOverview, Documents, HideOutcome, HideRequest,
    LeastConfidentQuery, NewDocument, PortResult, SubjectPresence,
};
use quire_sql::{
    BEFORE_FIRST_DOCUMENT, BEFORE_LEAST_CONFIDENT, DocumentFilterColumns, document_not_found, row,
    run_is_running, subject_not_found,
};
use sqlx::PgConnection;

use crate::database::{commit, rollback};
use crate::enqueue::{self, TimedRun};
use crate::error::translate;
use crate::new_documents::add_once;
use crate::row::{StoredTime, first, text};
use crate::transition::append;
use crate::{PgStore, search_entry, sql};

#[async_trait]
impl Documents for PgStore {
    async fn add(&self, new: NewDocument, at: Timestamp) -> PortResult<AddOutcome> {
        let outcome = if new.idempotency_key.is_none() {
            self.new_documents.submit((new, at)).await?
        } else {
            self.database
                .with_timeout(async {
                    let mut transaction = self.database.begin().await?;
                    let outcome = add_once(&mut transaction, new, at).await?;
                    commit(transaction).await?;
                    Ok(outcome)
                })
                .await?
        };
        self.notify_if(matches!(outcome, AddOutcome::Added { run: Some(_) }));
        Ok(outcome)
    }

    async fn find(&self, id: DocumentId) -> PortResult<Document> {
        let rows = self.database.read(|| sqlx::query(sql!("documents/find")).bind(id.0)).await?;
        first(rows.first(), row::document)?.ok_or_else(|| document_not_found(id))
    }

    async fn overview(&self, id: DocumentId) -> PortResult<DocumentOverview> {
        let rows = self.database.read(|| sqlx::query(sql!("documents/overview")).bind(id.0)).await?;
        first(rows.first(), row::document_overview)?.ok_or_else(|| document_not_found(id))
    }

    async fn overviews(&self, ids: &[DocumentId]) -> PortResult<Vec<DocumentOverview>> {
        let ids: Vec<_> = ids.iter().map(|id| id.0).collect();
        let query = || sqlx::query(sql!("documents/overviews")).bind(ids.clone());
        self.rows(query, row::document_overview).await
    }

    async fn list(&self, part: DocumentListQuery) -> PortResult<Vec<DocumentOverview>> {
        let after = part.after.unwrap_or(BEFORE_FIRST_DOCUMENT);
        let filter = DocumentFilterColumns::from(part.filter);
        let query = || {
            sqlx::query(sql!("documents/list"))
                .bind(StoredTime(after.created_at))
                .bind(after.id.0)
                .bind(i64::from(part.limit))
                .bind(i64::from(part.skip))
                .bind(filter.all)
                .bind(filter.states[0])
                .bind(filter.states[1])
                .bind(filter.review)
                .bind(filter.hidden)
        };
        self.rows(query, row::document_overview).await
    }

    async fn count(&self, filter: DocumentFilter, most: u32) -> PortResult<u32> {
        let filter = DocumentFilterColumns::from(filter);
        let query = || {
            sqlx::query(sql!("documents/count"))
                .bind(i64::from(most))
                .bind(filter.all)
                .bind(filter.states[0])
                .bind(filter.states[1])
                .bind(filter.review)
                .bind(filter.hidden)
        };
        let counted = self.rows(query, |row| row.integer("counted")).await?;
        Ok(counted.first().copied().unwrap_or_default())
    }

    async fn least_confident(&self, part: LeastConfidentQuery) -> PortResult<Vec<DocumentOverview>> {
        let after = part.after.unwrap_or(BEFORE_LEAST_CONFIDENT);
        let query = || {
            sqlx::query(sql!("documents/least_confident"))
                .bind(after.confidence)
                .bind(after.id.0)
                .bind(i64::from(part.limit))
                .bind(i64::from(part.skip))
        };
        self.rows(query, row::document_overview).await
    }

    async fn count_awaiting_review(&self, most: u32) -> PortResult<u32> {
        let query = || sqlx::query(sql!("documents/count_awaiting_review")).bind(i64::from(most));
        let counted = self.rows(query, |row| row.integer("counted")).await?;
        Ok(counted.first().copied().unwrap_or_default())
    }

    async fn duplicates(&self, document: &Document, limit: u32) -> PortResult<Vec<DocumentId>> {
        let query = || {
            sqlx::query(sql!("documents/duplicates"))
                .bind(document.content_hash)
                .bind(document.id.0)
                .bind(i64::from(limit))
        };
        self.rows(query, |row| row.uuid("document_id").map(DocumentId)).await
    }

    async fn reprocess_as(&self, run: &NewRun, schema: Option<&str>, requested: Event) -> PortResult<Run> {
        let id = DocumentId(run.subject.0);
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                let held = sqlx::query(sql!("documents/lock_shared"))
                    .bind(id.0)
                    .fetch_optional(&mut *transaction)
                    .await;
                if held.map_err(translate)?.is_none() {
                    rollback(transaction).await?;
                    return Err(document_not_found(id));
                }
                if let Some(schema) = schema {
                    sqlx::query(sql!("documents/set_schema"))
                        .bind(id.0)
                        .bind(text(schema))
                        .bind(StoredTime(requested.at))
                        .execute(&mut *transaction)
                        .await
                        .map_err(translate)?;
                }
                let new = TimedRun { new: run.clone(), at: requested.at };
                let (runs, created) = enqueue::insert(&mut transaction, &[new]).await?;
                let mut events = vec![requested];
                events.extend(created);
                let accepted = runs.into_iter().next().unwrap_or_else(|| Err(document_not_found(id)))?;
                append(&mut transaction, &events, true).await?;
                commit(transaction).await?;
                self.notify_if(true);
                Ok(accepted)
            })
            .await
    }

    async fn set_language(
        &self,
        id: DocumentId,
        language: Option<&str>,
        overridden: Event,
    ) -> PortResult<()> {
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                let changed = sqlx::query(sql!("documents/set_language"))
                    .bind(id.0)
                    .bind(language.map(text))
                    .bind(StoredTime(overridden.at))
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                if changed.rows_affected() == 0 {
                    return Err(document_not_found(id));
                }
                append(&mut transaction, &[overridden], false).await?;
                commit(transaction).await
            })
            .await
    }

    async fn set_hidden(&self, request: &HideRequest) -> PortResult<HideOutcome> {
        let HideRequest { document, change, actor, at } = request;
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                let found = sqlx::query(sql!("documents/lock_hidden"))
                    .bind(document.0)
                    .fetch_optional(&mut *transaction)
                    .await
                    .map_err(translate)?;
                let Some(hidden) = first(found.as_ref(), row::hidden)? else {
                    rollback(transaction).await?;
                    return Err(document_not_found(*document));
                };
                if !change.applies_to(hidden.as_ref()) {
                    rollback(transaction).await?;
                    return Ok(HideOutcome { hidden, recorded: None });
                }
                let (hidden, event) = (change.result(actor, *at), change.event(*document, actor, *at));
                sqlx::query(sql!("documents/set_hidden"))
                    .bind(document.0)
                    .bind(hidden.as_ref().map(|hidden| StoredTime(hidden.at)))
                    .bind(hidden.as_ref().map(|hidden| text(&hidden.by)))
                    .bind(StoredTime(*at))
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                append(&mut transaction, std::slice::from_ref(&event), false).await?;
                commit(transaction).await?;
                Ok(HideOutcome { hidden, recorded: Some(event) })
            })
            .await
    }

    async fn purge(&self, subject: SubjectId, at: Timestamp) -> PortResult<u64> {
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                // Every transaction locks the document first and then its runs.
                sqlx::query(sql!("documents/lock"))
                    .bind(subject.0)
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                // While the front is locked, no other transaction can put a run behind it that this one would miss.
                sqlx::query(sql!("runs/lock_front_for_update"))
                    .bind(subject.0)
                    .bind(None::<&str>)
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                let running: bool = sqlx::query_scalar(sql!("runs/is_running"))
                    .bind(subject.0)
                    .fetch_one(&mut *transaction)
                    .await
                    .map_err(translate)?;
                if running {
                    return Err(run_is_running());
                }
                let all = search_entry::ALL_CHUNKS;
                let words = search_entry::vocabulary_of(&mut transaction, vec![subject.0], all).await?;
                let runs = delete(&mut transaction, sql!("runs/delete"), subject).await?;
                let documents = delete(&mut transaction, sql!("documents/delete"), subject).await?;
                delete(&mut transaction, sql!("idempotency_keys/delete"), subject).await?;
                search_entry::forget(&mut transaction, words).await?;
                if runs + documents == 0 {
                    return Err(subject_not_found(subject));
                }
                sqlx::query(sql!("purged_subjects/insert"))
                    .bind(subject.0)
                    .bind(StoredTime(at))
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                append(&mut transaction, &[Event::subject_purged(subject, at)], false).await?;
                commit(transaction).await?;
                Ok(runs)
            })
            .await
    }

    async fn presence(&self, subjects: &[SubjectId]) -> PortResult<Vec<SubjectPresence>> {
        let ids: Vec<_> = subjects.iter().map(|subject| subject.0).collect();
        self.rows(|| sqlx::query(sql!("documents/presence")).bind(ids.clone()), row::presence).await
    }
}

async fn delete(connection: &mut PgConnection, query: &'static str, subject: SubjectId) -> PortResult<u64> {
    let deleted = sqlx::query(query).bind(subject.0).execute(connection).await.map_err(translate)?;
    Ok(deleted.rows_affected())
}
