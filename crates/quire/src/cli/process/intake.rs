//! What to do about a file: nothing, if its result is there; else find what was understood of its bytes; else take it in.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use quire_api::ApiError;
use quire_application::document::upload::{FirstRun, Upload, UploadError, UploadSettings, Uploader};
use quire_application::document::{content_hash, reprocess};
use quire_domain::{Document, DocumentId, FailureType, Priority, ReviewStatus, Run, RunState, hex};
use quire_ports::{BlobStore, Store};
use tokio::io::AsyncReadExt as _;

use super::inputs::Input;
use super::outcome::{self, COMPLETED, Head, Outcome};
use crate::cli::read::files::seems_readable;
use crate::config::Config;
use crate::trouble::Trouble;
use crate::wire;

/// Bytes of a piece.
const PIECE: usize = 64 << 10;
/// Under which name whoever sits at this machine is known.
const ACTOR: &str = "local";
/// The code of a file that cannot be read here.
pub(super) const UNREADABLE: &str = "UNREADABLE";
/// How many documents of the same bytes are looked through for one of the same settings.
const MOST_KNOWN: u32 = 1000;

/// SHA-256 of a file.
pub(super) type Hash = [u8; 32];

/// What files have in common.
#[derive(Clone)]
pub(super) struct Intake {
    pub(super) store: Store,
    pub(super) blobs: Arc<dyn BlobStore>,
    pub(super) settings: Arc<str>,
    terms: Arc<UploadSettings>,
    language: Option<String>,
    retry_failed: bool,
    /// The names of the files whose bytes are under way. The same bytes are processed once.
    under_way: Arc<Mutex<HashMap<Hash, Vec<String>>>>,
}

/// What is to be done about a file.
pub(super) enum Looked {
    /// Its result is where it belongs.
    Kept(Head),
    /// It is no document, and was not named itself.
    PassedOver,
    /// This is its result, which is to be written. With the bytes by which others wait for the same, if they may.
    Known(Option<Hash>, Box<Outcome>),
    /// It is under way as this run.
    UnderWay(Hash, Box<Run>),
    /// Its bytes are, by another name.
    Joined,
}

impl Intake {
    pub(super) fn new(
        config: &Config,
        store: &Store,
        settings: String,
        schema: String,
        language: Option<String>,
        retry_failed: bool,
    ) -> Result<Self, Trouble> {
        // Nothing comes over the network here: what can be read is taken.
        let terms =
            UploadSettings { largest: config.reading.max_file_mb << 20, schema, ..config.upload_terms() };
        Ok(Self {
            store: store.clone(),
            blobs: wire::blobs(config)?,
            settings: settings.into(),
            terms: Arc::new(terms),
            language,
            retry_failed,
            under_way: Arc::default(),
        })
    }

    /// Looks at a file whose result, if there is one, begins like this. What is wrong with the file is a result; trouble
    /// is what keeps all files from being processed.
    pub(super) async fn look(self, file: Input, kept: Option<Head>) -> Result<Looked, Trouble> {
        let (path, kinds) = (file.path.clone(), self.terms.clone());
        let hashed = tokio::task::spawn_blocking(move || {
            if std::fs::metadata(&path)?.len() > 0 && !seems_readable(&path, &kinds.kinds) {
                return Ok(None);
            }
            // One byte more than is taken is enough to know that it is too much.
            content_hash(File::open(&path)?.take(kinds.largest + 1)).map(Some)
        });
        let hash = match hashed.await? {
            Ok(Some(hash)) => hash,
            Ok(None) if !file.is_named && File::open(&file.path).is_ok() => return Ok(Looked::PassedOver),
            Ok(None) => match File::open(&file.path) {
                Ok(_) => {
                    let refused = UploadError::Unsupported { kinds: self.terms.kinds.clone() };
                    return Ok(self.refused(None, refused));
                }
                Err(error) => return Ok(self.unreadable(&error.to_string())),
            },
            Err(error) => return Ok(self.unreadable(&error.to_string())),
        };
        if let Some(kept) = kept.filter(|kept| self.is_good(kept, &hash)) {
            return Ok(Looked::Kept(kept));
        }
        match self.under_way.lock().unwrap_or_else(PoisonError::into_inner).entry(hash) {
            Entry::Occupied(mut others) => {
                others.get_mut().push(file.name);
                return Ok(Looked::Joined);
            }
            Entry::Vacant(place) => drop(place.insert(vec![file.name.clone()])),
        }
        match self.find(&hash).await? {
            Some((document, run)) => self.go_on(hash, document, run).await,
            None => self.take(&file.path, hash).await,
        }
    }

    /// The files that wait for what became of these bytes. From now on the state knows it.
    pub(super) fn waiting_for(&self, hash: &Hash) -> Vec<String> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner).remove(hash).unwrap_or_default()
    }

    /// The result of a run that has ended. What was understood needs its file no more; what failed may be tried again.
    pub(super) async fn result(&self, document: &Document, run: &Run) -> Result<Outcome, Trouble> {
        let outcome = outcome::of_run(&self.store, &*self.blobs, document, run, &self.settings).await?;
        if matches!(run.state, RunState::Completed { .. }) {
            self.blobs.remove_folder(&document.id.to_string()).await?;
        }
        Ok(outcome)
    }

    fn is_good(&self, kept: &Head, hash: &Hash) -> bool {
        let is_same = kept.sha256.as_deref() == Some(&hex(hash)) && *kept.settings == *self.settings;
        is_same && (kept.status == COMPLETED || !self.retry_failed)
    }

    /// The newest document of these bytes that was processed by the same settings, and its latest run.
    async fn find(&self, hash: &Hash) -> Result<Option<(Document, Run)>, Trouble> {
        let documents = &self.store.documents;
        for id in documents.duplicates(&anything_of(*hash), MOST_KNOWN).await? {
            let overview = documents.overview(id).await?;
            let tied = |run: &Run| run.correlation_id.as_deref() == Some(&*self.settings);
            if let Some(run) = overview.latest_run.filter(tied) {
                return Ok(Some((overview.document, run)));
            }
        }
        Ok(None)
    }

    async fn go_on(&self, hash: Hash, document: Document, run: Run) -> Result<Looked, Trouble> {
        match run.state {
            RunState::Queued { .. } | RunState::Running { .. } => Ok(Looked::UnderWay(hash, Box::new(run))),
            RunState::Failed { .. } | RunState::TimedOut { .. } if self.retry_failed => {
                let tie = Some(self.settings.to_string());
                let run = reprocess(&self.store, document.id, Priority::Normal, ACTOR, tie).await?;
                Ok(Looked::UnderWay(hash, Box::new(run)))
            }
            _ => Ok(Looked::Known(Some(hash), Box::new(self.result(&document, &run).await?))),
        }
    }

    /// Takes a file in the same way as over HTTP, piece by piece.
    async fn take(&self, path: &Path, hash: Hash) -> Result<Looked, Trouble> {
        let mut file = match tokio::fs::File::open(path).await {
            Ok(file) => file,
            Err(error) => return Ok(self.unreadable_once_hashed(hash, &error.to_string())),
        };
        let upload = Upload::begin(self.store.clone(), self.blobs.clone(), self.terms.clone()).await?;
        let mut upload = upload.in_language(self.language.clone());
        let mut piece = vec![0; PIECE];
        loop {
            match file.read(&mut piece).await {
                Ok(0) => break,
                Ok(length) => match upload.write(&piece[..length]).await {
                    Ok(()) => {}
                    Err(UploadError::Store(error)) => return Err(error.into()),
                    Err(refused) => return Ok(self.refused(Some(hash), refused)),
                },
                Err(error) => return Ok(self.unreadable_once_hashed(hash, &error.to_string())),
            }
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let first = FirstRun { priority: Priority::Normal, correlation_id: Some(self.settings.to_string()) };
        let sender = Uploader { actor: ACTOR.to_owned(), key: None };
        let taken = match upload.finish(&name, Some(first), &sender).await {
            Ok(taken) => taken.overview,
            Err(UploadError::Store(error)) => return Err(error.into()),
            Err(refused) => return Ok(self.refused(Some(hash), refused)),
        };
        match taken.latest_run {
            Some(run) if taken.document.content_hash == hash => Ok(Looked::UnderWay(hash, Box::new(run))),
            _ => Ok(self.unreadable_once_hashed(hash, "it changed while it was read; process it again")),
        }
    }

    /// With the code that HTTP would give, but for an empty file, which is no wrong request here.
    fn refused(&self, hash: Option<Hash>, error: UploadError) -> Looked {
        if error == UploadError::Empty {
            let code = FailureType::ExtractionFailed.as_str();
            let empty = Outcome::refused(hash, &self.settings, code, "the file is empty");
            return Looked::Known(hash, Box::new(empty));
        }
        // Of what is too large only the beginning was looked at.
        let sha256 = hash.filter(|_| !matches!(error, UploadError::TooLarge { .. }));
        let ApiError { code, message, .. } = error.into();
        Looked::Known(hash, Box::new(Outcome::refused(sha256, &self.settings, code.as_str(), &message)))
    }

    fn unreadable(&self, message: &str) -> Looked {
        Looked::Known(None, Box::new(Outcome::refused(None, &self.settings, UNREADABLE, message)))
    }

    fn unreadable_once_hashed(&self, hash: Hash, message: &str) -> Looked {
        Looked::Known(Some(hash), Box::new(Outcome::refused(None, &self.settings, UNREADABLE, message)))
    }
}

/// A document of these bytes, to ask for others of the same.
fn anything_of(content_hash: Hash) -> Document {
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
