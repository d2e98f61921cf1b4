//! `cargo test` that tells an unstable test from a broken one.
//!
//! A few tests drive a browser, or several processes at once. When at most three tests fail, they are repeated alone, at
//! most twice. A test that then passes is named as unstable in the output and does not fail the run: nobody should have
//! to run 20 minutes of tests again for it. It has a race that must be found.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use crate::Result;
use crate::cargo::succeed;

/// More failed tests than this are not a matter of chance.
const MAX_REPEATED: usize = 3;

/// Runs all tests of the workspace with this cargo.
pub fn run_all(cargo: fn() -> Command, variables: &[(&str, &OsStr)]) -> Result<()> {
    let mut command = cargo();
    command
        .args(["test", "--workspace", "--no-fail-fast"])
        .envs(variables.iter().copied())
        .env("RUST_TEST_THREADS", threads().to_string())
        .stdout(Stdio::piped());
    let mut tests = command.spawn().map_err(|error| format!("cannot run `cargo test`: {error}"))?;
    let mut failed = Vec::new();
    let mut stdout = std::io::stdout();
    for line in tests.stdout.take().into_iter().flat_map(|output| BufReader::new(output).split(b'\n')) {
        let line = line.map_err(|error| format!("cannot read the output of `cargo test`: {error}"))?;
        // The output may be closed; the tests go on.
        let _ = stdout.write_all(&line).and_then(|()| stdout.write_all(b"\n"));
        failed.extend(failed_test(&String::from_utf8_lossy(&line)));
    }
    let status = tests.wait().map_err(|error| format!("cannot wait for `cargo test`: {error}"))?;
    if status.success() {
        return Ok(());
    }
    if failed.is_empty() || failed.len() > MAX_REPEATED {
        return Err(format!("`cargo test` failed: {status}; failed tests: {}", failed.join(", ")));
    }
    let repeat = || {
        println!("\nrepeating alone: {}", failed.join(", "));
        succeed(
            cargo()
                .args(["test", "--workspace", "--", "--exact", "--test-threads=1"])
                .args(&failed)
                .envs(variables.iter().copied()),
        )
    };
    repeat()
        .or_else(|_| repeat())
        .map_err(|error| format!("{error}; failed three times: {}", failed.join(", ")))?;
    println!("\nUNSTABLE, passed only when repeated: {}", failed.join(", "));
    Ok(())
}

/// Most tests wait for other processes most of the time, so that two of them fit on a core.
fn threads() -> usize {
    2 * std::thread::available_parallelism().map_or(1, usize::from)
}

/// The name of the test that failed, in a line of the test harness.
fn failed_test(line: &str) -> Option<String> {
    let name = line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?;
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::failed_test;

    #[test]
    fn only_the_line_of_a_failed_test_names_it() {
        assert_eq!(
            failed_test("test pages::login::a_key ... FAILED"),
            Some("pages::login::a_key".to_owned())
        );
        for line in
            ["test a ... ok", "test result: FAILED. 1 passed", "failures:", "    a", "test a ... FAILED?"]
        {
            assert_eq!(failed_test(line), None, "{line}");
        }
    }
}
