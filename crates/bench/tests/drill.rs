//! Runs the short drills: `quire` is killed and stopped under load, and the checker must find no violation.

#![allow(clippy::expect_used)]

use std::process::Command;

fn drill(store: &str) {
    let output = Command::new(env!("CARGO_BIN_EXE_quire-bench"))
        .args(["drill", "--short", "--store", store])
        .output()
        .expect("the program starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("violations: 0"), "{printed}");
}

/// Proves R002, R008, R014, R195 under kills -9 at random moments.
#[test]
fn sqlite_survives_kills_under_load() {
    drill("sqlite");
}

/// Proves R002, R015, R164, R169, R170 under kills -9 and stops longer than a lease.
#[test]
fn postgres_survives_kills_and_stops_under_load() {
    drill("postgres");
}
