//! The processes of an installation with real steps: a server, and on PostgreSQL a worker beside it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use quire_ports::Store;
use quire_postgres::PgStore;
use quire_sqlite::SqliteStore;

use super::super::processes::{Environment, TestProcess};

const REAL_STEPS: [&str; 2] = ["serve-api", "real"];

/// A running installation.
pub struct Installation {
    pub address: SocketAddr,
    pub store: Store,
    data: PathBuf,
    processes: Vec<TestProcess>,
}

impl Installation {
    /// Starts an installation with its database in the data folder.
    pub fn on_sqlite(data: &Path, settings: &Environment) -> Self {
        let (address, processes) = start(data, settings, &[]);
        let database = SqliteStore::open(&data.join("quire.db"), quire_sqlite::SqliteOptions::default());
        Self { address, store: database.unwrap().into_store(), data: data.to_owned(), processes }
    }

    /// Starts an installation with its database at this URL, in this schema.
    pub async fn on_postgres(data: &Path, url: &str, schema: Option<&str>, settings: &Environment) -> Self {
        let mut settings = settings.clone();
        settings.push(("QUIRE_STORAGE_DATABASE", url.to_owned()));
        settings.extend(schema.map(|schema| ("QUIRE_DATABASE_SCHEMA", schema.to_owned())));
        let (address, processes) = start(data, &settings, &["worker"]);
        let options = quire_postgres::PostgresOptions {
            schema: schema.map(str::to_owned),
            ..quire_postgres::PostgresOptions::default()
        };
        let store = PgStore::connect(url, options).await.unwrap().into_store();
        Self { address, store, data: data.to_owned(), processes }
    }

    /// The folder with the files of documents.
    pub fn documents(&self) -> PathBuf {
        documents(&self.data)
    }

    /// Stops the processes. Returns whether each was still running and ended without an error.
    pub fn stop(self) -> bool {
        self.processes.into_iter().all(|mut process| !process.has_ended() && process.stop())
    }
}

/// The folder with the files of documents, in that data folder.
pub fn documents(data: &Path) -> PathBuf {
    data.join("documents")
}

fn start(data: &Path, settings: &Environment, also: &[&str]) -> (SocketAddr, Vec<TestProcess>) {
    let mut environment: Environment = vec![
        ("QUIRE_STORAGE_DATA", data.to_str().unwrap().to_owned()),
        ("QUIRE_ENGINE_SLOTS", "4".to_owned()),
        ("QUIRE_ENGINE_TICK", "200ms".to_owned()),
        ("QUIRE_LOG_LEVEL", "error".to_owned()),
    ];
    environment.extend(settings.iter().cloned());
    super::super::processes::run_quire(&["migrate", "up"], &environment);
    let (server, line) = TestProcess::start(&REAL_STEPS, &["serve", "--listen", "127.0.0.1:0"], &environment);
    let address = line.split("http://").nth(1).unwrap().trim().trim_end_matches('/').parse().unwrap();
    let mut processes = vec![server];
    processes.extend(also.iter().map(|command| TestProcess::start(&REAL_STEPS, &[command], &environment).0));
    (address, processes)
}
