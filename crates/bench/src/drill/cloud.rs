//! What the drills of blobs and upgrades disturb: three workers and a server without workers, on PostgreSQL and Azurite. Workers
//! and the server are killed, Azurite is restarted, and the database is restarted or loses its connections.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use quire_connectors::blob::ObjectBlobs;
use quire_connectors::blob::object::{AzureSettings, ObjectLocation, Repetition};
use quire_connectors::http::HttpOptions;
use quire_ports::Store;
use quire_testkit::CuttingProxy;
use quire_testkit::object_services::{AzuriteServer, TestContainer};
use rand::RngExt;
use tempfile::TempDir;

use super::processes::{Environment, TestProcess, run_quire};
use super::uploads::{self, Address, Answers};
use super::{postgres, wait_until_drained};

pub const WORKERS: usize = 3;
/// How many rounds there are of different disturbances.
pub const ROUNDS: u32 = 5;
/// How long the queue may take to drain after the last upload.
const DRAIN_TIME: Duration = Duration::from_mins(10);

/// A version of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// An older one, at this path.
    Old(PathBuf),
    /// This one.
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
    pub fn run(&self, arguments: &[&str], environment: &Environment) -> Result<String, String> {
        let mut command = self.command();
        let output = command.args(arguments).envs(environment.iter().cloned()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    fn worker(&self, environment: &Environment) -> TestProcess {
        TestProcess::supervised_command(|| self.command(), &["worker"], environment).0
    }

    fn server(&self, environment: &Environment) -> (TestProcess, SocketAddr) {
        let arguments = ["serve", "--no-workers", "--listen", "127.0.0.1:0"];
        let (server, line) = TestProcess::supervised_command(|| self.command(), &arguments, environment);
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        (server, address.unwrap().trim().parse().unwrap())
    }
}

/// What was done to the installation.
#[derive(Debug, Default)]
struct Disturbances {
    worker_kills: u32,
    server_kills: u32,
    azurite_restarts: u32,
    database_outages: u32,
}

/// PostgreSQL and Azurite.
pub struct Services {
    azurite: AzuriteServer,
    container: TestContainer,
    proxy: CuttingProxy,
    /// Whether the PostgreSQL server is restarted. Otherwise the connections of this installation are cut.
    restarts_server: bool,
    /// The settings of every process.
    pub environment: Environment,
    _data: TempDir,
}

impl Services {
    pub async fn start(schema: &str, restarts_server: bool) -> Self {
        let data = tempfile::tempdir().unwrap();
        let azurite = AzuriteServer::start().await;
        let container = azurite.container().await;
        let url = quire_postgres::testing::url();
        let proxy = CuttingProxy::start(host_of(&url)).await;
        let through = url.replacen(&host_of(&url), &proxy.address().to_string(), 1);
        let through = if restarts_server { url } else { through };
        let environment = environment(through, schema, data.path(), &container);
        Self { azurite, container, proxy, restarts_server, environment, _data: data }
    }

    async fn restart_azurite(&mut self, pause: Duration) {
        self.azurite.stop();
        tokio::time::sleep(2 * pause).await;
        self.azurite.resume().await;
    }

    async fn interrupt_database(&self, round: u32, pause: Duration) {
        if self.restarts_server {
            postgres::restart_server(if round.is_multiple_of(2) { "fast" } else { "immediate" });
        } else {
            self.proxy.cut_after_sending(0);
            tokio::time::sleep(pause).await;
            self.proxy.heal();
        }
    }

    /// The files, from outside.
    fn blobs(&self) -> ObjectBlobs {
        let settings = AzureSettings::of_connection_string(&self.container.connection_string()).unwrap();
        let location = ObjectLocation { container: self.container.name.clone(), prefix: "drill".to_owned() };
        ObjectBlobs::azure(&location, &settings, &HttpOptions::default(), Repetition::Short).unwrap()
    }
}

/// The processes of an installation, and its services.
pub struct Cloud {
    services: Services,
    workers: Vec<(Program, TestProcess)>,
    server: (Program, TestProcess),
    /// Where the server is.
    pub address: Address,
    round: u32,
    done: Disturbances,
}

impl Cloud {
    /// Starts the processes. The database is migrated.
    pub fn start(services: Services, program: &Program) -> Self {
        let environment = &services.environment;
        let workers = (0..WORKERS).map(|_| (program.clone(), program.worker(environment))).collect();
        let (server, address) = program.server(environment);
        let address = Arc::new(RwLock::new(address));
        let server = (program.clone(), server);
        Self { services, workers, server, address, round: 0, done: Disturbances::default() }
    }

    /// Waits for a moment and disturbs one thing, the next of them each time. What is killed is started again.
    pub async fn disturb(&mut self) {
        let (index, pause) = {
            let mut rng = rand::rng();
            (rng.random_range(0..WORKERS), Duration::from_millis(rng.random_range(300..1500)))
        };
        tokio::time::sleep(pause).await;
        let round = self.round;
        self.round += 1;
        match round % ROUNDS {
            1 => {
                self.done.azurite_restarts += 1;
                self.services.restart_azurite(pause).await;
            }
            3 => {
                self.done.database_outages += 1;
                self.services.interrupt_database(round, pause).await;
            }
            4 => {
                self.done.server_kills += 1;
                self.server.1.end();
                let (next, at) = self.server.0.server(&self.services.environment);
                self.server.1 = next;
                *self.address.write().unwrap() = at;
            }
            _ => {
                self.done.worker_kills += 1;
                let (program, killed) = self.workers.remove(index);
                killed.kill();
                let next = program.worker(&self.services.environment);
                self.workers.push((program, next));
            }
        }
    }

    /// Starts a worker of this program and stops one of another program. Returns whether that one stopped well.
    pub fn replace_worker(&mut self, program: &Program) -> bool {
        let next = program.worker(&self.services.environment);
        let other = self.workers.iter().position(|(one, _)| one != program);
        let (_, stopped) = self.workers.remove(other.unwrap());
        self.workers.push((program.clone(), next));
        stopped.stop()
    }

    /// Starts a server of this program and stops the other one. Returns whether that one stopped well.
    pub fn replace_server(&mut self, program: &Program) -> bool {
        let (next, at) = program.server(&self.services.environment);
        *self.address.write().unwrap() = at;
        std::mem::replace(&mut self.server, (program.clone(), next)).1.stop()
    }

    /// Runs a command with the settings of the processes.
    pub fn run(&self, program: &Program, arguments: &[&str]) -> Result<String, String> {
        program.run(arguments, &self.services.environment)
    }

    /// Waits until all work is done, stops everything and checks that each upload was stored once and processed once.
    pub async fn finish(self, store: &Store, answers: &Answers, uploads: u64) -> bool {
        let Self { services, workers, server, done, .. } = self;
        let all_done = wait_until_drained(store, DRAIN_TIME).await;
        let stopped_well = server.1.stop() && workers.into_iter().all(|(_, worker)| worker.stop());
        println!("{done:?}, drained {all_done}, processes stopped well {stopped_well}");
        run_quire(&["gc", "--older-than", "0s", "--pause", "0s"], &services.environment);
        let is_once = uploads::check(store, &services.blobs(), answers, uploads).await;
        all_done && stopped_well && is_once
    }
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
