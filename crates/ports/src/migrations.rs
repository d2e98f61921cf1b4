//! Migrations of the database.

use async_trait::async_trait;
use jiff::Timestamp;

use crate::PortResult;

/// A migration, and whether it is applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationStatus {
    /// Its number, from 1.
    pub version: u32,
    /// Its name.
    pub name: &'static str,
    /// When it was applied, if it was.
    pub applied_at: Option<Timestamp>,
}

/// Migrates the database up and down.
#[async_trait]
pub trait Migrations: Send + Sync {
    /// Every known migration, and whether it is applied. `Conflict` if the database is newer than this program.
    async fn status(&self) -> PortResult<Vec<MigrationStatus>>;

    /// Applies missing migrations up to version `to`, or all. Returns the applied versions.
    async fn up(&self, to: Option<u32>) -> PortResult<Vec<u32>>;

    /// Reverts migrations above version `to`, newest first. Returns the reverted versions.
    async fn down(&self, to: u32) -> PortResult<Vec<u32>>;
}
