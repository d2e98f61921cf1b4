//! What a server costs that has nothing to do.

use std::time::Duration;

use crate::database::Kind;
use crate::drill::processes::{Environment, Victim};
use crate::report::{Line, Table};

const WATCHED: Duration = Duration::from_secs(20);

/// The table for one database. The process is the real program in its rehearsal form.
pub async fn measure(kind: Kind) -> Table {
    let folder = tempfile::tempdir().unwrap();
    let database = crate::database::fresh(kind, crate::database::Grouping::Usual).await;
    let mut environment: Environment =
        vec![("QUIRE_STORAGE_DATA", folder.path().to_string_lossy().into_owned())];
    if kind == Kind::Postgres {
        environment.push(("QUIRE_STORAGE_DATABASE", quire_postgres::testing::url()));
        environment.push(("QUIRE_DATABASE_SCHEMA", database.schema.clone()));
    }
    let server = Victim::quire(&["serve", "--listen", "127.0.0.1:0"], &environment);
    let pid = server.0.id();
    // The first second is the start.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let before = cpu_ticks(pid);
    tokio::time::sleep(WATCHED).await;
    let share = (cpu_ticks(pid) - before) as f64 / TICKS_PER_SECOND / WATCHED.as_secs_f64() * 100.0;
    let resident = resident_mb(pid);
    assert!(server.stop(), "it stops when asked");
    Table {
        lines: vec![
            Line::at_most("idle server, share of a core", share, 1.0, " %"),
            Line::at_most("idle server, resident", resident, 40.0, " MB"),
        ],
        notes: Vec::new(),
    }
}

/// What the kernel counts processor time in, on every Linux this runs on.
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
