//! Runs the commands of docs/guide/links.md.

use std::process::Command;

use super::site;
use crate::test_env::TestEnv;

const GUIDE: &str = include_str!("../../../../../docs/guide/links.md");

#[tokio::test(flavor = "multi_thread")]
async fn the_commands_of_the_guide_lead_from_a_page_to_its_summary() {
    let env = TestEnv::on_sqlite(&[]);
    let site = site(&env);
    let server = env.cli.serve();
    let blocks = GUIDE.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let script: String = blocks.map(|(block, _)| block).collect();
    let script = script
        .replace("http://127.0.0.1:8080", &format!("http://{}", server.address))
        .replace("https://example.com/umbrellas", &site.url("/umbrellas"));
    assert!(script.matches("curl").count() >= 6 && script.contains("quire summarise"), "{script}");
    let program = env.cli.command(&[]).get_program().to_owned();
    let mut shell = Command::new("bash");
    let functions = format!("quire() {{ \"{}\" \"$@\"; }}\n{script}", program.to_string_lossy());
    shell.args(["-euo", "pipefail", "-c", &functions]).current_dir(env.cli.path("."));
    let output = crate::program::output_of(&mut shell);
    assert!(output.status.success(), "{}\n{}", output.stdout, output.stderr);
    assert_eq!(site.requests("/umbrellas"), 2, "it was summarised again after its summary was deleted");
    assert_eq!(server.json("/v1/summaries")["total"], 1);
}
