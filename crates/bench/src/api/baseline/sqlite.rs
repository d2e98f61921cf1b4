//! Writes the rows of the baseline handler to SQLite: one thread commits all pending rows together.

use std::path::Path;
use std::thread;

use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use tokio::sync::{mpsc, oneshot};

use super::{NewDocumentRow, RowWriter};

const QUEUE_CAPACITY: usize = 4096;
const MAX_GROUP: usize = 256;

type PendingRow = (NewDocumentRow, oneshot::Sender<()>);

/// The queue of the writer thread.
pub struct SqliteRowWriter(mpsc::Sender<PendingRow>);

impl SqliteRowWriter {
    /// Opens the database and starts the writer thread.
    pub fn open(path: &Path) -> Self {
        let mut connection = Connection::open(path).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000; \
                 PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON;",
            )
            .unwrap();
        let (sender, mut queue) = mpsc::channel::<PendingRow>(QUEUE_CAPACITY);
        thread::spawn(move || {
            let mut group = Vec::with_capacity(MAX_GROUP);
            while queue.blocking_recv_many(&mut group, MAX_GROUP) > 0 {
                let transaction =
                    connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
                for (row, _) in &group {
                    insert(&transaction, row);
                }
                transaction.commit().unwrap();
                for (_, caller) in group.drain(..) {
                    // The client may be gone.
                    let _ = caller.send(());
                }
            }
        });
        Self(sender)
    }
}

#[async_trait]
impl RowWriter for SqliteRowWriter {
    async fn add(&self, row: NewDocumentRow) {
        let (caller, committed) = oneshot::channel();
        assert!(self.0.send((row, caller)).await.is_ok(), "the writer thread has ended");
        committed.await.unwrap();
    }
}

fn insert(transaction: &Transaction<'_>, row: &NewDocumentRow) {
    let at = Timestamp::now().as_microsecond();
    let (document, run) = (row.document.as_bytes(), row.run.as_bytes());
    transaction
        .prepare_cached(
            "INSERT INTO documents (id, original_filename, content_type, file_size, content_hash, storage_path, \
             created_at, updated_at) VALUES (?1, ?2, 'application/pdf', ?3, ?4, ?5, ?6, ?6)",
        )
        .unwrap()
        .execute(params![document, row.name, row.size, row.hash, row.path, at])
        .unwrap();
    transaction
        .prepare_cached(
            "INSERT INTO runs (id, pipeline, subject_id, state, turn, correlation_id, created_at, queued_at, \
             schema_name, schema_version, listed_at) \
             VALUES (?1, 'document', ?2, 'QUEUED', 'READY', '0123456789abcdef', ?3, ?3, 'veterinary-record', 1, ?3)",
        )
        .unwrap()
        .execute(params![run, document, at])
        .unwrap();
    let mut event = transaction
        .prepare_cached(
            "INSERT INTO events (at, event_type, pipeline, subject_id, run_id, fence, details) \
             VALUES (?1, ?2, 'document', ?3, ?4, ?5, ?6)",
        )
        .unwrap();
    let actor = Some(super::ACTOR);
    event.execute(params![at, "DOCUMENT_UPLOADED", document, None::<[u8; 16]>, None::<i64>, actor]).unwrap();
    event.execute(params![at, "RUN_CREATED", document, Some(run), Some(0), None::<&str>]).unwrap();
}
