//! The query for `DuckDB` in the guide for BI tools, over an export of the program.

use std::process::Command;

use super::*;
use crate::program::output_of;

const GUIDE: &str = include_str!("../../../../../docs/guide/bi.md");
/// Runs the query that it is given, and prints the rows.
const SCRIPT: &str = "import duckdb, sys\nfor row in duckdb.sql(sys.argv[1]).fetchall(): print(*row)";

/// Proves R205 for the export: the command and the query of the guide run as they are printed.
#[tokio::test(flavor = "multi_thread")]
async fn the_query_of_the_guide_for_duckdb_runs_over_an_export() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let upload = |lines: &[&str]| {
        Form::file("a.pdf", &pdf(lines)).send(&server, "/documents/upload?schema=invoice").document_id()
    };
    let old = INVOICE.map(|line| line.replace("03/04/2024", "03/04/2023"));
    let second = INVOICE.map(|line| line.replace("F-2024/117", "F-2024/118"));
    for lines in [INVOICE.map(str::to_owned), second, old] {
        let id = upload(&lines.each_ref().map(String::as_str));
        env.wait_until_completed(id).await;
    }
    let mut download = Command::new("bash");
    download.args(["-c", block("sh", "documents/export")]).current_dir(env.cli.path("."));
    assert!(output_of(download.env("QUIRE", format!("http://{}", server.address))).status.success());
    let query = block("sql", "read_csv");
    let python = std::env::var("QUIRE_TEST_DUCKDB")
        .expect("QUIRE_TEST_DUCKDB is not set; run `cargo xtask test`, which installs DuckDB");
    let mut duckdb = Command::new(python);
    duckdb.args(["-c", SCRIPT, query]).current_dir(env.cli.path("."));
    let output = output_of(&mut duckdb);
    assert!(output.status.success(), "{}", output.stderr);
    // The one of 2023 is left out.
    assert_eq!(output.stdout.trim(), "2024-04-01 00:00:00 2 2987.5");
}

/// The commands of the guide that contain this text.
fn block(language: &str, text: &str) -> &'static str {
    let blocks = GUIDE.split("```").filter_map(|block| block.strip_prefix(language));
    blocks.into_iter().find(|block| block.contains(text)).unwrap()
}
