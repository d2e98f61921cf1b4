//! The stage of a test: the program with its settings, on either store, and what stands beside it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use quire_connectors::blob::DiskBlobs;
use quire_domain::{DocumentId, Event, EventId, EventType, Run, RunId};
use quire_ports::{EventFilter, RunFilter, Store};
use quire_postgres::testing::{Place, url};
use quire_sqlite::{Options, SqliteStore};
use quire_testkit::RawSql;

use crate::program::Quire;

/// Each of these stories on SQLite and on PostgreSQL, some with settings of their own.
macro_rules! on_both_stores {
    ($($(#[$doc:meta])* $story:ident $(with $settings:expr)?),+ $(,)?) => {
        mod on_sqlite {
            $($(#[$doc])* #[tokio::test(flavor = "multi_thread")]
            async fn $story() {
                let settings = [&[][..] $(, &$settings[..])?].concat();
                super::$story(&$crate::scene::Scene::on_sqlite(&settings)).await;
            })+
        }
        mod on_postgresql {
            $($(#[$doc])* #[tokio::test(flavor = "multi_thread")]
            async fn $story() {
                let settings = [&[][..] $(, &$settings[..])?].concat();
                super::$story(&$crate::scene::Scene::on_postgresql(&settings).await).await;
            })+
        }
    };
}
pub(crate) use on_both_stores;

/// A test that waits longer has failed.
const MOST_PATIENCE: Duration = Duration::from_mins(5);

/// What all programs here have in common, on either store: parsers that are small, a queue that is looked at often,
/// since nobody tells a server on SQLite of what is put beside it, and runs that stay failed when they fail.
const COMMON: [(&str, &str); 3] = [
    ("QUIRE_READING_MEMORY_MB", "512"),
    ("QUIRE_ENGINE_TICK", "20ms"),
    ("QUIRE_PIPELINES_DOCUMENT_REQUEUE", "none"),
];

/// A program and what stands beside it.
pub struct Scene {
    pub quire: Quire,
    /// Its database.
    pub store: Store,
    /// The same, past what the store allows.
    pub sql: Arc<dyn RawSql>,
    /// Its files.
    pub blobs: DiskBlobs,
    place: Option<Arc<Place>>,
}

impl Scene {
    pub fn on_sqlite(settings: &[(&str, &str)]) -> Self {
        let quire = Quire::new().with_all(&COMMON).with_all(settings);
        quire.says(&["migrate", "up"]);
        let database = quire.path("quire-data/quire.db");
        let store = SqliteStore::open(&database, Options::default()).unwrap().into_store();
        Self::of(quire, store, quire_sqlite::testing::past(database), None)
    }

    pub async fn on_postgresql(settings: &[(&str, &str)]) -> Self {
        let place = Arc::new(Place::migrated().await);
        let quire = on_place(&place).with_all(&COMMON).with_all(settings);
        let store = place.store().await.into_store();
        Self::of(quire, store, quire_postgres::testing::past(&place), Some(place))
    }

    fn of(quire: Quire, store: Store, sql: Arc<dyn RawSql>, place: Option<Arc<Place>>) -> Self {
        let blobs = DiskBlobs::open(quire.path("quire-data/documents")).unwrap();
        Self { quire, store, sql, blobs, place }
    }

    pub fn is_on_postgresql(&self) -> bool {
        self.place.is_some()
    }

    /// The same stage with another setting, for the next server on it.
    pub fn with(self, name: &str, value: &str) -> Self {
        Self { quire: self.quire.with(name, value), ..self }
    }

    /// From now on the database refuses that, such as `BEFORE UPDATE ON documents`.
    pub async fn refuse(&self, what: &str) {
        let does = if self.is_on_postgresql() {
            "FOR EACH ROW EXECUTE FUNCTION refuse('refused')"
        } else {
            "BEGIN SELECT RAISE(ABORT, 'refused'); END"
        };
        self.sql.execute(&format!("CREATE TRIGGER refusing {what} {does}")).await.unwrap();
    }

    pub fn folder(&self) -> PathBuf {
        self.quire.path("quire-data/documents")
    }

    /// All that has happened, oldest first.
    pub async fn events(&self) -> Vec<Event> {
        let events = self.store.history.events(EventId(0), EventFilter::default(), 100_000).await.unwrap();
        events.into_iter().map(|recorded| recorded.event).collect()
    }

    /// Every document that there is.
    pub async fn documents(&self) -> BTreeSet<DocumentId> {
        let events = self.events().await.into_iter();
        let uploaded = events.filter(|event| event.event_type == EventType::DocumentUploaded);
        uploaded.map(|event| DocumentId(event.subject.unwrap().0)).collect()
    }

    /// The runs of a document, the latest first.
    pub async fn runs_of(&self, document: DocumentId) -> Vec<Run> {
        let filter = RunFilter { subject: Some(document.into()), limit: 10, ..RunFilter::default() };
        self.store.history.runs(&filter).await.unwrap()
    }

    /// Looks until a run is RUNNING, or until it is not.
    pub async fn until_running(&self, run: RunId, is_running: bool) {
        wait_until(async || {
            (self.store.history.run(run).await.unwrap().state.as_str() == "RUNNING") == is_running
        })
        .await;
    }

    /// The latest run of a document once it has ended.
    pub async fn ended(&self, document: DocumentId) -> Run {
        let run = self.runs_of(document).await.remove(0);
        self.run_ended(run.id).await
    }

    /// A run once it has ended.
    pub async fn run_ended(&self, run: RunId) -> Run {
        let mut found = None;
        wait_until(async || {
            let run = self.store.history.run(run).await.unwrap();
            let is_over = run.state.is_terminal();
            found = Some(run);
            is_over
        })
        .await;
        found.unwrap()
    }

    /// Returns when every run of a document has ended.
    pub async fn all_ended(&self, document: DocumentId) {
        wait_until(async || self.runs_of(document).await.iter().all(|run| run.state.is_terminal())).await;
    }
}

/// The program on a schema of PostgreSQL.
pub fn on_place(place: &Place) -> Quire {
    Quire::new().with("QUIRE_STORAGE_DATABASE", &url()).with("QUIRE_DATABASE_SCHEMA", &place.schema)
}

/// Looks again and again: what another process does sends no word.
pub async fn wait_until(mut holds: impl AsyncFnMut() -> bool) {
    let looking = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(MOST_PATIENCE, looking).await.expect("it never happened");
}
