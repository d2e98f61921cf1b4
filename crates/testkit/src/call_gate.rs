//! Holds the calls to a fake service, and counts how many run at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use quire_domain::LaneName;
use quire_ports::{CallPermit, CallPermits};

/// Permits for a test that is not about lanes: every call may be made.
pub struct FreeCalls;

#[async_trait]
impl CallPermits for FreeCalls {
    async fn permit(&self, _: &LaneName) -> Result<CallPermit, Duration> {
        Ok(Box::new(()))
    }

    async fn close(&self, _: &LaneName, _: Duration, _: &str) {}
}

/// Counts the calls that run at once, and holds them until it is opened.
#[derive(Default)]
pub struct CallGate {
    running: AtomicUsize,
    most: AtomicUsize,
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl CallGate {
    /// Waits until the gate is open.
    pub fn pass(&self) {
        self.most.fetch_max(self.running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        drop(self.opened.wait_while(self.is_open.lock().unwrap(), |is_open| !*is_open).unwrap());
        self.running.fetch_sub(1, Ordering::SeqCst);
    }

    /// Lets all calls pass from now on.
    pub fn open(&self) {
        *self.is_open.lock().unwrap() = true;
        self.opened.notify_all();
    }

    /// How many calls run now.
    pub fn running(&self) -> usize {
        self.running.load(Ordering::SeqCst)
    }

    /// The most calls that ran at once.
    pub fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}
