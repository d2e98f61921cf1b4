//! Writes looks into the history, many at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use quire_domain::Event;
use quire_ports::{PortError, Store};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// How many are written at once.
const BATCH: usize = 256;
/// How long the first of them waits for others.
const GATHERING: Duration = Duration::from_millis(500);
/// Between two tries at a database that is away.
const PAUSE: Duration = if cfg!(test) { Duration::from_millis(1) } else { Duration::from_secs(1) };
/// How long the last ones may take at the end of the process.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Ends the writing.
pub struct AuditWriter {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl AuditWriter {
    pub(super) fn start(store: Store, received: mpsc::Receiver<Event>, lost: Arc<AtomicU64>) -> Self {
        let (stop, stopped) = oneshot::channel();
        let desk = Desk { store, received, stopped, lost };
        Self { stop, task: tokio::spawn(desk.work()) }
    }

    /// Writes what still waits, and returns. What is told from now on is lost.
    pub async fn finish(self) {
        // If the task is gone already, there is nothing to wait for.
        let _ = self.stop.send(());
        if timeout(LAST_WORDS, self.task).await.is_err() {
            tracing::warn!("the last looks at documents could not be recorded in time");
        }
    }
}

struct Desk {
    store: Store,
    received: mpsc::Receiver<Event>,
    stopped: oneshot::Receiver<()>,
    lost: Arc<AtomicU64>,
}

impl Desk {
    async fn work(mut self) {
        let mut batch = Vec::with_capacity(BATCH);
        while self.gather(&mut batch).await && self.write(&mut batch).await {
            self.own_up();
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
        self.own_up();
    }

    /// Waits until there is enough to write, or the first has waited long enough. False when it is time to stop.
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
            write_at = write_at.or_else(|| Some(Instant::now() + GATHERING));
        }
        true
    }

    /// Writes the batch, however long the database is away. False when it is time to stop.
    async fn write(&mut self, batch: &mut Vec<Event>) -> bool {
        loop {
            self.try_write(batch).await;
            if batch.is_empty() {
                return true;
            }
            tokio::select! {
                _ = &mut self.stopped => return false,
                () = sleep(PAUSE) => {}
            }
        }
    }

    /// Writes the batch and empties it; what is left can be tried again. A try without an answer may have succeeded, and
    /// then the same look is in the history twice, which is better than not at all.
    async fn try_write(&self, batch: &mut Vec<Event>) {
        self.find_subjects(batch).await;
        match self.store.queue.record(batch).await {
            Ok(()) => batch.clear(),
            Err(error) if error.is_passing() => {
                tracing::warn!(%error, "looks at documents cannot be recorded now; trying again");
            }
            Err(_) => {
                // One of them cannot be stored. The others can.
                let mut left = Vec::new();
                for event in batch.drain(..) {
                    match self.store.queue.record(std::slice::from_ref(&event)).await {
                        Ok(()) => {}
                        Err(error) if error.is_passing() => left.push(event),
                        Err(_) => drop(self.lost.fetch_add(1, Ordering::Relaxed)),
                    }
                }
                *batch = left;
            }
        }
    }

    /// Names the document beside the run, so that one question finds every look at it.
    async fn find_subjects(&self, batch: &mut [Event]) {
        for event in batch.iter_mut().filter(|event| event.subject.is_none()) {
            let Some(run) = event.run else { continue };
            match self.store.history.run(run).await {
                Ok(run) => (event.subject, event.pipeline) = (Some(run.subject), Some(run.pipeline)),
                Err(PortError::NotFound(_)) => {}
                // The look itself matters more.
                Err(_) => return,
            }
        }
    }

    fn own_up(&self) {
        let lost = self.lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            metrics::counter!("quire_looks_lost_total").increment(lost);
            tracing::warn!(
                lost,
                "looks at documents were not recorded: there were more than could be written"
            );
        }
    }
}
