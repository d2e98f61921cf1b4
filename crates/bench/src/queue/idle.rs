//! Measures the CPU time and memory of an idle server.

use std::time::Duration;

use crate::database::DatabaseKind;
use crate::drill::processes::{Environment, TestProcess};
use crate::report::{Measurement, Table};

const MEASURED_TIME: Duration = Duration::from_secs(20);

/// Measures on one kind of database.
pub async fn measure(kind: DatabaseKind) -> Table {
    let folder = tempfile::tempdir().unwrap();
    let database = crate::database::create(kind, crate::database::CommitGrouping::Default).await;
    let mut environment: Environment =
        vec![("QUIRE_STORAGE_DATA", folder.path().to_string_lossy().into_owned())];
    if kind == DatabaseKind::Postgres {
        environment.push(("QUIRE_STORAGE_DATABASE", quire_postgres::testing::url()));
        environment.push(("QUIRE_DATABASE_SCHEMA", database.schema.clone()));
    }
    let server = TestProcess::quire(&["serve", "--listen", "127.0.0.1:0"], &environment);
    let pid = server.0.id();
    // The first second is startup.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let before = cpu_ticks(pid);
    tokio::time::sleep(MEASURED_TIME).await;
    let share = (cpu_ticks(pid) - before) as f64 / TICKS_PER_SECOND / MEASURED_TIME.as_secs_f64() * 100.0;
    let resident = resident_mb(pid);
    assert!(server.stop(), "the server did not stop properly");
    Table {
        measurements: vec![
            Measurement::at_most("idle server, share of a core", share, 1.0, " %"),
            Measurement::at_most("idle server, resident", resident, 40.0, " MB"),
        ],
        notes: Vec::new(),
    }
}

/// The unit of CPU times in `/proc` on Linux.
const TICKS_PER_SECOND: f64 = 100.0;

fn cpu_ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    // After the name in brackets, user and system time are the 12th and 13th fields.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

fn resident_mb(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}
