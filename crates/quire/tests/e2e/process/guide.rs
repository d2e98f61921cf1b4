//! Runs the commands of docs/guide/process.md.

use std::process::Command;

use super::{small_cli, write_records};

const GUIDE: &str = include_str!("../../../../../docs/guide/process.md");

#[test]
fn the_commands_of_the_process_guide_work() {
    let cli = small_cli();
    write_records(&cli, 3);
    std::fs::rename(cli.path("in"), cli.path("records")).unwrap();
    let blocks = GUIDE.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let script: String = blocks.map(|(block, _)| block).collect();
    assert!(script.matches("quire process").count() >= 4, "{script}");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_quire")).parent().unwrap().to_owned();
    let path = std::env::join_paths(
        std::iter::once(program).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let mut shell = Command::new("bash");
    shell.args(["-euo", "pipefail", "-c", &script]).current_dir(cli.path(".")).env("PATH", path.unwrap());
    let output = crate::program::output_of(&mut shell);
    assert!(output.status.success(), "{}\n{}", output.stdout, output.stderr);
    assert!(output.stdout.contains("Lunaaa"), "{}", output.stdout);
    for file in ["results/records/00.pdf.json", "results.jsonl", "values.csv"] {
        assert!(cli.path(file).exists(), "{file}");
    }
}
