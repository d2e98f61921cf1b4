//! The guide to the command, followed word by word.

use std::process::Command;

use super::{quire, with_records};

const GUIDE: &str = include_str!("../../../../../docs/guide/process.md");

#[test]
fn the_guide_can_be_followed() {
    let quire = quire();
    with_records(&quire, 3);
    std::fs::rename(quire.path("in"), quire.path("records")).unwrap();
    let blocks = GUIDE.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let script: String = blocks.map(|(block, _)| block).collect();
    assert!(script.matches("quire process").count() >= 4, "{script}");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_quire")).parent().unwrap().to_owned();
    let path = std::env::join_paths(
        std::iter::once(program).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let mut shell = Command::new("bash");
    shell.args(["-euo", "pipefail", "-c", &script]).current_dir(quire.path(".")).env("PATH", path.unwrap());
    let said = crate::program::said(&mut shell);
    assert!(said.status.success(), "{}\n{}", said.out, said.err);
    assert!(said.out.contains("Lunaaa"), "{}", said.out);
    for made in ["results/records/00.pdf.json", "results.jsonl", "values.csv"] {
        assert!(quire.path(made).exists(), "{made}");
    }
}
