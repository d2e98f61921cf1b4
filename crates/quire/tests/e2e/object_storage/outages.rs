//! The object store fails at every step of an upload and of a run. Nothing is stored by half, and work goes on afterwards.

use quire_testkit::documents::clinical_record;
use quire_testkit::object_services::{AzuriteServer, azure_container};
use quire_testkit::{CuttingProxy, SilentProxy};

use super::{ObjectEnv, is_ready, record_of};
use crate::http::Response;
use crate::program::TestServer;
use crate::test_env::wait_until;
use crate::uploads::form::Form;
use crate::uploads::upload;

fn send(server: &TestServer, file: &[u8]) -> Response {
    Form::file("record.pdf", file).send(server, "/documents")
}

/// Host and port of an address.
fn host_of(endpoint: &str) -> String {
    endpoint.split('/').nth(2).unwrap().to_owned()
}

/// Proves R163, and R053 for an object store.
#[tokio::test(flavor = "multi_thread")]
async fn while_the_service_is_down_nothing_is_stored_and_runs_wait() {
    let mut azurite = AzuriteServer::start().await;
    let container = azurite.container().await;
    let object_env = ObjectEnv::on_azure(&container, &container.endpoint).await;
    let env = &object_env.env;
    let server = env.cli.serve();
    server.post("/lanes/pipeline:document/pause");
    let (_, _, waiting) = upload(&server, "/documents", "record.pdf", &clinical_record(2));

    azurite.stop();
    server.post("/lanes/pipeline:document/resume");
    for file in [clinical_record(1), record_of(17 << 20)] {
        let refused = send(&server, &file);
        assert_eq!((refused.status, refused.error_code().as_str()), (503, "SERVICE_UNAVAILABLE"));
        assert!(refused.header("retry-after").is_some(), "{}", refused.head);
        assert!(!refused.body.contains("127.0.0.1") && !refused.body.contains("sig="), "{}", refused.body);
    }
    assert!(!is_ready(&server));
    assert_eq!(server.get(&format!("/documents/{waiting}/download")).status, 503);
    assert_eq!(env.documents().await.len(), 1);

    azurite.resume().await;
    env.wait_until_completed(waiting).await;
    wait_until(async || is_ready(&server)).await;
    let (_, _, next) = upload(&server, "/documents", "record.pdf", &clinical_record(1));
    env.wait_until_completed(next).await;
    object_env.assert_nothing_is_half_stored().await;
}

/// Proves R052 and R053 for an object store: connections break after some bytes of the file, or before the answer comes.
#[tokio::test(flavor = "multi_thread")]
async fn an_upload_whose_connection_breaks_is_stored_whole_or_not_at_all() {
    let container = azure_container().await;
    let proxy = CuttingProxy::start(host_of(&container.endpoint)).await;
    let object_env = ObjectEnv::on_azure(&container, &proxy.through(&container.endpoint)).await;
    let server = object_env.env.cli.serve();
    server.post("/lanes/pipeline:document/pause");
    let large = record_of(9 << 20);
    let (mut accepted, mut refused) = (0, 0);
    for file in [&clinical_record(1), &large] {
        let length = i64::try_from(file.len()).unwrap();
        for cut in [0, 1, 400, length / 2, length - 1, length + 100, length + 3_000] {
            for is_answer in [false, true] {
                if is_answer {
                    proxy.cut_after_receiving(cut % 700);
                } else {
                    proxy.cut_after_sending(cut);
                }
                let response = send(&server, file);
                proxy.heal();
                match response.status {
                    200 => accepted += 1,
                    503 => refused += 1,
                    _ => panic!("{}", response.body),
                }
            }
        }
    }
    assert!(refused > 10, "{refused} refused, {accepted} accepted");
    // A file whose answer was lost, and that could not be removed either, is left to the sweep.
    object_env.env.cli.run_ok(&["gc", "--older-than", "0s", "--pause", "0s"]);
    object_env.assert_nothing_is_half_stored().await;
    assert_eq!(object_env.env.documents().await.len(), accepted);
    server.post("/lanes/pipeline:document/resume");
    for id in object_env.env.documents().await {
        object_env.env.wait_for_latest_run(id).await;
    }
}

/// Connections break while a step reads the original or writes its results. The attempts of the step are the only ones.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_whose_connection_breaks_fails_or_completes_and_never_lacks_a_file() {
    let container = azure_container().await;
    let proxy = CuttingProxy::start(host_of(&container.endpoint)).await;
    let object_env = ObjectEnv::on_azure(&container, &proxy.through(&container.endpoint)).await;
    let env = &object_env.env;
    let server = env.cli.serve();
    for cut in [500, 2_000, 4_000, 8_000] {
        server.post("/lanes/pipeline:document/pause");
        let (_, _, id) = upload(&server, "/documents", "record.pdf", &clinical_record(2));
        proxy.cut_after_sending(cut);
        server.post("/lanes/pipeline:document/resume");
        // The run is claimed and fails, or it waits because the storage is not ready.
        wait_until(async || {
            let run = env.runs_of(id).await.remove(0);
            run.state.is_terminal()
                || server.get("/metrics").body.contains("quire_pipeline_ready{pipeline=\"document\"} 0")
        })
        .await;
        proxy.heal();
        let run = env.wait_for_latest_run(id).await;
        let text = server.get(&format!("/runs/{}/artifacts/raw-text", run.id));
        if run.state.as_str() == "COMPLETED" {
            assert_eq!(text.status, 200, "{}", text.body);
        } else {
            // The text is there if a later step failed.
            assert!(matches!(text.status, 200 | 409), "{}", text.body);
            let failure = server.json(&format!("/runs/{}", run.id));
            assert_eq!(failure["error_code"], "STORAGE_UNAVAILABLE", "{failure}");
        }
    }
    object_env.assert_nothing_is_half_stored().await;
}

/// A service that hangs: neither an answer nor a broken connection.
#[tokio::test(flavor = "multi_thread")]
async fn a_silent_service_makes_the_server_unready_and_an_upload_waits_for_it() {
    let container = azure_container().await;
    let proxy = SilentProxy::start(host_of(&container.endpoint)).await;
    let address = proxy.through(&container.endpoint);
    let object_env = ObjectEnv::on_azure(&container, &address).await;
    let server = object_env.env.cli.serve();
    proxy.silence();
    std::thread::scope(|scope| {
        let uploading = scope.spawn(|| send(&server, &clinical_record(1)).status);
        assert!(!is_ready(&server));
        assert_eq!(server.get("/health/live").status, 200);
        proxy.speak();
        assert_eq!(uploading.join().unwrap(), 200);
    });
    for id in object_env.env.documents().await {
        object_env.env.wait_until_completed(id).await;
    }
    object_env.assert_nothing_is_half_stored().await;
}

/// The server is killed after the file is stored and before its row is: the file counts as nothing, and is collected.
#[tokio::test(flavor = "multi_thread")]
async fn a_kill_between_file_and_row_leaves_no_document() {
    let container = azure_container().await;
    let object_env = ObjectEnv::on_azure(&container, &container.endpoint).await;
    let env = &object_env.env;
    let server = env.cli.serve();
    // The insert never ends.
    let slow = "CREATE FUNCTION sleep_long() RETURNS trigger LANGUAGE plpgsql AS \
                $$ BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$";
    env.sql.execute(slow).await.unwrap();
    env.sql
        .execute("CREATE TRIGGER slow BEFORE INSERT ON documents FOR EACH ROW EXECUTE FUNCTION sleep_long()")
        .await
        .unwrap();
    let form = Form::file("record.pdf", &clinical_record(1));
    let mut stream = std::net::TcpStream::connect(&server.address).unwrap();
    std::io::Write::write_all(&mut stream, form.head("/documents", "").as_bytes()).unwrap();
    std::io::Write::write_all(&mut stream, &form.0).unwrap();
    wait_until(async || !object_env.stored().await.is_empty()).await;
    server.signal("-KILL");
    drop(server);
    // The session of the killed server still sleeps in its insert.
    let ended = "SELECT count(pg_terminate_backend(pid)) FROM pg_locks \
                 WHERE relation = 'documents'::regclass AND pid <> pg_backend_pid()";
    wait_until(async || env.sql.number(ended).await == 0).await;
    env.sql.execute("DROP TRIGGER slow ON documents").await.unwrap();

    let server = env.cli.serve();
    assert_eq!(server.json("/documents")["total"], 0);
    let left = object_env.stored().await;
    assert_eq!(left.len(), 1);
    let id = left.first().unwrap();
    assert_eq!(server.get(&format!("/documents/{id}/download")).status, 404);
    let removed = env.cli.run_ok(&["gc", "--older-than", "0s", "--pause", "0s"]);
    assert_eq!(removed, format!("1 folder removed\n  {id}\n"));
    object_env.assert_nothing_is_half_stored().await;
    let (_, _, next) = upload(&server, "/documents", "record.pdf", &clinical_record(1));
    env.wait_until_completed(next).await;
}
