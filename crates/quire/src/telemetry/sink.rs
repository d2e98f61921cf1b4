//! Writes log lines on their own thread, through a bounded buffer. If the output hangs or fails, lines are dropped and
//! counted; the code that logs is never blocked.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};

/// Lines buffered for a slow output; a few MB at most.
const BUFFERED_LINES: usize = 8192;

/// Counts lines that could not be written.
#[derive(Clone, Debug)]
pub struct DroppedLines {
    overflowed: ErrorCounter,
    failed: Arc<AtomicU64>,
}

impl DroppedLines {
    /// The number of dropped lines so far.
    pub fn lines(&self) -> u64 {
        let overflowed = u64::try_from(self.overflowed.dropped_lines()).unwrap_or(u64::MAX);
        overflowed.saturating_add(self.failed.load(Ordering::Relaxed))
    }
}

pub(super) fn open(output: impl Write + Send + 'static) -> (NonBlocking, WorkerGuard, DroppedLines) {
    let failed = Arc::new(AtomicU64::new(0));
    let writer = CountingWriter { output, failed: failed.clone() };
    let (sink, flush) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(BUFFERED_LINES)
        .thread_name("quire-log")
        // The thread flushes whenever it has caught up, so lines are batched only under load.
        .finish(BufWriter::new(writer));
    let dropped = DroppedLines { overflowed: sink.error_counter(), failed };
    (sink, flush, dropped)
}

/// Accepts every write; lines that the output refuses are counted and dropped.
struct CountingWriter<W> {
    output: W,
    failed: Arc<AtomicU64>,
}

impl<W: Write> Write for CountingWriter<W> {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        if self.output.write_all(lines).is_err() {
            let count = lines.split(|byte| *byte == b'\n').count() - 1;
            self.failed.fetch_add(u64::try_from(count).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        // Nothing can be done about a failed flush.
        let _ = self.output.flush();
        Ok(())
    }
}
