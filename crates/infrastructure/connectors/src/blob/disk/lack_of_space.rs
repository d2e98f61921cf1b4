//! Remembers that a file did not fit on the disk. A disk that is too full for one file may still have room for a small
//! one, so that a check with a small file would call it usable, and the work on the next document would be in vain.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use quire_ports::{PortError, PortResult};

use super::error::full;

/// For so long after a file did not fit the disk counts as full. A writer has time to ask why.
const SETTLING_TIME: Duration = Duration::from_secs(2);

/// The largest file that did not fit since the disk last had room for it.
#[derive(Debug, Default)]
pub(super) struct LackOfSpace(Mutex<Option<Lack>>);

#[derive(Clone, Copy, Debug)]
struct Lack {
    bytes: u64,
    since: Instant,
}

impl LackOfSpace {
    /// Passes on what became of a file of that size, and remembers that it did not fit.
    pub(super) fn note<T>(&self, bytes: usize, written: PortResult<T>) -> PortResult<T> {
        if matches!(written, Err(PortError::Full { .. })) {
            let mut lack = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let before = lack.map_or(0, |lack| lack.bytes);
            *lack = Some(Lack { bytes: before.max(bytes as u64), since: Instant::now() });
        }
        written
    }

    /// Checks, with `probe`, whether the disk has room for as many bytes as did not fit.
    pub(super) fn check(&self, probe: impl FnOnce(u64) -> PortResult<()>) -> PortResult<()> {
        let lack = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lack.is_some_and(|lack| lack.since.elapsed() < SETTLING_TIME) {
            return Err(full());
        }
        probe(lack.map_or(0, |lack| lack.bytes))?;
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Another file may have failed meanwhile.
        if now.map(|now| now.since) == lack.map(|lack| lack.since) {
            *now = None;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_disk_is_full_until_the_largest_file_that_did_not_fit_would_fit() {
        let lack = LackOfSpace::default();
        let has_room_for = |room: u64| move |bytes| if bytes <= room { Ok(()) } else { Err(full()) };
        lack.note(70, PortResult::<()>::Err(full())).unwrap_err();
        lack.note(20, PortResult::<()>::Err(full())).unwrap_err();
        assert_eq!(lack.check(has_room_for(1000)), Err(full()), "a moment ago there was no room");
        let earlier = Instant::now().checked_sub(SETTLING_TIME).unwrap();
        lack.0.lock().unwrap().as_mut().unwrap().since = earlier;
        assert_eq!(lack.check(has_room_for(69)), Err(full()));
        lack.check(has_room_for(70)).unwrap();
        lack.check(has_room_for(0)).unwrap();
        lack.note(90, Ok(())).unwrap();
        lack.check(has_room_for(0)).unwrap();
    }
}
