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
    /// The oldest program that may work beside a database with this migration, by the newest migration that it knows.
    pub oldest_program: u32,
}

/// Migrates the database up and down.
#[async_trait]
pub trait Migrations: Send + Sync {
    /// The name and version of the database program, such as `PostgreSQL 18.1`.
    async fn database_version(&self) -> PortResult<String>;

    /// The newest migration that this program knows.
    fn newest_known(&self) -> u32;

    /// How many migrations the database has, also those that only newer programs know.
    async fn version(&self) -> PortResult<u32>;

    /// Every known migration, and whether it is applied. `Conflict` if the database has a newer migration beside which this
    /// program may not work.
    async fn status(&self) -> PortResult<Vec<MigrationStatus>>;

    /// Applies missing migrations up to version `to`, or all. Returns the applied versions.
    async fn up(&self, to: Option<u32>) -> PortResult<Vec<u32>>;

    /// Reverts migrations above version `to`, newest first. Returns the reverted versions.
    async fn down(&self, to: u32) -> PortResult<Vec<u32>>;
}
