//! Use cases for runs.

mod enqueue;
mod raw_text;
mod retry;
mod retry_failed;
mod show;
mod withdraw;

pub use quire_ports::{RunAttempt, StepProgress};

pub use enqueue::enqueue;
pub use raw_text::{RawTextError, raw_text};
pub use retry::retry;
pub use retry_failed::{RetryError, retry_failed};
pub use show::{RunView, current_step, show, steps};
pub use withdraw::withdraw;
