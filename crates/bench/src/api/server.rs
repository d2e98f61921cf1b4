//! Starts the servers of the API benchmarks: `quire` with the steps of a benchmark, and the baseline handler.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use quire_domain::{Pipeline, StepName};
use quire_ports::StepOutput;
use quire_testkit::steps;
use tempfile::TempDir;

use crate::database::{self, CommitGrouping, Database, DatabaseKind};

/// The duration of a heavy step.
const HEAVY_STEP_TIME: Duration = Duration::from_secs(2);

/// The steps of a server.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum StepBehavior {
    /// No steps: documents are uploaded, and their runs stay in the queue.
    None,
    /// The real steps.
    Real,
    /// Real reading, then two seconds of computing on the threads of the engine without a pause.
    Heavy,
}

/// The options of the hidden command.
#[derive(clap::Args, Debug)]
pub struct ApiServerOptions {
    /// The steps of the server.
    work: StepBehavior,
    /// The arguments of `quire`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Runs `quire` with these steps.
pub fn run(options: ApiServerOptions) -> ExitCode {
    let command_line = std::iter::once(OsString::from("quire")).chain(options.arguments);
    match options.work {
        StepBehavior::None => quire::run_with(command_line, |_, _, _| Box::pin(async { Ok(Vec::new()) })),
        StepBehavior::Real => quire::run_with(command_line, quire::wire::built_in_steps),
        StepBehavior::Heavy => quire::run_with(command_line, |config, store, lanes| {
            Box::pin(async move {
                let mut built_in = quire::wire::built_in_steps(config, store, lanes).await?;
                let compute = steps::step(|_| async {
                    let (start, mut number) = (Instant::now(), 1_u64);
                    while start.elapsed() < HEAVY_STEP_TIME {
                        number = std::hint::black_box(number.wrapping_mul(6_364_136_223_846_793_005) | 1);
                    }
                    Ok(StepOutput::default())
                });
                for (pipeline, steps) in &mut built_in {
                    if *pipeline == Pipeline::Document {
                        steps.insert(StepName::Interpretation, compute.clone());
                    }
                }
                Ok(built_in)
            })
        }),
    }
}

/// A running server with its own database and folder. Dropping it kills the server and removes both.
pub struct Server {
    /// Its address.
    pub address: SocketAddr,
    process: Child,
    _data: ServerData,
}

/// The database and folder of a server.
pub struct ServerData {
    /// The database.
    pub database: Database,
    /// The folder for files.
    pub folder: TempDir,
    kind: DatabaseKind,
}

impl ServerData {
    /// Creates an empty database with the current schema, and an empty folder.
    pub async fn new(kind: DatabaseKind) -> Self {
        let database = database::create(kind, CommitGrouping::Default).await;
        // A server does this at its start. The baseline needs the same rows.
        for file in quire_understanding::SchemaFile::built_in() {
            database.store.governance.seed_file(file, database.store.clock.now()).await.unwrap();
        }
        let new = Self { database, folder: tempfile::tempdir().unwrap(), kind };
        // Gives the database and the folder the same installation id, while the database has no documents.
        let migrated =
            new.with_settings(this_program().args(["serve-api", "none", "migrate", "up"])).output().unwrap();
        assert!(migrated.status.success(), "{}", String::from_utf8_lossy(&migrated.stderr));
        new
    }

    fn location(&self) -> String {
        match self.kind {
            DatabaseKind::Sqlite => format!("sqlite:{}", self.database.path.display()),
            DatabaseKind::Postgres => quire_postgres::testing::url(),
        }
    }

    /// Starts `quire`.
    pub fn serve(self, work: StepBehavior, settings: &[(&str, &str)]) -> Server {
        let mut command = this_program();
        let work = clap::ValueEnum::to_possible_value(&work).unwrap();
        command.args(["serve-api", work.get_name(), "serve", "--listen", "127.0.0.1:0"]);
        self.with_settings(&mut command).envs(settings.iter().copied());
        self.start(command)
    }

    fn with_settings<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env("QUIRE_STORAGE_DATA", self.folder.path());
        command.env("QUIRE_STORAGE_DATABASE", self.location());
        command.env("QUIRE_DATABASE_SCHEMA", &self.database.schema)
    }

    /// Starts the baseline handler.
    pub fn serve_baseline(self) -> Server {
        let mut command = this_program();
        command.arg("serve-baseline").arg(self.folder.path()).arg(self.location()).arg(&self.database.schema);
        self.start(command)
    }

    fn start(self, mut command: Command) -> Server {
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address =
            line.split("http://").nth(1).and_then(|rest| rest.trim().trim_end_matches('/').parse().ok());
        let address = address.unwrap_or_else(|| panic!("{command:?} did not become ready: {line:?}"));
        Server { address, process, _data: self }
    }
}

impl Server {
    /// The id of its process.
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// The most memory that the server has used, in MB.
    pub fn peak_memory_mb(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() >> 10
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn this_program() -> Command {
    Command::new(std::env::current_exe().unwrap())
}
