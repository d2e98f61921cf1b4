//! The state that use cases share: the store, the files and the settings.

use std::sync::Arc;
use std::time::Duration;

use quire_domain::{Pipeline, RequeuePolicy};
use quire_ports::{BlobStore, Store};
use quire_understanding::calibration::ConfidencePolicy;

use crate::ask::Asker;
use crate::document::CountCache;
use crate::document::pages::PageImages;
use crate::document::upload::{FreeSpace, UploadSettings};
use crate::events::EventFeed;
use crate::lanes::LanePermits;
use crate::operations::OperationsCache;
use crate::search::Searcher;

/// The parts that [`App::new`] needs.
pub struct AppSettings {
    /// The database.
    pub store: Store,
    /// The files of documents.
    pub blobs: Arc<dyn BlobStore>,
    /// Draws and caches page images.
    pub images: PageImages,
    /// Which files are accepted, and the default schema.
    pub uploads: UploadSettings,
    /// The space that uploads must leave free.
    pub free_space: FreeSpace,
    /// How confidence is computed and shown.
    pub confidence: ConfidencePolicy,
    /// The feed of events.
    pub events: EventFeed,
    /// Whether documents are processed at all.
    pub processing: bool,
    /// The permits of this process for calls in lanes.
    pub lanes: Arc<LanePermits>,
    /// Searches the documents.
    pub searcher: Searcher,
    /// Answers questions about the documents.
    pub asker: Asker,
    /// The name of the model for proposals. None if no model is configured.
    pub proposal_model: Option<String>,
    /// Whether Document Intelligence is configured.
    pub document_intelligence: bool,
    /// The setting that is missing if a model is configured in part. Links then have neither a model nor the built-in summary.
    pub missing_model_setting: Option<&'static str>,
    /// How long a client waits for a draft of a proposal before it gets the id of the run.
    pub draft_wait: Duration,
    /// How each pipeline requeues failed runs.
    pub requeue: Vec<(Pipeline, RequeuePolicy)>,
}

/// The state of the use cases. A handler passes it to a use case and cannot access its parts.
pub struct App {
    pub(crate) store: Store,
    pub(crate) blobs: Arc<dyn BlobStore>,
    pub(crate) images: PageImages,
    pub(crate) uploads: Arc<UploadSettings>,
    pub(crate) free_space: FreeSpace,
    pub(crate) confidence: Arc<ConfidencePolicy>,
    pub(crate) events: EventFeed,
    pub(crate) processing: bool,
    pub(crate) proposal_model: Option<String>,
    pub(crate) document_intelligence: bool,
    pub(crate) missing_model_setting: Option<&'static str>,
    pub(crate) draft_wait: Duration,
    pub(crate) requeue: Vec<(Pipeline, RequeuePolicy)>,
    pub(crate) lanes: Arc<LanePermits>,
    pub(crate) searcher: Searcher,
    pub(crate) asker: Asker,
    pub(crate) counts: CountCache,
    pub(crate) operations: OperationsCache,
}

impl App {
    /// The application on that store, with empty caches.
    pub fn new(settings: AppSettings) -> Self {
        let AppSettings {
            store,
            blobs,
            images,
            uploads,
            free_space,
            confidence,
            events,
            processing,
            lanes,
            searcher,
            asker,
            proposal_model,
            document_intelligence,
            missing_model_setting,
            draft_wait,
            requeue,
        } = settings;
        Self {
            lanes,
            searcher,
            asker,
            store,
            blobs,
            images,
            uploads: Arc::new(uploads),
            free_space,
            confidence: Arc::new(confidence),
            events,
            processing,
            proposal_model,
            document_intelligence,
            missing_model_setting,
            draft_wait,
            requeue,
            counts: CountCache::default(),
            operations: OperationsCache::default(),
        }
    }

    /// The confidence policy in effect.
    pub fn confidence_policy(&self) -> &ConfidencePolicy {
        &self.confidence
    }

    /// Whether documents are processed at all.
    pub fn is_processing_enabled(&self) -> bool {
        self.processing
    }

    /// Whether a model is configured that answers questions.
    pub fn can_answer_questions(&self) -> bool {
        self.asker.has_model()
    }

    /// Whether a model is configured that proposals can ask.
    pub fn has_proposal_model(&self) -> bool {
        self.proposal_model.is_some()
    }

    /// Which files are accepted.
    pub fn upload_settings(&self) -> &UploadSettings {
        &self.uploads
    }
}
