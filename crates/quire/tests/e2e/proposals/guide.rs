//! Runs the commands of docs/guide/proposals.md.

use std::process::Command;

use serde_json::json;

use super::{provider, use_model};
use crate::test_env::TestEnv;

const GUIDE: &str = include_str!("../../../../../docs/guide/proposals.md");

#[tokio::test(flavor = "multi_thread")]
async fn the_commands_of_the_guide_lead_from_an_idea_to_a_revision() {
    let env = TestEnv::on_sqlite(&[]);
    let model = provider([0.9, 0.65, 0.9, 0.9, 0.9]);
    use_model(&env, &model);
    let server = env.cli.serve();
    let blocks = GUIDE.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let script: String = blocks.map(|(block, _)| block).collect();
    let script = script.replace("http://127.0.0.1:8080", &format!("http://{}", server.address));
    assert!(script.matches("curl").count() >= 6 && script.contains("quire propose"), "{script}");
    let program = env.cli.command(&[]).get_program().to_owned();
    let mut shell = Command::new("bash");
    let functions = format!("quire() {{ \"{}\" \"$@\"; }}\n{script}", program.to_string_lossy());
    shell.args(["-euo", "pipefail", "-c", &functions]).current_dir(env.cli.path("."));
    let output = crate::program::output_of(&mut shell);
    assert!(output.status.success(), "{}\n{}", output.stdout, output.stderr);
    let runs = server.json("/v1/runs")["runs"].clone();
    let shown: Vec<_> =
        runs.as_array().unwrap().iter().map(|run| (&run["run_type"], &run["status"])).collect();
    let (initial, revision, completed) = (json!("initial"), json!("revision"), json!("completed"));
    assert_eq!(shown, [(&initial, &completed), (&revision, &completed), (&initial, &completed)]);
    assert!(output.stdout.contains("run1_is_parent_of_run2"), "{}", output.stdout);
    assert_eq!(model.requests().len(), 6 + 2 + 6);
}
