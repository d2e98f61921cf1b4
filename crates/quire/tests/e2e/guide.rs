//! The guide to the API, followed word by word.

use std::process::Command;

use crate::reviewing::{field, review};
use crate::scene::Scene;

const GUIDE: &str = include_str!("../../../../docs/guide/api.md");

/// What the guide has a person type.
fn commands() -> String {
    let blocks = GUIDE.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```"));
    blocks.map(|(block, _)| block).collect()
}

/// From upload to an edited, reviewed document with curl alone.
#[tokio::test(flavor = "multi_thread")]
async fn the_guide_can_be_followed_with_curl() {
    let scene = Scene::on_sqlite(&[]);
    let server = scene.quire.serve();
    let script = commands().replace("http://127.0.0.1:8080", &format!("http://{}", server.address));
    assert!(script.matches("curl").count() >= 6, "{script}");
    let mut shell = Command::new("bash");
    shell.args(["-euo", "pipefail", "-c", &script]).current_dir(scene.quire.path("."));
    let said = crate::program::said(&mut shell);
    assert!(said.status.success(), "{}\n{}", said.out, said.err);
    let id = *scene.documents().await.first().unwrap();
    let seen = review(&server, id);
    assert_eq!(
        (&seen["review_status"], &seen["active_interpretation"]["version_number"]),
        (&"REVIEWED".into(), &2.into())
    );
    assert_eq!(field(&seen["active_interpretation"]["data"], "pet_name")["value"], "Lola");
    let last =
        said.out.lines().find(|line| line.contains(",breed,")).unwrap_or_else(|| panic!("{}", said.out));
    assert!(last.contains("Beagle"), "{last}");
}
