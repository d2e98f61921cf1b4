//! Migrations. The parts of each run as its file says: in a transaction, without one, or in batches. See
//! [`quire_sql::migrations`].

use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::Timestamp;
use quire_ports::{MigrationStatus, Migrations, PortError, PortResult};
use quire_sql::migrations::{
    self, Applied, BATCH, BatchLog, Direction, FIELDS_BATCH, Migration, MigrationPart, MigrationProgress,
    MigrationStep, PartKind, Unfinished,
};
use quire_sql::{json_text, row};
use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};
use uuid::Uuid;

use crate::PgStore;
use crate::database::commit;
use crate::error::{translate, unavailable};
use crate::row::{StoredTime, bigint, first, int, mapped};

pub(crate) const MIGRATIONS: &[Migration] = quire_sql::migrations!();

/// How long to wait for another migrator, or for a lock of a table or a row, and how long between two attempts.
const PATIENCE: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(50);

/// A statement that waits for a lock makes all later ones wait too, so it gives up soon and tries again.
const LIMIT_LOCKS: &str = "SET LOCAL lock_timeout = '1s'";

const BOOKKEEPING: &str = "\
    CREATE TABLE IF NOT EXISTS schema_migrations (\
        version int PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL); \
    ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS checksum text; \
    ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS oldest_program int; \
    CREATE TABLE IF NOT EXISTS migration_progress (\
        version int PRIMARY KEY, is_up boolean NOT NULL, checksum text NOT NULL, part int NOT NULL, last_key uuid, \
        done_rows bigint NOT NULL)";

#[async_trait]
impl Migrations for PgStore {
    async fn database_version(&self) -> PortResult<String> {
        let rows =
            self.database.read(|| sqlx::query("SELECT current_setting('server_version') AS version")).await?;
        let version = first(rows.first(), |row| row.string("version"))?.unwrap_or_default();
        let number = version.split_whitespace().next().unwrap_or_default();
        Ok(format!("PostgreSQL {number}"))
    }

    fn newest_known(&self) -> u32 {
        migrations::newest_known(MIGRATIONS)
    }

    async fn version(&self) -> PortResult<u32> {
        Ok(migrations::version_of(&self.applied().await?))
    }

    async fn status(&self) -> PortResult<Vec<MigrationStatus>> {
        migrations::status(MIGRATIONS, &self.applied().await?)
    }

    async fn up(&self, to: Option<u32>) -> PortResult<Vec<u32>> {
        self.migrate(MIGRATIONS, Direction::Up(to)).await
    }

    async fn down(&self, to: u32) -> PortResult<Vec<u32>> {
        self.migrate(MIGRATIONS, Direction::Down(to)).await
    }
}

impl PgStore {
    async fn applied(&self) -> PortResult<Vec<Applied>> {
        let mut transaction = self.database.begin().await?;
        let exists: bool = sqlx::query_scalar("SELECT to_regclass('schema_migrations') IS NOT NULL")
            .fetch_one(&mut *transaction)
            .await
            .map_err(translate)?;
        let applied = if exists { applied(&mut transaction).await? } else { Vec::new() };
        commit(transaction).await?;
        Ok(applied)
    }

    pub(crate) async fn migrate(
        &self,
        migrations: &[Migration],
        direction: Direction,
    ) -> PortResult<Vec<u32>> {
        let mut connection = self.migrator().await?;
        record_missing_checksums(&mut connection, migrations).await?;
        let mut versions = Vec::new();
        loop {
            let (applied, unfinished) = (applied(&mut connection).await?, unfinished(&mut connection).await?);
            let step = migrations::next(migrations, &applied, unfinished.as_ref(), direction)?;
            let Some(step) = step else { break };
            run(&mut connection, &step).await?;
            versions.push(step.version);
        }
        close(connection).await;
        Ok(versions)
    }

    /// Opens a connection that holds the migrators' lock until it is closed or dropped.
    async fn migrator(&self) -> PortResult<PgConnection> {
        let mut connection = self.database.fresh().await?;
        // Building an index of a large table can take long.
        execute(&mut connection, "SET statement_timeout = 0; SET lock_timeout = 0").await?;
        lock(&mut connection).await?;
        execute(&mut connection, BOOKKEEPING).await?;
        Ok(connection)
    }
}

/// Takes the lock that keeps two migrators apart. It polls instead of waiting inside the server: a statement that
/// waits there looks like a reader, and a concurrent index build waits for all readers.
async fn lock(connection: &mut PgConnection) -> PortResult<()> {
    let since = Instant::now();
    loop {
        let locked: bool = sqlx::query_scalar(
            "SELECT pg_try_advisory_lock(hashtextextended('quire_migrations ' || current_schema(), 0))",
        )
        .fetch_one(&mut *connection)
        .await
        .map_err(translate)?;
        if locked {
            return Ok(());
        }
        if since.elapsed() > PATIENCE {
            return Err(unavailable("another process is migrating it", true));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn close(connection: PgConnection) {
    // The migrations are committed, so an error while closing the connection changes nothing.
    let _ = connection.close().await;
}

/// The applied migrations, in order. The table of an older program lacks columns.
async fn applied(connection: &mut PgConnection) -> PortResult<Vec<Applied>> {
    let query = "SELECT applied_at, to_jsonb(m) ->> 'checksum' AS checksum, \
                 (to_jsonb(m) ->> 'oldest_program')::int AS oldest_program FROM schema_migrations m ORDER BY version";
    let rows = sqlx::query(query).fetch_all(connection).await.map_err(translate)?;
    mapped(&rows, |row| {
        Ok(Applied {
            at: row.timestamp("applied_at")?,
            checksum: row.optional_string("checksum")?,
            oldest_program: row.optional_number("oldest_program")?,
        })
    })
}

async fn record_missing_checksums(connection: &mut PgConnection, known: &[Migration]) -> PortResult<()> {
    for (version, checksum) in migrations::missing_checksums(known, &applied(connection).await?) {
        sqlx::query("UPDATE schema_migrations SET checksum = $2 WHERE version = $1 AND checksum IS NULL")
            .bind(int(version))
            .bind(checksum)
            .execute(&mut *connection)
            .await
            .map_err(translate)?;
    }
    Ok(())
}

async fn unfinished(connection: &mut PgConnection) -> PortResult<Option<Unfinished>> {
    let rows =
        sqlx::query("SELECT * FROM migration_progress").fetch_all(connection).await.map_err(translate)?;
    first(rows.first(), |row| {
        Ok(Unfinished {
            version: row.integer("version")?,
            is_up: row.boolean("is_up")?,
            checksum: row.string("checksum")?,
            progress: MigrationProgress {
                part: row.integer("part")?,
                last_key: row.optional_uuid("last_key")?,
                rows: row.integer("done_rows")?,
            },
        })
    })
}

/// Runs the parts that are not done. Each records itself in its last transaction, and the last one the migration.
async fn run(connection: &mut PgConnection, step: &MigrationStep) -> PortResult<()> {
    let mut progress = step.progress;
    while let Some(part) = step.part(progress.part) {
        match &part.kind {
            PartKind::Transaction => {
                let locks = LockPatience::start();
                while let Err(error) = try_transaction(connection, step, part, progress.part).await {
                    locks.wait_after(error).await?;
                }
            }
            PartKind::Statements => {
                for statement in migrations::statements(&part.sql) {
                    execute(connection, &statement).await?;
                }
                finish_part(connection, step, progress.part).await?;
            }
            PartKind::Batches { table, key, fields } => {
                let batches = Batches { step, part, table, key, fields: *fields };
                batches.run(connection, progress).await?;
            }
        }
        progress = MigrationProgress { part: progress.part + 1, ..MigrationProgress::default() };
    }
    Ok(())
}

/// Waits for locks that other transactions hold, for a while. In between, everybody else goes on.
struct LockPatience(Instant);

impl LockPatience {
    fn start() -> Self {
        Self(Instant::now())
    }

    async fn wait_after(&self, error: PortError) -> PortResult<()> {
        if !error.is_contention() || self.0.elapsed() > PATIENCE {
            return Err(error);
        }
        tokio::time::sleep(PAUSE).await;
        Ok(())
    }
}

async fn try_transaction(
    connection: &mut PgConnection,
    step: &MigrationStep,
    part: &MigrationPart,
    index: u32,
) -> PortResult<()> {
    let mut transaction = connection.begin().await.map_err(translate)?;
    execute(&mut transaction, LIMIT_LOCKS).await?;
    execute(&mut transaction, &part.sql).await?;
    finish_part(&mut transaction, step, index).await?;
    transaction.commit().await.map_err(translate)
}

/// A part that walks a table in batches.
struct Batches<'m> {
    step: &'m MigrationStep,
    part: &'m MigrationPart,
    table: &'m str,
    key: &'m str,
    fields: bool,
}

impl Batches<'_> {
    async fn run(&self, connection: &mut PgConnection, mut progress: MigrationProgress) -> PortResult<()> {
        let count = format!("SELECT count(*) FROM {}", self.table);
        let row = sqlx::raw_sql(AssertSqlSafe(count)).fetch_one(&mut *connection).await.map_err(translate)?;
        let total = row.try_get(0).map_err(translate)?;
        let mut log = BatchLog::start(self.step.name, self.table, total, &progress);
        let mut locks = LockPatience::start();
        loop {
            match self.try_batch(connection, progress).await {
                Ok(Some(done)) => {
                    progress = done;
                    log.batch_done(&progress);
                    locks = LockPatience::start();
                }
                Ok(None) => break,
                Err(error) => locks.wait_after(error).await?,
            }
        }
        log.finish(&progress);
        Ok(())
    }

    /// Does one batch and records it. Returns None if no row was left and the part is recorded as done.
    async fn try_batch(
        &self,
        connection: &mut PgConnection,
        progress: MigrationProgress,
    ) -> PortResult<Option<MigrationProgress>> {
        let mut transaction = connection.begin().await.map_err(translate)?;
        execute(&mut transaction, LIMIT_LOCKS).await?;
        let (table, key, after) = (self.table, self.key, progress.last_key.unwrap_or_default());
        let page = format!("SELECT {key} FROM {table} WHERE {key} > $1 ORDER BY {key} LIMIT $2");
        let keys: Vec<Uuid> = sqlx::query_scalar(AssertSqlSafe(page))
            .bind(after)
            .bind(i64::from(if self.fields { FIELDS_BATCH } else { BATCH }))
            .fetch_all(&mut *transaction)
            .await
            .map_err(translate)?;
        let done = match keys.last() {
            None => {
                finish_part(&mut transaction, self.step, progress.part).await?;
                None
            }
            Some(last) => {
                let statement = sqlx::query(AssertSqlSafe(self.part.statement())).bind(after).bind(last);
                if self.fields {
                    let found = statement.fetch_all(&mut *transaction).await.map_err(translate)?;
                    let rows = mapped(&found, row::field_rows)?.concat();
                    sqlx::query(AssertSqlSafe(self.part.insert_statement()))
                        .bind(json_text(&rows)?)
                        .execute(&mut *transaction)
                        .await
                        .map_err(translate)?;
                } else {
                    statement.execute(&mut *transaction).await.map_err(translate)?;
                }
                let rows = progress.rows + bigint(keys.len());
                let done = MigrationProgress { last_key: Some(*last), rows, ..progress };
                record_progress(&mut transaction, self.step, done).await?;
                Some(done)
            }
        };
        transaction.commit().await.map_err(translate)?;
        Ok(done)
    }
}

/// Records that a part is done, or with the last one that the migration is.
async fn finish_part(connection: &mut PgConnection, step: &MigrationStep, index: u32) -> PortResult<()> {
    if step.part(index + 1).is_some() {
        return record_progress(
            connection,
            step,
            MigrationProgress { part: index + 1, ..MigrationProgress::default() },
        )
        .await;
    }
    record(connection, step).await?;
    execute(connection, "DELETE FROM migration_progress").await
}

async fn record_progress(
    connection: &mut PgConnection,
    step: &MigrationStep,
    progress: MigrationProgress,
) -> PortResult<()> {
    sqlx::query(
        "INSERT INTO migration_progress (version, is_up, checksum, part, last_key, done_rows) \
         VALUES ($1, $2, $3, $4, $5, $6) \
         ON CONFLICT (version) DO UPDATE \
         SET part = excluded.part, last_key = excluded.last_key, done_rows = excluded.done_rows",
    )
    .bind(int(step.version))
    .bind(step.is_up)
    .bind(&step.checksum)
    .bind(int(progress.part))
    .bind(progress.last_key)
    .bind(progress.rows)
    .execute(connection)
    .await
    .map_err(translate)?;
    Ok(())
}

async fn record(connection: &mut PgConnection, step: &MigrationStep) -> PortResult<()> {
    let record = if step.is_up {
        sqlx::query(
            "INSERT INTO schema_migrations (version, name, applied_at, checksum, oldest_program) \
             VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(int(step.version))
        .bind(step.name)
        .bind(StoredTime(Timestamp::now()))
        .bind(&step.checksum)
        .bind(int(step.oldest_program))
    } else {
        sqlx::query("DELETE FROM schema_migrations WHERE version = $1").bind(int(step.version))
    };
    record.execute(connection).await.map_err(translate)?;
    Ok(())
}

async fn execute(connection: &mut PgConnection, sql: &str) -> PortResult<()> {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(connection).await.map_err(translate)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Proves R209: no index of an existing table is built while its writers wait, and no new column needs a value.
    #[test]
    fn indexes_are_built_concurrently_and_new_columns_can_be_empty_or_have_a_default() {
        // The first three create their tables.
        for migration in &MIGRATIONS[3..] {
            for statement in parts_of(migration) {
                let words: Vec<&str> = statement.split_whitespace().collect();
                if statement.contains("INDEX") && words.first() == Some(&"CREATE") {
                    let on = words.iter().position(|word| *word == "ON").map(|place| words[place + 1]);
                    let creates_table = on.is_some_and(|table| {
                        migration.up.contains(&format!("CREATE TABLE {table} "))
                            || migration.up.contains(&format!("CREATE TABLE IF NOT EXISTS {table} "))
                    });
                    assert!(
                        words.contains(&"CONCURRENTLY") || creates_table,
                        "{}: {statement}",
                        migration.name
                    );
                }
                if statement.contains("ADD COLUMN") && statement.contains("NOT NULL") {
                    assert!(statement.contains("DEFAULT"), "{}: {statement}", migration.name);
                }
            }
        }
    }

    /// Expand, then contract: programs that are older than such a migration go on beside it.
    #[test]
    fn a_migration_that_allows_older_programs_only_adds() {
        for migration in MIGRATIONS.iter().filter(|migration| migration.beside.is_some()) {
            assert!(MIGRATIONS.iter().any(|one| Some(one.name) == migration.beside), "{}", migration.name);
            for statement in parts_of(migration) {
                let words = statement.split_whitespace().collect::<Vec<_>>().join(" ");
                let table = words.strip_prefix("INSERT INTO ").and_then(|rest| rest.split(' ').next());
                let fills =
                    table.is_some_and(|table| migration.up.contains(&format!("CREATE TABLE {table} ")));
                let adds = words.starts_with("CREATE TABLE")
                    || words.starts_with("CREATE INDEX ")
                    || words.starts_with("CREATE FUNCTION ")
                    || words.starts_with("CREATE TRIGGER ")
                    || fills
                    || words.starts_with("DROP INDEX CONCURRENTLY IF EXISTS")
                    || (words.starts_with("ALTER TABLE") && words.contains(" ADD COLUMN "));
                assert!(adds, "{}: {statement}", migration.name);
            }
        }
    }

    fn parts_of(migration: &Migration) -> Vec<String> {
        let parts = migrations::parts(migration.up);
        // The body of a function is no statement of the migration.
        let code = |sql: &str| sql.split("$$").step_by(2).collect::<Vec<_>>().join("$$");
        parts.iter().flat_map(|part| migrations::statements(&code(&part.sql))).collect()
    }
}
