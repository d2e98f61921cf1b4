//! Whether the container is the right one, and whether it accepts files.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use quire_ports::{BlobGuard, PortResult};

/// A container stays the right one for this long. Only an operator who replaces it while the program runs makes it another.
const TRUST: Duration = Duration::from_secs(5);
/// How often a check writes.
const PROBE_INTERVAL: Duration = Duration::from_mins(1);
/// The object that a check writes. Names of stored files cannot contain `~`.
pub(super) const PROBE: &str = "~check";

/// A guard that remembers for a moment that it accepted the storage.
pub(super) struct RecentGuard {
    guard: BlobGuard,
    accepted_at: Mutex<Option<Instant>>,
}

impl RecentGuard {
    pub(super) fn new(guard: BlobGuard) -> Self {
        Self { guard, accepted_at: Mutex::default() }
    }

    /// The name of the file that the guard wants to see.
    pub(super) fn file(&self) -> &'static str {
        self.guard.file
    }

    pub(super) fn accepted_lately(&self) -> bool {
        self.accepted_at.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|at| at.elapsed() < TRUST)
    }

    /// Asks the guard about the content of its file.
    pub(super) fn ask(&self, content: Option<&[u8]>) -> PortResult<()> {
        let accepted = (self.guard.check)(content);
        let mut at = self.accepted_at.lock().unwrap_or_else(PoisonError::into_inner);
        *at = accepted.is_ok().then(Instant::now);
        accepted
    }
}

/// When a check last wrote.
#[derive(Default)]
pub(super) struct LastProbe(Mutex<Option<Instant>>);

impl LastProbe {
    pub(super) fn is_due(&self) -> bool {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.is_none_or(|at| at.elapsed() >= PROBE_INTERVAL)
    }

    pub(super) fn succeeded(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}
