//! What a person can ask about documents.

pub mod pages;
mod purge;

pub use purge::purge;
