//! Writes of the worker that runs a run. While the store is locked, slow, full or unreachable, a write is tried again.

use std::future::Future;
use std::time::Duration;

use quire_domain::Event;
use quire_ports::{PortResult, RunQueue, RunWrite, RunWriteOutcome};

/// Pauses between two tries while the store is not available.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// What became of a write.
pub(crate) enum RunWriteAnswer {
    /// It is stored, with these events that the store added.
    Stored(Vec<Event>),
    /// The run has another owner by now.
    Refused,
    /// The store was not available until the worker gave up.
    GivenUp,
}

/// Writes, and tries again while the store is not available, until `gives_up` is ready. An error is one that no further try
/// would fix.
pub(crate) async fn write_until_stored(
    queue: &dyn RunQueue,
    mut write: RunWrite,
    gives_up: impl Future<Output = ()>,
) -> PortResult<RunWriteAnswer> {
    tokio::pin!(gives_up);
    let mut pause = FIRST_PAUSE;
    loop {
        match queue.write(write.clone()).await {
            Ok(RunWriteOutcome::Accepted(added)) => return Ok(RunWriteAnswer::Stored(added)),
            Ok(RunWriteOutcome::Refused) => return Ok(RunWriteAnswer::Refused),
            Err(error) if error.is_retryable() => {
                tracing::warn!(run_id = %write.run.id, %error, "run progress: write failed, will retry");
                metrics::counter!("quire_store_errors_total", "doing" => "advance").increment(1);
            }
            Err(error) => return Err(error),
        }
        write.repeated = true;
        tokio::select! {
            () = &mut gives_up => return Ok(RunWriteAnswer::GivenUp),
            () = tokio::time::sleep(pause) => pause = (pause * 2).min(LONGEST_PAUSE),
        }
    }
}
