//! Writes a document: its file to the storage, then its record to the database. Both exist afterwards, or neither does.
//! Only when the database gives no answer does the file stay, and the sweep decides later.

use std::sync::Arc;

use quire_domain::run::run_created;
use quire_ports::{AddOutcome, BlobStore, BlobWriter, NewDocument, PortResult, Store};

use super::idempotency::{as_added, as_first_returned};
use super::{DocumentView, UploadError};
use crate::event_telemetry;

/// A document whose file is not in its place yet, and whose record is not added.
pub(super) struct DocumentWriter {
    pub(super) store: Store,
    pub(super) blobs: Arc<dyn BlobStore>,
    pub(super) new: NewDocument,
}

impl DocumentWriter {
    /// Stores the file, then adds the record.
    pub(super) async fn write(self, mut incoming: Box<dyn BlobWriter>) -> Result<DocumentView, UploadError> {
        incoming.set_sha256(self.new.document.content_hash);
        if let Err(error) = incoming.finish().await {
            // The file may have its name already without being durable.
            self.remove_file().await;
            return Err(error.into());
        }
        match self.add_record().await? {
            AddOutcome::Added { run } => {
                let correlation_id = run.as_ref().and_then(|run| run.correlation_id.as_deref());
                for event in self.new.events.iter().chain(run.as_ref().map(run_created).as_ref()) {
                    event_telemetry::log(event, correlation_id);
                }
                Ok(as_added(self.new.document, run))
            }
            AddOutcome::AlreadyAdded { document, run } => {
                self.remove_file().await;
                Ok(as_first_returned(&self.store, document, run).await?)
            }
            AddOutcome::KeyReused => {
                self.remove_file().await;
                Err(UploadError::KeyReused)
            }
        }
    }

    /// Adds the record. Removes the file if the database refuses the record at once. After a try without an answer the
    /// file stays, unless a second try learns that the key belongs to another upload: the first transaction may have
    /// succeeded, or may still be running. If it does not succeed, the sweep removes the file later.
    async fn add_record(&self) -> PortResult<AddOutcome> {
        let doubt = match self.try_to_add().await {
            Err(error) if error.is_in_doubt() => error,
            Err(error) => {
                self.remove_file().await;
                return Err(error);
            }
            added => return added,
        };
        match self.try_to_add().await {
            Ok(AddOutcome::AlreadyAdded { document, .. }) if document == self.new.document.id => {
                self.found_outcome().await
            }
            // The second transaction had to wait for the first, so that its answer is about both.
            Ok(outcome) => Ok(outcome),
            Err(_) if self.record_exists().await => self.found_outcome().await,
            Err(_) => {
                tracing::warn!(
                    document_id = %self.new.document.id,
                    "upload outcome unknown; keeping the file"
                );
                Err(doubt)
            }
        }
    }

    async fn try_to_add(&self) -> PortResult<AddOutcome> {
        self.store.documents.add(self.new.clone(), self.new.document.created_at).await
    }

    async fn record_exists(&self) -> bool {
        self.store.documents.find(self.new.document.id).await.is_ok()
    }

    /// The outcome whose answer was lost: the database has the document and its run.
    async fn found_outcome(&self) -> PortResult<AddOutcome> {
        let run = match &self.new.run {
            Some(run) => Some(self.store.run_reader.run(run.id).await?.as_created()),
            None => None,
        };
        Ok(AddOutcome::Added { run })
    }

    async fn remove_file(&self) {
        if let Err(error) = self.blobs.remove(&self.new.document.storage_path).await {
            tracing::warn!(
                document_id = %self.new.document.id,
                %error,
                "the file of a document that was not added cannot be removed"
            );
        }
    }
}
