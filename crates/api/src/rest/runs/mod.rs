//! Runs, one file per operation.

pub(crate) mod cancel;
pub(crate) mod raw_text;
pub(crate) mod retry;
pub(crate) mod show;
pub(crate) mod summary;
pub(crate) mod withdraw;

pub(crate) use cancel::cancel;
pub(crate) use raw_text::raw_text;
pub(crate) use retry::retry;
pub(crate) use show::{show, step_status};
pub(crate) use summary::RunSummary;
pub(crate) use withdraw::withdraw;
