//! Runs a short form of the drill with mutated documents.

#![allow(clippy::expect_used)]

use std::process::Command;

/// A mutated document fails or is read, and never ends the process that reads it.
#[test]
fn mutated_documents_cost_at_most_a_parser() {
    let output = Command::new(env!("CARGO_BIN_EXE_quire-bench"))
        .args(["mutated", "--documents", "600"])
        .output()
        .expect("the program starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains("The drill passed."), "{printed}");
    assert!(printed.contains("600 mutated documents") && printed.contains("read "), "{printed}");
}
