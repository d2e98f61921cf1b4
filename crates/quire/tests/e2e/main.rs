//! Drives the real program from outside, as a person or a supervisor would. One binary, so that it links once.

// All of it is test code: what cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod commands;
mod configuration;
mod describing;
mod documents;
mod errors;
mod events;
mod following;
mod guarding;
mod guide;
mod hand;
mod http;
mod model;
mod pages;
mod postgres;
mod processing;
mod program;
mod reading;
mod reviewing;
mod runs;
mod scene;
mod schemas;
mod serving;
mod standing;
mod uploading;
