//! Quire over HTTP. [`router`] is the whole surface on one page, [`error`] the whole contract for what goes wrong.
//!
//! This crate knows ports and never an adapter: whoever wires the program hands in what it needs as a [`Surface`].

mod audit;
mod calibration;
mod caller;
mod documents;
pub mod error;
mod error_pages;
mod events;
mod governance;
mod guard;
mod headers;
mod health;
mod limits;
mod metrics;
mod neighbours;
mod openapi;
mod origins;
pub mod pages;
mod panics;
mod proxies;
mod request;
mod request_id;
mod review;
pub mod router;
mod runs;
mod serve;
mod unread;
mod version;

use std::sync::Arc;

use quire_application::document::CountCache;
use quire_application::document::pages::PageImages;
use quire_application::document::upload::UploadSettings;
use quire_application::events::EventFeed;
use quire_application::operations::OperationsCache;
use quire_domain::{Pipeline, RequeuePolicy};
use quire_ports::{BlobStore, Store};
use quire_understanding::calibration::ConfidencePolicy;

pub use audit::{Audit, AuditWriter};
pub use calibration::CalibrationList;
pub use error::{ApiError, Code, Reason};
pub use guard::Guard;
pub use health::{DatabaseCheck, StorageCheck};
pub use limits::Limits;
pub use metrics::Exposition;
pub use origins::Origins;
pub use pages::words::Language;
pub use proxies::Proxies;
pub use router::router;
pub use serve::serve;
pub use version::Version;

/// What a process shows over HTTP.
#[derive(Clone)]
pub struct Surface {
    /// Whether the database answers.
    pub database: Arc<dyn DatabaseCheck>,
    /// Whether files can be kept.
    pub storage: StorageCheck,
    /// The metrics of this process.
    pub metrics: Arc<dyn Exposition>,
    /// The version of the program.
    pub version: Version,
    /// Who may ask.
    pub guard: Arc<Guard>,
    /// How often.
    pub limits: Arc<Limits>,
    /// From which pages of other sites.
    pub origins: Origins,
    /// Documents and runs; a worker shows none.
    pub product: Option<Product>,
}

/// What the handlers of documents and runs work with.
#[derive(Clone)]
pub struct Product {
    /// The database.
    pub store: Store,
    /// The files.
    pub blobs: Arc<dyn BlobStore>,
    /// The images of pages.
    pub images: Arc<PageImages>,
    /// Which files are taken in.
    pub uploads: Arc<UploadSettings>,
    /// The schema by which documents are understood.
    pub schema: String,
    /// How sure is sure.
    pub confidence: Arc<ConfidencePolicy>,
    /// What happens, as it happens.
    pub events: EventFeed,
    /// Who looked at what.
    pub audit: Audit,
    /// Whether documents are processed at all.
    pub processing: bool,
    /// How each pipeline sends failed runs back.
    pub requeue: Arc<[(Pipeline, RequeuePolicy)]>,
    /// What is remembered of how many documents there are.
    pub counts: Arc<CountCache>,
    /// How the work goes, for everybody who looks.
    pub lookout: Arc<OperationsCache>,
    /// The language of the pages, unless the browser is to choose.
    pub language: Option<Language>,
}
