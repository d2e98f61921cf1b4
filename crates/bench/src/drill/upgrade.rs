//! The drill of a rolling upgrade: an older program works on PostgreSQL under the uploads of the drill of blobs. The database is
//! migrated, and one process after the other is replaced by one of this program, while workers of both are killed. Every document
//! must be stored once and processed once. If the migration is refused beside the older workers, the drill fails.
//!
//! `QUIRE_TEST_OLD_PROGRAM` names the older program: `cargo xtask drill upgrade` builds it from the commit before the newest
//! migration.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use quire_connectors::blob::DiskBlobs;
use quire_postgres::testing::TestSchema;
use quire_postgres::{PgStore, PostgresOptions};

use super::processes::{Environment, TestProcess};
use super::uploads::{self, Address, send_all};
use super::wait_until_drained;

const OLD_PROGRAM: &str = "QUIRE_TEST_OLD_PROGRAM";
const WORKERS: usize = 3;
/// How long both programs work beside each other before the next process is replaced.
const SIDE_BY_SIDE: Duration = Duration::from_secs(3);

/// A version of the program.
enum Program {
    Old(PathBuf),
    New,
}

impl Program {
    fn command(&self) -> Command {
        match self {
            Self::Old(path) => Command::new(path),
            Self::New => {
                let mut command = Command::new(std::env::current_exe().unwrap());
                command.args(["serve-api", "real"]);
                command
            }
        }
    }

    /// What a command printed, if it succeeded, or what it complained about.
    fn run(&self, arguments: &[&str], environment: &Environment) -> Result<String, String> {
        let mut command = self.command();
        let output = command.args(arguments).envs(environment.iter().cloned()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    fn worker(&self, environment: &Environment) -> TestProcess {
        TestProcess::try_start_command(self.command(), &["worker"], environment).unwrap().0
    }

    fn server(&self, environment: &Environment) -> (TestProcess, SocketAddr) {
        let arguments = ["serve", "--no-workers", "--listen", "127.0.0.1:0"];
        let (server, line) = TestProcess::try_start_command(self.command(), &arguments, environment).unwrap();
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        (server, address.unwrap().trim().parse().unwrap())
    }
}

pub async fn drill(count: u64) -> bool {
    println!("\n## PostgreSQL: {WORKERS} workers of an older program are upgraded during {count} uploads");
    let path = std::env::var_os(OLD_PROGRAM)
        .unwrap_or_else(|| panic!("{OLD_PROGRAM} is not set; run this through `cargo xtask drill upgrade`"));
    let (old, new) = (Program::Old(path.into()), Program::New);
    let (schema, data) = (TestSchema::empty().await, tempfile::tempdir().unwrap());
    let environment = environment(&schema.schema, data.path());
    println!("older program: {}", last_line(&old.run(&["migrate", "up"], &environment).unwrap()));
    let mut workers: Vec<_> = (0..WORKERS).map(|_| old.worker(&environment)).collect();
    let (mut server, first) = old.server(&environment);
    let address: Address = Arc::new(RwLock::new(first));
    let sending = tokio::spawn(send_all(address.clone(), count));
    tokio::time::sleep(SIDE_BY_SIDE).await;

    match new.run(&["migrate", "up"], &environment) {
        Ok(migrated) => println!("migrated beside {WORKERS} older workers: {}", last_line(&migrated)),
        Err(refused) => {
            // Then there is no rolling upgrade: everything would have to stop.
            println!("refused beside older workers: {}", last_line(&refused));
            sending.abort();
            return false;
        }
    }
    let mut stopped_well = true;
    for replaced in 0..WORKERS {
        tokio::time::sleep(SIDE_BY_SIDE).await;
        // The last one is of this program, except before the first was replaced.
        if let Some(killed) = workers.pop() {
            killed.kill();
            workers.push(if replaced == 0 { old.worker(&environment) } else { new.worker(&environment) });
        }
        tokio::time::sleep(SIDE_BY_SIDE).await;
        workers.push(new.worker(&environment));
        stopped_well &= workers.remove(0).stop();
    }
    let (next, at) = new.server(&environment);
    *address.write().unwrap() = at;
    stopped_well &= std::mem::replace(&mut server, next).stop();

    let answers = sending.await.unwrap();
    let options = PostgresOptions { schema: Some(schema.schema.clone()), ..PostgresOptions::default() };
    let store = PgStore::connect(&quire_postgres::testing::url(), options).await.unwrap().into_store();
    let all_done = wait_until_drained(&store, Duration::from_mins(5)).await;
    stopped_well &= server.stop() && workers.into_iter().all(TestProcess::stop);
    println!("drained {all_done}, processes stopped well {stopped_well}");
    let blobs = DiskBlobs::open(data.path().join("documents")).unwrap();
    let is_once = uploads::check(&store, &blobs, &answers, count).await;
    all_done && stopped_well && is_once
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

fn environment(schema: &str, data: &std::path::Path) -> Environment {
    vec![
        ("QUIRE_STORAGE_DATABASE", quire_postgres::testing::url()),
        ("QUIRE_DATABASE_SCHEMA", schema.to_owned()),
        ("QUIRE_STORAGE_DATA", data.to_str().unwrap().to_owned()),
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
