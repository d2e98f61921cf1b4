//! The bare handler: the same form read by the same library, the same writes, renames and fsyncs, one commit of the
//! same rows, and nothing else. It checks nothing, hashes nothing and remembers nobody.

mod files;
mod postgres;
mod sqlite;

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Multipart, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use tokio::net::TcpListener;
use uuid::Uuid;

/// What the hidden command is told.
#[derive(clap::Args, Debug)]
pub struct Options {
    folder: PathBuf,
    database: String,
    schema: String,
}

/// Who did it, as the details of an event have it.
const ACTOR: &str = r#"{"actor":"anonymous"}"#;

/// What becomes of a document in the database.
#[derive(Clone, Debug)]
struct Row {
    document: Uuid,
    run: Uuid,
    name: String,
    size: i64,
    hash: [u8; 32],
    path: String,
}

/// One commit for one document, or for several.
#[async_trait]
trait Rows: Send + Sync {
    async fn add(&self, row: Row);
}

struct Handler {
    folder: PathBuf,
    rows: Box<dyn Rows>,
}

/// Answers until it is killed.
pub async fn serve(options: Options) {
    let rows: Box<dyn Rows> = match options.database.strip_prefix("sqlite:") {
        Some(path) => Box::new(sqlite::Writer::open(path.as_ref())),
        None => Box::new(postgres::Pool::connect(&options.database, &options.schema).await),
    };
    let folder = options.folder.join("documents");
    files::prepare(&folder);
    let router = Router::new()
        .route("/health/live", get(|| async { "{}" }))
        .route("/documents/upload", post(upload))
        .layer(DefaultBodyLimit::max(32 << 20))
        .with_state(Arc::new(Handler { folder, rows }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("ready at http://{}/", listener.local_addr().unwrap());
    axum::serve(listener, router).await.unwrap();
}

async fn upload(State(handler): State<Arc<Handler>>, mut form: Multipart) -> (StatusCode, String) {
    let field = form.next_field().await.unwrap().unwrap();
    let name = field.file_name().unwrap().to_owned();
    let content: Bytes = field.bytes().await.unwrap();
    let (document, run) = (Uuid::now_v7(), Uuid::now_v7());
    let (size, folder) = (i64::try_from(content.len()).unwrap(), handler.folder.clone());
    tokio::task::spawn_blocking(move || files::keep(&folder, &document.to_string(), &content)).await.unwrap();
    // As wide as a hash.
    let mut hash = [0; 32];
    hash[..16].copy_from_slice(document.as_bytes());
    let path = format!("{document}/original.pdf");
    handler.rows.add(Row { document, run, name, size, hash, path }).await;
    (StatusCode::CREATED, format!("{{\"document_id\":\"{document}\"}}"))
}
