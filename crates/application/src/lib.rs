//! What Quire does: the verbs a person would say, and the engine that carries out what was accepted.

pub mod credential;
pub mod document;
pub mod engine;
pub mod events;
pub mod export;
pub mod governance;
pub mod operations;
pub mod review;
pub mod run;
pub mod session;
pub mod steps;
