//! Use cases for runs.

mod cancel;
mod enqueue;
mod raw_text;
mod retry;
mod show;
mod withdraw;

pub use quire_ports::{ModelUsage, RunAttempt, StepProgress};

pub use cancel::cancel;
pub use enqueue::enqueue;
pub use raw_text::{RawTextError, raw_text};
pub use retry::{RetryError, retry, retry_by_policy};
pub use show::{RunView, current_step, show, steps};
pub use withdraw::withdraw;
