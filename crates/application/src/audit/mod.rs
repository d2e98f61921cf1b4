//! The access audit: who looked at which document.
//!
//! Each access becomes an event of the history. The writer stores events in batches after the response was sent. So no
//! request waits for the audit, and a page with many parts costs few commits.

mod writer;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quire_domain::{Event, EventType, FailureRecord, Pipeline, RunId, SubjectId};
use quire_ports::{Clock, Store};
use tokio::sync::mpsc;

pub use self::writer::AccessAuditWriter;

/// Accesses that may wait to be written.
const WAITING: usize = 4096;

/// One access to a document or to an artifact of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The name of the user or program.
    pub actor: String,
    /// The kind of access, and whether it failed.
    pub event_type: EventType,
    /// The document, if the request names one.
    pub subject: Option<SubjectId>,
    /// The run, if the request names one.
    pub run: Option<RunId>,
    /// Why the access failed, if it did.
    pub failure: Option<FailureRecord>,
}

/// Records accesses.
#[derive(Clone)]
pub struct AccessAudit {
    waiting: mpsc::Sender<Event>,
    lost: Arc<AtomicU64>,
    clock: Arc<dyn Clock>,
}

impl AccessAudit {
    /// Starts a writer for that store. It works until [`AccessAuditWriter::finish`].
    pub fn start(store: Store) -> (Self, AccessAuditWriter) {
        let (waiting, received) = mpsc::channel(WAITING);
        let audit = Self { waiting, lost: Arc::default(), clock: store.clock.clone() };
        let writer = AccessAuditWriter::start(store, received, audit.lost.clone());
        (audit, writer)
    }

    /// Records an access. Never waits: an access without room in the queue is counted as lost.
    pub fn record(&self, access: Access) {
        if self.waiting.try_send(self.event(access)).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Records an access, and waits for room in the queue: for exports, which access very many documents.
    pub async fn record_when_room(&self, access: Access) {
        if self.waiting.send(self.event(access)).await.is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn event(&self, access: Access) -> Event {
        let Access { actor, event_type, subject, run, failure } = access;
        let pipeline = (subject.is_some() || run.is_some()).then_some(Pipeline::Document);
        let event = Event::new(event_type, self.clock.now());
        Event { pipeline, subject, run, actor: Some(actor), failure, ..event }
    }
}

#[cfg(test)]
mod tests;
