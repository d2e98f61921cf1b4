//! The processes that are asked: the real program with steps for the occasion, and the bare handler.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use quire_domain::{Pipeline, StepName};
use quire_ports::StepOutput;
use quire_testkit::steps;
use tempfile::TempDir;

use crate::database::{self, Database, Grouping, Kind};

/// How long a heavy step computes.
const HEAVY: Duration = Duration::from_secs(2);

/// What the steps of the server do.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Work {
    /// There are none: documents and their runs are taken in, and the runs stay in the queue.
    None,
    /// The real ones.
    Real,
    /// The real reading, and then two seconds of computing on the engine's threads without a pause.
    Heavy,
}

/// What the hidden command is told.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// What its steps do.
    work: Work,
    /// What `quire` is told.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Runs `quire` with those steps.
pub fn run(options: Options) -> ExitCode {
    let command_line = std::iter::once(OsString::from("quire")).chain(options.arguments);
    match options.work {
        Work::None => quire::run_with(command_line, |_, _| Box::pin(async { Ok(Vec::new()) })),
        Work::Real => quire::run_with(command_line, quire::wire::built_in_steps),
        Work::Heavy => quire::run_with(command_line, |config, store| {
            Box::pin(async move {
                let mut built_in = quire::wire::built_in_steps(config, store).await?;
                let compute = steps::step(|_| async {
                    let (start, mut number) = (Instant::now(), 1_u64);
                    while start.elapsed() < HEAVY {
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

/// A server with a database and a folder of its own. All of it goes with this.
pub struct Server {
    /// Where it answers.
    pub address: SocketAddr,
    process: Child,
    _home: Home,
}

/// Where a server keeps things.
pub struct Home {
    /// Its database.
    pub database: Database,
    /// Its files.
    pub folder: TempDir,
    kind: Kind,
}

impl Home {
    /// An empty one, with the current schema.
    pub async fn new(kind: Kind) -> Self {
        let database = database::fresh(kind, Grouping::Usual).await;
        // What a server does at its start, so that the bare handler finds the same.
        for file in quire_understanding::SchemaFile::built_in() {
            database.store.governance.seed_file(file, database.store.clock.now()).await.unwrap();
        }
        Self { database, folder: tempfile::tempdir().unwrap(), kind }
    }

    fn location(&self) -> String {
        match self.kind {
            Kind::Sqlite => format!("sqlite:{}", self.database.path.display()),
            Kind::Postgres => quire_postgres::testing::url(),
        }
    }

    /// The real program.
    pub fn serve(self, work: Work, settings: &[(&str, &str)]) -> Server {
        let mut command = this_program();
        let work = clap::ValueEnum::to_possible_value(&work).unwrap();
        command.args(["serve-api", work.get_name(), "serve", "--listen", "127.0.0.1:0"]);
        command.env("QUIRE_STORAGE_DATA", self.folder.path()).env("QUIRE_STORAGE_DATABASE", self.location());
        command.env("QUIRE_DATABASE_SCHEMA", &self.database.schema).envs(settings.iter().copied());
        self.start(command)
    }

    /// The bare handler.
    pub fn serve_bare(self) -> Server {
        let mut command = this_program();
        command.arg("serve-bare").arg(self.folder.path()).arg(self.location()).arg(&self.database.schema);
        self.start(command)
    }

    fn start(self, mut command: Command) -> Server {
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address =
            line.split("http://").nth(1).and_then(|rest| rest.trim().trim_end_matches('/').parse().ok());
        let address = address.unwrap_or_else(|| panic!("{command:?} did not become ready: {line:?}"));
        Server { address, process, _home: self }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn this_program() -> Command {
    Command::new(std::env::current_exe().unwrap())
}
