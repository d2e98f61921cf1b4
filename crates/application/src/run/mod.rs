//! What a person can ask about runs.

mod enqueue;
mod raw_text;
mod retry;
mod withdraw;

pub use enqueue::enqueue;
pub use raw_text::{RawTextError, language_used, raw_text};
pub use retry::retry;
pub use withdraw::withdraw;
