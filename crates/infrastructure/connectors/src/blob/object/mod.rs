//! Stores files as objects: in a container of Azure Blob Storage or in a bucket of S3.
//!
//! An object appears with its complete content, or not at all. A small file is sent with one request, a large one in parts
//! that the service joins at the end. Keys are the names of the files below a prefix.

mod azure;
mod checksum;
mod error;
mod guard;
mod list;
mod location;
mod object_writer;
mod read;
mod s3;
mod transport;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use object_store::list::PaginatedListStore;
use object_store::path::Path;
use object_store::{BackoffConfig, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, RetryConfig};
use quire_ports::{BlobFile, BlobGuard, BlobRoot, BlobStore, BlobWriter, FolderPage, PortError, PortResult};

pub use self::azure::{ApplicationProof, AzureCredential, AzureSettings};
pub use self::location::ObjectLocation;
pub use self::s3::{S3Encryption, S3Keys, S3Settings};

use self::checksum::SignedHash;
use self::error::{is_missing, unavailable};
use self::guard::{LastProbe, RecentGuard};
use self::object_writer::ObjectWriter;
use self::transport::Transport;
use super::name::BlobName;
use crate::http::{HttpOptions, HttpOptionsError};

/// An object store with what this module needs of it.
trait ObjectService: ObjectStore + PaginatedListStore {}
impl<T: ObjectStore + PaginatedListStore> ObjectService for T {}

/// How often a request is repeated after the service did not answer, or answered that it cannot work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// Never: the attempts of a step are the only ones.
    Never,
    /// Twice, for about a second: for a client that waits.
    Short,
}

impl Repetition {
    fn policy(self) -> RetryConfig {
        let (max_retries, seconds) = match self {
            Self::Never => (0, 1),
            Self::Short => (2, 5),
        };
        let backoff = BackoffConfig {
            init_backoff: Duration::from_millis(100),
            max_backoff: Duration::from_secs(1),
            base: 3.0,
        };
        // The delays are random up to these values, so that clients that failed together do not return together.
        RetryConfig { backoff, max_retries, retry_timeout: Duration::from_secs(seconds) }
    }
}

/// Why an object store cannot be used with its settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ObjectSettingsError {
    /// A setting is missing or wrong. The message never contains a value.
    #[error("{setting} {rule}")]
    Setting {
        /// The name of the setting, without its section.
        setting: &'static str,
        /// What it must be.
        rule: &'static str,
    },
    /// The proxy or the file with certificates is wrong.
    #[error("{0}")]
    Http(HttpOptionsError),
}

/// Stores files in a container or bucket, below a prefix.
#[derive(Clone)]
pub struct ObjectBlobs {
    service: Arc<dyn ObjectService>,
    /// The beginning of every key: empty, or parts with a slash after each.
    prefix: Arc<str>,
    guard: Option<Arc<RecentGuard>>,
    probe: Arc<LastProbe>,
    took_unchecked: Arc<AtomicBool>,
}

impl ObjectBlobs {
    /// Files in a container of Azure Blob Storage. Sends no request.
    pub fn azure(
        location: &ObjectLocation,
        settings: &AzureSettings,
        http: &HttpOptions,
        repetition: Repetition,
    ) -> Result<Self, ObjectSettingsError> {
        let transport = Transport::new(http, SignedHash::Ignored).map_err(ObjectSettingsError::Http)?;
        let took_unchecked = transport.took_unchecked();
        let service = azure::service(&location.container, settings, transport, repetition.policy())?;
        Ok(Self::new(Arc::new(service), location, took_unchecked))
    }

    /// Files in a bucket of S3, or of a service that speaks its protocol. Sends no request.
    pub fn s3(
        location: &ObjectLocation,
        settings: &S3Settings,
        http: &HttpOptions,
        repetition: Repetition,
    ) -> Result<Self, ObjectSettingsError> {
        let is_amazon = settings.endpoint.is_none();
        let signed_hash = if is_amazon { SignedHash::Checked } else { SignedHash::Ignored };
        let transport = Transport::new(http, signed_hash).map_err(ObjectSettingsError::Http)?;
        let took_unchecked = transport.took_unchecked();
        let service = s3::service(&location.container, settings, transport, repetition.policy())?;
        Ok(Self::new(Arc::new(service), location, took_unchecked))
    }

    fn new(
        service: Arc<dyn ObjectService>,
        location: &ObjectLocation,
        took_unchecked: Arc<AtomicBool>,
    ) -> Self {
        let prefix = match location.prefix.as_str() {
            "" => String::new(),
            prefix => format!("{prefix}/"),
        };
        Self { service, prefix: prefix.into(), guard: None, probe: Arc::default(), took_unchecked }
    }

    /// The store of the library that this one is made of, for comparisons.
    pub fn library(&self) -> Arc<dyn ObjectStore> {
        self.service.clone()
    }

    /// The key of a file.
    fn key(&self, name: &BlobName) -> PortResult<Path> {
        self.key_of(&name.to_string())
    }

    fn key_of(&self, name: &str) -> PortResult<Path> {
        let key = format!("{}{name}", self.prefix);
        Path::parse(key).map_err(|_| PortError::Conflict("the file name is invalid".to_owned()))
    }

    /// Fails if the guard does not accept the storage. It was asked lately, or is asked now.
    async fn require_right_storage(&self) -> PortResult<()> {
        match &self.guard {
            Some(guard) if !guard.accepted_lately() => self.ask(guard).await,
            _ => Ok(()),
        }
    }

    /// What was not found is missing only if the guard accepts the storage now.
    async fn checked<T>(&self, found: PortResult<T>) -> PortResult<T> {
        if let (Some(guard), Err(PortError::NotFound(_))) = (&self.guard, &found) {
            self.ask(guard).await?;
        }
        found
    }

    async fn ask(&self, guard: &RecentGuard) -> PortResult<()> {
        let file = BlobName::parse(guard.file())?;
        let content = match read::get(&*self.service, &self.key(&file)?, &file, BlobGuard::MAX_BYTES).await {
            Err(PortError::NotFound(_)) => None,
            content => Some(content?),
        };
        guard.ask(content.as_deref())
    }
}

impl std::fmt::Debug for ObjectBlobs {
    /// Without the service, which knows the credentials.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ObjectBlobs").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

impl BlobRoot for ObjectBlobs {
    fn guarded(&self, guard: BlobGuard) -> Arc<dyn BlobStore> {
        Arc::new(Self { guard: Some(Arc::new(RecentGuard::new(guard))), ..self.clone() })
    }
}

#[async_trait]
impl BlobStore for ObjectBlobs {
    async fn put(&self, name: &str, content: Vec<u8>) -> PortResult<()> {
        let key = self.key(&BlobName::parse(name)?)?;
        self.require_right_storage().await?;
        let attributes = checksum::attributes(&content);
        let put = self.service.put_opts(&key, content.into(), attributes.into()).await;
        put.map(drop).map_err(|error| unavailable(&error))
    }

    async fn put_new(&self, name: &str, content: Vec<u8>) -> PortResult<bool> {
        let key = self.key(&BlobName::parse(name)?)?;
        self.require_right_storage().await?;
        let attributes = checksum::attributes(&content);
        let options = PutOptions { mode: PutMode::Create, attributes, ..PutOptions::default() };
        match self.service.put_opts(&key, content.into(), options).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }) => {
                Ok(false)
            }
            Err(error) => Err(unavailable(&error)),
        }
    }

    fn confirms_writes(&self) -> bool {
        !self.took_unchecked.load(Ordering::SeqCst)
    }

    /// Sends no part before there is a whole one.
    async fn begin(&self, name: &str) -> PortResult<Box<dyn BlobWriter>> {
        let key = self.key(&BlobName::parse(name)?)?;
        self.require_right_storage().await?;
        Ok(Box::new(ObjectWriter::new(self.service.clone(), key)))
    }

    async fn get(&self, name: &str, limit: u64) -> PortResult<Vec<u8>> {
        let name = BlobName::parse(name)?;
        self.checked(read::get(&*self.service, &self.key(&name)?, &name, limit).await).await
    }

    async fn get_range(&self, name: &str, range: Range<u64>) -> PortResult<Vec<u8>> {
        let name = BlobName::parse(name)?;
        self.checked(read::get_range(&*self.service, &self.key(&name)?, &name, range).await).await
    }

    /// S3 does not say whether a removed object existed, so it is looked for first.
    async fn remove(&self, name: &str) -> PortResult<bool> {
        let key = self.key(&BlobName::parse(name)?)?;
        self.require_right_storage().await?;
        match self.service.head(&key).await {
            Err(error) if is_missing(&error) => return Ok(false),
            found => found.map_err(|error| unavailable(&error))?,
        };
        list::delete(&*self.service, vec![key]).await.map(|()| true)
    }

    async fn remove_folder(&self, folder: &str) -> PortResult<bool> {
        let prefix = format!("{}{}/", self.prefix, BlobName::parse(folder)?);
        self.require_right_storage().await?;
        list::remove_below(&*self.service, &prefix).await
    }

    async fn folders(&self, after: Option<&str>) -> PortResult<FolderPage> {
        self.require_right_storage().await?;
        list::folders(&*self.service, &self.prefix, after).await
    }

    async fn files(&self, folder: &str) -> PortResult<Vec<BlobFile>> {
        let below = format!("{}{}/", self.prefix, BlobName::parse(folder)?);
        self.require_right_storage().await?;
        list::files(&*self.service, &self.prefix, &below).await
    }

    async fn last_written(&self, folder: &str) -> PortResult<Option<Timestamp>> {
        let prefix = format!("{}{}/", self.prefix, BlobName::parse(folder)?);
        self.require_right_storage().await?;
        list::last_written(&*self.service, &prefix).await
    }

    /// Reads the file of the guard each time, and writes a small object once a minute: a write costs, and a bucket may keep
    /// every version of it.
    async fn check(&self) -> PortResult<()> {
        match &self.guard {
            Some(guard) => self.ask(guard).await?,
            None => list::folders(&*self.service, &self.prefix, None).await.map(drop)?,
        }
        if self.probe.is_due() {
            let put = self.service.put(&self.key_of(guard::PROBE)?, b"ok".to_vec().into()).await;
            put.map_err(|error| unavailable(&error))?;
            self.probe.succeeded();
        }
        Ok(())
    }
}
