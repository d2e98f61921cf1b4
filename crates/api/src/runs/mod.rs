//! Runs over HTTP, a file for each question.

mod raw_text;
mod retry;
mod show;
mod withdraw;

pub(crate) use raw_text::raw_text;
pub(crate) use retry::retry;
pub(crate) use show::{show, step_status};
pub(crate) use withdraw::withdraw;
