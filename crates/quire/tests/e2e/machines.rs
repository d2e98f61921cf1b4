//! Several machines: workers for some pipelines, servers without workers, draining, and the guide.

use std::net::TcpListener;
use std::process::Command;

use quire_postgres::testing::{TestSchema, url};
use quire_testkit::documents::clinical_record;
use quire_testkit::object_services::azure_container;
use quire_testkit::{PageServer, RedisServer};

use crate::links::ARTICLE;
use crate::program::{Cli, TestServer, output_of};
use crate::test_env::{TestEnv, wait_until};
use crate::uploads::send_file;

/// The credential in the guide.
const AZURE_CREDENTIAL: &str =
    "AccountName=acme;AccountKey=KEY;BlobEndpoint=https://acme.blob.core.windows.net;";
const GUIDE: &str = include_str!("../../../../docs/guide/scale.md");

/// A worker with `--only` leaves the runs of other pipelines in the queue.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_claims_only_the_pipelines_that_it_is_given() {
    let env = TestEnv::on_postgresql(&[]).await;
    let run = env.add_document(Some(&clinical_record(1)), None).await;
    let links = env.cli.start(&["worker", "--only", "link", "--only", "proposal"]);
    assert_eq!(links.first_line, "Quire worker is ready\n");
    let log = links.stop().stderr;
    assert!(log.contains("\"pipelines\":\"link\""), "{log}");
    assert_eq!(env.store.run_reader.run(run).await.unwrap().state.as_str(), "QUEUED");
    let _documents = env.cli.start(&["worker", "--only", "document"]);
    assert_eq!(env.wait_for_run(run).await.state.as_str(), "COMPLETED");
    let wrong = env.cli.run(&["worker", "--only", "everything"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(wrong.stderr.contains("document") && wrong.stderr.contains("link"), "{}", wrong.stderr);
}

/// A server without workers takes uploads, is ready, and works on nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_workers_leaves_runs_to_workers() {
    let env = TestEnv::on_postgresql(&[]).await;
    let server = TestServer::ready(env.cli.command(&["serve", "--no-workers", "--listen", "127.0.0.1:0"]));
    assert_eq!(server.get("/health/ready").status, 200);
    assert!(server.get("/metrics").body.contains("\nquire_slots 0\n"));
    let document = send_file(&server, "record.pdf", &clinical_record(1), "").document_id();
    let workers = env.cli.run_json(&["queue", "--json"])["workers"].clone();
    assert_eq!((&workers[0]["slots"], &workers[0]["lease"]), (&0.into(), &"live".into()), "{workers}");
    assert_eq!(workers.as_array().map(Vec::len), Some(1));
    assert!(env.cli.run_ok(&["queue"]).contains("none (server)"));
    assert!(server.get("/app/operations").body.contains("none (server)"));
    assert_eq!(env.runs_of(document).await[0].state.as_str(), "QUEUED");
    let _worker = env.cli.start(&["worker"]);
    env.wait_until_completed(document).await;
    assert_eq!(server.stop().status.code(), Some(0));
    let refused = Cli::new().run_err(&["serve", "--no-workers", "--listen", "127.0.0.1:0"]);
    assert!(refused.contains("PostgreSQL"), "{refused}");
}

/// A command that would replace the database of a server without workers is refused.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_workers_keeps_its_database_from_being_replaced() {
    let env = TestEnv::on_postgresql(&[]).await;
    env.cli.run_ok(&["backup", "one.tar"]);
    let server = TestServer::ready(env.cli.command(&["serve", "--no-workers", "--listen", "127.0.0.1:0"]));
    for command in [
        &["restore", "one.tar", "--replace"][..],
        &["store", "copy", "--to", "elsewhere"],
        &["migrate", "down", "--to", "0", "--yes"],
    ] {
        let refused = env.cli.run_err(command);
        let named = format!(":{} is at work", server.id());
        assert!(refused.contains("the server ") && refused.contains(&named), "{command:?}: {refused}");
    }
    // A program of another version, for which a migration leaves no room.
    for statement in [
        "UPDATE workers SET program = 1",
        "DELETE FROM schema_migrations WHERE version = (SELECT max(version) FROM schema_migrations)",
    ] {
        env.sql.execute(statement).await.unwrap();
    }
    let refused = env.cli.run_err(&["migrate", "up"]);
    assert!(refused.contains("knows migrations up to 1"), "{refused}");
    assert_eq!(server.stop().status.code(), Some(0));
    let workers = env.store.workers.list().await.unwrap();
    assert_eq!(workers.iter().map(|worker| worker.lease).collect::<Vec<_>>(), [None], "it has resigned");
}

/// Going back deletes data, on either store.
#[tokio::test(flavor = "multi_thread")]
async fn going_back_to_an_older_version_needs_a_confirmation() {
    for env in [TestEnv::on_postgresql(&[]).await, TestEnv::on_sqlite(&[])] {
        let refused = env.cli.run_err(&["migrate", "down", "--to", "30"]);
        assert!(refused.contains("--yes"), "{refused}");
        let status = env.cli.run_json(&["migrate", "status", "--json"]);
        assert_eq!(status["version"], status["newest"]);
    }
}

/// After SIGTERM a server is not ready at once, and answers until `server.drain_delay` has passed.
#[tokio::test(flavor = "multi_thread")]
async fn a_stopping_server_tells_the_load_balancer_before_it_closes_its_port() {
    let env = TestEnv::on_sqlite(&[("QUIRE_SERVER_DRAIN_DELAY", "10m")]);
    let server = env.cli.serve();
    assert_eq!(server.get("/health/ready").status, 200);
    server.signal("-TERM");
    wait_until(async || server.get("/health/ready").status == 503).await;
    assert_eq!(server.get("/documents").status, 200, "clients that are still sent here get their responses");
    assert_eq!(server.get("/health/live").status, 200);
    server.signal("-TERM");
    assert_eq!(server.wait().code(), Some(130), "a second signal stops at once");
}

/// The guide from the laptop to three workers, command by command.
#[tokio::test(flavor = "multi_thread")]
async fn the_commands_of_the_guide_lead_from_a_laptop_to_azure_and_three_workers_and_back() {
    let cli = Cli::new();
    let schema = TestSchema::empty().await;
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    std::fs::write(cli.path("sample.pdf"), clinical_record(1)).unwrap();
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_quire")).parent().unwrap().display().to_string();
    let (redis, site) = (RedisServer::start(), PageServer::start());
    site.set_article("/umbrellas", "Shared umbrellas", ARTICLE);
    let container = azure_container().await;
    let blocks = GUIDE.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let script: String = blocks.map(|(block, _)| block).collect();
    let script = script
        .replace("127.0.0.1:8080", &format!("127.0.0.1:{port}"))
        .replace(
            "database = \"postgres://quire:PASSWORD@db.internal/quire\"",
            &format!("database = \"{}\"\n\n[database]\nschema = \"{}\"", url(), schema.schema),
        )
        .replace("redis://redis.internal:6379/0", &redis.url())
        .replace("https://example.com/umbrellas", &site.url("/umbrellas"))
        .replace("az://records/quire", &format!("az://{}/quire", container.name))
        .replace(AZURE_CREDENTIAL, &container.connection_string());
    assert!(script.contains(&container.endpoint), "{script}");
    assert!(script.matches("quire ").count() >= 12, "{script}");
    let mut shell = Command::new("bash");
    // What is still running when a command fails ends with the script.
    let script = format!("trap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n{script}");
    let path = format!("{bin}:{}", std::env::var("PATH").unwrap());
    shell.args(["-euo", "pipefail", "-c", &script]).current_dir(cli.path(".")).env("PATH", path);
    shell.env("SAMPLE", cli.path("sample.pdf")).env("QUIRE_READING_MEMORY_MB", "512");
    shell.env("QUIRE_WEB_ALLOW", site.host()).env("QUIRE_WEB_ROBOTS", "false");
    let output = output_of(&mut shell);
    let logs = ["laptop", "server", "worker-1", "worker-2", "worker-3"]
        .map(|name| std::fs::read_to_string(cli.path(&format!("{name}.log"))).unwrap_or_default());
    assert!(output.status.success(), "{}\n{}\n{}", output.stdout, output.stderr, logs.join("\n"));
    assert!(cli.path("quire.tar").is_file());
    let back = cli.run_json(&["verify", "--json", "--data", "laptop-again"]);
    assert_eq!((&back["documents"], &back["fault_count"]), (&2.into(), &0.into()), "{back}");
    let runs = cli.run_json(&["runs", "list", "--json", "--data", "laptop-again"]);
    let ended = runs.as_array().unwrap().iter().filter(|run| run["state"] == "COMPLETED");
    assert_eq!((ended.count(), runs.as_array().unwrap().len()), (3, 3), "two documents and a link: {runs}");
    assert_eq!(site.requests("/umbrellas"), 1, "the page was read once");
    let used = redis.command(&["INFO", "commandstats"]);
    assert!(used.contains("cmdstat_eval"), "the lock of the link was released in Redis: {used}");
}

/// Grafana reads it as JSON; `cargo xtask check documents` checks the metrics in it.
#[test]
fn the_dashboard_is_json_with_panels() {
    let dashboard: serde_json::Value =
        serde_json::from_str(include_str!("../../../../deploy/grafana/quire.json")).unwrap();
    assert!(!dashboard["panels"].as_array().unwrap().is_empty());
}
