//! The shape of a database and the way from one to the next.

use async_trait::async_trait;
use jiff::Timestamp;

use crate::PortResult;

/// One step in the life of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationStatus {
    /// Its number, from 1.
    pub version: u32,
    /// What it is about.
    pub name: &'static str,
    /// When it was applied, if it was.
    pub applied_at: Option<Timestamp>,
}

/// Moves a database between versions.
#[async_trait]
pub trait Migrations: Send + Sync {
    /// Every known migration, and whether it is applied. `Conflict` if the database is newer than this program.
    async fn status(&self) -> PortResult<Vec<MigrationStatus>>;

    /// Applies what is missing up to version `to`, or all of it. Answers the versions applied.
    async fn up(&self, to: Option<u32>) -> PortResult<Vec<u32>>;

    /// Takes back what is above version `to`, newest first. Answers the versions taken back.
    async fn down(&self, to: u32) -> PortResult<Vec<u32>>;
}
