//! Who is answered, how often, with which headers, and what is remembered of it: with the real program, on both stores.

mod audit;
mod headers;
mod health;
mod keys;
mod limits;
mod token;

use std::time::Duration;

use quire_ports::Store;
use quire_postgres::testing::{Place, url};
use quire_sqlite::{Options, SqliteStore};
use serde_json::Value;

use crate::program::{Answer, Quire, Server};

/// A test that waits longer has failed.
const MOST_PATIENCE: Duration = Duration::from_mins(2);

/// A program and the database beside it.
struct Scene {
    quire: Quire,
    store: Store,
    _place: Option<Place>,
}

impl Scene {
    fn sqlite(settings: &[(&str, &str)]) -> Self {
        let quire = with(Quire::new(), settings);
        quire.says(&["migrate", "up"]);
        let database = quire.path("quire-data/quire.db");
        let store = SqliteStore::open(&database, Options::default()).unwrap().into_store();
        Self { quire, store, _place: None }
    }

    async fn postgresql(settings: &[(&str, &str)]) -> Self {
        let place = Place::migrated().await;
        let quire =
            Quire::new().with("QUIRE_STORAGE_DATABASE", &url()).with("QUIRE_DATABASE_SCHEMA", &place.schema);
        let store = place.store().await.into_store();
        Self { quire: with(quire, settings), store, _place: Some(place) }
    }

    /// A new key, as the header that presents it.
    fn key(&self, name: &str, roles: &str) -> String {
        let key = self.quire.says(&["keys", "create", "--name", name, "--role", roles]);
        format!("Authorization: Bearer {}\r\n", key.trim_end())
    }
}

fn with(quire: Quire, settings: &[(&str, &str)]) -> Quire {
    let quire = quire.with("QUIRE_UPLOADS_PROCESSING", "false").with("QUIRE_READING_PARSERS", "1");
    settings.iter().fold(quire, |quire, (name, value)| quire.with(name, value))
}

/// Each of these on each store, with those settings.
macro_rules! on_both_stores {
    ($settings:expr => $($case:ident),+ $(,)?) => {
        mod on_sqlite {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $case() {
                    super::$case(&crate::guarding::Scene::sqlite(&$settings)).await;
                }
            )+
        }
        mod on_postgresql {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $case() {
                    super::$case(&crate::guarding::Scene::postgresql(&$settings).await).await;
                }
            )+
        }
    };
}
use on_both_stores;

/// Asks for that, with these further lines in the head.
fn ask(server: &Server, request: &str, head: &str) -> Answer {
    server.ask(&format!(
        "{request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n{head}\r\n"
    ))
}

/// Uploads a small text.
fn upload(server: &Server, head: &str) -> Answer {
    upload_text(server, head, "Paciente: Luna, una gata de tres a\u{f1}os que come bien.")
}

fn upload_text(server: &Server, head: &str, text: &str) -> Answer {
    let form = format!(
        "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n{text}\r\n--x--\r\n"
    );
    server.ask(&format!(
        "POST /documents/upload HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: multipart/form-data; boundary=x\r\nContent-Length: {}\r\n{head}\r\n{form}",
        form.len()
    ))
}

fn json(answer: &Answer) -> Value {
    serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("not JSON: {}", answer.body))
}

fn code(answer: &Answer) -> String {
    json(answer)["error_code"].as_str().unwrap_or_default().to_owned()
}

/// Looks again and again: what another process does sends no word.
async fn wait_until(mut holds: impl AsyncFnMut() -> bool) {
    let looking = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(MOST_PATIENCE, looking).await.expect("it never happened");
}
