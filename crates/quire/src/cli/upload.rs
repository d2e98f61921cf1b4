//! `quire upload`

mod files;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use quire_api::ApiError;
use quire_application::credential::LOCAL_NAME;
use quire_application::document::upload::{FirstRunOptions, Upload, UploadSettings, Uploader};
use quire_application::document::{DocumentView, ExtractorNotConfigured, require_schema};
use quire_domain::reading::Extractor;
use quire_domain::{Priority, RunId, UnknownName};
use quire_ports::{BlobStore, Store};
use serde_json::json;
use tokio::io::AsyncReadExt as _;

use self::files::UploadFiles;
use super::{output, progress_bar};
use crate::config::Config;
use crate::error::CommandError;
use crate::wire;

/// Files uploaded at the same time: while one is written to disk, another one is read.
const CONCURRENCY: usize = 4;
/// Bytes read at a time.
const CHUNK: usize = 64 << 10;
/// The actor recorded for commands of this machine.
const ACTOR: &str = LOCAL_NAME;
/// The error code of a file that cannot be opened or read.
const UNREADABLE: &str = "UNREADABLE";
/// The exit code if a file was refused.
const EXIT_REFUSED: u8 = 3;

/// Upload documents: files, and all files in folders
///
/// Works like an upload over HTTP, and also while a server is running. Prints which files were refused and why. Skips hidden
/// files in folders. The exit code is 0 if every file was uploaded and 3 if one was refused.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire upload invoice.pdf\n  \
    quire upload --priority high scans/ letters/\n  \
    quire upload --schema invoice 2024/\n  \
    quire upload --schema auto inbox/\n  \
    quire upload --json archive/ > uploaded.jsonl")]
pub(super) struct UploadCommand {
    /// Files or folders
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Priority of their runs: high or normal
    #[arg(long, default_value = "normal", value_parser = priority)]
    priority: Priority,
    /// Schema of the documents, or auto for the one that fits best [default: schemas.default]
    #[arg(long, value_name = "NAME")]
    schema: Option<String>,
    /// Who reads the documents: local or `document_intelligence` [default: as the schema or the settings say]
    #[arg(long, value_name = "NAME", value_parser = Extractor::parse)]
    extractor: Option<Extractor>,
    /// Print one line of JSON per file
    #[arg(long)]
    json: bool,
}

/// What all uploads of a command share.
#[derive(Clone)]
struct UploadContext {
    store: Store,
    blobs: Arc<dyn BlobStore>,
    settings: Arc<UploadSettings>,
    first: Option<FirstRunOptions>,
    schema: Option<String>,
}

/// Why a file was not uploaded.
struct UploadFailure {
    code: &'static str,
    message: String,
}

#[derive(Default)]
struct UploadSummary {
    uploaded: usize,
    refused: usize,
    bytes: u64,
}

impl UploadCommand {
    pub(super) async fn run(self, config: &Config) -> Result<ExitCode, CommandError> {
        let store = wire::open_for_command(config).await?;
        // A run is bound to its schema when it is created, and no server may have stored the schemas yet.
        wire::schemas::seed(&store, config).await?;
        if let Some(name) = &self.schema {
            require_schema(&store, name).await??;
        }
        let has_service = config.document_intelligence.is_configured();
        if self.extractor == Some(Extractor::DocumentIntelligence) && !has_service {
            return Err(CommandError::new(ExtractorNotConfigured.to_string()));
        }
        // One id for all documents of a command, like that of a request.
        let correlation_id = Some(RunId::new().to_string());
        let first = FirstRunOptions { priority: self.priority, correlation_id, extractor: self.extractor };
        let context = UploadContext {
            blobs: wire::blobs(config, &store)?,
            store,
            settings: Arc::new(config.upload_settings()),
            first: config.uploads.processing.then_some(first),
            schema: self.schema.clone(),
        };
        let found = UploadFiles::find(&self.paths);
        let bar = progress_bar::simple(found.files.len());
        let mut summary = UploadSummary::default();
        for (path, message) in &found.unusable {
            let failure = UploadFailure { code: UNREADABLE, message: message.clone() };
            self.report(path, &Err(failure), &mut summary)?;
        }
        let mut uploads = VecDeque::new();
        let mut remaining = found.files.iter();
        loop {
            while uploads.len() < CONCURRENCY {
                let Some(path) = remaining.next() else { break };
                uploads.push_back((path, tokio::spawn(context.clone().upload(path.clone()))));
            }
            let Some((path, upload)) = uploads.pop_front() else { break };
            let aborted =
                |_| UploadFailure { code: UNREADABLE, message: "the upload was aborted".to_owned() };
            let outcome = upload.await.map_err(aborted).flatten();
            bar.suspend(|| self.report(path, &outcome, &mut summary))?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        eprintln!("{}", summary.sentence(found.hidden));
        Ok(if summary.refused == 0 { ExitCode::SUCCESS } else { ExitCode::from(EXIT_REFUSED) })
    }

    /// Counts and prints the outcome of a file. A closed output does not stop the upload.
    fn report(
        &self,
        path: &Path,
        outcome: &Result<DocumentView, UploadFailure>,
        summary: &mut UploadSummary,
    ) -> Result<(), CommandError> {
        summary.count(outcome);
        match outcome {
            _ if self.json => output::print(&format!("{}\n", line(path, outcome))),
            Ok(uploaded) => {
                output::print(&format!("{}  {}\n", uploaded.overview.document.id, path.display()))
            }
            Err(failure) => {
                eprintln!("quire: {}: {} ({})", path.display(), failure.message, failure.code);
                Ok(())
            }
        }
    }
}

fn line(path: &Path, outcome: &Result<DocumentView, UploadFailure>) -> serde_json::Value {
    let path = path.to_string_lossy();
    match outcome {
        Ok(uploaded) => {
            let document = &uploaded.overview.document;
            json!({
                "path": path,
                "original_filename": document.original_filename,
                "document_id": document.id,
                "status": uploaded.processing.status.as_str(),
                "created_at": document.created_at,
                "file_size": document.file_size,
            })
        }
        Err(failure) => json!({ "path": path, "error_code": failure.code, "message": failure.message }),
    }
}

impl UploadContext {
    /// Uploads a file in chunks, like an upload over HTTP.
    async fn upload(self, path: PathBuf) -> Result<DocumentView, UploadFailure> {
        let unreadable =
            |error: std::io::Error| UploadFailure { code: UNREADABLE, message: error.to_string() };
        let mut file = tokio::fs::File::open(&path).await.map_err(unreadable)?;
        let mut upload = Upload::begin(self.store, self.blobs, self.settings);
        let mut chunk = vec![0; CHUNK];
        loop {
            let length = file.read(&mut chunk).await.map_err(unreadable)?;
            if length == 0 {
                break;
            }
            upload.write(&chunk[..length]).await.map_err(refused)?;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let uploader = Uploader { actor: ACTOR.to_owned(), key: None };
        upload.with_schema(self.schema).finish(&name, self.first, &uploader).await.map_err(refused)
    }
}

/// The same error code as over HTTP.
fn refused(error: impl Into<ApiError>) -> UploadFailure {
    let ApiError { code, message, .. } = error.into();
    UploadFailure { code: code.as_str(), message }
}

impl UploadSummary {
    fn count(&mut self, outcome: &Result<DocumentView, UploadFailure>) {
        match outcome {
            Ok(uploaded) => {
                self.uploaded += 1;
                self.bytes += uploaded.overview.document.file_size;
            }
            Err(_) => self.refused += 1,
        }
    }

    fn sentence(&self, hidden: usize) -> String {
        let Self { uploaded, refused, bytes } = self;
        let plural = if *uploaded == 1 { "" } else { "s" };
        let hidden = if hidden > 0 { format!(", {hidden} hidden skipped") } else { String::new() };
        format!("{uploaded} file{plural} uploaded ({}), {refused} refused{hidden}", output::size(*bytes))
    }
}

fn priority(name: &str) -> Result<Priority, UnknownName> {
    Priority::parse(name)
}
