//! The rows of the bare handler in SQLite: one thread that commits whatever waits together.

use std::path::Path;
use std::thread;

use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use tokio::sync::{mpsc, oneshot};

use super::{Row, Rows};

const WAITING: usize = 4096;
const GROUP: usize = 256;

type Waiting = (Row, oneshot::Sender<()>);

/// The one writer.
pub struct Writer(mpsc::Sender<Waiting>);

impl Writer {
    /// Starts its thread.
    pub fn open(path: &Path) -> Self {
        let mut connection = Connection::open(path).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000; \
                 PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON;",
            )
            .unwrap();
        let (sender, mut queue) = mpsc::channel::<Waiting>(WAITING);
        thread::spawn(move || {
            let mut group = Vec::with_capacity(GROUP);
            while queue.blocking_recv_many(&mut group, GROUP) > 0 {
                let transaction =
                    connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
                for (row, _) in &group {
                    insert(&transaction, row);
                }
                transaction.commit().unwrap();
                for (_, caller) in group.drain(..) {
                    // A client that has gone away does not need to know.
                    let _ = caller.send(());
                }
            }
        });
        Self(sender)
    }
}

#[async_trait]
impl Rows for Writer {
    async fn add(&self, row: Row) {
        let (caller, committed) = oneshot::channel();
        assert!(self.0.send((row, caller)).await.is_ok(), "the writer is there");
        committed.await.unwrap();
    }
}

fn insert(transaction: &Transaction<'_>, row: &Row) {
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
