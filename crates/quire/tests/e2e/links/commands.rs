//! `quire summarise`

use serde_json::{Value, json};

use super::{ARTICLE, site};
use crate::program::Cli;
use crate::test_env::TestEnv;

/// Proves R198: a fresh folder, no key, no server and no Redis.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_summarised_on_a_fresh_machine_and_again_from_the_store() {
    let env = TestEnv::on_sqlite(&[]);
    let site = site(&env);
    let fresh = Cli::new().with("QUIRE_READING_MEMORY_MB", "512");
    std::fs::copy(env.cli.path("quire.toml"), fresh.path("quire.toml")).unwrap();
    for _ in 0..2 {
        let output = fresh.run(&["summarise", &site.url("/umbrellas")]);
        assert!(output.status.success(), "{}{}", output.stdout, output.stderr);
        assert!(output.stdout.starts_with("Shared umbrellas\n"), "{}", output.stdout);
        assert_eq!(output.stderr, "");
    }
    assert_eq!(site.requests("/umbrellas"), 1, "a page that has a summary is not read again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_addresses_gives_a_line_of_json_for_each() {
    let env = TestEnv::on_sqlite(&[]);
    let site = site(&env);
    site.set_article("/other", "Other", ARTICLE);
    let file = format!("# pages\n{}\n\n{}\nftp://no\n", site.url("/other"), site.url("/missing"));
    env.cli.write("links.txt", &file);
    let output = env.cli.run(&["summarise", "--json", "--file", "links.txt", &site.url("/umbrellas")]);
    assert_eq!(output.status.code(), Some(3), "{}", output.stderr);
    let lines: Vec<Value> = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let statuses: Vec<_> = lines.iter().map(|line| line["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["success", "success", "error", "error"]);
    assert_eq!(lines[0]["summary"]["metadata"]["title"], "Shared umbrellas");
    assert_eq!(lines[2]["error"]["error_code"], "EXTRACTION_FAILED");
    assert_eq!(lines[3]["error"]["error_code"], "INVALID_REQUEST");
}

/// The server does the work, because it has the database.
#[tokio::test(flavor = "multi_thread")]
async fn beside_a_running_server_the_command_follows_its_work() {
    let env = TestEnv::on_sqlite(&[]);
    let site = site(&env);
    let server = env.cli.serve();
    let output = env.cli.run_ok(&["summarise", "--json", &site.url("/umbrellas")]);
    let line: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(line["status"], "success");
    assert_eq!(server.json("/v1/summaries")["summaries"][0]["summary_id"], line["summary_id"]);
    assert_eq!(server.json("/v1/summaries")["total"], json!(1));
}
