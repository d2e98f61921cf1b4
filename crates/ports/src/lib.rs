//! The ports of the application: one trait per need, one method per transaction.
//!
//! An adapter implements these traits over SQLite, PostgreSQL or a file system; the application does not know which.
//! Every method changes everything that it names, or nothing. Every error is one of the few in [`PortError`]. This
//! crate holds traits and plain data; the domain holds the rules.

mod analysis;
mod awake;
mod blobs;
mod breakpoints;
mod calibration;
mod clock;
mod credentials;
mod documents;
mod embedder;
mod error;
mod governance;
mod installation;
mod interpreter;
mod lanes;
mod links;
mod metrics;
mod migrations;
mod model;
mod model_calls;
mod new_document;
mod proposals;
mod queue;
mod reader;
mod recovery;
mod request_lock;
mod reviews;
mod run_reader;
mod search;
mod sessions;
mod step;
mod store;
mod tables;
mod web;
mod workers;

pub use analysis::{
    AcceptedOperation, AnalysisError, AnalysisErrorKind, AnalysisRequest, DocumentAnalyser, OperationState,
    missing_page,
};
pub use awake::{AwakeTime, Deadline, within_awake_time};
pub use blobs::{BlobFile, BlobGuard, BlobRoot, BlobStore, BlobWriter, FolderPage};
pub use breakpoints::{Breakpoint, Breakpoints, NoBreakpoints};
pub use calibration::{Calibration, CalibrationFilter, CalibrationQuery, FieldReliability};
pub use clock::{Clock, SystemClock};
pub use credentials::{ApiKey, Credentials, KeyRotation, NewKey, PreviousSecret};
pub use documents::{
    ConfidenceCursor, DocumentCursor, DocumentFilter, DocumentListQuery, DocumentOverview, Documents,
    HideOutcome, HideRequest, LeastConfidentQuery, SubjectPresence,
};
pub use embedder::{EmbedRequest, Embedder};
pub use error::{PortError, PortResult};
pub use governance::{
    AuditTrailEntry, CandidateFilter, CandidateSample, DecisionConflict, Governance, GovernanceDecision,
    SchemaVersionSummary, StructuralCandidate,
};
pub use installation::Installation;
pub use interpreter::{InterpretRequest, Interpreter, InterpreterOutput, KeptAnswers};
pub use lanes::{CallPermit, CallPermits, InstallationPermit, LaneOverview, Lanes};
pub use links::{
    LinkCreation, LinkFilter, LinkOwner, LinkRequest, LinkRun, LinkSource, Links, NewSummary, StoredSummary,
    SummaryFilter, SummaryPage,
};
pub use metrics::{MetricsHistory, MinuteMetrics};
pub use migrations::{MigrationStatus, Migrations};
pub use model::{
    BYTES_PER_TOKEN, CallContext, ChatMessage, ChatRole, LanguageModel, MODEL_RESERVE, ModelError,
    ModelErrorKind, ModelRequest, ModelResponse, estimated_tokens,
};
pub use model_calls::{
    DailyModelUsage, MODEL_CALL_CANCELLED, MODEL_CALL_OK, ModelCall, ModelCalls, ModelUsage,
};
pub use new_document::{AddOutcome, IdempotencyKey, NewDocument};
pub use proposals::{
    ProposalFilter, ProposalRequest, ProposalResult, ProposalRun, ProposalScope, ProposalSummary,
    ProposalVersion, Proposals, StoredReview,
};
pub use queue::{Claim, ClaimRequest, ClaimedRun, RunQueue, RunWrite, RunWriteOutcome};
pub use reader::{
    DocumentReader, PageImageRequest, ReadError, ReadErrorKind, ReadOutput, ReadRequest, RecognisedPages,
};
pub use recovery::{ExpiredLeaseAction, FrontCheck, RecoveryRules, RunRecovery, SubjectQueue};
pub use request_lock::{LockGuard, LockOutcome, LockRequest, LockSource, RequestLocks};
pub use reviews::{
    DocumentReview, EditState, FirstVersion, InterpretationVersion, NewInterpretationVersion, ReviewChange,
    ReviewMark, ReviewMarkRequest, Reviews, SavedEdit, VersionHistoryEntry,
};
pub use run_reader::{
    Artifact, DocumentJob, EventFilter, QueueDepth, RunAttempt, RunFilter, RunReader, StepFailures,
    StepProgress, StepRecord,
};
pub use search::{
    DocumentCondition, DocumentProperty, FIRST_TEXT_CHUNK, FieldFacet, FindQuery, Fingerprint, FoundDocument,
    FoundDocuments, FoundOrder, IndexedChunk, IndexedTerm, IndexedText, IndexingLock, MAX_CHUNKS,
    MAX_GUESSED, NAME_CHUNK, NearChunk, NearestQuery, OutdatedDocument, OutdatedQuery, SearchIndex,
    SimilarWords, StoredChunk, TextQuery, VALUES_CHUNK, VocabularyEntry, VocabularyQuery,
    importance_of_chunk,
};
pub use sessions::{Session, SessionOwner, Sessions};
pub use step::{Step, StepContext, StepOutput};
pub use store::Store;
pub use tables::{
    CellType, Column, CopyProgress, DatabaseCell, DatabaseRow, DatabaseTable, DatabaseTables, TableReceiver,
    TableSnapshot, canonical_json,
};
pub use web::{FetchedPage, PageArticle, PageReader, WebErrorKind, WebFailure, WebPage, WebReader};

// Domain types that the ports use, so that an adapter imports them from one crate.
pub use quire_domain::{EditBlocked, MarkBlocked, SignedVersion};
pub use quire_understanding::{SchemaVersion, SeedOutcome, SeededFile};
pub use workers::{Lease, Worker, Workers};
