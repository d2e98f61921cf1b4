//! Where the files of documents are: `storage.blobs`, `[storage.azure]` and `[storage.s3]`

use std::fmt;
use std::path::PathBuf;

use quire_connectors::blob::object::ObjectLocation;
use serde::Deserialize;

use super::check::InvalidSetting;
use super::{Config, Secret};
use crate::wire;

/// Where the files of documents are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlobLocation {
    /// A folder of this machine.
    Folder(PathBuf),
    /// A container of Azure Blob Storage.
    Azure(ObjectLocation),
    /// A bucket of S3.
    S3(ObjectLocation),
}

impl fmt::Display for BlobLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, ObjectLocation { container, prefix }) = match self {
            Self::Folder(folder) => return write!(f, "{}", folder.display()),
            Self::Azure(location) => ("az", location),
            Self::S3(location) => ("s3", location),
        };
        write!(f, "{scheme}://{container}")?;
        if prefix.is_empty() { Ok(()) } else { write!(f, "/{prefix}") }
    }
}

impl BlobLocation {
    fn of(blobs: &str) -> Option<Self> {
        if let Some(path) = blobs.strip_prefix("file:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            return Some(Self::Folder(path.into())).filter(|_| !path.is_empty());
        }
        if let Some(location) = blobs.strip_prefix("az://") {
            return ObjectLocation::parse(location).map(Self::Azure);
        }
        ObjectLocation::parse(blobs.strip_prefix("s3://")?).map(Self::S3)
    }
}

/// `[storage.azure]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct AzureSection {
    pub account: String,
    pub endpoint: String,
    pub access_key: Secret,
    pub connection_string: Secret,
    pub sas_token: Secret,
    pub managed_identity: bool,
    pub tenant_id: String,
    pub client_id: String,
    pub client_secret: Secret,
    pub token_file: String,
    pub encryption_key: Secret,
}

/// `[storage.s3]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct S3Section {
    pub region: String,
    pub endpoint: String,
    pub virtual_hosted: bool,
    pub access_key_id: String,
    pub secret_access_key: Secret,
    pub session_token: Secret,
    pub encryption: EncryptionChoice,
    pub encryption_key: Secret,
}

/// `encryption` of `[storage.s3]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum EncryptionChoice {
    Bucket,
    S3,
    Kms,
    DoubleKms,
    Customer,
}

impl Config {
    /// Where the files of documents are. `storage.blobs` was checked, so it is valid.
    pub fn blob_location(&self) -> BlobLocation {
        BlobLocation::of(self.storage.blobs.trim()).unwrap_or_else(|| {
            let (data, documents) = (&self.storage.data, &self.storage.documents);
            let is_default = documents.as_os_str().is_empty();
            BlobLocation::Folder(if is_default { data.join("documents") } else { documents.clone() })
        })
    }

    /// The folder of the files of documents. None if they are in an object store.
    pub fn documents_folder(&self) -> Option<PathBuf> {
        match self.blob_location() {
            BlobLocation::Folder(folder) => Some(folder),
            BlobLocation::Azure(_) | BlobLocation::S3(_) => None,
        }
    }
}

pub(super) fn check(config: &Config) -> Result<(), InvalidSetting> {
    let storage = &config.storage;
    let invalid = |rule: &str| InvalidSetting { key: "storage.blobs", rule: rule.to_owned() };
    let blobs = storage.blobs.trim();
    if blobs.is_empty() {
        return Ok(());
    }
    if BlobLocation::of(blobs).is_none() {
        return Err(invalid(
            "must be empty, file:PATH, az://container/prefix or s3://bucket/prefix; the credentials are settings of \
             [storage.azure] and [storage.s3]",
        ));
    }
    if !storage.documents.as_os_str().is_empty() {
        return Err(invalid("cannot be set together with storage.documents; remove one of the two"));
    }
    wire::check_blobs(config).map_err(|(key, rule)| InvalidSetting { key, rule })
}
