//! The environment of a test: the program with its settings, its database (SQLite or PostgreSQL) and its files.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use quire_connectors::blob::DiskBlobs;
use quire_domain::{DocumentId, Event, EventId, EventType, Run, RunId, StepName};
use quire_ports::{EventFilter, RunFilter, Store};
use quire_postgres::testing::{TestSchema, url};
use quire_sqlite::{SqliteOptions, SqliteStore};
use quire_testkit::RawSql;

use crate::program::Cli;

/// Runs each of these tests on SQLite and on PostgreSQL, some with their own settings.
macro_rules! on_both_stores {
    ($($(#[$doc:meta])* $test:ident $(with $settings:expr)?),+ $(,)?) => {
        mod on_sqlite {
            $($(#[$doc])* #[tokio::test(flavor = "multi_thread")]
            async fn $test() {
                let settings = [&[][..] $(, &$settings[..])?].concat();
                super::$test(&$crate::test_env::TestEnv::on_sqlite(&settings)).await;
            })+
        }
        mod on_postgresql {
            $($(#[$doc])* #[tokio::test(flavor = "multi_thread")]
            async fn $test() {
                let settings = [&[][..] $(, &$settings[..])?].concat();
                super::$test(&$crate::test_env::TestEnv::on_postgresql(&settings).await).await;
            })+
        }
    };
}
pub(crate) use on_both_stores;

/// A test that waits longer fails.
const TIMEOUT: Duration = Duration::from_mins(5);

/// Settings of all tests: small parsers, no automatic retries, no Redis, and a queue that is checked often, because a server on
/// SQLite is not notified of runs that the test adds.
const COMMON: [(&str, &str); 4] = [
    ("QUIRE_REDIS_ENABLED", "false"),
    ("QUIRE_READING_MEMORY_MB", "512"),
    ("QUIRE_ENGINE_TICK", "20ms"),
    ("QUIRE_PIPELINES_DOCUMENT_REQUEUE", "none"),
];

/// The program with its database and files.
pub struct TestEnv {
    pub cli: Cli,
    /// Its store.
    pub store: Store,
    /// The same database, with any SQL.
    pub sql: Arc<dyn RawSql>,
    /// Its files.
    pub blobs: DiskBlobs,
    schema: Option<Arc<TestSchema>>,
}

impl TestEnv {
    pub fn on_sqlite(settings: &[(&str, &str)]) -> Self {
        let cli = Cli::new().with_all(&COMMON).with_all(settings);
        cli.run_ok(&["migrate", "up"]);
        let database = cli.path("quire-data/quire.db");
        let store = SqliteStore::open(&database, SqliteOptions::default()).unwrap().into_store();
        Self::of(cli, store, quire_sqlite::testing::raw_sql(database), None)
    }

    pub async fn on_postgresql(settings: &[(&str, &str)]) -> Self {
        let schema = Arc::new(TestSchema::migrated().await);
        let cli = cli_on_schema(&schema).with_all(&COMMON).with_all(settings);
        // Gives the database and the storage folder the same installation id.
        cli.run_ok(&["migrate", "up"]);
        let store = schema.store().await.into_store();
        Self::of(cli, store, quire_postgres::testing::raw_sql(&schema), Some(schema))
    }

    fn of(cli: Cli, store: Store, sql: Arc<dyn RawSql>, schema: Option<Arc<TestSchema>>) -> Self {
        let blobs = DiskBlobs::open(cli.path("quire-data/documents")).unwrap();
        Self { cli, store, sql, blobs, schema }
    }

    pub fn is_on_postgresql(&self) -> bool {
        self.schema.is_some()
    }

    /// The same environment with another setting, for the next server.
    pub fn with(self, name: &str, value: &str) -> Self {
        Self { cli: self.cli.with(name, value), ..self }
    }

    /// Makes the database refuse an operation, such as `BEFORE UPDATE ON documents`.
    pub async fn refuse(&self, operation: &str) {
        let action = if self.is_on_postgresql() {
            "FOR EACH ROW EXECUTE FUNCTION refuse('refused')"
        } else {
            "BEGIN SELECT RAISE(ABORT, 'refused'); END"
        };
        self.sql.execute(&format!("CREATE TRIGGER refusing {operation} {action}")).await.unwrap();
    }

    pub fn documents_folder(&self) -> PathBuf {
        self.cli.path("quire-data/documents")
    }

    /// Replaces the original of a document, as if this file had been uploaded.
    pub async fn replace_original(&self, document: DocumentId, file: &[u8]) {
        std::fs::write(self.documents_folder().join(format!("{document}/original.pdf")), file).unwrap();
        let digits = quire_domain::hex(&quire_application::document::content_hash(file).unwrap());
        let hash = if self.is_on_postgresql() { format!("'\\x{digits}'") } else { format!("x'{digits}'") };
        let size = file.len();
        let update = format!(
            "UPDATE documents SET content_hash = {hash}, file_size = {size} WHERE id = {}",
            self.sql.id(document.0)
        );
        assert_eq!(self.sql.execute(&update).await, Ok(1));
    }

    /// All events, oldest first.
    pub async fn events(&self) -> Vec<Event> {
        let events = self.store.run_reader.events(EventId(0), EventFilter::default(), 100_000).await.unwrap();
        events.into_iter().map(|recorded| recorded.event).collect()
    }

    /// The ids of all uploaded documents.
    pub async fn documents(&self) -> BTreeSet<DocumentId> {
        let events = self.events().await.into_iter();
        let uploaded = events.filter(|event| event.event_type == EventType::DocumentUploaded);
        uploaded.map(|event| DocumentId(event.subject.unwrap().0)).collect()
    }

    /// The runs of a document, latest first.
    pub async fn runs_of(&self, document: DocumentId) -> Vec<Run> {
        let filter = RunFilter { subject: Some(document.into()), limit: 10, ..RunFilter::default() };
        self.store.run_reader.runs(&filter).await.unwrap()
    }

    /// Waits until a run is RUNNING, or until it no longer is.
    pub async fn wait_until_running(&self, run: RunId, is_running: bool) {
        wait_until(async || {
            (self.store.run_reader.run(run).await.unwrap().state.as_str() == "RUNNING") == is_running
        })
        .await;
    }

    /// Waits until a run works on a step. A run that was only just claimed has no step yet.
    pub async fn wait_until_step_starts(&self, run: RunId, step: StepName) {
        let is_start = |event: &Event| {
            event.event_type == EventType::StepStarted && event.run == Some(run) && event.step == Some(step)
        };
        wait_until(async || self.events().await.iter().any(is_start)).await;
    }

    /// Waits until the latest run of a document has ended.
    pub async fn wait_for_latest_run(&self, document: DocumentId) -> Run {
        let run = self.runs_of(document).await.remove(0);
        self.wait_for_run(run.id).await
    }

    /// Waits until a run has ended.
    pub async fn wait_for_run(&self, run: RunId) -> Run {
        let mut found = None;
        wait_until(async || {
            let run = self.store.run_reader.run(run).await.unwrap();
            let has_ended = run.state.is_terminal();
            found = Some(run);
            has_ended
        })
        .await;
        found.unwrap()
    }

    /// Waits until the latest run of a document has ended, and checks that it has completed.
    pub async fn wait_until_completed(&self, document: DocumentId) -> Run {
        let run = self.wait_for_latest_run(document).await;
        assert_eq!(run.state.as_str(), "COMPLETED", "{:?}", run.state);
        run
    }

    /// Waits until every run of a document has ended.
    pub async fn wait_for_all_runs(&self, document: DocumentId) {
        wait_until(async || self.runs_of(document).await.iter().all(|run| run.state.is_terminal())).await;
    }
}

/// The program on a PostgreSQL schema.
pub fn cli_on_schema(schema: &TestSchema) -> Cli {
    Cli::new().with("QUIRE_STORAGE_DATABASE", &url()).with("QUIRE_DATABASE_SCHEMA", &schema.schema)
}

/// Polls a condition, because other processes send no notification.
pub async fn wait_until(mut condition: impl AsyncFnMut() -> bool) {
    let polling = async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(TIMEOUT, polling).await.expect("the condition never held");
}
