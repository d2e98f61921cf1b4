//! The database: whether it answers, its migrations and its clock.

use jiff::{SignedDuration, Timestamp};
use quire_ports::{MigrationStatus, Store};

use super::{CheckedInstallation, Finding};
use crate::config::{Config, DatabaseLocation, mask_url};
use crate::wire;

/// A difference between the clocks that people notice in lists and logs.
const NOTICEABLE_SKEW: SignedDuration = SignedDuration::from_secs(2);
/// A difference with which logins and keys end at the wrong time.
const HARMFUL_SKEW: SignedDuration = SignedDuration::from_mins(1);

/// The database, as far as it could be opened.
pub(super) enum OpenedDatabase {
    /// There is no file yet.
    Missing,
    /// It does not answer.
    Unreachable(String),
    /// It answers, and this program cannot use its tables.
    Unusable { version: String, reason: String },
    /// It answers and lacks migrations.
    Older { version: String, applied: usize, known: usize },
    /// It answers and has every migration.
    Current { store: Box<Store>, version: String, migrations: usize },
}

/// Opens the database. Creates nothing.
pub(super) async fn open(config: &Config) -> OpenedDatabase {
    if let DatabaseLocation::Sqlite(path) = config.location()
        && path.metadata().map_or(true, |file| file.len() == 0)
    {
        return OpenedDatabase::Missing;
    }
    let store = match wire::open_existing(config).await {
        Ok(store) => store,
        Err(error) => return OpenedDatabase::Unreachable(error.to_string()),
    };
    let version = match store.migrations.database_version().await {
        Ok(version) => version,
        Err(error) => return OpenedDatabase::Unreachable(error.to_string()),
    };
    if let Ok(Some(_)) = store.tables.unfinished_copy().await {
        return OpenedDatabase::Unusable { version, reason: wire::UNFINISHED_COPY.to_owned() };
    }
    match store.migrations.status().await {
        Err(error) => OpenedDatabase::Unusable { version, reason: error.to_string() },
        Ok(all) => {
            let is_applied = |migration: &&MigrationStatus| migration.applied_at.is_some();
            let (applied, known) = (all.iter().filter(is_applied).count(), all.len());
            if applied < known {
                OpenedDatabase::Older { version, applied, known }
            } else {
                OpenedDatabase::Current { store: Box::new(store), version, migrations: known }
            }
        }
    }
}

pub(super) fn reachable(installation: &CheckedInstallation<'_>) -> Finding {
    let place = match installation.config.location() {
        DatabaseLocation::Sqlite(path) => path.display().to_string(),
        DatabaseLocation::Postgres(url) => mask_url(&url),
    };
    match &installation.database {
        OpenedDatabase::Missing => Finding::warning(
            format!("no database at {place} yet"),
            "run `quire serve` or `quire migrate up` to create it, or name another one with --data or --database",
        ),
        OpenedDatabase::Unreachable(reason) => Finding::error(
            reason.clone(),
            "start the database, or correct storage.database (QUIRE_STORAGE_DATABASE or --database)",
        ),
        OpenedDatabase::Unusable { version, .. }
        | OpenedDatabase::Older { version, .. }
        | OpenedDatabase::Current { version, .. } => Finding::ok(format!("{version} at {place}")),
    }
}

pub(super) fn migrations(installation: &CheckedInstallation<'_>) -> Finding {
    match &installation.database {
        OpenedDatabase::Missing => Finding::ok("applied when the database is created"),
        OpenedDatabase::Unreachable(_) => {
            Finding::error("not known: the database does not answer", "fix the database first")
        }
        OpenedDatabase::Unusable { reason, .. } => Finding::error(
            reason.clone(),
            "finish what was begun, or use the program that fits this database",
        ),
        OpenedDatabase::Older { applied, known, .. } => {
            Finding::error(format!("{applied} of {known} migrations are applied"), "run `quire migrate up`")
        }
        OpenedDatabase::Current { migrations, .. } => {
            Finding::ok(format!("all {migrations} migrations are applied"))
        }
    }
}

pub(super) fn clock(installation: &CheckedInstallation<'_>) -> Finding {
    if installation.config.location().is_sqlite() {
        return Finding::ok("the database uses the clock of this machine");
    }
    match installation.store() {
        None => Finding::warning("not known: the database cannot be used", "fix the database first"),
        Some(store) => judge_skew(store.clock.now().duration_since(Timestamp::now())),
    }
}

/// Judges how far the clock of the database is ahead of this machine's.
fn judge_skew(ahead: SignedDuration) -> Finding {
    let direction = if ahead.is_negative() { "behind" } else { "ahead of" };
    let seconds = ahead.abs().as_secs_f64();
    let message =
        format!("the clock of the database is {seconds:.1} s {direction} the clock of this machine");
    let remedy = "let both machines set their clocks over the network (chrony or systemd-timesyncd)";
    match ahead.abs() {
        skew if skew >= HARMFUL_SKEW => Finding::error(message, remedy),
        skew if skew >= NOTICEABLE_SKEW => Finding::warning(message, remedy),
        _ => Finding::ok(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::Severity;

    #[test]
    fn clocks_that_differ_are_reported_in_both_directions() {
        for (seconds, severity) in [
            (0, Severity::Ok),
            (1, Severity::Ok),
            (-3, Severity::Warning),
            (3, Severity::Warning),
            (-90, Severity::Error),
            (90, Severity::Error),
        ] {
            let finding = judge_skew(SignedDuration::from_secs(seconds));
            assert_eq!(finding.severity, severity, "{seconds}");
        }
        assert!(judge_skew(SignedDuration::from_secs(-3)).message.contains("3.0 s behind"));
    }
}
