//! What a person can ask about runs.

mod enqueue;
mod retry;
mod withdraw;

pub use enqueue::enqueue;
pub use retry::retry;
pub use withdraw::withdraw;
