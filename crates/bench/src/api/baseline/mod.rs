//! The baseline handler for uploads: parses the same form with the same library, does the same writes, renames and fsyncs,
//! and commits the same rows. It does no checks, no hashing and no authentication.

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

pub use self::postgres::PostgresRowWriter;

/// The options of the hidden command.
#[derive(clap::Args, Debug)]
pub struct BaselineServerOptions {
    folder: PathBuf,
    database: String,
    schema: String,
}

/// The details of the upload event.
const ACTOR: &str = r#"{"actor":"anonymous"}"#;

/// The columns of a document and its run.
#[derive(Clone, Debug)]
pub struct NewDocumentRow {
    pub document: Uuid,
    pub run: Uuid,
    pub name: String,
    pub size: i64,
    pub hash: [u8; 32],
    pub path: String,
}

/// Commits the rows of documents, one or several at a time.
#[async_trait]
pub trait RowWriter: Send + Sync {
    async fn add(&self, row: NewDocumentRow);
}

struct BaselineState {
    folder: PathBuf,
    writer: Box<dyn RowWriter>,
}

/// Serves until the process is killed.
pub async fn serve(options: BaselineServerOptions) {
    let writer: Box<dyn RowWriter> = match options.database.strip_prefix("sqlite:") {
        Some(path) => Box::new(sqlite::SqliteRowWriter::open(path.as_ref())),
        None => Box::new(PostgresRowWriter::connect(&options.database, &options.schema).await),
    };
    let folder = options.folder.join("documents");
    files::create_folders(&folder);
    let router = Router::new()
        .route("/health/live", get(|| async { "{}" }))
        .route("/documents/upload", post(upload))
        .layer(DefaultBodyLimit::max(32 << 20))
        .with_state(Arc::new(BaselineState { folder, writer }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("ready at http://{}/", listener.local_addr().unwrap());
    axum::serve(listener, router).await.unwrap();
}

async fn upload(State(state): State<Arc<BaselineState>>, mut form: Multipart) -> (StatusCode, String) {
    let field = form.next_field().await.unwrap().unwrap();
    let name = field.file_name().unwrap().to_owned();
    let content: Bytes = field.bytes().await.unwrap();
    let (document, run) = (Uuid::now_v7(), Uuid::now_v7());
    let (size, folder) = (i64::try_from(content.len()).unwrap(), state.folder.clone());
    tokio::task::spawn_blocking(move || files::store_file(&folder, &document.to_string(), &content))
        .await
        .unwrap();
    // As long as a hash.
    let mut hash = [0; 32];
    hash[..16].copy_from_slice(document.as_bytes());
    let path = format!("{document}/original.pdf");
    state.writer.add(NewDocumentRow { document, run, name, size, hash, path }).await;
    (StatusCode::CREATED, format!("{{\"document_id\":\"{document}\"}}"))
}
