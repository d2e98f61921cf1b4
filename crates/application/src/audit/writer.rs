//! Writes accesses into the history, many at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use quire_domain::Event;
use quire_ports::{PortError, Store};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// Accesses written at once.
const BATCH: usize = 256;
/// How long the first access of a batch waits for others.
const BATCH_DELAY: Duration = Duration::from_millis(500);
/// The time between two attempts while the database does not answer.
const RETRY_DELAY: Duration = if cfg!(test) { Duration::from_millis(1) } else { Duration::from_secs(1) };
/// How long the last batches may take at the end of the process.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(5);

/// The task that writes accesses.
pub struct AccessAuditWriter {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl AccessAuditWriter {
    pub(super) fn start(store: Store, received: mpsc::Receiver<Event>, lost: Arc<AtomicU64>) -> Self {
        let (stop, stopped) = oneshot::channel();
        let writer = WriterTask { store, received, stopped, lost };
        Self { stop, task: tokio::spawn(writer.run()) }
    }

    /// Writes the accesses that still wait, then stops. Accesses recorded after this call are lost.
    pub async fn finish(self) {
        // If the task has ended already, there is nothing to wait for.
        let _ = self.stop.send(());
        if timeout(SHUTDOWN_LIMIT, self.task).await.is_err() {
            tracing::warn!("access audit: not all accesses were written before shutdown");
        }
    }
}

struct WriterTask {
    store: Store,
    received: mpsc::Receiver<Event>,
    stopped: oneshot::Receiver<()>,
    lost: Arc<AtomicU64>,
}

impl WriterTask {
    async fn run(mut self) {
        let mut batch = Vec::with_capacity(BATCH);
        while self.gather(&mut batch).await && self.write(&mut batch).await {
            self.report_lost();
        }
        self.received.close();
        loop {
            if !batch.is_empty() {
                self.try_write(&mut batch).await;
                self.lost.fetch_add(batch.len() as u64, Ordering::Relaxed);
                batch.clear();
            }
            if self.received.recv_many(&mut batch, BATCH).await == 0 {
                break;
            }
        }
        self.report_lost();
    }

    /// Collects a batch: until it is full, or its first access has waited long enough. False when the writer must stop.
    async fn gather(&mut self, batch: &mut Vec<Event>) -> bool {
        let mut write_at = None;
        while batch.len() < BATCH {
            let due = write_at.unwrap_or_else(Instant::now);
            tokio::select! {
                biased;
                _ = &mut self.stopped => return false,
                event = self.received.recv() => match event {
                    Some(event) => batch.push(event),
                    None => return false,
                },
                () = sleep_until(due), if write_at.is_some() => return true,
            }
            write_at = write_at.or_else(|| Some(Instant::now() + BATCH_DELAY));
        }
        true
    }

    /// Writes the batch, and retries until the database answers. False when the writer must stop.
    async fn write(&mut self, batch: &mut Vec<Event>) -> bool {
        loop {
            self.try_write(batch).await;
            if batch.is_empty() {
                return true;
            }
            tokio::select! {
                _ = &mut self.stopped => return false,
                () = sleep(RETRY_DELAY) => {}
            }
        }
    }

    /// Writes the batch and empties it. Accesses that remain in it can be retried. An attempt without an answer may
    /// have succeeded. Then the history has the same access twice, which is better than a missing access.
    async fn try_write(&self, batch: &mut Vec<Event>) {
        self.find_subjects(batch).await;
        match self.store.queue.record(batch).await {
            Ok(()) => batch.clear(),
            Err(error) if error.is_retryable() => {
                tracing::warn!(%error, "access audit: write failed, will retry");
            }
            Err(_) => {
                // One access cannot be stored; the others can.
                let mut left = Vec::new();
                for event in batch.drain(..) {
                    match self.store.queue.record(std::slice::from_ref(&event)).await {
                        Ok(()) => {}
                        Err(error) if error.is_retryable() => left.push(event),
                        Err(_) => drop(self.lost.fetch_add(1, Ordering::Relaxed)),
                    }
                }
                *batch = left;
            }
        }
    }

    /// Adds the document of each run, so that one query finds every access to a document.
    async fn find_subjects(&self, batch: &mut [Event]) {
        for event in batch.iter_mut().filter(|event| event.subject.is_none()) {
            let Some(run) = event.run else { continue };
            match self.store.run_reader.run(run).await {
                Ok(run) => (event.subject, event.pipeline) = (Some(run.subject), Some(run.pipeline)),
                Err(PortError::NotFound(_)) => {}
                // Storing the access is more important than adding its document.
                Err(_) => return,
            }
        }
    }

    fn report_lost(&self) {
        let lost = self.lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            metrics::counter!("quire_looks_lost_total").increment(lost);
            tracing::warn!(lost, "access audit: accesses lost, more came than could be written");
        }
    }
}
