//! Where log lines go: through a bounded buffer to a thread that writes them. When the output hangs or fails,
//! lines are lost and counted, and whoever logs never notices.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};

/// Lines that may wait for a slow output; a few megabytes at most.
const WAITING_LINES: usize = 8192;

/// Counts lines that could not be written.
#[derive(Clone, Debug)]
pub struct Lost {
    overflown: ErrorCounter,
    failed: Arc<AtomicU64>,
}

impl Lost {
    /// How many, so far.
    pub fn lines(&self) -> u64 {
        let overflown = u64::try_from(self.overflown.dropped_lines()).unwrap_or(u64::MAX);
        overflown.saturating_add(self.failed.load(Ordering::Relaxed))
    }
}

pub(super) fn open(output: impl Write + Send + 'static) -> (NonBlocking, WorkerGuard, Lost) {
    let failed = Arc::new(AtomicU64::new(0));
    let counting = Counting { output, failed: failed.clone() };
    let (sink, flush) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(WAITING_LINES)
        .thread_name("quire-log")
        // The thread flushes whenever it has caught up, so lines are written together only under load.
        .finish(BufWriter::new(counting));
    let lost = Lost { overflown: sink.error_counter(), failed };
    (sink, flush, lost)
}

/// Takes everything; what the output refuses is counted and forgotten.
struct Counting<W> {
    output: W,
    failed: Arc<AtomicU64>,
}

impl<W: Write> Write for Counting<W> {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        if self.output.write_all(lines).is_err() {
            let count = lines.split(|byte| *byte == b'\n').count() - 1;
            self.failed.fetch_add(u64::try_from(count).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        // Nobody could do anything about it.
        let _ = self.output.flush();
        Ok(())
    }
}
