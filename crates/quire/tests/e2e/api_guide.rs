//! Runs the commands of docs/guide/api.md.

use std::process::Command;

use crate::record::{field, review};
use crate::test_env::TestEnv;

const GUIDE: &str = include_str!("../../../../docs/guide/api.md");

/// The shell commands of the guide.
fn commands() -> String {
    let blocks = GUIDE.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```"));
    blocks.map(|(block, _)| block).collect()
}

/// From upload to an edited and reviewed document.
#[tokio::test(flavor = "multi_thread")]
async fn the_curl_commands_of_the_api_guide_work() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let script = commands().replace("http://127.0.0.1:8080", &format!("http://{}", server.address));
    assert!(script.matches("curl").count() >= 6, "{script}");
    let mut shell = Command::new("bash");
    shell.args(["-euo", "pipefail", "-c", &script]).current_dir(env.cli.path("."));
    let output = crate::program::output_of(&mut shell);
    assert!(output.status.success(), "{}\n{}", output.stdout, output.stderr);
    let id = *env.documents().await.first().unwrap();
    let reviewed = review(&server, id);
    assert_eq!(
        (&reviewed["review_status"], &reviewed["active_interpretation"]["version_number"]),
        (&"REVIEWED".into(), &2.into())
    );
    assert_eq!(field(&reviewed["active_interpretation"]["data"], "pet_name")["value"], "Lola");
    let last = output
        .stdout
        .lines()
        .find(|line| line.contains(",breed,"))
        .unwrap_or_else(|| panic!("{}", output.stdout));
    assert!(last.contains("Beagle"), "{last}");
}
