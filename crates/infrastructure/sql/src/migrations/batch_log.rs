//! Log lines about a migration of a large table.

use std::time::{Duration, Instant};

use super::{BATCH, MigrationProgress};

/// How often to log.
const INTERVAL: Duration = Duration::from_secs(2);

/// Logs how far a part in batches has come: at its beginning, every few seconds and at its end.
pub struct BatchLog {
    migration: &'static str,
    table: String,
    total: i64,
    logged_at: Instant,
}

impl BatchLog {
    /// A part that begins, or continues at `progress`, on a table with `total` rows.
    pub fn start(migration: &'static str, table: &str, total: i64, progress: &MigrationProgress) -> Self {
        let log = Self { migration, table: table.to_owned(), total, logged_at: Instant::now() };
        log.write(progress.rows);
        log
    }

    /// A batch is done.
    pub fn batch_done(&mut self, progress: &MigrationProgress) {
        if self.logged_at.elapsed() >= INTERVAL {
            self.logged_at = Instant::now();
            self.write(progress.rows);
        }
    }

    /// All batches are done.
    pub fn finish(&self, progress: &MigrationProgress) {
        self.write(progress.rows);
    }

    /// A table that fits into one batch takes no time worth a line.
    fn write(&self, rows: i64) {
        if self.total > i64::from(BATCH) {
            let Self { migration, table, total, .. } = self;
            tracing::info!(
                migration,
                table,
                rows,
                total,
                "migration {migration}: {rows} of {total} rows of {table}"
            );
        }
    }
}
