//! `quire doctor`

mod database;
mod machine;
mod network;
mod reading;
mod services;
mod storage;

use std::fmt::Write as _;
use std::future::ready;
use std::pin::Pin;
use std::process::ExitCode;

use clap::Args;
use quire_ports::Store;
use serde_json::json;

use self::database::OpenedDatabase;
use super::output;
use crate::config::{Config, Layers};
use crate::error::CommandError;

/// Check what this installation needs, and say what is wrong
///
/// Looks at the database, the storage, Redis, the language model, tesseract, the sandbox, the clock, the disk, file modes and
/// the network settings. Each line is ok, warning or error, with the command or setting that fixes it. Writes a small file to the
/// storage, reads it and removes it; changes nothing else. Works beside a running server, and when the database is down.
/// The exit code is 1 if there is an error.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire doctor\n  \
    quire doctor --json")]
pub(super) struct DoctorCommand {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Severity {
    Ok,
    Warning,
    Error,
}

impl Severity {
    fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What a check found.
struct Finding {
    severity: Severity,
    message: String,
    /// The command or the setting that fixes it.
    remedy: Option<String>,
}

impl Finding {
    fn ok(message: impl Into<String>) -> Self {
        Self { severity: Severity::Ok, message: message.into(), remedy: None }
    }

    fn warning(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, message: message.into(), remedy: Some(remedy.into()) }
    }

    fn error(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { severity: Severity::Error, message: message.into(), remedy: Some(remedy.into()) }
    }
}

/// What the checks look at.
struct CheckedInstallation<'c> {
    config: &'c Config,
    layers: &'c Layers,
    database: OpenedDatabase,
}

impl CheckedInstallation<'_> {
    /// The store, if the database answers and has all tables.
    fn store(&self) -> Option<&Store> {
        match &self.database {
            OpenedDatabase::Current { store, .. } => Some(store),
            _ => None,
        }
    }
}

type FindingFuture<'i> = Pin<Box<dyn Future<Output = Finding> + 'i>>;

/// One check: its name, and the function that makes it.
struct Check {
    name: &'static str,
    run: for<'i> fn(&'i CheckedInstallation<'i>) -> FindingFuture<'i>,
}

/// Every check, in the order of the report.
const CHECKS: [Check; 12] = [
    Check { name: "database", run: |i| Box::pin(ready(database::reachable(i))) },
    Check { name: "migrations", run: |i| Box::pin(ready(database::migrations(i))) },
    Check { name: "clock", run: |i| Box::pin(ready(database::clock(i))) },
    Check { name: "storage", run: |i| Box::pin(storage::storage(i)) },
    Check { name: "disk", run: |i| Box::pin(ready(machine::disk(i))) },
    Check { name: "file modes", run: |i| Box::pin(ready(machine::file_modes(i))) },
    Check { name: "redis", run: |i| Box::pin(services::redis(i)) },
    Check { name: "model", run: |i| Box::pin(services::model(i)) },
    Check { name: "tesseract", run: |i| Box::pin(reading::tesseract(i)) },
    Check { name: "sandbox", run: |i| Box::pin(reading::sandbox(i)) },
    Check { name: "authentication", run: |i| Box::pin(network::authentication(i)) },
    Check { name: "proxies", run: |i| Box::pin(ready(network::proxies(i))) },
];

impl DoctorCommand {
    pub(super) async fn run(self, config: &Config, layers: &Layers) -> Result<ExitCode, CommandError> {
        let installation = CheckedInstallation { config, layers, database: database::open(config).await };
        let mut findings = Vec::with_capacity(CHECKS.len());
        for check in &CHECKS {
            findings.push((check.name, (check.run)(&installation).await));
        }
        let worst = findings.iter().map(|(_, finding)| finding.severity).max().unwrap_or(Severity::Ok);
        output::print(&if self.json { as_json(&findings, worst) } else { as_text(&findings) })?;
        Ok(if worst == Severity::Error { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

fn as_json(findings: &[(&str, Finding)], worst: Severity) -> String {
    let checks: Vec<_> = findings
        .iter()
        .map(|(name, finding)| {
            json!({
                "name": name,
                "status": finding.severity.as_str(),
                "message": finding.message,
                "remedy": finding.remedy,
            })
        })
        .collect();
    output::json(&json!({ "status": worst.as_str(), "checks": checks }))
}

fn as_text(findings: &[(&str, Finding)]) -> String {
    let width = findings.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, finding) in findings {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{:7}  {name:width$}  {}", finding.severity.as_str(), finding.message);
        if let Some(remedy) = &finding.remedy {
            let _ = writeln!(text, "{:7}  {:width$}  → {remedy}", "", "");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_its_severity_its_name_and_what_to_do() {
        let findings = [
            ("disk", Finding::ok("enough")),
            ("redis", Finding::warning("Redis does not answer", "start Redis")),
        ];
        assert_eq!(
            as_text(&findings),
            "ok       disk   enough\nwarning  redis  Redis does not answer\n                → start Redis\n"
        );
    }
}
