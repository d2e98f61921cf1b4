//! Writes the operations of many callers with one commit.
//!
//! Operations queue up. A task takes the first operation and all others that wait, up to a limit, writes them in one
//! transaction and answers each caller. The task never waits for more operations. Under little load it writes an
//! operation alone and at once. Under much load operations gather while the previous commit runs.

use async_trait::async_trait;
use quire_ports::{PortError, PortResult};
use tokio::sync::{mpsc, oneshot};

use crate::error::stopped;

/// How many operations may wait in the queue. Further callers wait until there is room.
const WAITING: usize = 4096;

/// The work on a batch.
#[async_trait]
pub(crate) trait Work: Send + Sync + 'static {
    /// One request.
    type Input: Send + Sync + 'static;
    /// One answer.
    type Output: Send + 'static;

    /// Runs all requests in one transaction and returns the answers in the same order, or fails and changes nothing.
    async fn run(&self, batch: &[Self::Input]) -> PortResult<Vec<PortResult<Self::Output>>>;
}

struct Operation<W: Work> {
    input: W::Input,
    answer: oneshot::Sender<PortResult<W::Output>>,
}

pub(crate) struct Batcher<W: Work> {
    operations: mpsc::Sender<Operation<W>>,
}

impl<W: Work> Batcher<W> {
    /// Starts the task. It ends when the batcher is dropped and every operation is answered.
    pub(crate) fn start(work: W, group_limit: usize) -> Self {
        let (operations, queue) = mpsc::channel(WAITING);
        tokio::spawn(work_until_closed(work, queue, group_limit.max(1)));
        Self { operations }
    }

    /// Queues one operation and waits for its answer.
    pub(crate) async fn submit(&self, input: W::Input) -> PortResult<W::Output> {
        let (answer, answered) = oneshot::channel();
        self.operations.send(Operation { input, answer }).await.map_err(|_| stopped())?;
        answered.await.map_err(|_| stopped())?
    }
}

async fn work_until_closed<W: Work>(work: W, mut queue: mpsc::Receiver<Operation<W>>, group_limit: usize) {
    let mut group = Vec::with_capacity(group_limit);
    while queue.recv_many(&mut group, group_limit).await > 0 {
        let (inputs, answers): (Vec<_>, Vec<_>) =
            group.drain(..).map(|operation| (operation.input, operation.answer)).unzip();
        let outcomes = outcomes(&work, &inputs).await;
        for (answer, outcome) in answers.into_iter().zip(outcomes) {
            // The send fails only if the caller has gone away, and then it needs no answer.
            let _ = answer.send(outcome);
        }
    }
}

/// Runs all requests together. If that fails, runs them one by one, so that one bad request does not fail the others.
async fn outcomes<W: Work>(work: &W, inputs: &[W::Input]) -> Vec<PortResult<W::Output>> {
    match work.run(inputs).await {
        Ok(outcomes) => outcomes,
        Err(error) if inputs.len() == 1 || is_connection_failure(&error) => {
            inputs.iter().map(|_| Err(error.clone())).collect()
        }
        Err(_) => {
            let mut outcomes = Vec::with_capacity(inputs.len());
            for input in inputs {
                outcomes.push(alone(work, input).await);
            }
            outcomes
        }
    }
}

async fn alone<W: Work>(work: &W, input: &W::Input) -> PortResult<W::Output> {
    let mut outcomes = work.run(std::slice::from_ref(input)).await?;
    outcomes.pop().unwrap_or_else(|| Err(stopped()))
}

/// Whether the connection failed. Each request would then fail alone too, and it is unknown whether the commit
/// succeeded.
fn is_connection_failure(error: &PortError) -> bool {
    error.is_transient() && !error.is_contention()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Refuses a batch that contains 13, and remembers the sizes of the other batches.
    struct RefusesThirteen {
        sizes: std::sync::Arc<Mutex<Vec<usize>>>,
    }

    #[async_trait]
    impl Work for RefusesThirteen {
        type Input = u32;
        type Output = u32;

        async fn run(&self, batch: &[u32]) -> PortResult<Vec<PortResult<u32>>> {
            tokio::task::yield_now().await;
            if batch.contains(&13) {
                return Err(PortError::Conflict("13".to_owned()));
            }
            self.sizes.lock().unwrap().push(batch.len());
            Ok(batch.iter().map(|number| Ok(number * 2)).collect())
        }
    }

    #[tokio::test]
    async fn what_waits_goes_together_and_one_bad_operation_fails_alone() {
        let sizes = std::sync::Arc::new(Mutex::new(Vec::new()));
        let batcher = Batcher::start(RefusesThirteen { sizes: sizes.clone() }, 8);
        let (a, b, c) = tokio::join!(batcher.submit(1), batcher.submit(2), batcher.submit(3));
        assert_eq!((a, b, c), (Ok(2), Ok(4), Ok(6)));
        assert_eq!(*sizes.lock().unwrap(), [3]);
        let (good, bad) = tokio::join!(batcher.submit(12), batcher.submit(13));
        assert_eq!(good, Ok(24));
        assert_eq!(bad, Err(PortError::Conflict("13".to_owned())));
        assert_eq!(batcher.submit(14).await, Ok(28));
    }
}
