//! Runs the short drills: `quire` is killed and stopped under load, and the checker must find no violation.

#![allow(clippy::expect_used)]

use std::process::Command;

fn drill(part: &str, store: &str) {
    drill_with(part, store, &[]);
}

fn drill_with(part: &str, store: &str, options: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_quire-bench"))
        .args(["drill", "--short", "--only", part, "--store", store])
        .args(options)
        .output()
        .expect("the program starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    // Not every machine allows mounting.
    assert!(printed.contains("violations: 0") || printed.contains("NOT RUN"), "{printed}");
}

/// Proves R002, R008, R014, R195 under kills -9 at random moments.
#[test]
fn sqlite_survives_kills_under_load() {
    drill("kills", "sqlite");
}

/// Proves R002, R015, R164, R169, R170 under kills -9 and stops longer than a lease.
#[test]
fn postgres_survives_kills_and_stops_under_load() {
    drill("kills", "postgres");
}

/// Proves R013: a suspension is no time at work.
#[test]
fn a_suspended_machine_completes_its_runs() {
    for store in ["sqlite", "postgres"] {
        drill("suspension", store);
    }
}

/// Proves R169: a run that ends its process fails at the limit, and the runs beside it complete.
#[test]
fn a_document_that_ends_its_process_fails_alone() {
    for store in ["sqlite", "postgres"] {
        drill("poison", store);
    }
}

/// Proves R152 under kills -9 and a provider that fails a third of its calls.
#[test]
fn killed_workers_pay_for_no_stored_answer_twice() {
    drill("proposals", "postgres");
}

/// Proves R172 and R196 under kills -9 and a Redis that is stopped, silent and restarted.
#[test]
fn killed_servers_summarise_each_link_once() {
    drill("links", "postgres");
}

/// Proves R051 and R052 while the disk of the storage is unmounted and mounted under uploads and runs.
#[test]
fn storage_that_comes_and_goes_loses_no_document() {
    for store in ["sqlite", "postgres"] {
        drill("storage", store);
    }
}

/// Proves R052 while the disk with database and storage is full under uploads and runs.
#[test]
fn a_full_disk_loses_no_document() {
    for store in ["sqlite", "postgres"] {
        drill("disk", store);
    }
}

/// Proves R057, R162 and R164 while workers and the server are killed, Azurite is restarted and connections are cut.
#[test]
fn documents_in_an_object_store_are_stored_and_processed_once() {
    drill_with("blobs", "postgres", &["--uploads", "60"]);
}
