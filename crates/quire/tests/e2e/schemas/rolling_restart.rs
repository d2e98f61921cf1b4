//! Processes with different schema files on one database, as during an upgrade or after a rollback.

use quire_domain::DocumentId;

use super::{TICKET, ticket_schema, upload_ticket};
use crate::program::{TestServer, error_of};
use crate::record::{active_data, field};
use crate::test_env::{TestEnv, wait_until};

/// The command line of a process with its own schema folder.
fn serve_with(env: &TestEnv, folder: &str) -> std::process::Command {
    let mut command = env.cli.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("QUIRE_SCHEMAS_FOLDER", folder);
    command
}

fn write(env: &TestEnv, folder: &str, text: &str) {
    std::fs::create_dir_all(env.cli.path(folder)).unwrap();
    std::fs::write(env.cli.path(folder).join("ticket.toml"), text).unwrap();
}

/// The schema version of the completed run of a document.
async fn completed_with(env: &TestEnv, document: DocumentId) -> u32 {
    env.wait_until_completed(document).await.schema.unwrap().version
}

/// Two processes with different versions of a schema file work side by side, and each starts again, in any order. The
/// newest version counts for both.
#[tokio::test(flavor = "multi_thread")]
async fn a_schema_file_that_is_newer_in_one_process_stops_neither() {
    let env = TestEnv::on_postgresql(&[]).await;
    write(&env, "old", &ticket_schema(1, "Matrícula"));
    write(&env, "new", &ticket_schema(2, "Placa"));
    let with_placa = TICKET.map(|line| if line.starts_with("Matrícula") { "Placa: 1234BCD" } else { line });

    let old = TestServer::ready(serve_with(&env, "old"));
    assert_eq!(completed_with(&env, upload_ticket(&old, &TICKET)).await, 1);
    let new = TestServer::ready(serve_with(&env, "new"));
    for server in [&old, &new] {
        let document = upload_ticket(server, &with_placa);
        assert_eq!(completed_with(&env, document).await, 2);
        assert_eq!(field(&active_data(server, document), "plate")["value"], "1234BCD");
    }

    // The new process goes, and the old one is started again: a rollback. It interprets with the newest version.
    assert_eq!(new.stop().status.code(), Some(0));
    assert_eq!(old.stop().status.code(), Some(0));
    let old = TestServer::ready(serve_with(&env, "old"));
    let document = upload_ticket(&old, &with_placa);
    assert_eq!(completed_with(&env, document).await, 2);
    assert_eq!(field(&active_data(&old, document), "plate")["value"], "1234BCD");
    let log = old.stop().stderr;
    assert!(log.contains("the database has a newer version of this schema"), "{log}");

    // Content that changed without a new version is still refused.
    write(&env, "new", &ticket_schema(2, "Chapa"));
    let refused = error_of(&mut serve_with(&env, "new"));
    assert!(refused.contains("differs from its stored version 2"), "{refused}");
}

/// A process that cannot read a schema takes no runs, fails none, and says why. It starts nevertheless.
#[tokio::test(flavor = "multi_thread")]
async fn a_schema_of_a_newer_program_costs_no_run() {
    let env = TestEnv::on_postgresql(&[]).await;
    write(&env, "old", &ticket_schema(1, "Matrícula"));
    assert_eq!(TestServer::ready(serve_with(&env, "old")).stop().status.code(), Some(0));
    let newer = "INSERT INTO schema_versions (id, schema_name, version_number, definition, created_at, created_by) \
                 SELECT gen_random_uuid(), schema_name, 2, replace(definition, '\"identifier\"', '\"telepathy\"'), \
                        created_at, created_by \
                 FROM schema_versions WHERE schema_name = 'parking-ticket'";
    assert_eq!(env.sql.execute(newer).await, Ok(1));

    let mut server = TestServer::ready(serve_with(&env, "old"));
    let document = upload_ticket(&server, &TICKET);
    server.wait_for_log("was stored by a newer version of Quire");
    wait_until(async || env.runs_of(document).await[0].state.as_str() == "QUEUED").await;
    let run = env.runs_of(document).await.remove(0);
    assert_eq!((run.failed_attempts, run.retry_count), (0, 0));
    assert!(server.get("/metrics").body.contains("quire_pipeline_ready{pipeline=\"document\"} 0"));
}
