//! Opens the storage of files.

use std::sync::Arc;

use quire_application::storage::{self, InstallationBlobs, OriginalsPolicy, StorageMatch};
use quire_connectors::blob::object::{
    ApplicationProof, AzureCredential, AzureSettings, ObjectSettingsError, Repetition, S3Encryption, S3Keys,
    S3Settings,
};
use quire_connectors::blob::{DiskBlobs, ObjectBlobs};
use quire_ports::{BlobRoot, BlobStore, Store};

use super::model::{http_options, invalid_http};
use crate::config::{AzureSection, BlobLocation, Config, EncryptionChoice, S3Section, Secret};
use crate::error::CommandError;

/// The key of an invalid setting and its rule.
type Invalid = (&'static str, String);

/// The storage of the installation, for commands and requests. It works only while it has the installation id of the
/// database.
pub(crate) fn blobs(config: &Config, store: &Store) -> Result<Arc<dyn BlobStore>, CommandError> {
    installation_blobs(config, store, Repetition::Short)
}

/// The same storage for steps, whose own attempts are the only ones.
pub(super) fn step_blobs(config: &Config, store: &Store) -> Result<Arc<dyn BlobStore>, CommandError> {
    installation_blobs(config, store, Repetition::Never)
}

fn installation_blobs(
    config: &Config,
    store: &Store,
    repetition: Repetition,
) -> Result<Arc<dyn BlobStore>, CommandError> {
    let root = open(config, repetition)?;
    Ok(Arc::new(InstallationBlobs::new(root, store.installation.clone())))
}

/// The storage, whatever installation it belongs to.
pub(crate) fn blobs_of_any(config: &Config) -> Result<Arc<dyn BlobRoot>, CommandError> {
    open(config, Repetition::Short)
}

/// Compares the installation ids of the database and the storage. If the database has none, both get one.
pub(crate) async fn identify_storage(
    config: &Config,
    store: &Store,
    originals: OriginalsPolicy,
) -> Result<StorageMatch, CommandError> {
    super::refuse_unfinished_copy(store).await?;
    let identified = storage::identify(store, &*blobs_of_any(config)?, originals).await;
    identified.map_err(|error| CommandError::new(format!("{}: {error}", config.blob_location())))
}

/// Checks the settings of an object store.
pub(crate) fn check_blobs(config: &Config) -> Result<(), Invalid> {
    match config.blob_location() {
        // It is created when it is opened.
        BlobLocation::Folder(_) => Ok(()),
        _ => objects(config, Repetition::Never).map(drop),
    }
}

fn open(config: &Config, repetition: Repetition) -> Result<Arc<dyn BlobRoot>, CommandError> {
    if let BlobLocation::Folder(folder) = config.blob_location() {
        let opened = DiskBlobs::open(&folder);
        let opened = opened.map_err(|error| CommandError::new(format!("{}: {error}", folder.display())))?;
        return Ok(Arc::new(opened));
    }
    let opened =
        objects(config, repetition).map_err(|(key, rule)| CommandError::new(format!("{key} {rule}")))?;
    Ok(Arc::new(opened))
}

fn objects(config: &Config, repetition: Repetition) -> Result<ObjectBlobs, Invalid> {
    let http = http_options(config);
    let (opened, keys) = match config.blob_location() {
        BlobLocation::Azure(location) => {
            let settings = azure_settings(&config.storage.azure)?;
            (ObjectBlobs::azure(&location, &settings, &http, repetition), AZURE_KEYS)
        }
        BlobLocation::S3(location) => {
            (ObjectBlobs::s3(&location, &s3_settings(&config.storage.s3)?, &http, repetition), S3_KEYS)
        }
        BlobLocation::Folder(_) => return Err(("storage.blobs", "must name an object store".to_owned())),
    };
    opened.map_err(|error| match error {
        ObjectSettingsError::Setting { setting, rule } => {
            let key = keys.iter().find(|key| key.ends_with(setting)).copied();
            (key.unwrap_or("storage.blobs"), rule.to_owned())
        }
        ObjectSettingsError::Http(bad) => invalid_http(bad),
    })
}

/// The settings that the connectors may refuse.
const AZURE_KEYS: &[&str] = &[
    "storage.azure.access_key",
    "storage.azure.connection_string",
    "storage.azure.sas_token",
    "storage.azure.endpoint",
    "storage.azure.encryption_key",
];
const S3_KEYS: &[&str] = &["storage.s3.endpoint", "storage.s3.encryption_key"];

fn azure_settings(azure: &AzureSection) -> Result<AzureSettings, Invalid> {
    let encryption_key = azure.encryption_key.non_empty().map(str::to_owned);
    if let Some(text) = azure.connection_string.non_empty() {
        let settings = AzureSettings::of_connection_string(text);
        let settings = settings.map_err(|_| {
            let rule = "must have AccountName with AccountKey, or BlobEndpoint with SharedAccessSignature";
            ("storage.azure.connection_string", rule.to_owned())
        })?;
        return Ok(AzureSettings { encryption_key, ..settings });
    }
    let Some(account) = non_empty(&azure.account) else {
        let rule = "must be the name of the storage account, unless there is a connection string";
        return Err(("storage.azure.account", rule.to_owned()));
    };
    let credential = azure_credential(azure)?;
    Ok(AzureSettings { account, endpoint: non_empty(&azure.endpoint), credential, encryption_key })
}

fn azure_credential(azure: &AzureSection) -> Result<AzureCredential, Invalid> {
    let secret = |secret: &Secret| secret.non_empty().map(str::to_owned);
    if azure.managed_identity {
        // App Service and Container Apps say by variables where the token is. A virtual machine has a fixed address.
        let endpoint = std::env::var("IDENTITY_HEADER").and_then(|_| std::env::var("IDENTITY_ENDPOINT")).ok();
        return Ok(AzureCredential::ManagedIdentity { client: non_empty(&azure.client_id), endpoint });
    }
    if let Some(key) = secret(&azure.access_key) {
        return Ok(AzureCredential::Key(key));
    }
    if let Some(signature) = secret(&azure.sas_token) {
        return Ok(AzureCredential::Sas(signature));
    }
    let proof = match (secret(&azure.client_secret), non_empty(&azure.token_file)) {
        (Some(secret), _) => Some(ApplicationProof::Secret(secret)),
        (None, file) => file.map(ApplicationProof::TokenFile),
    };
    let application = (non_empty(&azure.tenant_id), non_empty(&azure.client_id), proof);
    if let (Some(tenant), Some(client), Some(proof)) = application {
        return Ok(AzureCredential::Application { tenant, client, proof });
    }
    let rule = "must be set, or another credential: connection_string, sas_token, managed_identity, or tenant_id and \
                client_id with client_secret or token_file";
    Err(("storage.azure.access_key", rule.to_owned()))
}

fn s3_settings(s3: &S3Section) -> Result<S3Settings, Invalid> {
    let secret = |secret: &Secret| secret.non_empty().map(str::to_owned);
    let keys = match (non_empty(&s3.access_key_id), secret(&s3.secret_access_key)) {
        (Some(id), Some(secret_key)) => {
            Some(S3Keys { id, secret: secret_key, session_token: secret(&s3.session_token) })
        }
        (None, None) => None,
        _ => {
            let rule =
                "must be set together with secret_access_key; without both, the role of the machine is used";
            return Err(("storage.s3.access_key_id", rule.to_owned()));
        }
    };
    let key = secret(&s3.encryption_key);
    let encryption = match s3.encryption {
        EncryptionChoice::Bucket => S3Encryption::Bucket,
        EncryptionChoice::S3 => S3Encryption::S3,
        EncryptionChoice::Kms => S3Encryption::Kms(key),
        EncryptionChoice::DoubleKms => S3Encryption::DoubleKms(key),
        EncryptionChoice::Customer => S3Encryption::Customer(key.ok_or_else(|| {
            let rule = "must be 32 bytes in Base64 for encryption \"customer\"";
            ("storage.s3.encryption_key", rule.to_owned())
        })?),
    };
    Ok(S3Settings {
        region: non_empty(&s3.region).unwrap_or_else(|| "us-east-1".to_owned()),
        endpoint: non_empty(&s3.endpoint),
        is_virtual_hosted: s3.virtual_hosted,
        keys,
        encryption,
    })
}

fn non_empty(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
