//! `quire upload`

mod files;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use quire_api::ApiError;
use quire_application::document::DocumentView;
use quire_application::document::upload::{
    FirstRun, Upload as Incoming, UploadSettings, Uploader, require_schema,
};
use quire_domain::{Priority, RunId, UnknownName};
use quire_ports::{BlobStore, Store};
use serde_json::json;
use tokio::io::AsyncReadExt as _;

use self::files::Found;
use super::{output, progress};
use crate::config::Config;
use crate::trouble::Trouble;
use crate::wire;

/// How many files are taken in at once: while one is written to the disk, another is read.
const AT_ONCE: usize = 4;
/// Bytes of a piece.
const PIECE: usize = 64 << 10;
/// Under which name whoever sits at this machine is known.
const ACTOR: &str = "local";
/// The code of a file that cannot be read here.
const UNREADABLE: &str = "UNREADABLE";
/// What the command ends with if something was not taken in.
const SOME_WERE_REFUSED: u8 = 3;

/// Take documents in: files, and folders with all that is in them
///
/// As over HTTP, and beside a running server as well. Says what was refused and why, and how much was taken in. Hidden
/// files in folders are passed over. Ends with 0 if everything was taken in, with 3 if something was refused.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire upload invoice.pdf\n  \
    quire upload --priority high scans/ letters/\n  \
    quire upload --schema invoice 2024/\n  \
    quire upload --json archive/ > taken.jsonl")]
pub(super) struct Upload {
    /// Files, or folders with files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// How urgent their processing is: high or normal
    #[arg(long, default_value = "normal", value_parser = priority)]
    priority: Priority,
    /// The schema by which they are understood [default: the one in the settings]
    #[arg(long, value_name = "NAME")]
    schema: Option<String>,
    /// Print what became of each file as JSON, one file a line
    #[arg(long)]
    json: bool,
}

/// What all files have in common.
#[derive(Clone)]
struct Intake {
    store: Store,
    blobs: Arc<dyn BlobStore>,
    terms: Arc<UploadSettings>,
    first: Option<FirstRun>,
    schema: Option<String>,
}

/// A file that was not taken in.
struct Refusal {
    code: &'static str,
    message: String,
}

#[derive(Default)]
struct Summary {
    taken: usize,
    refused: usize,
    bytes: u64,
}

impl Upload {
    pub(super) async fn run(self, config: &Config) -> Result<ExitCode, Trouble> {
        let store = wire::open_beside(config).await?;
        // No server may have run on this database yet, and a run is bound to its schema when it is created.
        wire::schemas::seed(&store, config).await?;
        if let Some(name) = &self.schema {
            require_schema(&store, name).await?;
        }
        // One id for all of a command's documents, as a request has one for its.
        let correlation_id = Some(RunId::new().to_string());
        let first = FirstRun { priority: self.priority, correlation_id };
        let intake = Intake {
            store,
            blobs: wire::blobs(config)?,
            terms: Arc::new(config.upload_terms()),
            first: config.uploads.processing.then_some(first),
            schema: self.schema.clone(),
        };
        let found = Found::below(&self.paths);
        let bar = progress::bar(found.files.len());
        let mut summary = Summary::default();
        for (path, message) in &found.strange {
            let refusal = Refusal { code: UNREADABLE, message: message.clone() };
            self.tell(path, &Err(refusal), &mut summary)?;
        }
        let mut under_way = VecDeque::new();
        let mut waiting = found.files.iter();
        loop {
            while under_way.len() < AT_ONCE {
                let Some(path) = waiting.next() else { break };
                under_way.push_back((path, tokio::spawn(intake.clone().take(path.clone()))));
            }
            let Some((path, taking)) = under_way.pop_front() else { break };
            let broke = |_| Refusal { code: UNREADABLE, message: "taking it in broke off".to_owned() };
            let outcome = taking.await.map_err(broke).flatten();
            bar.suspend(|| self.tell(path, &outcome, &mut summary))?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        eprintln!("{}", summary.sentence(found.hidden));
        Ok(if summary.refused == 0 { ExitCode::SUCCESS } else { ExitCode::from(SOME_WERE_REFUSED) })
    }

    /// Says what became of a file. If nobody reads it, the files are taken in all the same.
    fn tell(
        &self,
        path: &Path,
        outcome: &Result<DocumentView, Refusal>,
        summary: &mut Summary,
    ) -> Result<(), Trouble> {
        summary.count(outcome);
        match outcome {
            _ if self.json => output::say(&format!("{}\n", line(path, outcome))),
            Ok(taken) => output::say(&format!("{}  {}\n", taken.overview.document.id, path.display())),
            Err(refusal) => {
                eprintln!("quire: {}: {} ({})", path.display(), refusal.message, refusal.code);
                Ok(())
            }
        }
    }
}

fn line(path: &Path, outcome: &Result<DocumentView, Refusal>) -> serde_json::Value {
    let path = path.to_string_lossy();
    match outcome {
        Ok(taken) => {
            let document = &taken.overview.document;
            json!({
                "path": path,
                "original_filename": document.original_filename,
                "document_id": document.id,
                "status": taken.standing.status.as_str(),
                "created_at": document.created_at,
                "file_size": document.file_size,
            })
        }
        Err(refusal) => json!({ "path": path, "error_code": refusal.code, "message": refusal.message }),
    }
}

impl Intake {
    /// The same way as over HTTP, piece by piece.
    async fn take(self, path: PathBuf) -> Result<DocumentView, Refusal> {
        let unreadable = |error: std::io::Error| Refusal { code: UNREADABLE, message: error.to_string() };
        let mut file = tokio::fs::File::open(&path).await.map_err(unreadable)?;
        let mut upload = Incoming::begin(self.store, self.blobs, self.terms).await.map_err(refused)?;
        let mut piece = vec![0; PIECE];
        loop {
            let length = file.read(&mut piece).await.map_err(unreadable)?;
            if length == 0 {
                break;
            }
            upload.write(&piece[..length]).await.map_err(refused)?;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let sender = Uploader { actor: ACTOR.to_owned(), key: None };
        upload.by_schema(self.schema).finish(&name, self.first, &sender).await.map_err(refused)
    }
}

/// With the code that HTTP would give.
fn refused(error: impl Into<ApiError>) -> Refusal {
    let ApiError { code, message, .. } = error.into();
    Refusal { code: code.as_str(), message }
}

impl Summary {
    fn count(&mut self, outcome: &Result<DocumentView, Refusal>) {
        match outcome {
            Ok(taken) => {
                self.taken += 1;
                self.bytes += taken.overview.document.file_size;
            }
            Err(_) => self.refused += 1,
        }
    }

    fn sentence(&self, hidden: usize) -> String {
        let Self { taken, refused, bytes } = self;
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let hidden = if hidden > 0 { format!(", {hidden} hidden passed over") } else { String::new() };
        format!("{taken} file{} taken in ({bytes} bytes), {refused} refused{hidden}", plural(*taken))
    }
}

fn priority(name: &str) -> Result<Priority, UnknownName> {
    Priority::parse(name)
}
