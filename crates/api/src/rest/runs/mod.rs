//! Runs over HTTP, a file for each question.

pub(crate) mod head;
pub(crate) mod raw_text;
pub(crate) mod retry;
pub(crate) mod show;
pub(crate) mod withdraw;

pub(crate) use head::RunHead;
pub(crate) use raw_text::raw_text;
pub(crate) use retry::retry;
pub(crate) use show::{show, step_status};
pub(crate) use withdraw::withdraw;
