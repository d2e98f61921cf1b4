//! The drill of blobs: three workers on PostgreSQL read documents from Azure Blob Storage (Azurite) that clients upload to a
//! server beside them, while workers and the server are killed, Azurite is restarted, and the database is restarted or loses
//! its connections. Every document must be stored once, with its file, and be processed once.

use std::net::SocketAddr;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use quire_connectors::blob::ObjectBlobs;
use quire_connectors::blob::object::{AzureSettings, ObjectLocation, Repetition};
use quire_connectors::http::HttpOptions;
use quire_testkit::CuttingProxy;
use quire_testkit::object_services::{AzuriteServer, TestContainer};
use rand::RngExt;

use super::processes::{Environment, TestProcess, run_quire};
use super::uploads::{Address, send_all};
use super::{postgres, uploads, wait_until_drained};
use crate::database::{self, CommitGrouping, DatabaseKind};

const WORKERS: usize = 3;
const REAL_STEPS: [&str; 2] = ["serve-api", "real"];
/// How long the queue may take to drain after the last upload.
const DRAIN_TIME: Duration = Duration::from_mins(10);

/// What was done to the installation.
#[derive(Debug, Default)]
struct Disturbances {
    worker_kills: u32,
    server_kills: u32,
    azurite_restarts: u32,
    database_outages: u32,
}

/// With `restarts_server`, the PostgreSQL server is restarted; otherwise the connections of this installation are cut.
pub async fn drill(uploads: u64, restarts_server: bool) -> bool {
    println!("\n## PostgreSQL and Azurite: {WORKERS} workers, {uploads} uploads");
    let database = database::create(DatabaseKind::Postgres, CommitGrouping::Default).await;
    let data = tempfile::tempdir().unwrap();
    let mut azurite = AzuriteServer::start().await;
    let container = azurite.container().await;
    let url = quire_postgres::testing::url();
    let proxy = CuttingProxy::start(host_of(&url)).await;
    let through = url.replacen(&host_of(&url), &proxy.address().to_string(), 1);
    let through = if restarts_server { url } else { through };
    let environment = environment(through, &database.schema, data.path(), &container);
    run_quire(&["migrate", "up"], &environment);
    let mut workers: Vec<_> = (0..WORKERS).map(|_| start_worker(&environment)).collect();
    let (mut server, first) = start_server(&environment);
    let address: Address = Arc::new(RwLock::new(first));

    let sending = tokio::spawn(send_all(address.clone(), uploads));
    let mut done = Disturbances::default();
    for round in 0_u32.. {
        let (index, pause) = {
            let mut rng = rand::rng();
            (rng.random_range(0..WORKERS), rng.random_range(300..1500))
        };
        tokio::time::sleep(Duration::from_millis(pause)).await;
        if sending.is_finished() {
            break;
        }
        match round % 5 {
            1 => {
                done.azurite_restarts += 1;
                azurite.stop();
                tokio::time::sleep(Duration::from_millis(2 * pause)).await;
                azurite.resume().await;
            }
            3 if restarts_server => {
                done.database_outages += 1;
                postgres::restart_server(if round % 2 == 0 { "fast" } else { "immediate" });
            }
            3 => {
                done.database_outages += 1;
                proxy.cut_after_sending(0);
                tokio::time::sleep(Duration::from_millis(pause)).await;
                proxy.heal();
            }
            4 => {
                done.server_kills += 1;
                server.kill();
                let (next, at) = start_server(&environment);
                server = next;
                *address.write().unwrap() = at;
            }
            _ => {
                done.worker_kills += 1;
                workers.remove(index).kill();
                workers.push(start_worker(&environment));
            }
        }
    }
    let answers = sending.await.unwrap();
    let all_done = wait_until_drained(&database.store, DRAIN_TIME).await;
    let stopped_well = server.stop() && workers.into_iter().all(TestProcess::stop);
    println!("{done:?}, drained {all_done}, processes stopped well {stopped_well}");
    run_quire(&["gc", "--older-than", "0s", "--pause", "0s"], &environment);
    let is_once = uploads::check(&database.store, &blobs(&container), &answers, uploads).await;
    all_done && stopped_well && is_once
}

/// Host and port of an address.
fn host_of(url: &str) -> String {
    let rest = url.split("://").nth(1).unwrap();
    let authority = rest.split('/').next().unwrap();
    authority.rsplit('@').next().unwrap().to_owned()
}

fn environment(url: String, schema: &str, data: &std::path::Path, container: &TestContainer) -> Environment {
    vec![
        ("QUIRE_STORAGE_DATABASE", url),
        ("QUIRE_DATABASE_SCHEMA", schema.to_owned()),
        ("QUIRE_STORAGE_DATA", data.to_str().unwrap().to_owned()),
        ("QUIRE_STORAGE_BLOBS", format!("az://{}/drill", container.name)),
        ("QUIRE_STORAGE_AZURE_CONNECTION_STRING", container.connection_string()),
        ("QUIRE_SEARCH_ENABLED", "false".to_owned()),
        ("QUIRE_ENGINE_SLOTS", "4".to_owned()),
        ("QUIRE_ENGINE_TICK", "200ms".to_owned()),
        ("QUIRE_ENGINE_LEASE", "3s".to_owned()),
        ("QUIRE_ENGINE_HEARTBEAT", "1s".to_owned()),
        ("QUIRE_PIPELINES_DOCUMENT_MAX_CLAIMS", "50".to_owned()),
        ("QUIRE_PIPELINES_DOCUMENT_REQUEUE_DELAY", "500ms".to_owned()),
        ("QUIRE_LOG_LEVEL", "off".to_owned()),
    ]
}

fn start_worker(environment: &Environment) -> TestProcess {
    TestProcess::supervised(&REAL_STEPS, &["worker"], environment).0
}

fn start_server(environment: &Environment) -> (TestProcess, SocketAddr) {
    let arguments = ["serve", "--no-workers", "--listen", "127.0.0.1:0"];
    let (server, line) = TestProcess::supervised(&REAL_STEPS, &arguments, environment);
    let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
    (server, address.unwrap().trim().parse().unwrap())
}

/// The files, from outside.
fn blobs(container: &TestContainer) -> ObjectBlobs {
    let settings = AzureSettings::of_connection_string(&container.connection_string()).unwrap();
    let location = ObjectLocation { container: container.name.clone(), prefix: "drill".to_owned() };
    ObjectBlobs::azure(&location, &settings, &HttpOptions::default(), Repetition::Short).unwrap()
}
