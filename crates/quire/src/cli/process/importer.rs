//! Decides what to do with a file: nothing if its result is up to date, reuse the run of the same content, or import it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use quire_api::ApiError;
use quire_application::credential::LOCAL_NAME;
use quire_application::document::upload::{FirstRunOptions, Upload, UploadError, UploadSettings, Uploader};
use quire_application::document::{ReprocessOptions, content_hash, reprocess};
use quire_domain::{Document, DocumentId, FailureType, Priority, ReviewStatus, Run, RunState, hex};
use quire_ports::{BlobStore, Store};
use tokio::io::AsyncReadExt as _;

use super::file_result::{self, FileResult, ResultHeader};
use super::inputs::InputFile;
use crate::cli::read::files::is_supported;
use crate::config::Config;
use crate::error::CommandError;
use crate::wire;

/// Bytes read at a time.
const CHUNK: usize = 64 << 10;
/// The actor recorded for commands of this machine.
const ACTOR: &str = LOCAL_NAME;
/// The error code of a file that cannot be opened or read.
pub(super) const UNREADABLE: &str = "UNREADABLE";
/// How many documents with the same content are searched for one with the same settings.
const MAX_DUPLICATES: u32 = 1000;

/// The SHA-256 of a file's content.
pub(super) type ContentHash = [u8; 32];

/// Imports files into the state.
#[derive(Clone)]
pub(super) struct Importer {
    pub(super) store: Store,
    pub(super) blobs: Arc<dyn BlobStore>,
    pub(super) settings: Arc<str>,
    upload_settings: Arc<UploadSettings>,
    language: Option<String>,
    retry_failed: bool,
    /// The names of the files that wait for each content. The same content is processed once.
    pending: Arc<Mutex<HashMap<ContentHash, Vec<String>>>>,
}

/// What to do with a file.
pub(super) enum Inspection {
    /// Nothing: its result is up to date.
    UpToDate(ResultHeader),
    /// Nothing: it is an unsupported file of a folder.
    Unsupported,
    /// Write this result. With its hash, also for the other files of the same content.
    Finished(Option<ContentHash>, Box<FileResult>),
    /// Wait for this run.
    Running(ContentHash, Box<Run>),
    /// Wait for another file of the same content.
    SameContent,
}

impl Importer {
    pub(super) fn new(
        config: &Config,
        store: &Store,
        settings: String,
        schema: String,
        language: Option<String>,
        retry_failed: bool,
    ) -> Result<Self, CommandError> {
        // Files are local, so the limit of reading applies and not that of uploads.
        let upload_settings = UploadSettings {
            max_bytes: config.reading.max_file_mb << 20,
            schema,
            ..config.upload_settings()
        };
        Ok(Self {
            store: store.clone(),
            blobs: wire::blobs(config, store)?,
            settings: settings.into(),
            upload_settings: Arc::new(upload_settings),
            language,
            retry_failed,
            pending: Arc::default(),
        })
    }

    /// Inspects a file, given the header of its existing result. A problem with the file is a result; an error stops the
    /// whole command.
    pub(super) async fn inspect(
        self,
        file: InputFile,
        existing: Option<ResultHeader>,
    ) -> Result<Inspection, CommandError> {
        let (path, settings) = (file.path.clone(), self.upload_settings.clone());
        let hashed = tokio::task::spawn_blocking(move || {
            if std::fs::metadata(&path)?.len() > 0 && !is_supported(&path, &settings.kinds) {
                return Ok(None);
            }
            // One byte above the limit proves that the file is too large.
            content_hash(File::open(&path)?.take(settings.max_bytes + 1)).map(Some)
        });
        let hash = match hashed.await? {
            Ok(Some(hash)) => hash,
            Ok(None) if !file.is_named && File::open(&file.path).is_ok() => {
                return Ok(Inspection::Unsupported);
            }
            Ok(None) => match File::open(&file.path) {
                Ok(_) => {
                    let refused = UploadError::Unsupported { kinds: self.upload_settings.kinds.clone() };
                    return Ok(self.refused(None, refused));
                }
                Err(error) => return Ok(self.unreadable(&error.to_string())),
            },
            Err(error) => return Ok(self.unreadable(&error.to_string())),
        };
        if let Some(header) = existing.filter(|header| self.is_up_to_date(header, &hash)) {
            return Ok(Inspection::UpToDate(header));
        }
        match self.pending.lock().unwrap_or_else(PoisonError::into_inner).entry(hash) {
            Entry::Occupied(mut names) => {
                names.get_mut().push(file.name);
                return Ok(Inspection::SameContent);
            }
            Entry::Vacant(entry) => drop(entry.insert(vec![file.name.clone()])),
        }
        match self.find(&hash).await? {
            Some((document, run)) => self.resume(&file.path, hash, document, run).await,
            None => self.import(&file.path, hash).await,
        }
    }

    /// Removes and returns the files that wait for this content. Later files of it find the result in the state.
    pub(super) fn take_waiting(&self, hash: &ContentHash) -> Vec<String> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).remove(hash).unwrap_or_default()
    }

    /// The result of an ended run. Deletes the copy of a completed document; a failed one may be retried.
    pub(super) async fn result(&self, document: &Document, run: &Run) -> Result<FileResult, CommandError> {
        let result = file_result::of_run(&self.store, &*self.blobs, document, run, &self.settings).await?;
        if matches!(run.state, RunState::Completed { .. }) {
            self.blobs.remove_folder(&document.id.to_string()).await?;
        }
        Ok(result)
    }

    fn is_up_to_date(&self, header: &ResultHeader, hash: &ContentHash) -> bool {
        let is_same = header.sha256.as_deref() == Some(&hex(hash)) && *header.settings == *self.settings;
        is_same && (header.is_complete() || !self.retry_failed)
    }

    /// The newest document with this content and these settings, and its latest run.
    async fn find(&self, hash: &ContentHash) -> Result<Option<(Document, Run)>, CommandError> {
        let documents = &self.store.documents;
        for id in documents.duplicates(&placeholder_document(*hash), MAX_DUPLICATES).await? {
            let overview = documents.overview(id).await?;
            let has_settings = |run: &Run| run.correlation_id.as_deref() == Some(&*self.settings);
            if let Some(run) = overview.latest_run.filter(has_settings) {
                return Ok(Some((overview.document, run)));
            }
        }
        Ok(None)
    }

    async fn resume(
        &self,
        path: &Path,
        hash: ContentHash,
        document: Document,
        run: Run,
    ) -> Result<Inspection, CommandError> {
        match run.state {
            RunState::Queued { .. } | RunState::Running { .. } => {
                Ok(Inspection::Running(hash, Box::new(run)))
            }
            RunState::Failed { .. } | RunState::TimedOut { .. } if self.retry_failed => {
                let correlation_id = Some(self.settings.to_string());
                let run =
                    reprocess(&self.store, document.id, ReprocessOptions::default(), ACTOR, correlation_id)
                        .await?;
                Ok(Inspection::Running(hash, Box::new(run)))
            }
            _ => {
                let result = self.result(&document, &run).await?;
                // The copy of a completed document is gone, so a missing page is read from a new one.
                if self.retry_failed && !result.header().is_complete() {
                    return self.import(path, hash).await;
                }
                Ok(Inspection::Finished(Some(hash), Box::new(result)))
            }
        }
    }

    /// Imports a file in chunks, like an upload over HTTP.
    async fn import(&self, path: &Path, hash: ContentHash) -> Result<Inspection, CommandError> {
        let mut file = match tokio::fs::File::open(path).await {
            Ok(file) => file,
            Err(error) => return Ok(self.unreadable_with_hash(hash, &error.to_string())),
        };
        let upload = Upload::begin(self.store.clone(), self.blobs.clone(), self.upload_settings.clone());
        let mut upload = upload.with_language(self.language.clone());
        let mut chunk = vec![0; CHUNK];
        loop {
            match file.read(&mut chunk).await {
                Ok(0) => break,
                Ok(length) => match upload.write(&chunk[..length]).await {
                    Ok(()) => {}
                    Err(UploadError::Other(error)) => return Err(error.into()),
                    Err(refused) => return Ok(self.refused(Some(hash), refused)),
                },
                Err(error) => return Ok(self.unreadable_with_hash(hash, &error.to_string())),
            }
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let first = FirstRunOptions {
            priority: Priority::Normal,
            correlation_id: Some(self.settings.to_string()),
            extractor: None,
        };
        let uploader = Uploader { actor: ACTOR.to_owned(), key: None };
        let imported = match upload.finish(&name, Some(first), &uploader).await {
            Ok(imported) => imported.overview,
            Err(UploadError::Other(error)) => return Err(error.into()),
            Err(refused) => return Ok(self.refused(Some(hash), refused)),
        };
        match imported.latest_run {
            Some(run) if imported.document.content_hash == hash => {
                Ok(Inspection::Running(hash, Box::new(run)))
            }
            _ => {
                Ok(self
                    .unreadable_with_hash(hash, "the file changed while it was read; run the command again"))
            }
        }
    }

    /// The same error code as over HTTP, except for an empty file, which is not an invalid request here.
    fn refused(&self, hash: Option<ContentHash>, error: UploadError) -> Inspection {
        if error == UploadError::Empty {
            let code = FailureType::ExtractionFailed.as_str();
            let empty = FileResult::refused(hash, &self.settings, code, "the file is empty");
            return Inspection::Finished(hash, Box::new(empty));
        }
        // Only the beginning of a file that is too large was hashed.
        let sha256 = hash.filter(|_| !matches!(error, UploadError::TooLarge { .. }));
        let ApiError { code, message, .. } = error.into();
        Inspection::Finished(
            hash,
            Box::new(FileResult::refused(sha256, &self.settings, code.as_str(), &message)),
        )
    }

    fn unreadable(&self, message: &str) -> Inspection {
        Inspection::Finished(None, Box::new(FileResult::refused(None, &self.settings, UNREADABLE, message)))
    }

    fn unreadable_with_hash(&self, hash: ContentHash, message: &str) -> Inspection {
        Inspection::Finished(
            Some(hash),
            Box::new(FileResult::refused(None, &self.settings, UNREADABLE, message)),
        )
    }
}

/// A document with this content, to search for its duplicates.
fn placeholder_document(content_hash: ContentHash) -> Document {
    Document {
        id: DocumentId::new(),
        original_filename: String::new(),
        content_type: String::new(),
        file_size: 0,
        content_hash,
        storage_path: String::new(),
        created_at: Timestamp::UNIX_EPOCH,
        review_status: ReviewStatus::InReview,
        language_override: None,
        schema: String::new(),
    }
}
