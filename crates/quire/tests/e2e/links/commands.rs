//! `quire summarise`

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::sync::Arc;

use quire_testkit::{CallGate, WebResponse, WebServer};
use serde_json::{Value, json};

use super::{ARTICLE, site};
use crate::program::Cli;
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    a_file_of_addresses_gives_a_line_of_json_for_each,
    /// The server does the work, because it has the database.
    beside_a_running_server_the_command_follows_its_work,
    on_a_terminal_a_bar_counts_the_links_that_have_ended,
}

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

async fn a_file_of_addresses_gives_a_line_of_json_for_each(env: &TestEnv) {
    let site = site(env);
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

/// A person who interrupts the command is told what becomes of the requests, and they are still there.
#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_command_says_that_its_requests_stay_queued() {
    let env = TestEnv::on_sqlite(&[]);
    let site = site(&env);
    site.hold();
    let url = site.url("/umbrellas");
    let mut command = env.cli.command(&["summarise", &url]);
    let interrupted = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    site.wait_for_requests("/umbrellas", 1);
    let id = interrupted.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = interrupted.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("stay queued"), "{stderr}");
    assert!(stderr.contains("run the command again"), "{stderr}");
    site.release();
    assert!(env.cli.run_ok(&["summarise", &url]).starts_with("Shared umbrellas\n"));
}

async fn beside_a_running_server_the_command_follows_its_work(env: &TestEnv) {
    let site = site(env);
    let server = env.cli.serve();
    let output = env.cli.run_ok(&["summarise", "--json", &site.url("/umbrellas")]);
    let line: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(line["status"], "success");
    assert_eq!(server.json("/v1/summaries")["summaries"][0]["summary_id"], line["summary_id"]);
    assert_eq!(server.json("/v1/summaries")["total"], json!(1));
}

/// A worker that leaves links to others does not keep the command from doing its work itself.
#[tokio::test(flavor = "multi_thread")]
async fn beside_a_worker_of_documents_the_command_does_the_work() {
    let env = TestEnv::on_postgresql(&[]).await;
    let site = site(&env);
    let worker = env.cli.start(&["worker", "--only", "document", "--only", "ocr"]);
    let scopes: Vec<String> =
        env.store.workers.list().await.unwrap().iter().map(|worker| worker.scope.to_string()).collect();
    assert_eq!(scopes, ["document,ocr"]);
    let output = env.cli.run_ok(&["summarise", "--json", &site.url("/umbrellas")]);
    assert_eq!(serde_json::from_str::<Value>(&output).unwrap()["status"], "success");
    assert_eq!(worker.stop().status.code(), Some(0));
}

/// The first link is slow. The bar counts those behind it meanwhile.
async fn on_a_terminal_a_bar_counts_the_links_that_have_ended(env: &TestEnv) {
    let gate = Arc::new(CallGate::default());
    let held = gate.clone();
    let site = WebServer::start(move |request| {
        if request.path == "/slow" {
            held.pass();
        }
        WebResponse::html(format!("<html><body><article><p>{ARTICLE}</p></article></body></html>"))
    });
    let file = "[web]\nallow = \"127.0.0.1\"\nrobots = false\nhost_interval = \"0s\"\n";
    env.cli.write("quire.toml", file);
    let urls = ["/slow", "/one", "/two"].map(|path| site.url(path)).join("\n");
    env.cli.write("links.txt", &urls);
    // `script` gives the command a terminal.
    let quire = env.cli.command(&["summarise", "--file", "links.txt"]);
    let line = format!("{} summarise --file links.txt", quire.get_program().display());
    let mut terminal = Command::new("script");
    terminal.args(["-qefc", &line, "/dev/null"]).current_dir(quire.get_current_dir().unwrap());
    for (name, value) in quire.get_envs() {
        match value {
            Some(value) => terminal.env(name, value),
            None => terminal.env_remove(name),
        };
    }
    let mut child = terminal.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut output, mut printed) = (child.stdout.take().unwrap(), Vec::new());
    let mut is_counted = false;
    let mut piece = [0; 4096];
    while let Ok(read) = output.read(&mut piece)
        && read > 0
    {
        printed.extend_from_slice(&piece[..read]);
        if !is_counted && String::from_utf8_lossy(&printed).contains("2/3 links, extraction") {
            is_counted = true;
            gate.open();
        }
    }
    let printed = String::from_utf8_lossy(&printed);
    assert!(child.wait().unwrap().success() && is_counted, "{printed}");
    assert_eq!(printed.matches("summarised by").count(), 3, "{printed}");
}
