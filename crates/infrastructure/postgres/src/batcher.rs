//! Writes the operations of many callers with one commit.
//!
//! Operations queue up. A task takes the first operation and all others that wait, up to a limit, writes them in one
//! transaction and answers each caller. The task never waits for more operations. Under little load it writes an
//! operation alone and at once. Under much load operations gather while earlier batches are being written.

use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use quire_ports::{PortError, PortResult};
use quire_sql::panicked;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use crate::error::stopped;

/// How many operations may wait in the queue. Further callers wait until there is room.
const WAITING: usize = 4096;

/// The work on a batch.
#[async_trait]
pub(crate) trait BatchHandler: Send + Sync + 'static {
    /// One request.
    type Input: Send + Sync + 'static;
    /// One answer.
    type Output: Send + 'static;

    /// Runs all requests in one transaction and returns the answers in the same order, or fails and changes nothing.
    async fn run(&self, batch: &[Self::Input]) -> PortResult<Vec<PortResult<Self::Output>>>;
}

struct QueuedOperation<W: BatchHandler> {
    input: W::Input,
    answer: oneshot::Sender<PortResult<W::Output>>,
}

pub(crate) struct Batcher<W: BatchHandler> {
    operations: mpsc::Sender<QueuedOperation<W>>,
}

impl<W: BatchHandler> Batcher<W> {
    /// Starts the task. It ends when the batcher is dropped and every operation is answered. At most so many operations
    /// share a batch, and at most so many batches are written at once.
    pub(crate) fn start(work: W, group_limit: usize, batches: usize) -> Self {
        let (operations, queue) = mpsc::channel(WAITING);
        tokio::spawn(work_until_closed(Arc::new(work), queue, group_limit.max(1), batches.max(1)));
        Self { operations }
    }

    /// Queues one operation and waits for its answer.
    pub(crate) async fn submit(&self, input: W::Input) -> PortResult<W::Output> {
        let (answer, answered) = oneshot::channel();
        self.operations.send(QueuedOperation { input, answer }).await.map_err(|_| stopped())?;
        answered.await.map_err(|_| stopped())?
    }

    /// Fails if the task has ended. Every operation would fail.
    pub(crate) fn check(&self) -> PortResult<()> {
        if self.operations.is_closed() { Err(stopped()) } else { Ok(()) }
    }
}

async fn work_until_closed<W: BatchHandler>(
    work: Arc<W>,
    mut queue: mpsc::Receiver<QueuedOperation<W>>,
    group_limit: usize,
    batches: usize,
) {
    let mut group = Vec::with_capacity(group_limit);
    let mut writing = JoinSet::new();
    while queue.recv_many(&mut group, group_limit).await > 0 {
        writing.spawn(write(work.clone(), std::mem::take(&mut group)));
        while writing.len() >= batches {
            writing.join_next().await;
        }
        while writing.try_join_next().is_some() {}
    }
    writing.join_all().await;
}

/// Writes a batch and answers its callers.
async fn write<W: BatchHandler>(work: Arc<W>, batch: Vec<QueuedOperation<W>>) {
    let (inputs, answers): (Vec<_>, Vec<_>) =
        batch.into_iter().map(|operation| (operation.input, operation.answer)).unzip();
    let outcomes = outcomes(&work, &Arc::new(inputs)).await;
    for (answer, outcome) in answers.into_iter().zip(outcomes) {
        // The send fails only if the caller has gone away, and then it needs no answer.
        let _ = answer.send(outcome);
    }
}

/// Runs all requests together. If another transaction is in the way, runs them together once more, because that has
/// usually passed. If they fail again, or for another reason, runs each half of them, until the bad request fails alone.
async fn outcomes<W: BatchHandler>(work: &Arc<W>, inputs: &Arc<Vec<W::Input>>) -> Vec<PortResult<W::Output>> {
    let all = 0..inputs.len();
    let mut outcomes = Vec::with_capacity(inputs.len());
    let mut tried = run(work, inputs, all.clone()).await;
    if tried.as_ref().is_err_and(PortError::is_contention) {
        tried = run(work, inputs, all.clone()).await;
    }
    let mut waiting = Vec::new();
    let mut part = all;
    loop {
        match tried {
            Ok(done) => outcomes.extend(done),
            Err(error) if part.len() <= 1 || is_connection_failure(&error) => {
                outcomes.extend(part.map(|_| Err(error.clone())));
            }
            Err(_) => {
                let middle = part.start + part.len() / 2;
                waiting.push(middle..part.end);
                waiting.push(part.start..middle);
            }
        }
        let Some(next) = waiting.pop() else { return outcomes };
        tried = run(work, inputs, next.clone()).await;
        part = next;
    }
}

/// Runs some of the requests in one transaction, as a task of its own: a panic must not end the batcher, because every
/// later operation would fail.
async fn run<W: BatchHandler>(
    work: &Arc<W>,
    inputs: &Arc<Vec<W::Input>>,
    part: Range<usize>,
) -> PortResult<Vec<PortResult<W::Output>>> {
    let (work, inputs) = (work.clone(), inputs.clone());
    let task = tokio::spawn(async move { work.run(&inputs[part]).await });
    task.await.unwrap_or_else(|error| Err(if error.is_panic() { panicked() } else { stopped() }))
}

/// Whether the connection failed. Each request would then fail alone too, and it is unknown whether the commit
/// succeeded.
fn is_connection_failure(error: &PortError) -> bool {
    error.is_retryable() && !error.is_contention()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Refuses a batch that contains 13, panics at 14, is contended as often as planned and always by 15. Remembers the
    /// sizes of all batches.
    #[derive(Default)]
    struct PlannedWork {
        contended: Mutex<u32>,
        sizes: Arc<Mutex<Vec<usize>>>,
    }

    fn contention() -> PortError {
        PortError::Unavailable { service: "database", reason: "rehearsed".to_owned(), contention: true }
    }

    #[async_trait]
    impl BatchHandler for PlannedWork {
        type Input = u32;
        type Output = u32;

        async fn run(&self, batch: &[u32]) -> PortResult<Vec<PortResult<u32>>> {
            tokio::task::yield_now().await;
            self.sizes.lock().unwrap().push(batch.len());
            if batch.contains(&13) {
                return Err(PortError::Conflict("13".to_owned()));
            }
            assert!(!batch.contains(&14), "rehearsed");
            let mut contended = self.contended.lock().unwrap();
            if batch.contains(&15) || *contended > 0 {
                *contended = contended.saturating_sub(1);
                return Err(contention());
            }
            Ok(batch.iter().map(|number| Ok(number * 2)).collect())
        }
    }

    /// Submits these requests as one batch. Returns the outcomes, and the sizes of the batches that were run.
    async fn submit(contended: u32, inputs: Vec<u32>) -> (Vec<PortResult<u32>>, Vec<usize>) {
        let work = PlannedWork { contended: Mutex::new(contended), ..PlannedWork::default() };
        let sizes = work.sizes.clone();
        let outcomes = outcomes(&Arc::new(work), &Arc::new(inputs)).await;
        let sizes = sizes.lock().unwrap().clone();
        (outcomes, sizes)
    }

    #[tokio::test]
    async fn operations_that_wait_share_a_batch_and_one_bad_operation_fails_alone() {
        let work = PlannedWork::default();
        let sizes = work.sizes.clone();
        let batcher = Batcher::start(work, 8, 1);
        let (a, b, c) = tokio::join!(batcher.submit(1), batcher.submit(2), batcher.submit(3));
        assert_eq!((a, b, c), (Ok(2), Ok(4), Ok(6)));
        assert_eq!(*sizes.lock().unwrap(), [3]);
        let (good, bad) = tokio::join!(batcher.submit(12), batcher.submit(13));
        assert_eq!(good, Ok(24));
        assert_eq!(bad, Err(PortError::Conflict("13".to_owned())));
        assert_eq!(batcher.submit(16).await, Ok(32));
    }

    /// Answers a batch when as many batches have begun as can run at once.
    struct SimultaneousWork(tokio::sync::Barrier);

    #[async_trait]
    impl BatchHandler for SimultaneousWork {
        type Input = u32;
        type Output = u32;

        async fn run(&self, batch: &[u32]) -> PortResult<Vec<PortResult<u32>>> {
            self.0.wait().await;
            Ok(batch.iter().copied().map(Ok).collect())
        }
    }

    #[tokio::test]
    async fn as_many_batches_as_allowed_are_written_at_once() {
        let batcher = Batcher::start(SimultaneousWork(tokio::sync::Barrier::new(2)), 1, 2);
        assert_eq!(tokio::join!(batcher.submit(1), batcher.submit(2)), (Ok(1), Ok(2)));
    }

    #[tokio::test]
    async fn an_operation_that_panics_fails_alone_and_the_batcher_goes_on() {
        let batcher = Batcher::start(PlannedWork::default(), 8, 1);
        let (good, bad, other) = tokio::join!(batcher.submit(1), batcher.submit(14), batcher.submit(2));
        assert_eq!((good, bad, other), (Ok(2), Err(panicked()), Ok(4)));
        assert_eq!(batcher.submit(3).await, Ok(6));
        assert_eq!(batcher.check(), Ok(()));
    }

    #[tokio::test]
    async fn a_batch_that_meets_contention_is_run_again_as_one_batch() {
        let (outcomes, sizes) = submit(1, (100..200).collect()).await;
        assert!(outcomes.iter().all(Result::is_ok));
        assert_eq!(sizes, [100, 100]);
    }

    #[tokio::test]
    async fn one_contended_operation_does_not_make_a_transaction_of_each() {
        let mut inputs: Vec<u32> = (100..199).collect();
        inputs.insert(70, 15);
        let (outcomes, sizes) = submit(0, inputs.clone()).await;
        for (input, outcome) in inputs.iter().zip(outcomes) {
            assert_eq!(outcome, if *input == 15 { Err(contention()) } else { Ok(input * 2) });
        }
        assert!(sizes.len() <= 2 + 2 * 7, "halves, not single operations: {sizes:?}");
    }
}
