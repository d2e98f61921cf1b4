//! What the application needs from the outside: one trait per need, one method per transaction.
//!
//! An adapter implements these traits over SQLite, PostgreSQL or a file system; the application never learns
//! which. Every method is all or nothing, and every error is one of the few in [`PortError`].

mod blobs;
mod calibration;
mod clock;
mod credentials;
mod documents;
mod error;
mod figures;
mod governance;
mod history;
mod intake;
mod interpreter;
mod model;
mod probe;
mod queue;
mod reader;
mod rescue;
mod reviews;
mod schema;
mod seeding;
mod sessions;
mod step;
mod store;
mod stored;
mod workers;

pub use blobs::{Blobs, Incoming};
pub use calibration::{Calibration, CalibrationFilter, Reliability, Wanted};
pub use clock::{Clock, SystemClock};
pub use credentials::{ApiKey, Credentials, NewKey};
pub use documents::{
    CertaintyPlace, DocumentPlace, Documents, DocumentsOf, DocumentsPart, LeastCertainPart, Overview,
};
pub use error::{PortError, PortResult};
pub use figures::{Figures, MinuteFigures};
pub use governance::{
    Candidate, CandidateFilter, Decision, Governance, Sample, SchemaVersion, TrailEntry, VersionNote,
};
pub use history::{
    Artifact, Attempt, EventFilter, History, Job, QueueDepth, RunFilter, StepFailures, StepProgress,
    StepRecord,
};
pub use intake::{Intake, IntakeKey, Taken};
pub use interpreter::{InterpretError, InterpretRequest, Interpreted, Interpreter};
pub use model::{LanguageModel, Message, ModelAnswer, ModelError, ModelTrouble, Question, Speaker};
pub use probe::{Breakpoint, NoProbe, Probe};
pub use queue::{Advance, Claim, Claimed, RunQueue, Written};
pub use reader::{PageImage, ReadDocument, ReadError, ReadRequest, ReadTrouble, Reader, RecognisedPages};
pub use rescue::{Rescue, RescueRules};
pub use reviews::{
    EditBlocked, Editable, FirstVersion, Marking, NewVersion, Review, ReviewMark, Reviews, Saved, Version,
    VersionRecord,
};
pub use schema::{MigrationStatus, Schema};
pub use seeding::{Seeded, SeededFile};
pub use sessions::{Session, SessionOf, Sessions};
pub use step::{Step, StepContext, StepOutput};
pub use store::Store;
pub use stored::{ListWay, StoredRun};
pub use workers::{Lease, Worker, Workers};
