//! End-to-end tests: drive the real program from outside, as a user or a supervisor would. One test binary, so that it
//! links once.

// Tests may panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod access;
mod api_guide;
mod backup;
mod cancelling;
mod commands;
mod configuration;
mod consistency;
mod doctor;
mod document_intelligence;
mod document_status;
mod documents;
mod engine;
mod error_pages;
mod evaluate;
mod evaluate_layouts;
mod events;
mod http;
mod lanes;
mod links;
mod machines;
mod model;
mod object_storage;
mod openapi;
mod pages;
mod panics;
mod postgres;
mod process;
mod program;
mod proposals;
mod reading;
mod record;
mod review;
mod runs;
mod schemas;
mod search;
mod serve;
mod storage;
mod store;
mod test_env;
mod test_worker;
mod time_limit;
mod uploads;
