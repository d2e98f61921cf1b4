//! A limit for a process that should say something or end: a regression fails its test instead of hanging it.

use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

const LIMIT: Duration = Duration::from_mins(3);

/// Kills a process after [`LIMIT`], unless it is dropped first.
pub struct TimeLimit {
    _unless_dropped: Sender<()>,
}

impl TimeLimit {
    pub fn of(process: u32) -> Self {
        let (sender, dropped) = channel::<()>();
        thread::spawn(move || {
            if dropped.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
                let _ = Command::new("kill").args(["-KILL", &process.to_string()]).status();
            }
        });
        Self { _unless_dropped: sender }
    }
}
